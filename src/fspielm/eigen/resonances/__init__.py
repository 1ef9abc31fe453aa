"""Resonances of open domains."""
