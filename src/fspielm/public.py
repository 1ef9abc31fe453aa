"""Everything that is `fs.<name>`, but for the packages `fs.cases` and `fs.study`."""

from fspielm.collocation import Points
from fspielm.equations import (
    Condition,
    Dirichlet,
    Initial,
    Measured,
    Neumann,
    Periodic,
    Problem,
    Robin,
    Symmetry,
    normal_derivative,
)
from fspielm.errors import AccuracyWarning, MemoryBudgetError, ProblemError, SolveError, StorageWarning
from fspielm.features import GFF, Band, Characteristic, FrequencyShift, Joined, Siren, Tanh
from fspielm.files import ProblemFile, read_problem, read_problem_file, write_problem
from fspielm.geometry import Time, shapes
from fspielm.geometry.shapes import *  # noqa: F403 (a new shape is one line there)
from fspielm.linalg import QR, TruncatedSVD
from fspielm.solution import Forecast, Report, Round, Solution
from fspielm.solvers import Budget, Prepared, Singular, prepare, solve
from fspielm.store import load

__all__ = [
    "GFF",
    "QR",
    "AccuracyWarning",
    "Band",
    "Budget",
    "Characteristic",
    "Condition",
    "Dirichlet",
    "Forecast",
    "FrequencyShift",
    "Initial",
    "Joined",
    "Measured",
    "MemoryBudgetError",
    "Neumann",
    "Periodic",
    "Points",
    "Prepared",
    "Problem",
    "ProblemError",
    "ProblemFile",
    "Report",
    "Robin",
    "Round",
    "Singular",
    "Siren",
    "Solution",
    "SolveError",
    "StorageWarning",
    "Symmetry",
    "Tanh",
    "Time",
    "TruncatedSVD",
    "load",
    "normal_derivative",
    "prepare",
    "read_problem",
    "read_problem_file",
    "solve",
    "write_problem",
]
__all__ += [name for name in vars(shapes) if not name.startswith("_")]
