"""A plane of symmetry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from fspielm.equations.conditions.base import BoundaryCondition, check_weight, check_where, vanishing
from fspielm.equations.setting import Rule, Setting
from fspielm.equations.where import Where
from fspielm.errors import ProblemError


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

    def rules(self, setting: Setting, across: tuple[int, ...]) -> tuple[Rule, ...]:
        """The odd normal derivatives below the order of the equation; the first at any rate."""
        if len(setting.unknowns) > 1:
            raise ProblemError(
                "Symmetry: of several unknowns, components of a vector along the normal change their sign in a mirror; "
                "write fs.Neumann({u: 0}) for those that do not, and fs.Dirichlet({v: 0}) for those that do"
            )
        return vanishing(setting, [range(1, max(across[0], 2), 2)], plain=1)
