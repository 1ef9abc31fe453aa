"""Derivatives of exponentials: powers of their exponents, and expansions of those along a line."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray


def expand_powers(orders: NDArray[np.int_], s: ComplexArray, along: FloatArray, degree: int) -> ComplexArray:
    """Coefficients of ``z^0 .. z^degree`` in ``(s + z along)^orders``, shape ``(M, T, degree + 1)``.

    With ``s = i w`` the first is what ``D^orders`` brings down from ``exp(i w x)``; the others, what it does to that
    exponential times powers of ``along x``.

    Parameters
    ----------
    orders : (T, d) integer array
    s : (M, d) complex array
    along : (M, d) array
    degree : int
        Higher powers are left out.
    """
    result = np.zeros((len(s), len(orders), degree + 1), dtype=np.complex128)
    result[:, :, 0] = 1.0
    for axis in range(s.shape[1]):
        value, slope = s[:, axis, None, None], along[:, axis, None, None]
        for power in range(int(orders[:, axis].max(initial=0))):
            affected = orders[:, axis] > power
            raised = result[:, affected] * value
            raised[:, :, 1:] += result[:, affected, :-1] * slope
            result[:, affected] = raised
    return result
