"""Evolutions window by window in time."""

from fspielm.solvers.windows.course import is_long, solve_in_windows

__all__ = ["is_long", "solve_in_windows"]
