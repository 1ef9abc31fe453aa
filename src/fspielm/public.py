"""Everything that is `fs.<name>`, but for the packages `fs.cases` and `fs.study`."""

from typing import TYPE_CHECKING

from fspielm.accuracy import ErrorEstimate, examine, judge
from fspielm.collocation import Discretisation, Points, RowBlock, System, draw_features
from fspielm.equations import (
    AnyCondition,
    ByRegion,
    Dirichlet,
    Initial,
    Interface,
    InterfaceLine,
    Neumann,
    Operator,
    Problem,
    Relation,
    Term,
    Transmission,
    Unknown,
    normal,
    normal_derivative,
)
from fspielm.errors import (
    AccuracyWarning,
    MemoryBudgetError,
    OutsideWarning,
    ProblemError,
    SolveError,
    SolveInterrupted,
    StorageWarning,
)
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
from fspielm.geometry import BoundaryPart, Domain, Sites, Time, shapes
from fspielm.later import names_from
from fspielm.linalg import QR, Factored, LeastSquares
from fspielm.scrutiny import Narrow, Scrutiny, scrutinise
from fspielm.solution import Forecast, FoundMode, ModeSearch, NewtonStep, Report, Round, Solution, Window
from fspielm.solvers import Budget, Singular, solve
from fspielm.spectrum import Bands, infer_bands

if TYPE_CHECKING:
    from fspielm.equations import (
        Condition,
        Measured,
        Periodic,
        Robin,
        Symmetry,
        curl,
        divergence,
        strain,
        stress,
        traction,
    )
    from fspielm.equations.comes_in import beam, plane_wave, point_source
    from fspielm.equations.conditions import Transparent
    from fspielm.equations.incident import Incident
    from fspielm.files import ProblemFile, read_problem, read_problem_file, write_problem
    from fspielm.geometry import Regions
    from fspielm.geometry.exterior import Exterior
    from fspielm.geometry.shapes import *  # noqa: F403
    from fspielm.linalg import TruncatedSVD
    from fspielm.solvers.following import Bifurcation, Branch, BranchPoint, Fold, follow
    from fspielm.solvers.modes import Mode, ModeCount, Modes, count_modes, eigenmodes
    from fspielm.solvers.prepare import Prepared, prepare
    from fspielm.store import load
else:
    _CONDITIONS = ("Condition", "Measured", "Periodic", "Robin", "Symmetry")
    _VECTORS = ("curl", "divergence", "strain", "stress", "traction")
    __getattr__ = names_from(
        __name__,
        {
            **shapes.HOMES,
            **dict.fromkeys(("ProblemFile", "read_problem", "read_problem_file", "write_problem"), "fspielm.files"),
            **dict.fromkeys((*_CONDITIONS, *_VECTORS), "fspielm.equations"),
            **dict.fromkeys(("Prepared", "prepare"), "fspielm.solvers.prepare"),
            **dict.fromkeys(("Bifurcation", "Branch", "BranchPoint", "Fold", "follow"), "fspielm.solvers.following"),
            **dict.fromkeys(("Mode", "ModeCount", "Modes", "count_modes", "eigenmodes"), "fspielm.solvers.modes"),
            "Incident": "fspielm.equations.incident",
            **dict.fromkeys(("beam", "plane_wave", "point_source"), "fspielm.equations.comes_in"),
            "Exterior": "fspielm.geometry.exterior",
            "Transparent": "fspielm.equations.conditions",
            "Regions": "fspielm.geometry",
            "TruncatedSVD": "fspielm.linalg",
            "load": "fspielm.store",
        },
    )

__all__ = [
    "GFF",
    "QR",
    "AccuracyWarning",
    "Activation",
    "AnyCondition",
    "Band",
    "Bands",
    "Basis",
    "Bifurcation",
    "BoundaryPart",
    "Branch",
    "BranchPoint",
    "Budget",
    "ByRegion",
    "Characteristic",
    "Condition",
    "Dirichlet",
    "Discretisation",
    "Domain",
    "ErrorEstimate",
    "Exterior",
    "Factored",
    "Family",
    "Fold",
    "Forecast",
    "FoundMode",
    "FrequencyShift",
    "Incident",
    "Initial",
    "Interface",
    "InterfaceLine",
    "Joined",
    "LeastSquares",
    "Measured",
    "MemoryBudgetError",
    "Mode",
    "ModeCount",
    "ModeSearch",
    "Modes",
    "Narrow",
    "Neumann",
    "NewtonStep",
    "Operator",
    "OutsideWarning",
    "Periodic",
    "Place",
    "Points",
    "Prepared",
    "Problem",
    "ProblemError",
    "ProblemFile",
    "Regions",
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
    "SolveInterrupted",
    "StorageWarning",
    "Symmetry",
    "System",
    "Tanh",
    "Term",
    "Time",
    "Transmission",
    "Transparent",
    "TruncatedSVD",
    "Unknown",
    "Window",
    "beam",
    "count_modes",
    "curl",
    "divergence",
    "draw_features",
    "eigenmodes",
    "examine",
    "follow",
    "infer_bands",
    "judge",
    "load",
    "normal",
    "normal_derivative",
    "plane_wave",
    "point_source",
    "prepare",
    "read_problem",
    "read_problem_file",
    "scrutinise",
    "solve",
    "strain",
    "stress",
    "traction",
    "write_problem",
]
__all__ += shapes.HOMES
