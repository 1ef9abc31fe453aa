"""Conditions on the unknown: on the boundary, and at the start of time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, TypeAlias, final

import numpy as np
from sympy.logic.boolalg import Boolean, BooleanAtom

from fspielm.arrays import BoolArray, FloatArray
from fspielm.equations.operator import Operator, derivative, identity, normal_derivative
from fspielm.errors import ProblemError
from fspielm.expressions import Value, check_value

Where: TypeAlias = str | Sequence[str] | Boolean | Callable[[FloatArray], BoolArray]


class Condition(ABC):
    """What the unknown must satisfy somewhere other than in the interior.

    A new condition supplies its `kind`, a word for messages and row blocks, and its `operator`.
    """

    kind: ClassVar[str]
    value: Value
    weight: float

    @abstractmethod
    def operator(self, dimension: int) -> Operator:
        """The operator whose values on the unknown are prescribed."""


class BoundaryCondition(Condition):
    """A condition on the boundary, or on the part of it that `on` names."""

    on: Where | None


@final
@dataclass(frozen=True)
class Dirichlet(BoundaryCondition):
    """The value of the unknown on the boundary.

    Parameters
    ----------
    value : number, Expr or callable ``(n, d) -> (n,)``
    on : str, list of str, SymPy relation or callable mask, optional
        Where it holds: names of boundary parts, a relation such as ``x < 0.5`` or ``sp.Eq(x, 0)``, or a
        function from points to a mask. Everywhere on the boundary by default.
    weight : float
        How much its rows count beside the equation's; 1 is right unless the data are known to be worse.
    """

    value: Value
    on: Where | None = None
    weight: float = 1.0
    kind: ClassVar[str] = "dirichlet"

    def __post_init__(self) -> None:
        check_value(self.value, "Dirichlet: value")
        _check_weight(self.weight, "Dirichlet")
        object.__setattr__(self, "on", _check_where(self.on, "Dirichlet"))

    def operator(self, dimension: int) -> Operator:
        """Return the identity."""
        return identity(dimension)


@final
@dataclass(frozen=True)
class Neumann(BoundaryCondition):
    """The derivative of the unknown along the outward normal; parameters as for `Dirichlet`."""

    value: Value
    on: Where | None = None
    weight: float = 1.0
    kind: ClassVar[str] = "neumann"

    def __post_init__(self) -> None:
        check_value(self.value, "Neumann: value")
        _check_weight(self.weight, "Neumann")
        object.__setattr__(self, "on", _check_where(self.on, "Neumann"))

    def operator(self, dimension: int) -> Operator:
        """Return the normal derivative."""
        return normal_derivative(dimension)


@final
@dataclass(frozen=True)
class Initial(Condition):
    """The unknown, or its time derivative of the given order, at the start of time.

    Parameters
    ----------
    value : number, Expr or callable ``(n, d) -> (n,)``
    order : int
        0 for the value itself, 1 for the velocity, and so on.
    weight : float
        As for `Dirichlet`.
    """

    value: Value
    order: int = 0
    weight: float = 1.0
    kind: ClassVar[str] = "initial"

    def __post_init__(self) -> None:
        check_value(self.value, "Initial: value")
        _check_weight(self.weight, "Initial")
        if not isinstance(self.order, int | np.integer) or isinstance(self.order, bool) or self.order < 0:
            raise ProblemError(f"Initial: order must be a whole number, 0 or more; got {self.order!r}")

    def operator(self, dimension: int) -> Operator:
        """Return the time derivative of this order."""
        return derivative((0,) * (dimension - 1) + (int(self.order),))


def _check_where(on: Any, who: str) -> Where | None:
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


def _check_weight(weight: Any, who: str) -> None:
    if isinstance(weight, bool) or not isinstance(weight, Real) or not 0 < float(weight) < np.inf:
        raise ProblemError(f"{who}: weight must be a positive number; got {weight!r}")
