"""Modes of membranes, by functions that satisfy the equation."""
