"""Points in the unit cube (random, evenly spread or clustered), and rejection that always ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.halton import Halton

Sampling = Literal["uniform", "low-discrepancy", "clustered"]

# A domain that fills less of its bounding box than this is refused rather than waited for.
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
    the line, and what makes the most even of these sequences beyond it.
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
    stream: Callable[[int], FloatArray],
    accept: Callable[[FloatArray], BoolArray],
    n: int,
    *,
    what: str,
) -> FloatArray:
    """The first `n` points of `stream` that `accept` keeps; refuses a region too thin to be hit."""
    kept: list[FloatArray] = []
    found = drawn = 0
    while found < n:
        # Nothing found yet counts as one, so that batches grow fast and a hopeless search ends early.
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
