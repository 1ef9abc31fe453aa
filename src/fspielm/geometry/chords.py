"""Axis-parallel chords through points of a domain, and points clustered toward their ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.geometry.intervals import bisect
from fspielm.geometry.sampling import arcsine

if TYPE_CHECKING:
    from fspielm.geometry.domain import Domain

_STEPS = 48
_BISECTIONS = 45
# Data may be defined in the open domain only: lines keep this share of their length away from its boundary.
_HAIR = 1e-9


def chord_ends(domain: Domain, points: FloatArray, axis: int) -> tuple[FloatArray, FloatArray]:
    """Where the line through each point along `axis` leaves the domain, first below and first above the point.

    Returns
    -------
    low, high : (n,) arrays
        Coordinates along `axis`; both ends lie in the domain.
    """
    return domain._chord_ends(points, axis)


def march(domain: Domain, points: FloatArray, axis: int) -> tuple[FloatArray, FloatArray]:
    """Ends of chords as `chord_ends` returns them, found by marching to the bounding box and bisecting.

    It needs nothing of the domain but membership. A gap thinner than a 48th of the way may be stepped over.
    """
    lower, upper = domain.bounding_box
    return _first_exit(domain, points, axis, lower[axis]), _first_exit(domain, points, axis, upper[axis])


def _first_exit(domain: Domain, points: FloatArray, axis: int, limit: float) -> FloatArray:
    start = points[:, axis]
    inside, outside = start.copy(), np.full(len(points), limit)
    walking = np.arange(len(points))
    for step in range(1, _STEPS + 1):
        if not walking.size:
            break
        probe = points[walking]
        probe[:, axis] = start[walking] + (step / _STEPS) * (limit - start[walking])
        held = domain.contains(probe)
        inside[walking[held]] = probe[held, axis]
        outside[walking[~held]] = probe[~held, axis]
        walking = walking[held]
    left = np.setdiff1d(np.arange(len(points)), walking)
    inside[walking] = limit
    probe = points[left]

    def held_at(middle: FloatArray) -> BoolArray:
        probe[:, axis] = middle
        return domain.contains(probe)

    inside[left], _ = bisect(inside[left], outside[left], held_at, _BISECTIONS)
    return inside


def chord_lines(
    domain: Domain,
    seeds: FloatArray,
    axis: int,
    n: int,
    *,
    shortest: float = 0.0,
    ends: tuple[FloatArray, FloatArray] | None = None,
) -> tuple[FloatArray, FloatArray]:
    """`n` equispaced points on the chord along `axis` through each seed, a hair inside its ends.

    Parameters
    ----------
    domain : Domain
    seeds : (m, d) array
        Points of the domain.
    axis, n : int
    shortest : float
        Chords shorter than this share of the longest are left out.
    ends : (low, high), optional
        From `chord_ends`, where they are known already.

    Returns
    -------
    lines : (k, n, d) array
        Every point lies in the domain: a chord over a gap that the march did not see is left out too.
    lengths : (k,) array
    """
    low, high = chord_ends(domain, seeds, axis) if ends is None else ends
    inset = _HAIR * (high - low)
    low, high = low + inset, high - inset
    long_enough = high - low > shortest * (high - low).max(initial=0.0)
    seeds, low, high = seeds[long_enough], low[long_enough], high[long_enough]
    lines = np.repeat(seeds[:, None, :], n, axis=1)
    lines[:, :, axis] = np.linspace(low, high, n, axis=1)
    whole = domain.contains(lines.reshape(-1, domain.dimension)).reshape(len(lines), n).all(axis=1)
    return lines[whole], (high - low)[whole]


def cluster(domain: Domain, points: FloatArray) -> FloatArray:
    """Move points of even density toward the boundary: axis by axis, Chebyshev density along each chord.

    Collocation needs more points where a global basis is least held, which is at the boundary. On a box this is
    the tensor Chebyshev density; on any other shape the chords do the same without knowing it.
    """
    moved = points.copy()
    for axis in range(domain.dimension):
        low, high = chord_ends(domain, moved, axis)
        length = high - low
        fraction = np.divide(moved[:, axis] - low, length, out=np.full(len(moved), 0.5), where=length > 0)
        moved[:, axis] = low + length * arcsine(fraction)
    strayed = ~domain.contains(moved)  # over a gap too thin for the march
    moved[strayed] = points[strayed]
    return moved
