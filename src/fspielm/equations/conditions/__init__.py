"""Conditions on the unknown: on the boundary, at the start of time, and inside."""

from typing import TYPE_CHECKING

from fspielm.equations.conditions.base import AnyCondition, BoundaryCondition
from fspielm.equations.conditions.basic import Dirichlet, Initial, Neumann
from fspielm.equations.conditions.interface import Interface
from fspielm.later import names_from

if TYPE_CHECKING:
    from fspielm.equations.conditions.measured import Measured
    from fspielm.equations.conditions.periodic import Periodic
    from fspielm.equations.conditions.robin import Robin
    from fspielm.equations.conditions.stated import Condition
    from fspielm.equations.conditions.symmetry import Symmetry
    from fspielm.equations.conditions.transparent import Transparent
else:
    __getattr__ = names_from(
        __name__,
        {
            "Condition": "fspielm.equations.conditions.stated",
            "Measured": "fspielm.equations.conditions.measured",
            "Periodic": "fspielm.equations.conditions.periodic",
            "Robin": "fspielm.equations.conditions.robin",
            "Symmetry": "fspielm.equations.conditions.symmetry",
            "Transparent": "fspielm.equations.conditions.transparent",
        },
    )

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
