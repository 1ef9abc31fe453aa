"""Nonlinear problems: Newton's method."""
