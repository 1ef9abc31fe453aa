"""Cells for the automatic solver: the first ones, how they are refined, and what they cost."""

from fspielm.solvers.cells.first import first_cells
from fspielm.solvers.cells.refine import refine
from fspielm.solvers.cells.trial import CellTrial

__all__ = ["CellTrial", "first_cells", "refine"]
