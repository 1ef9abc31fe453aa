"""Nonlinear problems: Newton's method on top of everything that solves linear ones."""

from fspielm.solvers.newton.course import solve_nonlinear

__all__ = ["solve_nonlinear"]
