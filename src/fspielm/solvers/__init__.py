"""solve(): strategies, rounds, budgets."""

from fspielm.solvers.cells.first import first_cells
from fspielm.solvers.cells.refine import refine
from fspielm.solvers.continuation.branch import Bifurcation, Branch, BranchPoint, Fold
from fspielm.solvers.continuation.follow import follow
from fspielm.solvers.newton.course import solve_nonlinear
from fspielm.solvers.newton.round import smooth_problem
from fspielm.solvers.request import APPROACHES, Approach, Budget
from fspielm.solvers.solve import solve
from fspielm.solvers.strategies.cells import CellTrial
from fspielm.solvers.strategies.selection import Selection, check_asked_for, select_stages
from fspielm.solvers.strategies.strategy import Ending, Stage, Step, StopReason
from fspielm.solvers.time.course import is_long, solve_in_windows

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
    "StopReason",
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
