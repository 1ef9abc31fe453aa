"""The nearest of many boxes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray

_AT_A_TIME = 2**20


def nearest_frame(points: FloatArray, lower: FloatArray, upper: FloatArray) -> NDArray[np.intp]:
    """Which of the boxes from `lower` to `upper` ``(k, d)`` is nearest to each point ``(n, d)``.

    A box that is farther from all points than another one from any is not looked at: it is quick for close points.
    """
    found = np.empty(len(points), dtype=np.intp)
    if not len(points):
        return found
    first, last = points.min(axis=0), points.max(axis=0)
    farthest = _squares(np.maximum(np.maximum(lower - first, last - upper), 0.0)).min()
    near = np.flatnonzero(_squares(np.maximum(np.maximum(lower - last, first - upper), 0.0)) <= farthest)
    step = max(1, _AT_A_TIME // len(near))
    for start in range(0, len(points), step):
        some = points[start : start + step, None, :]
        off = np.maximum(np.maximum(lower[near] - some, some - upper[near]), 0.0)
        found[start : start + step] = near[np.argmin(_squares(off), axis=1)]
    return found


def _squares(off: FloatArray) -> FloatArray:
    """Sums of squares over the last axis, which is short."""
    return sum((off[..., axis] ** 2 for axis in range(1, off.shape[-1])), start=off[..., 0] ** 2)
