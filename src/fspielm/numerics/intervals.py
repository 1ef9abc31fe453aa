"""Intervals, many at once: halved, or closed in on the one place in each where something changes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fspielm.arrays import BoolArray, FloatArray


def halves(low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both ends ``(2 n,)`` of the halves of intervals: all the first halves, then all the second ones."""
    middle = 0.5 * (low + high)
    return np.append(low, middle), np.append(middle, high)


def bisect(
    low: FloatArray, high: FloatArray, as_at_low: Callable[[FloatArray], BoolArray], steps: int
) -> tuple[FloatArray, FloatArray]:
    """Halve each interval so many times, keeping the half in which something changes.

    Parameters
    ----------
    low, high : (n,) arrays
        Both ends; `high` may be the smaller one.
    as_at_low : callable
        From places ``(n,)``, one in each interval, to whether what changes is still as it is at `low`.
    steps : int
    """
    for _ in range(steps if len(low) else 0):
        middle = 0.5 * (low + high)
        same = as_at_low(middle)
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return low, high
