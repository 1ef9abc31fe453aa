"""Scrambled Halton sequences: points of the unit cube that avoid each other."""

from __future__ import annotations

from itertools import count
from math import ceil, log2
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray


@final
class Halton:
    """The sequence of `scipy.stats.qmc.Halton`, point for point, without the second that it takes to load.

    Coordinate i is the radical inverse of the point's number in the base of the i-th prime, with a random
    permutation of the digits at each place.

    Parameters
    ----------
    dimension : int
    rng : Generator
        Whose child draws the permutations.

    References
    ----------
    A. B. Owen, "A randomized Halton algorithm in R", arXiv:1706.02808, 2017.
    """

    def __init__(self, dimension: int, rng: np.random.Generator) -> None:
        self._drawn = 0
        (child,) = rng.spawn(1)
        self._permutations = [_permutations(base, child) for base in _primes(dimension)]

    def draw(self, n: int) -> FloatArray:
        """The next `n` points, shape ``(n, dimension)``."""
        numbers = np.arange(self._drawn, self._drawn + n)
        self._drawn += n
        return np.column_stack([_radical_inverse(numbers, digits) for digits in self._permutations])


def _primes(n: int) -> list[int]:
    primes: list[int] = []
    for number in count(2):
        if len(primes) == n:
            break
        if all(number % prime for prime in primes):
            primes.append(number)
    return primes


def _permutations(base: int, rng: np.random.Generator) -> NDArray[np.int_]:
    """A permutation of the digits for each place that double precision can tell apart, ``(places, base)``."""
    permutations = np.repeat(np.arange(base)[None], ceil(54 / log2(base)) - 1, axis=0)
    for digits in permutations:
        rng.shuffle(digits)
    return permutations


def _radical_inverse(numbers: NDArray[np.int_], permutations: NDArray[np.int_]) -> FloatArray:
    """The permuted digits of `numbers`, mirrored at the decimal point."""
    base = permutations.shape[1]
    values, weight = np.zeros(len(numbers)), 1.0 / base
    rest = numbers
    for digits in permutations * 1.0:
        if rest.any():
            rest, last = (rest >> 1, rest & 1) if base == 2 else np.divmod(rest, base)
            values += (digits * weight)[last]
        else:  # nothing but leading zeros
            values += digits[0] * weight
        weight /= base
    return values
