"""Points of the unit cube and directions of the sphere."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from math import ceil, log2
from typing import Literal, final, get_args

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.errors import ProblemError
from fspielm.resources import check_deadline

# ---- Scrambled Halton sequences

# Size of the table of the lowest digits; longer sequences are computed in blocks.
_LARGEST_TABLE = 2**16


@final
class Halton:
    """The sequence of `scipy.stats.qmc.Halton`, point by point, without importing `scipy.stats`.

    Coordinate i is the radical inverse of the point's number in the base of the i-th prime, with a random
    permutation of the digits at each place.

    Parameters
    ----------
    dimension : int
    rng : Generator
        Its child draws the permutations.

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
    """A permutation of the digits for each place within double precision, ``(places, base)``."""
    permutations = np.repeat(np.arange(base)[None], ceil(54 / log2(base)) - 1, axis=0)
    for digits in permutations:
        rng.shuffle(digits)
    return permutations


def _radical_inverses(first: int, n: int, permutations: NDArray[np.int_]) -> FloatArray:
    """The permuted digits of `n` consecutive numbers, mirrored at the decimal point; lowest digits are added first."""
    places, base = permutations.shape
    digits = permutations * np.divide.accumulate([1.0 / base, *[float(base)] * (places - 1)])[:, None]
    # a table of all numbers with few digits
    known, low = np.zeros(1), 0
    while len(known) < min(n, _LARGEST_TABLE):
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


# ---- Points in the unit cube

Sampling = Literal["uniform", "low-discrepancy", "clustered"]

# Domains that fill less of their bounding box are refused.
_LEAST_ACCEPTANCE = 1e-5
_LARGEST_BATCH = 1_000_000


def check_sampling(sampling: str) -> None:
    """Refuse an unknown sampling rule by name."""
    if sampling not in get_args(Sampling):
        raise ProblemError(f"sampling must be one of {list(get_args(Sampling))}; got {sampling!r}")


def check_count(n: int) -> None:
    """Refuse a number of points that is not a whole number, zero or more."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
        raise ProblemError(f"n must be a whole number of points, zero or more; got {n!r}")


def unit_stream(dimension: int, rng: np.random.Generator, sampling: Sampling) -> Callable[[int], FloatArray]:
    """A function that returns the next `n` points of a sequence in the unit cube, shape ``(n, dimension)``.

    ``"uniform"`` are independent random points; ``"low-discrepancy"`` is a scrambled Halton sequence, whose
    points avoid each other; ``"clustered"`` is that sequence with Chebyshev density toward every face.
    """
    check_sampling(sampling)
    if dimension == 0:
        return lambda n: np.empty((n, 0))
    if sampling == "uniform":
        return lambda n: rng.random((n, dimension))
    sequence = Halton(dimension, rng)
    if sampling == "clustered":
        return lambda n: arcsine(sequence.draw(n))
    return sequence.draw


def kronecker(n: int, dimension: int) -> FloatArray:
    """`n` fixed points spread evenly over the unit cube, shape ``(n, dimension)``, with irrational coordinates.

    Point i is the fractional part of i g^-1, i g^-2, ..., where ``g^(dimension + 1) = g + 1``: the golden ratio on
    the line, and its generalization beyond.
    """
    ratio = 2.0
    for _ in range(64):
        ratio = (1.0 + ratio) ** (1.0 / (dimension + 1))
    steps = ratio ** -np.arange(1.0, dimension + 1)
    return np.asarray((np.arange(1, n + 1)[:, None] * steps) % 1.0, dtype=np.float64)


def arcsine(fraction: FloatArray) -> FloatArray:
    """Map even density on [0, 1] to the Chebyshev density."""
    return np.asarray(0.5 * (1 - np.cos(np.pi * fraction)), dtype=np.float64)


def reject(
    stream: Callable[[int], FloatArray], accept: Callable[[FloatArray], BoolArray], n: int, *, what: str
) -> FloatArray:
    """The first `n` points of `stream` that `accept` keeps; refuses a region that is too thin."""
    kept: list[FloatArray] = []
    found = drawn = 0
    while found < n:
        # at least one counts as found, so that batches grow fast and a hopeless search ends early
        rate = max(found, 1) / drawn if drawn else 0.5
        batch = min(max(int(1.1 * (n - found) / rate), 64), _LARGEST_BATCH)
        candidates = stream(batch)
        inside = candidates[accept(candidates)]
        kept.append(inside)
        found += len(inside)
        drawn += batch
        if drawn > 1000 and (found + 1) / drawn < _LEAST_ACCEPTANCE:
            raise ProblemError(
                f"{what} fills less than {_LEAST_ACCEPTANCE:g} of its bounding box "
                f"({found} of {drawn} random points hit it); enlarge it or split it into simpler shapes"
            )
    return np.concatenate(kept)[:n] if kept else stream(0)


# ---- Directions on the sphere


def half_sphere(n: int, dimension: int, rng: np.random.Generator) -> FloatArray:
    """`n` evenly spread unit vectors ``(n, dimension)``, one per opposite pair, randomly rotated; one on the line."""
    check_deadline()
    if dimension == 1:
        return np.ones((1, 1))
    if dimension == 2:
        angle = np.pi * (np.arange(n) + rng.random()) / n
        return np.column_stack([np.cos(angle), np.sin(angle)])
    if dimension == 3:
        # a spiral of equal areas, as on a whole sphere with twice as many points
        height = (np.arange(n) + 0.5) / n
        angle = np.pi * (3 - np.sqrt(5)) * np.arange(n)
        across = np.sqrt(1 - height**2)
        points = np.column_stack([across * np.cos(angle), across * np.sin(angle), height])
    else:
        from scipy.special import ndtri

        points = ndtri(np.clip(kronecker(n, dimension), 1e-12, 1 - 1e-12))
        points /= np.linalg.norm(points, axis=1, keepdims=True)
    turn, _ = np.linalg.qr(rng.standard_normal((dimension, dimension)))
    return np.asarray(points @ turn)


def tangents(directions: FloatArray, rng: np.random.Generator) -> FloatArray:
    """A unit vector perpendicular to each of the directions ``(n, d)``, d at least two."""
    n, dimension = directions.shape
    if dimension == 2:
        return np.column_stack([-directions[:, 1], directions[:, 0]])
    # even angles around the directions, by an irrational step independent of theirs
    angle = 2 * np.pi * (np.sqrt(2) * np.arange(n) + rng.random())
    plane, _ = np.linalg.qr(rng.standard_normal((dimension, 2)))
    across = np.cos(angle)[:, None] * plane[:, 0] + np.sin(angle)[:, None] * plane[:, 1]
    across -= np.sum(across * directions, axis=1, keepdims=True) * directions
    return np.asarray(across / np.linalg.norm(across, axis=1, keepdims=True))
