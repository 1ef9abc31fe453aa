"""The least value of a function along a curve, to rounding."""

from __future__ import annotations

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.geometry.antiderivative import Function


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
    low, high = grid[:-1][turns], grid[1:][turns]
    for _ in range(52):
        middle = 0.5 * (low + high)
        falling = slope(middle) <= 0
        low, high = np.where(falling, middle, low), np.where(falling, high, middle)
    return float(min(np.min(value(grid)), np.min(value(low), initial=np.inf)))


def refine(grid: FloatArray, parts: int) -> FloatArray:
    """Divide every step of an ascending grid into equal parts."""
    index = np.arange(parts * (len(grid) - 1) + 1) / parts
    return np.interp(index, np.arange(len(grid)), grid)
