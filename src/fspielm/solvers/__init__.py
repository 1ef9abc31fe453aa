"""solve(): strategies, rounds, budgets."""

from fspielm.solvers.cells.first import first_cells
from fspielm.solvers.cells.refine import refine
from fspielm.solvers.continuation.branch import Bifurcation, Branch, BranchPoint, Fold
from fspielm.solvers.continuation.walk import follow
from fspielm.solvers.newton.iteration import smooth_problem
from fspielm.solvers.newton.rounds import solve_nonlinear
from fspielm.solvers.request import APPROACHES, Approach, Budget
from fspielm.solvers.round import Ending, Step, StopReason, Strategy
from fspielm.solvers.solve import solve
from fspielm.solvers.strategies.cells import CellPlan
from fspielm.solvers.strategies.selection import Selection, check_asked_for, select_strategies
from fspielm.solvers.time.windows import is_long, solve_in_windows

__all__ = [
    "APPROACHES",
    "Approach",
    "Bifurcation",
    "Branch",
    "BranchPoint",
    "Budget",
    "CellPlan",
    "Ending",
    "Fold",
    "Selection",
    "Step",
    "StopReason",
    "Strategy",
    "check_asked_for",
    "first_cells",
    "follow",
    "is_long",
    "refine",
    "select_strategies",
    "smooth_problem",
    "solve",
    "solve_in_windows",
    "solve_nonlinear",
]
