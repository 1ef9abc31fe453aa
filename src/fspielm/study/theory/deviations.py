"""Where the paper's approximations deviate from the exact values, and from where on they are good enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.study.theory import moments, paper

TOLERANCES = (0.1, 0.01, 0.001)

Curve: TypeAlias = Callable[[FloatArray], FloatArray]

# Shifts at which curves are looked at; they are smooth on the scale of one.
_GRID = np.concatenate([np.linspace(0.0, 20.0, 4001), np.geomspace(20.01, 1e4, 1000)])


@final
@dataclass(frozen=True)
class Deviations:
    """How far one approximation is from the exact value, over all shifts.

    Attributes
    ----------
    dimension : int
    unshifted : float
        Relative deviation at ``mu = 0``.
    lowest : (float, float)
        The smallest relative deviation, the most negative if there is one, and the shift where it occurs.
    within : dict of float to float
        For each tolerance, the shift from which on the deviation stays within it.
    """

    dimension: int
    unshifted: float
    lowest: tuple[float, float]
    within: dict[float, float]


def mean_deviations(dimension: int) -> Deviations:
    """Those of ``sqrt(mu**2 + d)`` from the mean by shift (Theorem 3.4)."""
    return _deviations(dimension, lambda mu: paper.shift_mean(dimension, mu) / moments.shift_mean(dimension, mu) - 1.0)


def variance_deviations(dimension: int) -> Deviations:
    """Those of ``(2 mu**2 + d) / (2 (mu**2 + d))`` from the variance by shift (Theorem 3.5)."""
    return _deviations(
        dimension, lambda mu: paper.shift_variance(dimension, mu) / moments.shift_variance(dimension, mu) - 1.0
    )


def ratio_deviations(dimension: int) -> Deviations:
    """Those of the variance ratio (Corollary 3.6): it takes the variance by shift to be one."""
    return _deviations(dimension, lambda mu: moments.shift_variance(dimension, mu) - 1.0)


def within_from(deviation: Curve, tolerance: float) -> float:
    """The shift from which on `deviation` stays within plus or minus `tolerance`; zero if it always does."""
    from scipy.optimize import brentq  # slow to import, and the command line knows this module

    if not tolerance > 0:
        raise ProblemError(f"tolerance must be positive; got {tolerance!r}")
    outside = np.flatnonzero(np.abs(deviation(_GRID)) > tolerance)
    if outside.size == 0:
        return 0.0
    last = int(outside[-1])
    if last == len(_GRID) - 1:
        raise ProblemError(f"tolerance must be reached by mu = {_GRID[-1]:g}; got {tolerance!r}, which is not")

    def beyond(mu: float) -> float:
        return float(np.abs(deviation(np.array([mu])))[0]) - tolerance

    return float(brentq(beyond, _GRID[last], _GRID[last + 1]))


def _deviations(dimension: int, deviation: Curve) -> Deviations:
    values = deviation(_GRID)
    low = int(values.argmin())
    return Deviations(
        dimension=dimension,
        unshifted=float(values[0]),
        lowest=(float(values[low]), float(_GRID[low])),
        within={tolerance: within_from(deviation, tolerance) for tolerance in TOLERANCES},
    )
