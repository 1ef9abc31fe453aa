"""A mixture of value and normal derivative."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

from fspielm.equations.conditions.base import BoundaryCondition, check_weight, check_where, prescribed
from fspielm.equations.operator import along_normal, field_coefficient, identity
from fspielm.equations.per_unknown import freeze, written
from fspielm.equations.setting import Rule, Setting
from fspielm.equations.where import Where
from fspielm.errors import ProblemError
from fspielm.expressions import Value, check_value


@final
@dataclass(frozen=True)
class Robin(BoundaryCondition):
    """``alpha u + beta du/dn = value`` with the outward normal n, as for heat lost to the surroundings.

    Parameters
    ----------
    alpha, beta : number, Expr or callable ``(n, d) -> (n,)``
    value : number, Expr or callable, or a mapping from unknowns to such
        For several unknowns the same mixture of each one named.
    on, weight
        As for `Dirichlet`.
    """

    alpha: Value
    beta: Value
    value: Value | Mapping[Any, Value]
    on: Where | None = None
    weight: float = 1.0
    kind: ClassVar[str] = "robin"
    repeats: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name in ("alpha", "beta"):
            check_value(getattr(self, name), f"Robin: {name}")
        object.__setattr__(self, "value", freeze(self.value, "Robin: value"))
        check_weight(self.weight, "Robin")
        object.__setattr__(self, "on", check_where(self.on, "Robin"))

    @property
    def expressions(self) -> tuple[Any, ...]:
        """Coefficients, value and place."""
        return self.alpha, self.beta, *written(self.value), self.on

    def rules(self, setting: Setting, across: tuple[int, ...]) -> tuple[Rule, ...]:
        """The one mixture."""
        alpha, beta = (self.read_value(getattr(self, n), f"the {n} of Robin", setting) for n in ("alpha", "beta"))
        if alpha.constant == 0.0 and beta.constant == 0.0:
            raise ProblemError("Robin: alpha and beta are both zero, so that nothing is prescribed")
        # a side that is zero is left out: a mixture of one thing is that thing
        value = identity(setting.dimension).times(field_coefficient(alpha, "the alpha of Robin"))
        slope = along_normal(setting.dimension, axes=setting.space).times(field_coefficient(beta, "the beta of Robin"))
        mixture = slope if alpha.constant == 0.0 else value if beta.constant == 0.0 else value + slope
        return prescribed(self, mixture, self.value, setting)

    def with_value(self, value: Any, setting: Setting) -> Robin:
        """The same with another value."""
        return replace(self, value=value)
