"""Interval arithmetic on arrays of intervals.

Many intervals are one array of *ends*, shape ``(2, n)``: the lower ends, then the upper ones. A constant has shape
``(2, 1)`` and is broadcast. No lower end is +inf and no upper end -inf, so that sums of ends are never NaN.

Results are rounded outward by some units of the last place, more than NumPy is wrong by. That is no proof to the last
bit: what underflows counts as zero, and a library less accurate than NumPy's would break it; a relative 1e-15 is safe.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray

Ends = FloatArray

# Relative errors: of a number that is no double times another, and of NumPy's functions (up to four units of the last
# place by vector instructions).
_ARITHMETIC = 4e-16
_FUNCTION = 1.5e-15

_LARGEST = float(np.finfo(np.float64).max)
OUTWARD = np.array([[-1.0], [1.0]])
_WHOLE = np.array([[-np.inf], [np.inf]])


@final
@dataclass(frozen=True)
class Intervals:
    """Intervals ``[lower, upper]``, shape ``(n,)`` each; ends may be infinite and are never NaN."""

    lower: FloatArray
    upper: FloatArray


def widened(ends: Ends, share: float = _FUNCTION) -> Ends:
    """`ends`, which are overwritten, moved outward by a `share` of themselves; zero stays zero."""
    lower, upper = ends
    # what overflows is beyond the largest double, and nobody knows how far
    np.minimum(lower, _LARGEST, out=lower)
    np.maximum(upper, -_LARGEST, out=upper)
    margin = np.abs(ends)
    margin *= share
    lower -= margin[0]
    upper += margin[1]
    return ends


def whole_where(ends: Ends, mask: BoolArray) -> Ends:
    """`ends`, which are overwritten, with the whole line where `mask` holds."""
    if mask.any():
        ends[:, mask] = _WHOLE
    return ends


def constant(value: float, exact: bool) -> Ends:
    """The ends of one number."""
    ends = np.full((2, 1), value)
    return ends if exact else widened(ends, _ARITHMETIC)


def add(*terms: Ends) -> Ends:
    """The sum."""
    # term by term: a sum is wrong by a share of each partial sum, of which the last may be much the smallest
    return reduce(lambda a, b: widened(a + b, _ARITHMETIC), terms)


def negate(a: Ends) -> Ends:
    """``-a``."""
    return -a[::-1]


def scale(factor: float, a: Ends) -> Ends:
    """`a` times a number that `factor` is to rounding, which is neither zero nor infinite."""
    if factor == 1.0:
        return a
    if factor == -1.0:
        return negate(a)
    return widened((a if factor > 0 else a[::-1]) * factor, _ARITHMETIC)


def multiply(a: Ends, b: Ends) -> Ends:
    """The product, whose ends are among the four products of ends."""
    first, second = a[0] * b, a[1] * b
    ends = _hull(first, second)
    if np.isnan(ends).any():
        # zero times an end that is infinite but not reached
        first[np.isnan(first)] = 0.0
        second[np.isnan(second)] = 0.0
        ends = _hull(first, second)
    return widened(ends, _ARITHMETIC)


def _hull(first: FloatArray, second: FloatArray) -> Ends:
    """From the least to the largest of four numbers, two in either argument."""
    ends = np.empty_like(first)
    np.min(np.minimum(first, second), axis=0, out=ends[0])
    np.max(np.maximum(first, second), axis=0, out=ends[1])
    return ends


def reciprocal(a: Ends) -> Ends:
    """``1 / a``: the whole line where zero is inside, one infinite end where it is an end."""
    ends = 1.0 / a[::-1]
    ends[0, a[1] == 0.0] = -np.inf  # whatever the sign of the zero
    ends[1, a[0] == 0.0] = np.inf
    inside = (a[0] <= 0.0) & (a[1] >= 0.0) & ((a[0] == 0.0) == (a[1] == 0.0))
    return whole_where(widened(ends, _ARITHMETIC), inside)


def magnitude(a: Ends) -> Ends:
    """``|a|``."""
    return np.maximum(np.maximum(a, negate(a)), 0.0)


def integer_power(exponent: int, a: Ends) -> Ends:
    """``a ** exponent``, of any sign."""
    if exponent < 0:
        return reciprocal(integer_power(-exponent, a))
    if exponent < 2:
        return a if exponent else np.ones_like(a)
    power = base = magnitude(a) if exponent % 2 == 0 else a
    for digit in f"{exponent:b}"[1:]:
        power = power * power
        if digit == "1":
            power = power * base
    # one rounding, of half a unit, for each factor
    return widened(power, _ARITHMETIC + 1.2e-16 * exponent)


def least(*ends: Ends) -> Ends:
    """The minimum."""
    return reduce(np.minimum, ends)


def greatest(*ends: Ends) -> Ends:
    """The maximum."""
    return reduce(np.maximum, ends)
