"""Conditions on the unknown: on the boundary, at the start of time, and inside."""

from typing import TYPE_CHECKING

from fspielm.equations.conditions.base import AnyCondition, BoundaryCondition
from fspielm.equations.conditions.basic import Dirichlet, Initial, Neumann
from fspielm.equations.conditions.interface import Interface

from fspielm.equations.conditions.measured import Measured
from fspielm.equations.conditions.periodic import Periodic
from fspielm.equations.conditions.robin import Robin
from fspielm.equations.conditions.stated import Condition
from fspielm.equations.conditions.symmetry import Symmetry
from fspielm.equations.conditions.transparent import Transparent
__all__ = [
    "AnyCondition",
    "BoundaryCondition",
    "Condition",
    "Dirichlet",
    "Initial",
    "Interface",
    "Measured",
    "Neumann",
    "Periodic",
    "Robin",
    "Symmetry",
    "Transparent",
]
