"""Decide whether an expression is zero everywhere, and take real and imaginary parts."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import count
from math import gcd, lcm, prod
from typing import Any, NamedTuple, final

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.functions.elementary.trigonometric import TrigonometricFunction
from sympy.logic.boolalg import Boolean

from fspielm.expr.functions import MOST_NODES

# ---- Real and imaginary parts

_Parts = tuple[sp.Expr, sp.Expr]


class _NoPartsError(Exception):
    """There is no rule for something in an expression."""


def complex_parts(expression: sp.Expr) -> _Parts | None:
    """The real and the imaginary part, without the imaginary unit; None if a rule is missing.

    Symbols are real, and functions of real numbers are real. SymPy's ``as_real_imag`` expands, and may not terminate.
    """
    try:
        return _split(expression)
    except _NoPartsError:
        return None


def _split(expression: sp.Expr) -> _Parts:
    if not expression.has(sp.I):
        return expression, sp.S.Zero
    if expression is sp.I:
        return sp.S.Zero, sp.S.One
    for kind, of_parts in _FUNCTION_RULES.items():
        if isinstance(expression, kind):
            return _bounded(of_parts(*_split(expression.args[0])))
    for kind, rule in _RULES.items():
        if isinstance(expression, kind):
            return _bounded(rule(expression))
    raise _NoPartsError


def _bounded(parts: _Parts) -> _Parts:
    """The parts, refused if they are too large."""
    if sum(1 for part in parts for _ in sp.preorder_traversal(part)) > MOST_NODES:
        raise _NoPartsError
    return parts


def _sum(expression: sp.Add) -> _Parts:
    real, imaginary = zip(*map(_split, expression.args), strict=True)
    return sp.Add(*real), sp.Add(*imaginary)


def _product(expression: sp.Mul) -> _Parts:
    plain = [factor for factor in expression.args if not factor.has(sp.I)]
    parts: _Parts = sp.S.One, sp.S.Zero
    for factor in expression.args:
        if factor.has(sp.I):
            parts = _times(parts, _split(factor))
    return sp.Mul(*plain, parts[0]), sp.Mul(*plain, parts[1])


def _times(one: _Parts, other: _Parts) -> _Parts:
    (a, b), (c, d) = one, other
    return _bounded((a * c - b * d, a * d + b * c))


def _power(expression: sp.Pow) -> _Parts:
    base, exponent = expression.as_base_exp()
    if not isinstance(exponent, sp.Integer):
        raise _NoPartsError
    parts = _split(base)
    result: _Parts = sp.S.One, sp.S.Zero
    for bit in bin(abs(int(exponent)))[2:]:
        result = _times(result, result)
        if bit == "1":
            result = _times(result, parts)
    if exponent > 0:
        return result
    a, b = result
    return a / (a**2 + b**2), -b / (a**2 + b**2)


def _choice(expression: sp.Piecewise) -> _Parts:
    if any(condition.has(sp.I) for _, condition in expression.args):
        raise _NoPartsError
    branches = [(_split(value), condition) for value, condition in expression.args]
    real, imaginary = (sp.Piecewise(*((parts[i], condition) for parts, condition in branches)) for i in range(2))
    return real, imaginary


_RULES: dict[type[sp.Basic], Callable[..., _Parts]] = {
    sp.Add: _sum,
    sp.Mul: _product,
    sp.Pow: _power,
    sp.Piecewise: _choice,
}
# The parts of a function of a + i b.
_FUNCTION_RULES: dict[type[sp.Basic], Callable[[sp.Expr, sp.Expr], _Parts]] = {
    sp.exp: lambda a, b: (sp.exp(a) * sp.cos(b), sp.exp(a) * sp.sin(b)),
    sp.sin: lambda a, b: (sp.sin(a) * sp.cosh(b), sp.cos(a) * sp.sinh(b)),
    sp.cos: lambda a, b: (sp.cos(a) * sp.cosh(b), -sp.sin(a) * sp.sinh(b)),
    sp.sinh: lambda a, b: (sp.sinh(a) * sp.cos(b), sp.cosh(a) * sp.sin(b)),
    sp.cosh: lambda a, b: (sp.cosh(a) * sp.cos(b), sp.sinh(a) * sp.sin(b)),
    sp.conjugate: lambda a, b: (a, -b),
    sp.re: lambda a, b: (a, sp.S.Zero),
    sp.im: lambda a, b: (b, sp.S.Zero),
    sp.Abs: lambda a, b: (sp.sqrt(a**2 + b**2), sp.S.Zero),
}


# ---- Finite fields


class UnluckyError(Exception):
    """The expression has no value at this place."""


class UndecidedError(Exception):
    """Something in the expression has no value at any place."""


@final
class FiniteField:
    """The integers modulo a prime q, with all roots of unity of order n; n and (q - 1) / n are coprime.

    The prime of the field below divides q - 1.
    """

    def __init__(self, prime: int, unity: int, below: int | None) -> None:
        self.prime = prime
        self._unity = unity
        self._rest = (prime - 1) // unity
        self._root_of_unity = next(
            root
            for root in (pow(g, self._rest, prime) for g in count(2))
            if all(pow(root, unity // factor, prime) != 1 for factor in sp.primefactors(unity))
        )
        self._powers = {pow(self._root_of_unity, k, prime): k for k in range(unity)}
        self.imaginary = pow(self._root_of_unity, unity // 4, prime)
        self.base = None if below is None else pow(2, (prime - 1) // below, prime)

    def over(self, above: int, below: int) -> int:
        """A quotient."""
        if below % self.prime == 0:
            raise UnluckyError
        return above * pow(below, -1, self.prime) % self.prime

    def root(self, a: int, order: int, which: int) -> int:
        """One of the roots of `a`; their order divides that of the roots of unity."""
        if a == 0:
            return 0
        # `a` is the product of a number with a unique root and a root of unity
        one = pow(a, self._unity * pow(self._unity, -1, self._rest), self.prime)
        power = self._powers[self.over(a, one)]
        if power % order:
            raise UnluckyError
        turn = power // order + which * self._unity // order
        return pow(one, pow(order, -1, self._rest), self.prime) * pow(self._root_of_unity, turn, self.prime)


@lru_cache(maxsize=64)
def field_at(level: int, unity: int) -> FiniteField:
    """The field of a level; its exponents are numbers of the field below."""
    below = field_at(level - 1, unity).prime if level else None
    step, first = unity * (below or 1), 1 if level else 2**60 // unity
    for k in count(first):
        q = k * step + 1
        if gcd(q // unity, unity) == 1 and sp.isprime(q):
            return FiniteField(q, unity, below)
    raise AssertionError


def value_of(number: sp.Number, field: FiniteField) -> int:
    """A number, as an element of a field."""
    if isinstance(number, sp.Rational):
        return field.over(int(number.p), int(number.q))
    if isinstance(number, sp.Float):
        sign, mantissa, exponent, _ = number._mpf_
        if mantissa or not exponent:
            power: int = pow(2, int(exponent), field.prime)
            return (-int(mantissa) if sign else int(mantissa)) * power
    raise UndecidedError  # infinite, or not a number


# ---- Places: values for all symbols, roots and signs

# Number of fields above each other: the depth of functions in exponents of functions.
_LEVELS = 6
TOP = _LEVELS - 1


class Choice(NamedTuple):
    """One of several options, by its number."""

    which: int
    options: int


@final
class Place:
    """Values for all symbols, and choices of all roots and signs."""

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
        """Trigonometric and hyperbolic functions, by exponentials."""
        field, made = self._field(level), _WAVES[type(node)]
        argument, unit = self.value(node.args[0], level - 1), 1
        if isinstance(node, TrigonometricFunction):
            argument, unit = argument * self._field(level - 1).imaginary, field.imaginary
        there = self._exponential_of(argument, level)
        back = pow(there, -1, field.prime)
        return made(field, field.over(there - back, 2 * unit), field.over(there + back, 2))

    def _power(self, base: sp.Expr, exponent: sp.Expr, level: int) -> int:
        """``b^(r + h)`` as ``b^r exp(h log b)`` with rational r, which holds for principal values."""
        field = self._field(level)
        number, rest = exponent.as_coeff_Add(rational=True)
        order = self._orders.get(base, 1)
        if order % number.q:
            number, rest = sp.floor(number), rest + number - sp.floor(number)
        result, steps = 1, int(number * order)
        if steps:
            root = self.value(base, level)
            if order > 1:
                # one choice for each field: the order of roots in a field says nothing about another field
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
        """The chosen sign of an expression; the negative expression has the opposite sign."""
        value, prime = self.value(expression, TOP), self._field(TOP).prime
        if value == 0:
            return 0
        sign = 1 - 2 * self._choose(("side", min(value, prime - value)), 2)
        return -sign if 2 * value > prime else sign

    def _choose(self, key: tuple[Any, ...], number: int) -> int:
        """One of several options, the same for the same key."""
        if key not in self._chosen:
            place = len(self._chosen)
            if place == len(self._choices):
                self._choices.append(Choice(0, number))
            self._chosen[key] = self._choices[place].which
        return self._chosen[key]

    @staticmethod
    def _arbitrary(key: tuple[Any, ...]) -> int:
        """A pseudorandom number, the same for the same key."""
        return int.from_bytes(blake2b(repr(key).encode(), digest_size=32).digest(), "big")


def _is_real(node: sp.Basic) -> bool:
    """Whether an expression is real wherever it has a value; False also if this is unknown.

    Coordinates and values of callables count as real, whatever the assumptions of their symbols.
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


# Functions of a sine and a cosine.
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


# ---- Identities, decided by values in finite fields
# We evaluate an expression modulo primes above 2^60 at random places. An identity holds there as anywhere else; other
# expressions vanish with a probability of about their degree / 2^60. The values of ``exp(a)`` are powers g^a of an
# element whose order is the (smaller) prime modulo which we evaluated the argument, so that ``exp(a + b) = exp(a)
# exp(b)`` holds exactly, and so do the identities of sin, cosh, tan, ...
#
# A finite field has neither principal roots nor positive numbers: an expression is zero if it vanishes for every choice
# of roots and signs, which costs one evaluation each. A root of a root may exist for some choices only; then we try
# more places, and the probability of a wrong answer is that of missing the same choice at all of them, about 1 in 2^16
# for square roots and 1 in 2^9 for cube roots. Other functions have arbitrary values, the same for the same arguments:
# identities between them remain unknown. Symbols are real unless they say otherwise, and null sets do not count:
# ``sign(x)^2 - 1`` is zero.
#
# G. H. Gonnet, Determining equivalence of expressions in random polynomial time, STOC 1984.

_PLACES = 2
# Number of places that count as one if some choices have no value.
_PARTIAL = 8
# Largest number of combinations of roots and signs.
_MOST_CASES = 64
# Roots of higher order are exponentials of a logarithm.
_MOST_ROOTS = 12


def is_zero(expression: sp.Expr) -> bool:
    """Whether `expression` is zero everywhere; False also if this is unknown.

    Examples
    --------
    >>> x, y = sp.symbols("x y")
    >>> is_zero(sp.sin(2 * x) - 2 * sp.sin(x) * sp.cos(x)), is_zero(1 - sp.tanh(10**6 * (x - 2)) ** 2)
    (True, False)
    """
    if expression.is_Number:
        return bool(expression == 0)
    try:
        return all(value == 0 for value, _ in _evaluations([expression]))
    except UndecidedError:
        return False


def is_multiple(expression: sp.Expr, other: sp.Expr) -> bool:
    """Whether `expression` is a number times `other`; False also if this is unknown."""
    ratios = set()
    try:
        for above, below, prime in _evaluations([expression, other]):
            if below == 0:
                return False
            ratios.add(above * pow(below, -1, prime) % prime)
            if len(ratios) > 1:
                return False
    except UndecidedError:
        return False
    return True


def _evaluations(expressions: Sequence[sp.Expr]) -> Iterator[tuple[int, ...]]:
    """Values at several places for all choices of roots and signs, followed by the prime of their field."""
    orders = _orders(expressions)
    unity = lcm(4, *orders.values())
    missing = _PLACES * _PARTIAL
    # a square root exists at every second place, so that all exist at one of as many places as there are combinations
    seeds = iter(range(missing * _MOST_CASES))
    while missing > 0:
        complete = yield from _at_next_place(expressions, orders, unity, seeds)
        missing -= _PARTIAL if complete else 1


def _orders(expressions: Sequence[sp.Expr]) -> dict[sp.Expr, int]:
    """The order of the root of each base of which all its other roots are powers."""
    orders: dict[sp.Expr, int] = {}
    for power in set().union(*(expression.atoms(sp.Pow) for expression in expressions)):
        denominator = int(power.exp.as_coeff_Add(rational=True)[0].q)
        if denominator <= _MOST_ROOTS:
            orders[power.base] = lcm(orders.get(power.base, 1), denominator)
    return {base: order for base, order in orders.items() if 1 < order <= _MOST_ROOTS}


def _at_next_place(
    expressions: Sequence[sp.Expr], orders: Mapping[sp.Expr, int], unity: int, seeds: Iterator[int]
) -> Generator[tuple[int, ...], None, bool]:
    """Values for all choices at one place; returns whether each choice had one."""
    for seed in seeds:
        choices: list[Choice] = []
        found, complete = False, True
        for _ in range(_MOST_CASES):
            try:
                values = _values(expressions, Place(seed, choices, orders, unity))
            except UnluckyError:
                if not found:
                    break
                complete = False
            else:
                found = True
                yield values
            while choices and choices[-1].which == choices[-1].options - 1:
                choices.pop()
            if not choices:
                return complete
            choices[-1] = choices[-1]._replace(which=choices[-1].which + 1)
        else:
            break
    raise UndecidedError


def _values(expressions: Sequence[sp.Expr], place: Place) -> tuple[int, ...]:
    try:
        return *(place.value(expression, TOP) for expression in expressions), field_at(TOP, place.unity).prime
    except RecursionError:
        raise UndecidedError from None
