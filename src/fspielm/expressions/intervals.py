"""Interval arithmetic on arrays of intervals.

Many intervals are one array of *ends*, shape ``(2, n)``: the lower ends, then the upper ones. A constant has shape
``(2, 1)`` and is broadcast. No lower end is +inf and no upper end -inf, so that sums of ends are never NaN.

Results are rounded outward by some units of the last place, more than NumPy is wrong by. That is no proof to the last
bit: a library less accurate than NumPy's would break it; a relative 1e-15 is safe. Ends closer to zero than 1e-290 are
moved to that or to zero, so that nothing is lost by underflow.
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
FUNCTION = 1.5e-15

# Most values of a narrow bump are as good as zero. Arithmetic with numbers that are almost too small for a double, and
# with their rounding errors, would take a hundred times as long.
SMALL = 1e-290

_LARGEST = float(np.finfo(np.float64).max)
OUTWARD = np.array([[-1.0], [1.0]])
_WHOLE = np.array([[-np.inf], [np.inf]])


@final
@dataclass(frozen=True)
class Intervals:
    """Intervals ``[lower, upper]``, shape ``(n,)`` each; ends may be infinite and are never NaN."""

    lower: FloatArray
    upper: FloatArray


def widened(ends: Ends, share: float = FUNCTION) -> Ends:
    """`ends`, which are overwritten, moved outward by a `share` of themselves; zero stays zero."""
    lower, upper = ends
    # what overflows is beyond the largest double, and nobody knows how far
    np.minimum(lower, _LARGEST, out=lower)
    np.maximum(upper, -_LARGEST, out=upper)
    margin = np.abs(ends)
    small = (margin < SMALL) & (margin > 0.0)
    if small.any():
        outward = OUTWARD[np.nonzero(small)[0], 0]
        ends[small] = np.where(ends[small] * outward > 0.0, SMALL * outward, 0.0)
        np.abs(ends, out=margin)
    margin *= share
    lower -= margin[0]
    upper += margin[1]
    return ends


def whole_where(ends: Ends, mask: BoolArray) -> Ends:
    """`ends`, which are overwritten, with the whole line where `mask` holds."""
    if mask.any():
        ends[:, mask] = _WHOLE
    return ends


def _keep_signs(ends: Ends, negative: BoolArray, positive: BoolArray) -> None:
    """Overwrite ends that have become zero by underflow, from the signs that there are inside."""
    np.copyto(ends[0], -SMALL, where=(ends[0] == 0.0) & negative)
    np.copyto(ends[1], SMALL, where=(ends[1] == 0.0) & positive)


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
    signed = a if factor > 0 else negate(a)
    ends = signed * abs(factor)
    if not ends.all():
        _keep_signs(ends, signed[0] < 0.0, signed[1] > 0.0)
    return widened(ends, _ARITHMETIC)


def multiply(a: Ends, b: Ends) -> Ends:
    """The product, whose ends are among the four products of ends."""
    first, second = a[0] * b, a[1] * b
    ends = _hull(first, second)
    if np.isnan(ends).any():
        # zero times an end that is infinite but not reached
        first[np.isnan(first)] = 0.0
        second[np.isnan(second)] = 0.0
        ends = _hull(first, second)
    if not ends.all():
        (a_negative, b_negative), (a_positive, b_positive) = (a[0] < 0.0, b[0] < 0.0), (a[1] > 0.0, b[1] > 0.0)
        negative = (a_negative & b_positive) | (a_positive & b_negative)
        _keep_signs(ends, negative, (a_negative & b_negative) | (a_positive & b_positive))
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
    if not power.all():
        _keep_signs(power, base[0] < 0.0, base[1] > 0.0)
    # one rounding, of half a unit, for each factor
    return widened(power, _ARITHMETIC + 1.2e-16 * exponent)


def least(*ends: Ends) -> Ends:
    """The minimum."""
    return reduce(np.minimum, ends)


def greatest(*ends: Ends) -> Ends:
    """The maximum."""
    return reduce(np.maximum, ends)
