"""Whether an expression is zero everywhere, decided by its values in finite fields rather than by rewriting it.

An expression is evaluated modulo a prime at a random place: an identity holds there as anywhere else, and what is none
fails with a chance of about 1 in 2^60 to be seen. One pass over the expression is all it costs, however steep, flat or
nested it is. The values of ``exp(a)`` are powers g^a of an element whose order is the (smaller) prime modulo which the
argument was evaluated, so that ``exp(a + b) = exp(a) exp(b)`` holds exactly; what is made of it (sin, cosh, tan) has
its identities too, and so have roots and absolute values. Other functions have arbitrary values, the same for the same
arguments: an identity between them is not seen.

References
----------
G. H. Gonnet, Determining equivalence of expressions in random polynomial time, STOC 1984.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from math import gcd, prod
from typing import Any, final

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.functions.elementary.trigonometric import TrigonometricFunction
from sympy.logic.boolalg import Boolean

# Fields one above the other: functions may stand this deep in the exponents of others.
_LEVELS = 6
_TOP = _LEVELS - 1
_PLACES = 2
# A root exists at every second place; with many of them, a place where all do is hard to find.
_TRIES = 64
# Signs of roots and sides of conditions are tried in all combinations, up to this many.
_MOST_CASES = 64


class _UnluckyError(Exception):
    """The expression has no value at this place."""


class _UndecidedError(Exception):
    """There is something in the expression that has no value anywhere."""


def is_zero(expression: sp.Expr) -> bool:
    """Whether `expression` is zero everywhere; False also where that cannot be seen.

    Examples
    --------
    >>> x, y = sp.symbols("x y")
    >>> is_zero(sp.sin(2 * x) - 2 * sp.sin(x) * sp.cos(x)), is_zero(1 - sp.tanh(10**6 * (x - 2)) ** 2)
    (True, False)
    """
    if expression.is_Number:
        return bool(expression == 0)
    try:
        return all(value == 0 for (value,) in _evaluations([expression]))
    except _UndecidedError:
        return False


def is_multiple(expression: sp.Expr, other: sp.Expr) -> bool:
    """Whether `expression` is a number times `other`; False also where that cannot be seen."""
    ratios = set()
    try:
        for above, below in _evaluations([expression, other]):
            if below == 0:
                return False
            ratios.add(above * pow(below, -1, _field(_TOP).prime) % _field(_TOP).prime)
            if len(ratios) > 1:
                return False
    except _UndecidedError:
        return False
    return True


def _evaluations(expressions: Sequence[sp.Expr]) -> Iterator[tuple[int, ...]]:
    """Values at several places, at each of them with all choices of signs and sides."""
    seeds = iter(range(_TRIES))
    for _ in range(_PLACES):
        yield from _at_next_place(expressions, seeds)


def _at_next_place(expressions: Sequence[sp.Expr], seeds: Iterator[int]) -> Iterator[tuple[int, ...]]:
    for seed in seeds:
        choices: list[bool] = []
        found = False
        for _ in range(_MOST_CASES):
            try:
                values = _values(expressions, _Place(seed, choices))
            except _UnluckyError:
                if not found:
                    break
                # Conjugates vanish together: a combination of signs for which a root within a root is missing may be
                # left out, once another was there.
            else:
                found = True
                yield values
            while choices and choices[-1]:
                choices.pop()
            if not choices:
                return
            choices[-1] = True
        else:
            break
    raise _UndecidedError


def _values(expressions: Sequence[sp.Expr], place: _Place) -> tuple[int, ...]:
    try:
        return tuple(place.value(expression, _TOP) for expression in expressions)
    except RecursionError:
        raise _UndecidedError from None


@final
class _Field:
    """The integers modulo a prime q = 5 mod 8 that one of the field below divides less 1."""

    def __init__(self, prime: int, below: int | None) -> None:
        self.prime = prime
        self.imaginary = pow(2, (prime - 1) // 4, prime)  # 2 is no square modulo 5 mod 8
        self.base = None if below is None else pow(2, (prime - 1) // below, prime)

    def over(self, above: int, below: int) -> int:
        if below % self.prime == 0:
            raise _UnluckyError
        return above * pow(below, -1, self.prime) % self.prime

    def square_root(self, a: int) -> int:
        """The smaller of both (Atkin's formula)."""
        v = pow(2 * a, (self.prime - 5) // 8, self.prime)
        root = a * v * (2 * a * v * v - 1) % self.prime
        if root * root % self.prime != a % self.prime:
            raise _UnluckyError
        return min(root, self.prime - root)


@lru_cache(maxsize=_LEVELS)
def _field(level: int) -> _Field:
    if level == 0:
        return _Field(_next_prime(lambda k: 2**60 + k), None)
    below = _field(level - 1).prime
    return _Field(_next_prime(lambda k: k * below + 1), below)


def _next_prime(candidate: Callable[[int], int]) -> int:
    """The first prime q = 5 mod 8 in which every number has exactly one third, fifth and seventh root."""
    k = 1
    while True:
        q = candidate(k)
        if q % 8 == 5 and gcd(q - 1, 105) == 1 and sp.isprime(q):
            return q
        k += 1


@final
class _Place:
    """A place, where every symbol has a value, and every choice of a sign or side is made."""

    def __init__(self, seed: int, choices: list[bool]) -> None:
        self._seed = seed
        self._choices = choices
        self._chosen: dict[tuple[str, int], int] = {}
        self._known: dict[tuple[sp.Basic, int], int] = {}

    def value(self, node: sp.Basic, level: int) -> int:
        """The value of an expression in the field of this level."""
        key = (node, level)
        if key not in self._known:
            self._known[key] = self._evaluate(node, level) % _field(level).prime
        return self._known[key]

    def _evaluate(self, node: sp.Basic, level: int) -> int:
        if isinstance(node, sp.Number):
            return _number(node, level)
        if isinstance(node, sp.Add):
            return sum(self.value(term, level) for term in node.args)
        if isinstance(node, sp.Mul):
            return prod(self.value(factor, level) for factor in node.args)
        if isinstance(node, sp.Pow):
            return self._power(node.base, node.exp, level)
        if node is sp.I:
            return _field(level).imaginary
        if node is sp.E:
            return self._exponential(sp.S.One, level)
        if isinstance(node, sp.Function) and not isinstance(node, AppliedUndef):
            return self._function(node, level)
        if isinstance(node, sp.Symbol | AppliedUndef | sp.Derivative | sp.NumberSymbol) or node.free_symbols:
            return self._arbitrary((sp.srepr(node), level) + (self._seed,) * bool(node.free_symbols))
        raise _UndecidedError

    def _function(self, node: sp.Function, level: int) -> int:
        if isinstance(node, sp.exp):
            return self._exponential(node.args[0], level)
        if type(node) in _WAVES and level:
            return self._wave(node, level)
        if isinstance(node, sp.Abs | sp.sign | sp.Heaviside) and not node.has(sp.I):
            side = self._side(node.args[0])
            if isinstance(node, sp.Abs):
                return side * self.value(node.args[0], level)
            return side if isinstance(node, sp.sign) else _field(level).over(1 + side, 2)
        if isinstance(node, sp.Piecewise):
            return self.value(next((v for v, where in node.args if self._holds(where)), sp.nan), level)
        name = type(node).__name__
        return self._arbitrary((name, level, *(self.value(argument, level) for argument in node.args)))

    def _wave(self, node: sp.Function, level: int) -> int:
        """Sines and the like, by exponentials."""
        field, made = _field(level), _WAVES[type(node)]
        argument, unit = self.value(node.args[0], level - 1), 1
        if isinstance(node, TrigonometricFunction):
            argument, unit = argument * _field(level - 1).imaginary, field.imaginary
        there = self._exponential_of(argument, level)
        back = pow(there, -1, field.prime)
        return made(field, field.over(there - back, 2 * unit), field.over(there + back, 2))

    def _power(self, base: sp.Expr, exponent: sp.Expr, level: int) -> int:
        """``b^(r + h)`` as ``b^r exp(h log b)``, with r rational."""
        field = _field(level)
        number, rest = exponent.as_coeff_Add(rational=True)
        numerator, denominator = int(number.p), int(number.q)
        result = 1
        if numerator:
            root = self.value(base, level)
            while denominator % 2 == 0:
                root = field.square_root(root) * self._choose(("root", self.value(base, _TOP)))
                denominator //= 2
            if denominator > 1:
                if gcd(denominator, field.prime - 1) > 1:
                    raise _UndecidedError
                root = pow(root, pow(denominator, -1, field.prime - 1), field.prime)
            result = pow(root if numerator > 0 else field.over(1, root), abs(numerator), field.prime)
        return result if rest == 0 else result * self._exponential(rest * sp.log(base), level)

    def _exponential(self, argument: sp.Expr, level: int) -> int:
        if level == 0:
            return self._arbitrary(("exp", 0, self.value(argument, 0)))
        return self._exponential_of(self.value(argument, level - 1), level)

    @staticmethod
    def _exponential_of(value: int, level: int) -> int:
        field = _field(level)
        assert field.base is not None
        return pow(field.base, value % _field(level - 1).prime, field.prime)

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
        raise _UndecidedError

    def _side(self, expression: sp.Expr) -> int:
        """The sign, which is chosen, and the other one for the negative of the expression."""
        value, prime = self.value(expression, _TOP), _field(_TOP).prime
        if value == 0:
            return 0
        return self._choose(("side", min(value, prime - value))) * (-1 if 2 * value > prime else 1)

    def _choose(self, key: tuple[str, int]) -> int:
        """A sign, the same one for the same key."""
        if key not in self._chosen:
            number = len(self._chosen)
            if number == len(self._choices):
                self._choices.append(False)
            self._chosen[key] = -1 if self._choices[number] else 1
        return self._chosen[key]

    @staticmethod
    def _arbitrary(key: tuple[Any, ...]) -> int:
        """A number that looks random, the same for the same key."""
        return int.from_bytes(blake2b(repr(key).encode(), digest_size=32).digest(), "big")


def _number(number: sp.Number, level: int) -> int:
    if isinstance(number, sp.Rational):
        return _field(level).over(int(number.p), int(number.q))
    if isinstance(number, sp.Float):
        sign, mantissa, exponent, _ = number._mpf_
        if mantissa or not exponent:
            power: int = pow(2, int(exponent), _field(level).prime)
            return (-int(mantissa) if sign else int(mantissa)) * power
    raise _UndecidedError  # infinite, or not a number


# What is made of a sine and a cosine.
_MADE: dict[str, Callable[[_Field, int, int], int]] = {
    "sin": lambda field, sine, cosine: sine,
    "cos": lambda field, sine, cosine: cosine,
    "tan": lambda field, sine, cosine: field.over(sine, cosine),
    "cot": lambda field, sine, cosine: field.over(cosine, sine),
    "sec": lambda field, sine, cosine: field.over(1, cosine),
    "csc": lambda field, sine, cosine: field.over(1, sine),
}
_WAVES = {getattr(sp, name + kind): made for name, made in _MADE.items() for kind in ("", "h")}
