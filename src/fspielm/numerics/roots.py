"""Where many functions take their values at once: halving, and Newton's method inside brackets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fspielm.arrays import BoolArray, FloatArray, IndexArray
from fspielm.numerics.tolerances import BISECTIONS, ITERATIONS

Function = Callable[[FloatArray], FloatArray]


def halves(low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The ends ``(2 n,)`` of the halves of intervals: all first halves, then all second halves."""
    middle = 0.5 * (low + high)
    return np.append(low, middle), np.append(middle, high)


def bisect(
    low: FloatArray, high: FloatArray, as_at_low: Callable[[FloatArray], BoolArray], steps: int = BISECTIONS
) -> tuple[FloatArray, FloatArray]:
    """Bisect each interval `steps` times, keeping the half in which a property changes.

    Parameters
    ----------
    low, high : arrays of one shape
        Both ends; `high` may be the smaller one.
    as_at_low : callable
        Tells at points, one in each interval, whether the property is the same as at `low`.
    steps : int
    """
    for _ in range(steps if len(low) else 0):
        middle = 0.5 * (low + high)
        same = as_at_low(middle)
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return low, high


def newton_between(
    low: FloatArray,
    high: FloatArray,
    guess: FloatArray,
    value: Callable[[FloatArray, IndexArray], FloatArray],
    slope: Callable[[FloatArray, IndexArray], FloatArray],
    *,
    close: float = 0.0,
    still: float = 0.0,
) -> FloatArray:
    """The roots ``(n,)`` of n functions by Newton's method, each inside a shrinking bracket.

    Each root stops on its own, so that it does not depend on the others.

    Parameters
    ----------
    low, high : (n,) arrays
        Ends of the brackets: the value is negative at `low`, which may be the larger one, and positive at `high`.
    guess : (n,) array
    value, slope : callable
        From arguments ``(k,)`` and the indices of their functions to values and derivatives.
    close : float
        Values up to this size are roots.
    still : float
        Shorter steps are the last ones.
    """
    low, high, found = low.copy(), high.copy(), guess.copy()
    active = np.arange(len(found))
    for _ in range(2 * ITERATIONS):
        values = value(found[active], active)
        unmet = np.abs(values) > close
        active, values = active[unmet], values[unmet]
        if not active.size:
            break
        tried = found[active]
        low[active], high[active] = np.where(values < 0, [tried, high[active]], [low[active], tried])
        with np.errstate(divide="ignore", invalid="ignore"):
            step = tried - values / slope(tried, active)
        ends = np.sort([low[active], high[active]], axis=0)
        found[active] = np.where((step >= ends[0]) & (step <= ends[1]), step, 0.5 * (ends[0] + ends[1]))
        active = active[np.abs(found[active] - tried) > still]
    return found


def minimum(value: Function, slope: Function, grid: FloatArray) -> float:
    """The minimum of a function, to rounding, by bisection where its slope becomes positive.

    Parameters
    ----------
    value, slope : callable
        The function and its derivative: map ``(n,)`` arguments to ``(n,)`` values.
    grid : (m,) array
        Ascending arguments, with at most one turn between two neighbours.
    """
    slopes = slope(grid)
    turns = (slopes[:-1] <= 0) & (slopes[1:] > 0)
    low, _ = bisect(grid[:-1][turns], grid[1:][turns], lambda middle: slope(middle) <= 0)
    return float(min(np.min(value(grid)), np.min(value(low), initial=np.inf)))


def subdivide(grid: FloatArray, parts: int) -> FloatArray:
    """Divide every step of an ascending grid into equal parts."""
    index = np.arange(parts * (len(grid) - 1) + 1) / parts
    return np.interp(index, np.arange(len(grid)), grid)
