"""Integrals over regions of the unit cube known by membership only, along lines cut where they enter and leave."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.geometry.intervals import bisect
from fspielm.geometry.sampling import kronecker

Membership: TypeAlias = Callable[[FloatArray], BoolArray]
Values: TypeAlias = Callable[[FloatArray], FloatArray]

_STEPS = 64
_BISECTIONS = 20
# Lines begin and end a hair inside the cube: its faces are where regions are cut off, and membership is in doubt.
_HAIR = 1e-5
# Along a line, which may lead once around, and on a panel of lines' feet.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)
_FEET, _FOOT_WEIGHTS = np.polynomial.legendre.leggauss(4)
_PANELS = 16
# Not in the middle: a jump there would look the same from the whole panel and from its two parts.
_CUT = 0.41
_MOST_CUTS = 16
_MOST_LINES = 4096
_AIM = 1e-6


def inside_share(inside: Membership, dimension: int) -> float:
    """The share of the unit cube that lies in a region; exactly 0 or 1 where no line leaves or enters it.

    See `inside_integrals`.
    """
    share = float(inside_integrals(inside, lambda points: np.ones(len(points)), dimension)[0])
    # rounding of the weights must not make a whole of 1 less than that
    return round(share) if abs(share - round(share)) < 1e-12 else share


def inside_integrals(inside: Membership, values: Values, dimension: int) -> FloatArray:
    """Integrals of 1 and of a smooth function over a region of the unit cube, ``(2,)``.

    Parallels to the last axis are cut where they enter and leave the region. In one dimension there is but one; in
    two their feet are chosen adaptively, for an error of about 1e-5; beyond that they are spread evenly, for an error
    of some 1e-3. A gap or a piece of less than a 64th of a line may be stepped over.

    Parameters
    ----------
    inside, values : callable
        Membership and values at points ``(n, dimension)`` of the unit cube.
    dimension : int
        At least one.
    """
    if dimension == 1:
        return np.asarray(_along_lines(inside, values, np.empty((1, 0)))[0])
    if dimension > 2:
        return np.asarray(_along_lines(inside, values, kronecker(_MOST_LINES, dimension - 1)).mean(axis=0))
    ends = np.linspace(0.0, 1.0, _PANELS + 1)
    low, high = ends[:-1], ends[1:]
    whole, total, lines = _over_panels(inside, values, low, high), np.zeros(2), 0
    scale = 1.0 + np.abs(whole).sum(axis=0)
    for _ in range(_MOST_CUTS):
        middle = low + _CUT * (high - low)
        low, high = np.append(low, middle), np.append(middle, high)
        parts = _over_panels(inside, values, low, high)
        lines += len(low) * len(_FEET)
        left, right = np.split(parts, 2)
        rough = np.any(np.abs(left + right - whole) > _AIM * scale, axis=1)
        total += np.sum((left + right)[~rough], axis=0)
        rough = np.tile(rough, 2)
        low, high, whole = low[rough], high[rough], parts[rough]
        if not len(low) or lines > _MOST_LINES:
            break
    return np.asarray(total + whole.sum(axis=0), dtype=np.float64)


def _over_panels(inside: Membership, values: Values, low: FloatArray, high: FloatArray) -> FloatArray:
    """Integrals over panels of the lines' feet, ``(n, 2)``."""
    half = 0.5 * (high - low)
    feet = 0.5 * (low + high)[:, None] + half[:, None] * _FEET
    along = _along_lines(inside, values, feet.reshape(-1, 1)).reshape(*feet.shape, 2)
    return np.asarray(half[:, None] * np.sum(along * _FOOT_WEIGHTS[:, None], axis=1), dtype=np.float64)


def _along_lines(inside: Membership, values: Values, feet: FloatArray) -> FloatArray:
    """Integrals along the parallels to the last axis through `feet` ``(n, dimension - 1)``, ``(n, 2)``."""
    line, low, high = _inside_intervals(inside, feet)
    half = 0.5 * (high - low)
    heights = 0.5 * (low + high)[:, None] + half[:, None] * _NODES
    points = np.column_stack([np.repeat(feet[line], len(_NODES), axis=0), heights.ravel()])
    sums = half * np.sum(values(points).reshape(heights.shape) * _WEIGHTS, axis=1)
    return np.column_stack([np.bincount(line, weights, minlength=len(feet)) for weights in (high - low, sums)])


def _inside_intervals(inside: Membership, feet: FloatArray) -> tuple[NDArray[np.intp], FloatArray, FloatArray]:
    """The intervals of lines that lie inside: the number of the line, where it enters and where it leaves."""
    heights = np.linspace(_HAIR, 1.0 - _HAIR, _STEPS + 1)
    points = np.column_stack([np.repeat(feet, len(heights), axis=0), np.tile(heights, len(feet))])
    held = inside(points).reshape(len(feet), len(heights))
    line, step = np.nonzero(held[:, 1:] != held[:, :-1])
    enters = held[line, step + 1]

    def before(middle: FloatArray) -> BoolArray:
        return np.asarray(inside(np.column_stack([feet[line], middle])) != enters)

    low, _ = bisect(heights[step], heights[step + 1], before, _BISECTIONS)
    # what holds a hair inside holds to the end
    first, last = np.flatnonzero(held[:, 0]), np.flatnonzero(held[:, -1])
    entering, leaving = np.append(first, line[enters]), np.append(line[~enters], last)
    entries, exits = np.append(np.zeros(len(first)), low[enters]), np.append(low[~enters], np.ones(len(last)))
    by_entry, by_exit = np.lexsort((entries, entering)), np.lexsort((exits, leaving))
    return entering[by_entry], entries[by_entry], exits[by_exit]
