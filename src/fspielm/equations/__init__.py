"""What is solved: operators, conditions, problems."""

from fspielm.equations.conditions import BoundaryCondition, Condition, Dirichlet, Initial, Neumann
from fspielm.equations.constraints import Constraint
from fspielm.equations.corners import corner_conflicts
from fspielm.equations.data import with_data
from fspielm.equations.operator import Operator, Term, derivative, identity, normal_derivative
from fspielm.equations.problem import Problem

__all__ = [
    "BoundaryCondition",
    "Condition",
    "Constraint",
    "Dirichlet",
    "Initial",
    "Neumann",
    "Operator",
    "Problem",
    "Term",
    "corner_conflicts",
    "derivative",
    "identity",
    "normal_derivative",
    "with_data",
]
