"""Where the iterate of a linearisation is steep, at each of some times: places that few samples would miss.

Between two points on either side of a front, its values jump however thin it is; halving the way, and keeping the half
with the larger jump, leads to it.
"""

from __future__ import annotations

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.equations import Problem, identity
from fspielm.equations.nonlinear import Iterate, iterate_of
from fspielm.geometry import Sites

# Points of space at each time, neighbours of which are compared; how many pairs of them are followed, and how far.
_SAMPLES = 96
_PAIRS = 4
_HALVINGS = 14


def find_fronts(problem: Problem, shares: FloatArray) -> FloatArray:
    """Points ``(n, d)`` at these shares of the time given, a few at each, where the iterate changes most nearby."""
    iterate, time = iterate_of(problem), problem.domain.time
    assert iterate is not None
    assert time is not None
    found = problem.domain.sample(_SAMPLES, np.random.default_rng(0), "low-discrepancy")  # only looks
    left, right = _neighbours(found)
    times = time.start + shares * time.duration
    a, b = (_at_times(side, times) for side in (left, right))
    first, last = (_values(problem, iterate, side) for side in (a, b))
    steepest = np.argsort(_jump(first, last).reshape(len(times), -1), axis=1)[:, -_PAIRS:]
    chosen = (steepest + len(left) * np.arange(len(times))[:, None]).ravel()
    a, b, first, last = a[chosen], b[chosen], first[:, chosen], last[:, chosen]
    for _ in range(_HALVINGS):
        middle = 0.5 * (a + b)
        # where the way leads out of the domain, it is not followed any further
        inside = problem.domain.contains(middle)
        between = np.where(inside, _values(problem, iterate, np.where(inside[:, None], middle, a)), first)
        earlier = inside & (_jump(first, between) >= _jump(between, last))
        later = inside & ~earlier
        a, first = np.where(later[:, None], middle, a), np.where(later, between, first)
        b, last = np.where(earlier[:, None], middle, b), np.where(earlier, between, last)
    return np.asarray(a)


def _neighbours(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Pairs of points that follow each other along one of the axes of space."""
    orders = [np.argsort(points[:, axis]) for axis in range(points.shape[1] - 1)]
    before, after = (np.concatenate([order[side] for order in orders]) for side in (slice(None, -1), slice(1, None)))
    return points[before], points[after]


def _at_times(points: FloatArray, times: FloatArray) -> FloatArray:
    every = np.tile(points, (len(times), 1))
    every[:, -1] = np.repeat(times, len(points))
    return every


def _values(problem: Problem, iterate: Iterate, points: FloatArray) -> NumberArray:
    """Values of all unknowns ``(m, n)``."""
    each = [identity(problem.dimension).on(place) for place in range(len(problem.stated.unknowns))]
    return iterate.evaluate_each(each, Sites(points))


def _jump(one: NumberArray, other: NumberArray) -> FloatArray:
    """How far values ``(m, n)`` are apart, the largest of all unknowns, each in units of its own."""
    size = np.maximum(np.abs(one).max(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    return np.asarray((np.abs(one - other) / size).max(axis=0))
