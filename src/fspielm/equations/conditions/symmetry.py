"""A plane of symmetry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from fspielm.equations.conditions.base import BoundaryCondition, check_weight, check_where, zero
from fspielm.equations.operator import along_normal
from fspielm.equations.setting import Rule, Setting
from fspielm.equations.where import Where


@final
@dataclass(frozen=True)
class Symmetry(BoundaryCondition):
    """The solution goes on beyond a straight piece of the boundary as its mirror image.

    Its normal derivatives of odd order vanish: the first, and the third as well for an equation of fourth order.

    Parameters
    ----------
    on, weight
        As for `Dirichlet`.
    """

    on: Where | None = None
    weight: float = 1.0
    kind: ClassVar[str] = "symmetry"

    def __post_init__(self) -> None:
        check_weight(self.weight, "Symmetry")
        object.__setattr__(self, "on", check_where(self.on, "Symmetry"))

    @property
    def expressions(self) -> tuple[Any, ...]:
        """Its place."""
        return (self.on,)

    def rules(self, setting: Setting, across: int) -> tuple[Rule, ...]:
        """The odd normal derivatives below the order of the equation; the first at any rate."""
        return tuple(
            Rule(
                along_normal(setting.dimension, order, setting.space),
                zero(setting),
                f"order {order}" if order > 1 else "",
            )
            for order in range(1, max(across, 2), 2)
        )
