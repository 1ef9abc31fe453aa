"""What packets of short waves gather on their way through the coefficients of a linearisation, in one dimension.

A packet grows where it is, and it travels with its group velocity. Where dispersion is strong that is fast: what is
steep in a solution is passed within a short time, and a wave that is to grow there for long would have to stay. While
a packet passes once through all of the domain it grows by the integral of rate over speed; it passes as often as its
speed allows, as if it were reflected at every end, or came in again at the other.
"""

from __future__ import annotations

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.equations import Problem
from fspielm.equations.nonlinear import Iterate, iterate_of
from fspielm.equations.operator import derivative
from fspielm.geometry import Sites
from fspielm.spectrum.hidden.exponents import rates_and_speeds
from fspielm.spectrum.hidden.frozen import freeze

# Places along the domain, and more of them around what is steep, ever closer to it: so many octaves, two in each.
_ALONG = 129
_OCTAVES = 14
# Waves of fewer periods over the domain are no packets.
_PERIODS = 4
# What is steep moves too. A packet that is not faster by this may go along with it.
_FASTER = 2.0
# Slopes that are steep, as a share of the steepest.
_STEEP = 0.5


def gathered(problem: Problem, fronts: FloatArray, k: FloatArray, seconds: float) -> FloatArray:
    """By how many powers of e waves grow at most within so many seconds ``(m,)``; infinite where they may stay.

    Parameters
    ----------
    problem : Problem
        A linearisation in one dimension and time.
    fronts : (n, 2) array
        Where its iterate is steep at each of some times.
    k : (m, 1) array
    seconds : float
    """
    lower, upper = problem.domain.bounding_box
    length = float(upper[0] - lower[0])
    iterate = iterate_of(problem)
    assert iterate is not None
    packets = np.abs(k[:, 0]) * length >= 2 * np.pi * _PERIODS
    most = np.where(packets, 0.0, np.inf)
    k = k[packets]
    for now in np.unique(fronts[:, 1]):
        x = _places(fronts[fronts[:, 1] == now, 0], float(lower[0]), float(upper[0]))
        sites = Sites(np.column_stack([x, np.full(len(x), now)]))
        growing, slowest, fastest = rates_and_speeds(freeze(problem.determinant, sites), k, 1 / seconds)
        along = _speed_of_steep(problem, iterate, sites)
        slow, fast = slowest.min(axis=0), fastest.max(axis=0)
        passes = 1 + seconds * (fast + along) / length
        with np.errstate(divide="ignore", invalid="ignore"):
            once = np.trapezoid(growing / (slowest - along), x, axis=0)
        most[packets] = np.maximum(most[packets], np.where(slow > _FASTER * along, passes * once, np.inf))
    return most


def _places(steep: FloatArray, first: float, last: float) -> FloatArray:
    """Places along a line, close to each other where something is steep."""
    offsets = (last - first) * 2.0 ** (-np.arange(2 * _OCTAVES) / 2)
    around = steep[:, None] + np.concatenate([-offsets, [0.0], offsets])
    return np.unique(np.clip(np.concatenate([np.linspace(first, last, _ALONG), around.ravel()]), first, last))


def _speed_of_steep(problem: Problem, iterate: Iterate, sites: Sites) -> float:
    """How fast what is steep in the iterate moves: its slope in time over that in space."""
    unknowns = range(len(problem.stated.unknowns))
    in_space, in_time = (
        np.abs(iterate.evaluate_each([derivative(orders).on(place) for place in unknowns], sites))
        for orders in ((1, 0), (0, 1))
    )
    fastest = 0.0
    for slope, change in zip(in_space, in_time, strict=True):
        steep = slope >= _STEEP * slope.max()
        if slope.max() > 0:
            fastest = max(fastest, float((change[steep] / slope[steep]).max()))
    return fastest
