"""What is solved: statements, unknowns, relations, conditions."""

from fspielm.problem.changes import (
    Conflict,
    change_places,
    corner_conflicts,
    find_conflicts,
    mask_borders,
    sides_of,
    value_jumps,
    values_jump,
)
from fspielm.problem.derived import SmoothSides, leaves_constant_open, natural_scales, with_data
from fspielm.problem.further_conditions import Condition, Measured, Periodic
from fspielm.problem.interfaces import Interface, InterfaceLine, Transmission, kinks
from fspielm.problem.nonlinear.iterate import Iterate, as_iterate
from fspielm.problem.nonlinear.law import Law, why_unique
from fspielm.problem.nonlinear.statement import Nonlinear, compile_nonlinear
from fspielm.problem.normal import (
    NormalComponent,
    NormalDerivative,
    curl,
    divergence,
    normal,
    normal_derivative,
    strain,
    stress,
    traction,
)
from fspielm.problem.operator import (
    ConstantOperator,
    FieldCoefficient,
    Operator,
    Term,
    adjugate,
    along_normal,
    constant_operator,
    derivative,
    identity,
)
from fspielm.problem.places import Region
from fspielm.problem.problem import Moving, Problem, iterate_of, linearise, moving
from fspielm.problem.scattering.media import Transparent
from fspielm.problem.setting import Unknown
from fspielm.problem.statement import (
    AnyCondition,
    BoundaryCondition,
    Dirichlet,
    Initial,
    Neumann,
    Relation,
    Robin,
    Statement,
    Symmetry,
)
from fspielm.problem.substitutions import ByRegion
from fspielm.problem.wellposed import connected_pieces

__all__ = [
    "AnyCondition",
    "BoundaryCondition",
    "ByRegion",
    "Condition",
    "Conflict",
    "ConstantOperator",
    "Dirichlet",
    "FieldCoefficient",
    "Initial",
    "Interface",
    "InterfaceLine",
    "Iterate",
    "Law",
    "Measured",
    "Moving",
    "Neumann",
    "Nonlinear",
    "NormalComponent",
    "NormalDerivative",
    "Operator",
    "Periodic",
    "Problem",
    "Region",
    "Relation",
    "Robin",
    "SmoothSides",
    "Statement",
    "Symmetry",
    "Term",
    "Transmission",
    "Transparent",
    "Unknown",
    "adjugate",
    "along_normal",
    "as_iterate",
    "change_places",
    "compile_nonlinear",
    "connected_pieces",
    "constant_operator",
    "corner_conflicts",
    "curl",
    "derivative",
    "divergence",
    "find_conflicts",
    "identity",
    "iterate_of",
    "kinks",
    "leaves_constant_open",
    "linearise",
    "mask_borders",
    "moving",
    "natural_scales",
    "normal",
    "normal_derivative",
    "sides_of",
    "strain",
    "stress",
    "traction",
    "value_jumps",
    "values_jump",
    "why_unique",
    "with_data",
]
