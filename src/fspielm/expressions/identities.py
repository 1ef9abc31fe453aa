"""Whether an expression is zero everywhere, decided by its values in finite fields rather than by rewriting it.

An expression is evaluated modulo primes above 2^60 at random places: an identity holds there as anywhere else, and
what is none is taken for one with a chance of about its degree in 2^60 only. The values of ``exp(a)`` are powers g^a of
an element whose order is the (smaller) prime modulo which the argument was evaluated, so that
``exp(a + b) = exp(a) exp(b)`` holds exactly; what is made of it (sin, cosh, tan) has its identities too.

A finite field does not know which root is the principal one, nor what is positive: an expression is zero where it is
for every choice of roots and signs, at the cost of one walk over the expression for each. A root of a root may exist
for some choices alone; then more places are looked at, and the chance of a wrong answer is that of missing the same
choice at all of them, about 1 in 2^16 for square roots and 1 in 2^9 for third ones. Other functions have arbitrary
values, the same for the same arguments: an identity between them is not seen. Symbols stand for real numbers unless
they say otherwise, and single places do not count: ``sign(x)^2 - 1`` is zero.

References
----------
G. H. Gonnet, Determining equivalence of expressions in random polynomial time, STOC 1984.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from math import lcm

import sympy as sp

from fspielm.expressions.finite_fields import UndecidedError, UnluckyError, field_at
from fspielm.expressions.identity_places import TOP, Choice, Place

_PLACES = 2
# How many places count as one, where some of the choices had no value.
_PARTIAL = 8
# A square root exists at every second place; with many of them, a place where all do is hard to find.
_TRIES = 1024
# Roots and sides of conditions are tried in all combinations, up to this many.
_MOST_CASES = 64
# Roots of a higher order are exponentials of a logarithm.
_MOST_ROOTS = 12


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
        return all(value == 0 for value, _ in _evaluations([expression]))
    except UndecidedError:
        return False


def is_multiple(expression: sp.Expr, other: sp.Expr) -> bool:
    """Whether `expression` is a number times `other`; False also where that cannot be seen."""
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
    """Values at several places, at each of them with all choices of roots and sides, and the prime they are modulo."""
    orders = _orders(expressions)
    unity = lcm(4, *orders.values())
    seeds = iter(range(_TRIES))
    missing = _PLACES * _PARTIAL
    while missing > 0:
        complete = yield from _at_next_place(expressions, orders, unity, seeds)
        missing -= _PARTIAL if complete else 1


def _orders(expressions: Sequence[sp.Expr]) -> dict[sp.Expr, int]:
    """The order of the root to take of each base, of which all its other roots are powers."""
    orders: dict[sp.Expr, int] = {}
    for power in set().union(*(expression.atoms(sp.Pow) for expression in expressions)):
        denominator = int(power.exp.as_coeff_Add(rational=True)[0].q)
        if denominator <= _MOST_ROOTS:
            orders[power.base] = lcm(orders.get(power.base, 1), denominator)
    return {base: order for base, order in orders.items() if 1 < order <= _MOST_ROOTS}


def _at_next_place(
    expressions: Sequence[sp.Expr], orders: Mapping[sp.Expr, int], unity: int, seeds: Iterator[int]
) -> Generator[tuple[int, ...], None, bool]:
    """Values for all choices at one place; whether there was one for each."""
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
            while choices and choices[-1].is_last:
                choices.pop()
            if not choices:
                return complete
            choices[-1] = choices[-1].next
        else:
            break
    raise UndecidedError


def _values(expressions: Sequence[sp.Expr], place: Place) -> tuple[int, ...]:
    try:
        return *(place.value(expression, TOP) for expression in expressions), field_at(TOP, place.unity).prime
    except RecursionError:
        raise UndecidedError from None
