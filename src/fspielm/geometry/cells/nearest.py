"""The nearest of many boxes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray

_AT_A_TIME = 2**20


def nearest_frame(points: FloatArray, lower: FloatArray, upper: FloatArray) -> NDArray[np.intp]:
    """Which of the boxes from `lower` to `upper` ``(k, d)`` is nearest to each point ``(n, d)``."""
    found = np.empty(len(points), dtype=np.intp)
    step = max(1, _AT_A_TIME // len(lower))
    for start in range(0, len(points), step):
        some = points[start : start + step, None, :]
        off = np.maximum(np.maximum(lower - some, some - upper), 0.0)
        found[start : start + step] = np.argmin(np.sum(off**2, axis=2), axis=1)
    return found
