"""Straight segments of the plane: which of them meet, decided without rounding."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.geometry.self_crossing import overlapping_boxes

Index = NDArray[np.intp]

# Of the determinant that tells left from right: J. R. Shewchuk, Discrete Comput. Geom. 18, 1997.
_ROUNDING = 3.3306690738754716e-16


def orientation(a: FloatArray, b: FloatArray, c: FloatArray) -> NDArray[np.int8]:
    """Whether points c lie to the left of the lines from a to b (1), on them (0) or to the right (-1), exactly.

    All are ``(n, 2)``.
    """
    left = (a[:, 0] - c[:, 0]) * (b[:, 1] - c[:, 1])
    right = (a[:, 1] - c[:, 1]) * (b[:, 0] - c[:, 0])
    sign = np.sign(left - right).astype(np.int8)
    # a product that underflows has no bound on its rounding; nothing is then larger than this
    sure = np.abs(left - right) > np.maximum(_ROUNDING * (np.abs(left) + np.abs(right)), 1e-290)
    at_an_end = np.all(c == a, axis=1) | np.all(c == b, axis=1)
    for i in np.flatnonzero(~(sure | at_an_end)):
        sign[i] = _exact_orientation(a[i], b[i], c[i])
    return sign


def _exact_orientation(a: FloatArray, b: FloatArray, c: FloatArray) -> int:
    (ax, ay), (bx, by), (cx, cy) = ([Fraction(float(v)) for v in p] for p in (a, b, c))
    area = (ax - cx) * (by - cy) - (ay - cy) * (bx - cx)
    return (area > 0) - (area < 0)


def meeting_pairs(starts: FloatArray, ends: FloatArray) -> tuple[Index, NDArray[np.int8]]:
    """Pairs ``(2, n)`` of segments that have a point in common, the earlier one first, in their order.

    Also, of each pair ``(4, n)``: on which side of the first segment the second begins and ends, and the other way
    round.
    """
    pairs = overlapping_boxes(np.minimum(starts, ends), np.maximum(starts, ends))
    pairs = pairs[:, np.lexsort((pairs[1], pairs[0]))]
    first, second = pairs
    sides = np.stack(
        [
            orientation(starts[first], ends[first], starts[second]),
            orientation(starts[first], ends[first], ends[second]),
            orientation(starts[second], ends[second], starts[first]),
            orientation(starts[second], ends[second], ends[first]),
        ]
    )
    # neither lies on one side of the other; on one line, their boxes tell
    meet = (sides[0] * sides[1] <= 0) & (sides[2] * sides[3] <= 0)
    return pairs[:, meet], sides[:, meet]


def crossing_point(a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray) -> FloatArray:
    """Where the lines from a to b and from c to d cross, to rounding; none of them is along the other."""
    u, v, gap = b - a, d - c, c - a
    return np.asarray(a + u * (gap[0] * v[1] - gap[1] * v[0]) / (u[0] * v[1] - u[1] * v[0]), dtype=np.float64)


def in_ring(points: FloatArray, ring: FloatArray) -> BoolArray:
    """Whether points ``(n, 2)`` that do not lie on a closed polygon ``(m, 2)`` lie inside."""
    starts, ends = ring, np.roll(ring, -1, axis=0)
    inside = np.zeros(len(points), dtype=np.bool_)
    for i, (x, y) in enumerate(points):
        level = np.flatnonzero((starts[:, 1] <= y) != (ends[:, 1] <= y))
        there = np.tile([x, y], (len(level), 1))
        upward = ends[level, 1] > starts[level, 1]
        # a ray to the right crosses those that have the point on the left as they go up
        crossed = orientation(starts[level], ends[level], there) == np.where(upward, 1, -1)
        inside[i] = np.count_nonzero(crossed) % 2 == 1
    return inside
