"""What every condition has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sympy.logic.boolalg import Boolean, BooleanAtom

from fspielm.equations.operator import Operator, along_normal
from fspielm.equations.per_unknown import by_unknown
from fspielm.equations.regions import Region
from fspielm.equations.setting import Rule, Setting
from fspielm.equations.where import Where, boundary_regions
from fspielm.errors import ProblemError
from fspielm.expressions import Field


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
