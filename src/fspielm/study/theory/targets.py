"""The magnitude that gives neurons a wanted mean effective frequency, exactly."""

from __future__ import annotations

import math

from fspielm.errors import ProblemError
from fspielm.study.theory.moments import as_magnitudes, chi_mean, shift_mean


def scale_for_mean(dimension: int, frequency: float) -> float:
    """The scale delta for which ``|delta eps|`` has the mean `frequency`."""
    return float(as_magnitudes("frequency", frequency)) / chi_mean(dimension)


def shift_for_mean(dimension: int, frequency: float) -> float:
    """The shift mu for which ``|mu e + eps|`` has the mean `frequency`.

    No shift has a mean below that of ``|eps|``, `chi_mean`.
    """
    from scipy.optimize import brentq  # slow to import, and the command line knows this module

    frequency = float(as_magnitudes("frequency", frequency))
    lowest = chi_mean(dimension)
    if frequency < lowest:
        raise ProblemError(
            f"frequency must be at least {lowest:.6g}, the mean without any shift in {dimension} dimensions; "
            f"got {frequency!r}"
        )
    # By Jensen's inequality the mean lies between mu and sqrt(mu**2 + d).
    low, high = math.sqrt(max(frequency**2 - dimension, 0.0)), frequency
    if float(shift_mean(dimension, low)) >= frequency:  # rounding, at the lowest mean
        return low
    return float(brentq(lambda mu: float(shift_mean(dimension, mu)) - frequency, low, high, xtol=1e-13))
