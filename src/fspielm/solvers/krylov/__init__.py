"""Krylov spaces of what maps functions to functions, and smooth functions to begin them with."""

from fspielm.solvers.krylov.smooth import SmoothSides
from fspielm.solvers.krylov.space import Space

__all__ = ["SmoothSides", "Space"]
