"""The same data stated as expressions, or as callables of points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp
from random_families.conditions import as_callable
from random_families.draw import Draw

# Down to which width a callable's features are promised to be found, over the longest side of the domain.
_LIMIT = {1: 1 / 300, 2: 1 / 300, 3: 1 / 50}
_WIDEST = 0.05
# What matters at this width does so at any.
_ANY = 1e-6


@dataclass(frozen=True)
class Goal:
    """What a problem and its twin have in common: see `Challenge`."""

    tol: float
    width: float
    stated: str
    beyond: bool


def draw_goal(draw: Draw, coordinates: int, least: float = 1e-7, widest: float = _WIDEST) -> Goal:
    """Tolerance, width and how it is stated.

    From `least` on, what is ignored matters; an expression that matters at any width is now and then far narrower.
    """
    tol = draw.log_between(1e-9, 1e-4) if coordinates < 3 else draw.log_between(1e-5, 1e-3)
    rare, narrower, by_callable = draw.chance(0.08), draw.chance(0.15), draw.chance(0.45)
    limit = _LIMIT[coordinates]
    if not by_callable:
        low, high = (1e-3 * least, least) if rare and least <= _ANY else (least, widest)
        return Goal(tol, draw.log_between(low, high), "expression", False)
    if narrower and least < 0.5 * limit:
        return Goal(tol, draw.log_between(max(limit / 30, least), 0.95 * limit), "callable", True)
    return Goal(tol, draw.log_between(max(1.02 * limit, least), max(widest, 2 * limit)), "callable", False)


@dataclass(eq=False)
class Stating:
    """States data one way or the other.

    Attributes
    ----------
    x : sequence of Symbol
        The coordinates.
    callables : bool
    given : dict
        What goes beside the equation.
    """

    x: Sequence[sp.Symbol]
    callables: bool
    given: dict[Any, Any] = field(default_factory=dict)

    def value(self, expression: Any) -> Any:
        """The value of a condition."""
        expression = sp.sympify(expression)
        return as_callable(expression, self.x) if self.callables and expression.free_symbols else expression

    def inside(self, name: str, expression: Any) -> sp.Expr:
        """A coefficient or a right-hand side, for the equation; with its derivatives where it is differentiated."""
        expression = sp.sympify(expression)
        if not self.callables or not expression.free_symbols:
            return expression
        function = sp.Function(name)(*self.x)
        self.given[function] = as_callable(expression, self.x)
        return function

    def within_divergence(self, name: str, expression: Any) -> sp.Expr:
        """A coefficient that the equation differentiates."""
        function = self.inside(name, expression)
        if function != expression:
            self.given |= {function.diff(v): as_callable(sp.sympify(expression).diff(v), self.x) for v in self.x}
        return function
