"""Solves with fixed seeds, and what is kept of them to tell whether a change of the sources changed a bit."""
