"""Places at which expressions have values in finite fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import blake2b
from math import prod
from typing import Any, NamedTuple, final

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.functions.elementary.trigonometric import TrigonometricFunction
from sympy.logic.boolalg import Boolean

from fspielm.expressions.finite_fields import FiniteField, UndecidedError, UnluckyError, field_at, value_of

# Fields one above the other: functions may stand this deep in the exponents of others.
_LEVELS = 6
TOP = _LEVELS - 1


class Choice(NamedTuple):
    """One of several possibilities."""

    which: int
    number: int

    @property
    def is_last(self) -> bool:
        """Whether there is no other after it."""
        return self.which == self.number - 1

    @property
    def next(self) -> Choice:
        """The one after it."""
        return Choice(self.which + 1, self.number)


@final
class Place:
    """A place, where every symbol has a value, and every choice of a root or side is made."""

    def __init__(self, seed: int, choices: list[Choice], orders: Mapping[sp.Expr, int], unity: int) -> None:
        self.unity = unity
        self._seed = seed
        self._choices = choices
        self._orders = orders
        self._chosen: dict[tuple[Any, ...], int] = {}
        self._known: dict[tuple[sp.Basic, int], int] = {}

    def value(self, node: sp.Basic, level: int) -> int:
        """The value of an expression in the field of this level."""
        key = (node, level)
        if key not in self._known:
            self._known[key] = self._evaluate(node, level) % self._field(level).prime
        return self._known[key]

    def _field(self, level: int) -> FiniteField:
        return field_at(level, self.unity)

    def _evaluate(self, node: sp.Basic, level: int) -> int:
        if isinstance(node, sp.Number):
            return value_of(node, self._field(level))
        if isinstance(node, sp.Add):
            return sum(self.value(term, level) for term in node.args)
        if isinstance(node, sp.Mul):
            return prod(self.value(factor, level) for factor in node.args)
        if isinstance(node, sp.Pow):
            return self._power(node.base, node.exp, level)
        if node is sp.I:
            return self._field(level).imaginary
        if node is sp.E:
            return self._exponential(sp.S.One, level)
        if isinstance(node, sp.Function) and not isinstance(node, AppliedUndef):
            return self._function(node, level)
        if isinstance(node, sp.Symbol | AppliedUndef | sp.Derivative | sp.NumberSymbol) or node.free_symbols:
            number = self._arbitrary((sp.srepr(node), level) + (self._seed,) * bool(node.free_symbols))
            return pow(number, self.unity, self._field(level).prime)  # which has roots
        raise UndecidedError

    def _function(self, node: sp.Function, level: int) -> int:
        if isinstance(node, sp.exp):
            return self._exponential(node.args[0], level)
        if type(node) in _WAVES and level:
            return self._wave(node, level)
        if isinstance(node, sp.Abs | sp.sign | sp.Heaviside) and _is_real(node.args[0]):
            side = self._side(node.args[0])
            if isinstance(node, sp.Abs):
                return side * self.value(node.args[0], level)
            return side if isinstance(node, sp.sign) else self._field(level).over(1 + side, 2)
        if isinstance(node, sp.Piecewise):
            return self.value(next((v for v, where in node.args if self._holds(where)), sp.nan), level)
        name = type(node).__name__
        return self._arbitrary((name, level, *(self.value(argument, level) for argument in node.args)))

    def _wave(self, node: sp.Function, level: int) -> int:
        """Sines and the like, by exponentials."""
        field, made = self._field(level), _WAVES[type(node)]
        argument, unit = self.value(node.args[0], level - 1), 1
        if isinstance(node, TrigonometricFunction):
            argument, unit = argument * self._field(level - 1).imaginary, field.imaginary
        there = self._exponential_of(argument, level)
        back = pow(there, -1, field.prime)
        return made(field, field.over(there - back, 2 * unit), field.over(there + back, 2))

    def _power(self, base: sp.Expr, exponent: sp.Expr, level: int) -> int:
        """``b^(r + h)`` as ``b^r exp(h log b)``, with r rational, which holds for the principal values."""
        field = self._field(level)
        number, rest = exponent.as_coeff_Add(rational=True)
        order = self._orders.get(base, 1)
        if order % number.q:
            number, rest = sp.floor(number), rest + number - sp.floor(number)
        result, steps = 1, int(number * order)
        if steps:
            root = self.value(base, level)
            if order > 1:
                # a choice for each field: which root a field has first says nothing about another field
                which = self._choose(("root", order, level, root), order)
                try:
                    root = field.root(root, order, which)
                except UnluckyError:
                    if base.free_symbols:
                        raise
                    raise UndecidedError from None  # the same at every place
            result = pow(root if steps > 0 else field.over(1, root), abs(steps), field.prime)
        return result if rest == 0 else result * self._exponential(rest * sp.log(base), level)

    def _exponential(self, argument: sp.Expr, level: int) -> int:
        if level == 0:
            return self._arbitrary(("exp", 0, self.value(argument, 0)))
        return self._exponential_of(self.value(argument, level - 1), level)

    def _exponential_of(self, value: int, level: int) -> int:
        field = self._field(level)
        assert field.base is not None
        return pow(field.base, value % self._field(level - 1).prime, field.prime)

    def _holds(self, condition: Boolean) -> bool:
        if condition in (sp.true, sp.false):
            return bool(condition)
        if isinstance(condition, sp.And | sp.Or):
            parts = [self._holds(part) for part in condition.args]
            return all(parts) if isinstance(condition, sp.And) else any(parts)
        if isinstance(condition, sp.Not):
            return not self._holds(condition.args[0])
        if isinstance(condition, sp.Eq | sp.Ne):
            return isinstance(condition, sp.Ne)
        if isinstance(condition, Relational):
            side = self._side(condition.lhs - condition.rhs)
            return side > 0 if isinstance(condition, sp.Gt | sp.Ge) else side < 0
        raise UndecidedError

    def _side(self, expression: sp.Expr) -> int:
        """The sign, which is chosen, and the other one for the negative of the expression."""
        value, prime = self.value(expression, TOP), self._field(TOP).prime
        if value == 0:
            return 0
        sign = 1 - 2 * self._choose(("side", min(value, prime - value)), 2)
        return -sign if 2 * value > prime else sign

    def _choose(self, key: tuple[Any, ...], number: int) -> int:
        """One of several possibilities, the same one for the same key."""
        if key not in self._chosen:
            place = len(self._chosen)
            if place == len(self._choices):
                self._choices.append(Choice(0, number))
            self._chosen[key] = self._choices[place].which
        return self._chosen[key]

    @staticmethod
    def _arbitrary(key: tuple[Any, ...]) -> int:
        """A number that looks random, the same for the same key."""
        return int.from_bytes(blake2b(repr(key).encode(), digest_size=32).digest(), "big")


def _is_real(node: sp.Basic) -> bool:
    """Whether an expression is real wherever it has a value; False also where that cannot be seen.

    Coordinates and what callables return are real, even where their symbols do not say so.
    """
    if isinstance(node, sp.Symbol | AppliedUndef | sp.Derivative):
        return node.is_extended_real is not False
    if isinstance(node, sp.Pow):
        return _is_real(node.base) and bool(node.exp.is_integer or (node.base.is_positive and _is_real(node.exp)))
    if isinstance(node, sp.Piecewise):
        return all(_is_real(value) for value, _ in node.args)
    if isinstance(node, sp.Add | sp.Mul) or type(node) in _REAL:
        return all(_is_real(argument) for argument in node.args)
    return bool(node.is_extended_real)


# What is made of a sine and a cosine.
_MADE: dict[str, Callable[[FiniteField, int, int], int]] = {
    "sin": lambda field, sine, cosine: sine,
    "cos": lambda field, sine, cosine: cosine,
    "tan": lambda field, sine, cosine: field.over(sine, cosine),
    "cot": lambda field, sine, cosine: field.over(cosine, sine),
    "sec": lambda field, sine, cosine: field.over(1, cosine),
    "csc": lambda field, sine, cosine: field.over(1, sine),
}
_WAVES = {getattr(sp, name + kind): made for name, made in _MADE.items() for kind in ("", "h")}
# Functions that are real for every real argument.
_REAL = {*_WAVES, sp.exp, sp.Abs, sp.sign, sp.Heaviside, sp.Max, sp.Min, sp.erf, sp.atan, sp.asinh}
