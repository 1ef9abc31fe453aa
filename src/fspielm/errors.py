"""Every exception and warning that fspielm raises on purpose."""

from __future__ import annotations


class ProblemError(ValueError):
    """A statement that cannot be solved as written: what is wrong, and what would be right."""


class MemoryBudgetError(MemoryError):
    """The solve would need more memory than its budget allows; nothing was allocated."""


class SolveError(ArithmeticError):
    """The linear algebra could not produce an answer with the method that was asked for."""


class AccuracyWarning(UserWarning):
    """A solution misses its tolerance: by how much, why, and what would help."""
