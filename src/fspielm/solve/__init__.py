"""solve(): strategies, rounds, budgets."""

from fspielm.solve.cells.first import first_cells
from fspielm.solve.cells.refine import refine
from fspielm.solve.continuation.branch import Bifurcation, Branch, BranchPoint, Fold
from fspielm.solve.continuation.follow import follow
from fspielm.solve.newton.course import solve_nonlinear
from fspielm.solve.newton.round import smooth_problem
from fspielm.solve.request import APPROACHES, Approach, Budget
from fspielm.solve.solve import solve
from fspielm.solve.strategies.cells import CellTrial
from fspielm.solve.strategies.selection import Selection, check_asked_for, select_stages
from fspielm.solve.strategies.strategy import Ending, Stage, Step
from fspielm.solve.time.course import is_long, solve_in_windows

__all__ = [
    "APPROACHES",
    "Approach",
    "Bifurcation",
    "Branch",
    "BranchPoint",
    "Budget",
    "CellTrial",
    "Ending",
    "Fold",
    "Selection",
    "Stage",
    "Step",
    "check_asked_for",
    "first_cells",
    "follow",
    "is_long",
    "refine",
    "select_stages",
    "smooth_problem",
    "solve",
    "solve_in_windows",
    "solve_nonlinear",
]
