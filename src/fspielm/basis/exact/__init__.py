"""Trefftz functions: those that satisfy the equation."""
