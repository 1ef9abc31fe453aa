"""Conditions on values, normal derivatives, mixtures of both, and the start of time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar, final

import numpy as np
from sympy.logic.boolalg import Boolean, BooleanAtom

from fspielm.errors import ProblemError
from fspielm.expr.field import Field, Value, check_value
from fspielm.geometry.time import SpaceTime, Time
from fspielm.problem.operator import Operator, along_normal, derivative, field_coefficient, identity
from fspielm.problem.places import Region, Where, boundary_regions
from fspielm.problem.setting import Rule, Setting, by_unknown, freeze, written

# ---- What every condition has in common


class AnyCondition(ABC):
    """What the unknown must satisfy somewhere, beside the equation.

    A new condition supplies its `kind`, a word for messages and row blocks; the `regions` where it holds; and the
    `rules` that hold there.
    """

    kind: ClassVar[str]
    # Whether several of the kind may hold at one place: they may then prescribe different things.
    repeats: ClassVar[bool] = False
    weight: float

    @property
    def has_normals(self) -> bool:
        """Whether it holds on a boundary, so that its values may depend on the normal."""
        return False

    @abstractmethod
    def regions(self, setting: Setting) -> list[Region]:
        """Where it holds."""

    def about(self, setting: Setting) -> frozenset[int]:
        """The unknowns that it is about, by their places: those it names, or all."""
        value = getattr(self, "value", getattr(self, "values", None))
        if not isinstance(value, Mapping):
            return frozenset(range(len(setting.unknowns)))
        return frozenset(place for place, _, _ in by_unknown(value, type(self).__name__, setting))

    @abstractmethod
    def rules(self, setting: Setting, across: tuple[int, ...]) -> tuple[Rule, ...]:
        """What holds there: operators, the values of which on the unknowns are prescribed.

        On a boundary, the equations are of orders `across` in the direction of its normal, one for each unknown.
        """

    @property
    @abstractmethod
    def expressions(self) -> tuple[Any, ...]:
        """What the user wrote it with, in whatever form."""

    def read_value(self, value: Any, what: str, setting: Setting) -> Field:
        """A value for the condition, as a field."""
        return setting.field(value, what, normals=self.has_normals)

    def with_value(self, value: Any, setting: Setting) -> AnyCondition:
        """The same condition with another value."""
        raise ProblemError(f"the value of {type(self).__name__} is always zero; it cannot be replaced by {value!r}")


class BoundaryCondition(AnyCondition):
    """A condition on the boundary, or on the part of it that `on` names."""

    on: Where | None

    @property
    def has_normals(self) -> bool:
        """Every part of a boundary has them."""
        return True

    def regions(self, setting: Setting) -> list[Region]:
        """The parts, or pieces of parts, that `on` means."""
        return boundary_regions(self.on, type(self).__name__, setting)


def check_where(on: Any, who: str) -> Where | None:
    """Refuse what cannot say where a condition holds; a list of names becomes a tuple."""
    if isinstance(on, bool | np.bool_ | BooleanAtom):
        raise ProblemError(
            f"{who}: on={on} is a plain truth value (what Python makes of `x == 0`, and SymPy of a relation "
            "that the assumptions on its symbols decide); write sp.Eq(x, 0), a part's name, or a function of "
            "the points"
        )
    if isinstance(on, Sequence) and not isinstance(on, str):
        if on and all(isinstance(name, str) for name in on):
            return tuple(on)
    elif on is None or isinstance(on, str | Boolean) or callable(on):
        where: Where | None = on
        return where
    raise ProblemError(
        f"{who}: on must be a part's name, a list of names, a SymPy relation or a callable mask; got {on!r}"
    )


def check_weight(weight: Any, who: str) -> None:
    """Refuse what is no positive number."""
    if isinstance(weight, bool) or not isinstance(weight, Real) or not 0 < float(weight) < np.inf:
        raise ProblemError(f"{who}: weight must be a positive number; got {weight!r}")


def prescribed(
    condition: AnyCondition, operator: Operator, value: Any, setting: Setting, label: str = ""
) -> tuple[Rule, ...]:
    """The operator on each unknown that `value` is for, with its value."""
    who = type(condition).__name__
    rules = []
    for place, name, one in by_unknown(value, who, setting):
        what = f"the value{'s' * (condition.kind == 'measured')} of {who}" + f" for {name}" * bool(name)
        label_here = " ".join(filter(None, (name, label)))
        rules.append(Rule(operator.on(place), condition.read_value(one, what, setting), label_here))
    return tuple(rules)


def vanishing(setting: Setting, orders: Sequence[Sequence[int]], plain: int = 0) -> tuple[Rule, ...]:
    """The normal derivatives of these orders are zero, or the same on both sides, for each unknown.

    Labels tell orders above `plain`.
    """
    rules = []
    for place, its_orders in enumerate(orders):
        name = setting.symbols[place].func.__name__ if len(orders) > 1 else ""
        for order in its_orders:
            operator = along_normal(setting.dimension, order, setting.space).on(place)
            label = " ".join(filter(None, (name, f"order {order}" * (order > plain))))
            rules.append(Rule(operator, setting.field(0, "zero"), label))
    return tuple(rules)


# ---- The value, the normal derivative, and the start of time


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


# ---- A mixture of value and normal derivative


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


# ---- A plane of symmetry


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
