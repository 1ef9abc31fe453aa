"""Measures of regions known by membership only: how much of each line through them lies inside."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.geometry.sampling import kronecker

Membership: TypeAlias = Callable[[FloatArray], BoolArray]

_STEPS = 64
_BISECTIONS = 20
# Lines begin and end a hair inside the cube: its faces are where regions are cut off, and membership is in doubt.
_HAIR = 1e-5
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(4)
_PANELS = 16
_CUT = 0.41
_MOST_CUTS = 16
_MOST_LINES = 4096
_AIM = 1e-6


def inside_share(inside: Membership, dimension: int) -> float:
    """The share of the unit cube that lies in a region; exactly 0 or 1 where no line leaves or enters it.

    Parallels to the last axis are cut where they enter and leave the region. In one dimension there is but one; in
    two their feet are chosen adaptively, for an error of about 1e-5; beyond that they are spread evenly, for an error
    of some 1e-4. A gap or a piece of less than a 64th of a line may be stepped over.

    Parameters
    ----------
    inside : callable
        Membership of points ``(n, dimension)`` of the unit cube.
    dimension : int
        At least one.
    """
    if dimension == 1:
        return float(inside_lengths(inside, np.empty((1, 0)))[0])
    if dimension > 2:
        return float(np.mean(inside_lengths(inside, kronecker(_MOST_LINES, dimension - 1))))
    ends = np.linspace(0.0, 1.0, _PANELS + 1)
    low, high = ends[:-1], ends[1:]
    whole, total, lines = _panels(inside, low, high), 0.0, 0
    for _ in range(_MOST_CUTS):
        # not in the middle: a jump there would look the same from the whole and from its halves
        middle = low + _CUT * (high - low)
        low, high = np.append(low, middle), np.append(middle, high)
        halves = _panels(inside, low, high)
        lines += len(low) * len(_NODES)
        left, right = np.split(halves, 2)
        rough = np.abs(left + right - whole) > _AIM
        total += float(np.sum((left + right)[~rough]))
        rough = np.tile(rough, 2)
        low, high, whole = low[rough], high[rough], halves[rough]
        if not len(low) or lines > _MOST_LINES:
            break
    # rounding of the weights must not make a whole of 1 less than that
    share = total + float(np.sum(whole))
    return round(share) if abs(share - round(share)) < 1e-12 else share


def inside_lengths(inside: Membership, feet: FloatArray) -> FloatArray:
    """How much of the parallels to the last axis through `feet` ``(n, dimension - 1)`` lies inside."""
    heights = np.linspace(_HAIR, 1.0 - _HAIR, _STEPS + 1)
    points = np.column_stack([np.repeat(feet, len(heights), axis=0), np.tile(heights, len(feet))])
    held = inside(points).reshape(len(feet), len(heights))
    line, step = np.nonzero(held[:, 1:] != held[:, :-1])
    low, high, enters = heights[step], heights[step + 1], held[line, step + 1]
    for _ in range(_BISECTIONS if len(line) else 0):
        middle = 0.5 * (low + high)
        beyond = inside(np.column_stack([feet[line], middle])) == enters
        low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
    # where a line leaves minus where it enters; what holds a hair inside holds to the end
    lengths = np.bincount(line, np.where(enters, -low, low), minlength=len(feet)) + held[:, -1]
    return np.asarray(lengths, dtype=np.float64)


def _panels(inside: Membership, low: FloatArray, high: FloatArray) -> FloatArray:
    """Integrals of the lengths over panels of their feet."""
    half = 0.5 * (high - low)
    feet = 0.5 * (low + high)[:, None] + half[:, None] * _NODES
    lengths = inside_lengths(inside, feet.reshape(-1, 1)).reshape(feet.shape)
    return np.asarray(half * np.sum(lengths * _WEIGHTS, axis=1), dtype=np.float64)
