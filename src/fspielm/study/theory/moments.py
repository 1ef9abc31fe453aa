r"""Exact mean and variance of effective frequencies.

The effective frequency of a neuron is the norm of its weights. *Scaling* draws them as ``delta eps`` with eps standard
normal, so that the norm has delta times a chi distribution; *shift* draws ``mu e + eps`` with a unit vector e, so that
it has a noncentral chi distribution [1]_, whatever e is.

References
----------
.. [1] N. L. Johnson, S. Kotz, N. Balakrishnan, Continuous Univariate Distributions, vol. 2, 2nd ed.,
   Wiley, 1995, ch. 29.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.features.families import check_count

MOST_DIMENSIONS = 100
# Its square is a number still; no frequency comes near.
LARGEST_MAGNITUDE = 1e100

# Terms of the expansion for large shifts. From `_far` on, the last is below the rounding of the sum.
_TERMS = 30


@final
@dataclass(frozen=True)
class Moments:
    """Mean and variance of an effective frequency."""

    mean: float
    variance: float

    @property
    def deviation(self) -> float:
        """Standard deviation."""
        return math.sqrt(self.variance)


def chi_mean(dimension: int) -> float:
    r"""Mean norm of a standard normal vector, :math:`c_d = \sqrt 2\, \Gamma((d + 1)/2) / \Gamma(d/2)`."""
    from scipy.special import poch  # slow to import, and the command line knows this module

    check_dimension(dimension)
    return math.sqrt(2.0) * float(poch(dimension / 2, 0.5))


def chi_variance(dimension: int) -> float:
    """Variance of the norm of a standard normal vector, ``d - c_d**2``; grows with d from 0.363 toward 1/2."""
    return dimension - chi_mean(dimension) ** 2


def scaling_moments(dimension: int, delta: float) -> Moments:
    """Mean and variance of ``|delta eps|``: those of the chi distribution, times delta and its square."""
    delta = float(as_magnitudes("delta", delta))
    return Moments(delta * chi_mean(dimension), delta**2 * chi_variance(dimension))


def shift_moments(dimension: int, mu: float) -> Moments:
    """Mean and variance of ``|mu e + eps|``: those of the noncentral chi distribution."""
    return Moments(float(shift_mean(dimension, mu)), float(shift_variance(dimension, mu)))


def shift_mean(dimension: int, mu: ArrayLike) -> FloatArray:
    r"""Mean of ``|mu e + eps|``, :math:`c_d\, {}_1F_1(-1/2;\, d/2;\, -\mu^2/2)`, of the shape of `mu`.

    The relative error is below 1e-13 for up to 20 dimensions, whatever `mu`.
    """
    mu = as_magnitudes("mu", mu)
    return np.asarray(mu + _excess(dimension, mu))


def shift_variance(dimension: int, mu: ArrayLike) -> FloatArray:
    r"""Variance of ``|mu e + eps|``, :math:`\mu^2 + d - \mathrm{mean}^2`, of the shape of `mu`.

    Grows from `chi_variance` at zero toward one. The relative error is below 1e-12 for up to 20 dimensions, whatever
    `mu`: with g the mean's excess over mu, of the order of 1/mu, it is ``d - g (2 mu + g)``, where no large numbers
    cancel.
    """
    mu = as_magnitudes("mu", mu)
    excess = _excess(dimension, mu)
    return np.asarray(dimension - excess * (2.0 * mu + excess))


def _excess(dimension: int, mu: FloatArray) -> FloatArray:
    """The mean of ``|mu e + eps|`` beyond mu: a convergent sum for small mu, an asymptotic one for large."""
    check_dimension(dimension)
    z = mu**2 / 2
    far = z > _far(dimension)
    excess = np.empty_like(z)
    excess[~far] = _near_mean(dimension, z[~far]) - mu[~far]
    excess[far] = mu[far] * _far_sum(dimension, z[far])
    return excess


def _far(dimension: int) -> float:
    """The value of ``mu**2 / 2`` from which on the asymptotic sum is exact to rounding."""
    return 40.0 + 2.0 * dimension


def _near_mean(dimension: int, z: FloatArray) -> FloatArray:
    """The mean as ``exp(-z) c_d 1F1((d + 1)/2; d/2; z)``, whose terms are all positive.

    It is the mean of chi distributions with ``d + 2 j`` degrees of freedom, j of the Poisson distribution about z.
    """
    end = _far(dimension)
    j = np.arange(int(end + 12.0 * math.sqrt(end)))
    ratios = (j + (dimension + 1) / 2) / ((j + 1) * (j + dimension / 2))
    terms = np.cumprod(z[:, None] * ratios, axis=1)
    return np.asarray(chi_mean(dimension) * np.exp(-z) * (1.0 + terms.sum(axis=1)))


def _far_sum(dimension: int, z: FloatArray) -> FloatArray:
    """``mean / mu - 1``; the sum begins ``(d - 1) / (2 mu**2)`` and ends by itself if d is odd."""
    k = np.arange(_TERMS)
    ratios = (k - 0.5) * (k + 0.5 - dimension / 2) / (k + 1)
    return np.asarray(np.cumprod(ratios / z[:, None], axis=1).sum(axis=1))


def check_dimension(dimension: int) -> None:
    """Refuse what is no number of dimensions, or more than the sums are made for."""
    check_count("dimension", dimension)
    if dimension > MOST_DIMENSIONS:
        raise ProblemError(f"dimension must be at most {MOST_DIMENSIONS}; got {dimension}")


def as_magnitudes(name: str, values: ArrayLike) -> FloatArray:
    """Numbers that are not negative and have squares, as an array."""
    array = np.asarray(values)
    if array.dtype.kind not in "fiu" or not np.all(np.isfinite(array) & (array >= 0)):
        raise ProblemError(f"{name} must be finite and not negative; got {values!r}")
    if np.any(array > LARGEST_MAGNITUDE):
        raise ProblemError(f"{name} must be at most {LARGEST_MAGNITUDE:g}; got {values!r}")
    return array.astype(np.float64)
