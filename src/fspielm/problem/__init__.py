"""What is solved: statements, unknowns, relations, conditions."""

from fspielm.problem.changes import change_places, corner_conflicts, mask_borders, value_jumps
from fspielm.problem.derived import SmoothSides, leaves_constant_open, natural_scales, with_data
from fspielm.problem.further_conditions import Condition, Measured, Periodic
from fspielm.problem.interfaces import Interface
from fspielm.problem.nonlinear.iterate import Iterate, as_iterate
from fspielm.problem.nonlinear.law import Law, why_unique
from fspielm.problem.normal import curl, divergence, normal, normal_derivative, strain, stress, traction
from fspielm.problem.operator import Operator, Term, adjugate, along_normal, constant_operator, derivative, identity
from fspielm.problem.problem import Problem, linearise
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

__all__ = [
    "AnyCondition",
    "BoundaryCondition",
    "ByRegion",
    "Condition",
    "Dirichlet",
    "Initial",
    "Interface",
    "Iterate",
    "Law",
    "Measured",
    "Neumann",
    "Operator",
    "Periodic",
    "Problem",
    "Relation",
    "Robin",
    "SmoothSides",
    "Statement",
    "Symmetry",
    "Term",
    "Transparent",
    "Unknown",
    "adjugate",
    "along_normal",
    "as_iterate",
    "change_places",
    "constant_operator",
    "corner_conflicts",
    "curl",
    "derivative",
    "divergence",
    "identity",
    "leaves_constant_open",
    "linearise",
    "mask_borders",
    "natural_scales",
    "normal",
    "normal_derivative",
    "strain",
    "stress",
    "traction",
    "value_jumps",
    "why_unique",
    "with_data",
]
