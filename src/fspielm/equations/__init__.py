"""What is solved: operators, conditions, problems."""

from typing import TYPE_CHECKING

from fspielm.equations.balance import natural_scales
from fspielm.equations.breaks import mask_borders, value_jumps
from fspielm.equations.by_region import ByRegion
from fspielm.equations.changes import change_places, sides_of, values_jump
from fspielm.equations.conditions import AnyCondition, BoundaryCondition, Dirichlet, Initial, Interface, Neumann
from fspielm.equations.constant import ConstantOperator, constant_operator
from fspielm.equations.corners import Conflict, corner_conflicts, find_conflicts
from fspielm.equations.determinant import adjugate
from fspielm.equations.interfaces import InterfaceLine, kinks
from fspielm.equations.normal import NormalComponent, NormalDerivative, normal, normal_derivative
from fspielm.equations.openness import leaves_constant_open
from fspielm.equations.operator import FieldCoefficient, Operator, Term, along_normal, derivative, identity
from fspielm.equations.problem import Problem
from fspielm.equations.regions import Region
from fspielm.equations.relations import Relation
from fspielm.equations.statement import Statement
from fspielm.equations.transmission import Transmission
from fspielm.equations.unknowns import Unknown

from fspielm.equations.conditions import Condition, Measured, Periodic, Robin, Symmetry
from fspielm.equations.data import with_data
from fspielm.equations.nonlinear import Iterate, Law, Nonlinear, as_iterate, linearise
from fspielm.equations.vectors import curl, divergence, strain, stress, traction
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
    "Statement",
    "Symmetry",
    "Term",
    "Transmission",
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
    "find_conflicts",
    "identity",
    "kinks",
    "leaves_constant_open",
    "linearise",
    "mask_borders",
    "natural_scales",
    "normal",
    "normal_derivative",
    "sides_of",
    "strain",
    "stress",
    "traction",
    "value_jumps",
    "values_jump",
    "with_data",
]
