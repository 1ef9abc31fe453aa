"""Everything that is `fs.<name>`, but for the packages `fs.cases` and `fs.study`."""

from fspielm.accuracy import ErrorEstimate, examine, judge
from fspielm.collocation import Discretisation, Points, RowBlock, System, draw_features
from fspielm.equations import (
    AnyCondition,
    Condition,
    Dirichlet,
    Initial,
    Measured,
    Neumann,
    Operator,
    Periodic,
    Problem,
    Relation,
    Robin,
    Symmetry,
    Term,
    Unknown,
    normal_derivative,
)
from fspielm.errors import AccuracyWarning, MemoryBudgetError, ProblemError, SolveError, StorageWarning
from fspielm.features import (
    GFF,
    Activation,
    Band,
    Basis,
    Characteristic,
    Family,
    FrequencyShift,
    Joined,
    Place,
    Siren,
    Tanh,
)
from fspielm.files import ProblemFile, read_problem, read_problem_file, write_problem
from fspielm.geometry import BoundaryPart, Domain, Sites, Time, shapes
from fspielm.geometry.shapes import *  # noqa: F403 (a new shape is one line there)
from fspielm.linalg import QR, Factored, LeastSquares, TruncatedSVD
from fspielm.scrutiny import Narrow, Scrutiny, scrutinise
from fspielm.solution import Forecast, Report, Round, Solution
from fspielm.solvers import Budget, Prepared, Singular, prepare, solve
from fspielm.spectrum import Bands, infer_bands
from fspielm.store import load

__all__ = [
    "GFF",
    "QR",
    "AccuracyWarning",
    "Activation",
    "AnyCondition",
    "Band",
    "Bands",
    "Basis",
    "BoundaryPart",
    "Budget",
    "Characteristic",
    "Condition",
    "Dirichlet",
    "Discretisation",
    "Domain",
    "ErrorEstimate",
    "Factored",
    "Family",
    "Forecast",
    "FrequencyShift",
    "Initial",
    "Joined",
    "LeastSquares",
    "Measured",
    "MemoryBudgetError",
    "Narrow",
    "Neumann",
    "Operator",
    "Periodic",
    "Place",
    "Points",
    "Prepared",
    "Problem",
    "ProblemError",
    "ProblemFile",
    "Relation",
    "Report",
    "Robin",
    "Round",
    "RowBlock",
    "Scrutiny",
    "Singular",
    "Siren",
    "Sites",
    "Solution",
    "SolveError",
    "StorageWarning",
    "Symmetry",
    "System",
    "Tanh",
    "Term",
    "Time",
    "TruncatedSVD",
    "Unknown",
    "draw_features",
    "examine",
    "infer_bands",
    "judge",
    "load",
    "normal_derivative",
    "prepare",
    "read_problem",
    "read_problem_file",
    "scrutinise",
    "solve",
    "write_problem",
]
__all__ += [name for name in vars(shapes) if not name.startswith("_")]
