"""Closed-form densities of effective frequencies."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.study.theory.moments import as_magnitudes, check_dimension


def scaling_density(dimension: int, delta: float, frequencies: ArrayLike) -> FloatArray:
    """Density of ``|delta eps|`` at each of `frequencies`: a chi distribution, stretched by `delta`."""
    from scipy.special import xlogy  # slow to import, and the command line knows this module

    check_dimension(dimension)
    if not (math.isfinite(delta) and delta > 0):
        raise ProblemError(f"delta must be finite and positive; got {delta!r}")
    x = as_magnitudes("frequencies", frequencies) / delta
    log_constant = (1 - dimension / 2) * math.log(2.0) - math.lgamma(dimension / 2)
    return np.asarray(np.exp(log_constant + xlogy(dimension - 1, x) - x**2 / 2) / delta)


def shift_density(dimension: int, mu: float, frequencies: ArrayLike) -> FloatArray:
    r"""Density of ``|mu e + eps|`` at each of `frequencies`: a noncentral chi distribution.

    .. math:: f(x) = x\, (x/\mu)^{d/2 - 1}\, e^{-(x^2 + \mu^2)/2}\, I_{d/2 - 1}(\mu x)
    """
    from scipy.special import ive  # as above

    check_dimension(dimension)
    mu = float(as_magnitudes("mu", mu))
    x = as_magnitudes("frequencies", frequencies)
    if mu == 0.0:
        return scaling_density(dimension, 1.0, x)
    if dimension == 1:  # the normal distribution, folded; its Bessel function is infinite at zero
        return np.asarray((np.exp(-((x - mu) ** 2) / 2) + np.exp(-((x + mu) ** 2) / 2)) / math.sqrt(2.0 * math.pi))
    order = dimension / 2 - 1
    return np.asarray(x * (x / mu) ** order * np.exp(-((x - mu) ** 2) / 2) * ive(order, mu * x))
