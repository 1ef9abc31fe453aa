"""The value, the normal derivative, and the start of time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np

from fspielm.equations.conditions.base import (
    AnyCondition,
    BoundaryCondition,
    check_weight,
    check_where,
    prescribed,
)
from fspielm.equations.operator import along_normal, derivative, identity
from fspielm.equations.per_unknown import freeze, written
from fspielm.equations.regions import Region
from fspielm.equations.setting import Rule, Setting
from fspielm.equations.where import Where
from fspielm.errors import ProblemError
from fspielm.expressions import Value
from fspielm.geometry import SpaceTime, Time


@final
@dataclass(frozen=True)
class Dirichlet(BoundaryCondition):
    """The value of the unknown on the boundary.

    Parameters
    ----------
    value : number, Expr or callable ``(n, d) -> (n,)``; or a mapping from unknowns to such
        Of several unknowns, those that are prescribed: ``{u: 1, v: 0}``. A callable that needs a second argument gets
        the outward normals ``(n, d)`` in it. In an expression, ``fs.normal_derivative`` of a known function is its
        derivative along them.
    on : str, list of str, SymPy relation or callable mask, optional
        Where it holds: names of boundary parts, with wildcards (``"circle*"``) if need be; ``"rest"`` for all that no
        other condition on the same unknowns covers; a relation such as ``x < 0.5`` or ``sp.Eq(x, 0)``; or a function
        from points to a mask. Everywhere on the boundary by default.
    weight : float
        How much its rows count beside the equation's; 1 is right unless the data are known to be worse.
    """

    value: Value | Mapping[Any, Value]
    on: Where | None = None
    weight: float = 1.0
    kind: ClassVar[str] = "dirichlet"

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", freeze(self.value, "Dirichlet: value"))
        check_weight(self.weight, "Dirichlet")
        object.__setattr__(self, "on", check_where(self.on, "Dirichlet"))

    @property
    def expressions(self) -> tuple[Any, ...]:
        """Its values and its place."""
        return *written(self.value), self.on

    def rules(self, setting: Setting, across: tuple[int, ...]) -> tuple[Rule, ...]:
        """The unknown itself."""
        return prescribed(self, identity(setting.dimension), self.value, setting)

    def with_value(self, value: Any, setting: Setting) -> Dirichlet:
        """The same with another value."""
        return replace(self, value=value)


@final
@dataclass(frozen=True)
class Neumann(BoundaryCondition):
    """The derivative of the unknown along the outward normal; parameters as for `Dirichlet`."""

    value: Value | Mapping[Any, Value]
    on: Where | None = None
    weight: float = 1.0
    kind: ClassVar[str] = "neumann"

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", freeze(self.value, "Neumann: value"))
        check_weight(self.weight, "Neumann")
        object.__setattr__(self, "on", check_where(self.on, "Neumann"))

    @property
    def expressions(self) -> tuple[Any, ...]:
        """Its values and its place."""
        return *written(self.value), self.on

    def rules(self, setting: Setting, across: tuple[int, ...]) -> tuple[Rule, ...]:
        """The normal derivative."""
        return prescribed(self, along_normal(setting.dimension, axes=setting.space), self.value, setting)

    def with_value(self, value: Any, setting: Setting) -> Neumann:
        """The same with another value."""
        return replace(self, value=value)


@final
@dataclass(frozen=True)
class Initial(AnyCondition):
    """The unknown, or its time derivative of the given order, at the start of time.

    Parameters
    ----------
    value : number, Expr or callable ``(n, d) -> (n,)``, or a mapping from unknowns to such
    order : int
        0 for the value itself, 1 for the velocity, and so on.
    weight : float
        As for `Dirichlet`.
    """

    value: Value | Mapping[Any, Value]
    order: int = 0
    weight: float = 1.0
    kind: ClassVar[str] = "initial"

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", freeze(self.value, "Initial: value"))
        check_weight(self.weight, "Initial")
        if not isinstance(self.order, int | np.integer) or isinstance(self.order, bool) or self.order < 0:
            raise ProblemError(f"Initial: order must be a whole number, 0 or more; got {self.order!r}")

    @property
    def expressions(self) -> tuple[Any, ...]:
        """Its values."""
        return written(self.value)

    def regions(self, setting: Setting) -> list[Region]:
        """The start of time."""
        domain = setting.domain
        if isinstance(domain, Time):
            return [Region("start", "", 1.0, domain.initial, count=1)]
        if not isinstance(domain, SpaceTime):
            raise ProblemError(
                "an Initial condition needs a domain with time; write domain=space * fs.Time(start, end), or "
                "domain=fs.Time(start, end) for an ordinary differential equation in time"
            )
        return [Region("start", "", domain.space.measure, domain.initial)]

    def rules(self, setting: Setting, across: tuple[int, ...]) -> tuple[Rule, ...]:
        """The time derivative of this order."""
        operator = derivative((0,) * (setting.dimension - 1) + (int(self.order),))
        return prescribed(self, operator, self.value, setting, f"order {self.order}" if self.order else "")

    def with_value(self, value: Any, setting: Setting) -> Initial:
        """The same with another value."""
        return replace(self, value=value)
