"""The least value of a function along a curve, to rounding."""

from __future__ import annotations

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.geometry.antiderivative import Function
from fspielm.geometry.intervals import bisect

# To the last digit of a double.
_BISECTIONS = 52


def least(value: Function, slope: Function, grid: FloatArray) -> float:
    """Return the least value: wherever the slope turns from falling to rising, that place is bisected.

    Parameters
    ----------
    value, slope : callable
        The function and its derivative: map ``(n,)`` arguments to ``(n,)`` values.
    grid : (m,) array
        Ascending arguments, so dense that at most one turn lies between two of them.

    Returns
    -------
    float
    """
    slopes = slope(grid)
    turns = (slopes[:-1] <= 0) & (slopes[1:] > 0)
    low, _ = bisect(grid[:-1][turns], grid[1:][turns], lambda middle: slope(middle) <= 0, _BISECTIONS)
    return float(min(np.min(value(grid)), np.min(value(low), initial=np.inf)))


def refine(grid: FloatArray, parts: int) -> FloatArray:
    """Divide every step of an ascending grid into equal parts."""
    index = np.arange(parts * (len(grid) - 1) + 1) / parts
    return np.interp(index, np.arange(len(grid)), grid)
