"""Scrambled Halton sequences: points of the unit cube that avoid each other."""

from __future__ import annotations

from itertools import count
from math import ceil, log2
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray

# Numbers whose lowest digits are looked up together; more are taken block by block.
_MOST_KNOWN = 2**16


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
        first, self._drawn = self._drawn, self._drawn + n
        return np.column_stack([_radical_inverses(first, n, digits) for digits in self._permutations])


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


def _radical_inverses(first: int, n: int, permutations: NDArray[np.int_]) -> FloatArray:
    """The permuted digits of `n` numbers in a row, mirrored at the decimal point; digits are added lowest first."""
    places, base = permutations.shape
    digits = permutations * np.divide.accumulate([1.0 / base, *[float(base)] * (places - 1)])[:, None]
    # of every number with so few digits that there are about as many of them
    known, low = np.zeros(1), 0
    while len(known) < min(n, _MOST_KNOWN):
        known, low = (known + digits[low][:, None]).ravel(), low + 1
    blocks = [np.empty(0)]
    for block in range(first // len(known), -(-(first + n) // len(known))):
        begin = block * len(known)
        values, rest = known[max(first - begin, 0) : first + n - begin].copy(), block
        for place in digits[low:].tolist():
            rest, digit = divmod(rest, base)
            values += place[digit]
        blocks.append(values)
    return np.concatenate(blocks)
