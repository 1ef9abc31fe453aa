"""Finite fields, one above the other, in which exponentials, roots and roots of unity have values."""

from __future__ import annotations

from functools import lru_cache
from itertools import count
from math import gcd
from typing import final

import sympy as sp


class UnluckyError(Exception):
    """The expression has no value at this place."""


class UndecidedError(Exception):
    """There is something in the expression that has no value anywhere."""


@final
class FiniteField:
    """The integers modulo a prime q, with all roots of unity of order n, where n and (q - 1) / n have no common factor.

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
        """One of the roots of `a`, whose order divides that of the roots of unity."""
        if a == 0:
            return 0
        # a number is a product of two, one of which has only one root, and the other is a root of unity
        one = pow(a, self._unity * pow(self._unity, -1, self._rest), self.prime)
        power = self._powers[self.over(a, one)]
        if power % order:
            raise UnluckyError
        turn = power // order + which * self._unity // order
        return pow(one, pow(order, -1, self._rest), self.prime) * pow(self._root_of_unity, turn, self.prime)


@lru_cache(maxsize=64)
def field_at(level: int, unity: int) -> FiniteField:
    """The field of a level, whose exponents are numbers of the one below."""
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
