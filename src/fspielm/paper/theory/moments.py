"""Effective frequencies of neurons: exact moments, densities, and samples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import LARGEST, FloatArray
from fspielm.basis.random.families import GFF, Family, FrequencyShift, check_count
from fspielm.errors import ProblemError

# ---- Exact mean and variance of effective frequencies
# The effective frequency of a neuron is the norm of its weights. *Scaling* draws them as ``delta eps`` with eps
# standard normal, so that the norm has delta times a chi distribution; *shift* draws ``mu e + eps`` with a unit vector
# e, so that it has a noncentral chi distribution [1]_, whatever e is.
#
# References
# ----------
# .. [1] N. L. Johnson, S. Kotz, N. Balakrishnan, Continuous Univariate Distributions, vol. 2, 2nd ed.,
#    Wiley, 1995, ch. 29.


MOST_DIMENSIONS = 100
# Terms of the expansion for large shifts. From `_far` on, the last is below rounding.
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
    from scipy.special import poch  # slow to import, and the command line imports this module

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
    """Refuse an invalid number of dimensions, or more than the sums are made for."""
    check_count("dimension", dimension)
    if dimension > MOST_DIMENSIONS:
        raise ProblemError(f"dimension must be at most {MOST_DIMENSIONS}; got {dimension}")


def as_magnitudes(name: str, values: ArrayLike) -> FloatArray:
    """Finite numbers that are not negative, as an array; their squares must be finite too."""
    array = np.asarray(values)
    if array.dtype.kind not in "fiu" or not np.all(np.isfinite(array) & (array >= 0)):
        raise ProblemError(f"{name} must be finite and not negative; got {values!r}")
    if np.any(array > LARGEST):
        raise ProblemError(f"{name} must be at most {LARGEST:g}; got {values!r}")
    return array.astype(np.float64)


# ---- Closed-form densities of effective frequencies


def scaling_density(dimension: int, delta: float, frequencies: ArrayLike) -> FloatArray:
    """Density of ``|delta eps|`` at each of `frequencies`: a chi distribution, stretched by `delta`."""
    from scipy.special import xlogy  # slow to import, and the command line imports this module

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


# ---- The magnitude for a given mean


def scale_for_mean(dimension: int, frequency: float) -> float:
    """The scale delta for which ``|delta eps|`` has the mean `frequency`."""
    return float(as_magnitudes("frequency", frequency)) / chi_mean(dimension)


def shift_for_mean(dimension: int, frequency: float) -> float:
    """The shift mu for which ``|mu e + eps|`` has the mean `frequency`.

    No shift has a mean below that of ``|eps|``, `chi_mean`.
    """
    from scipy.optimize import brentq  # slow to import, and the command line imports this module

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


# ---- Samples, drawn by the families of the solver


Scheme: TypeAlias = Literal["scaling", "shift"]

SCHEMES: tuple[Scheme, ...] = ("scaling", "shift")

# Neurons drawn at a time, since only the norms of their weights are kept.
_PORTION = 2**17


@final
@dataclass(frozen=True)
class Sample:
    """Mean and variance of a sample, each with its standard error."""

    size: int
    mean: float
    mean_error: float
    variance: float
    variance_error: float


def effective_frequencies(
    family: Family, dimension: int, rng: np.random.Generator, *, time_axis: int | None = None
) -> FloatArray:
    """The norms of the weights of one draw from `family`, shape ``(neurons,)``."""
    basis = family.draw(dimension, rng, time_axis=time_axis)
    if basis.frequencies is None:
        raise ProblemError(f"effective frequencies need a family of ridge functions; got {type(family).__name__}")
    return np.asarray(np.linalg.norm(basis.frequencies, axis=1))


def draw_frequencies(scheme: Scheme, dimension: int, mu: float, samples: int, rng: np.random.Generator) -> FloatArray:
    """Effective frequencies of `samples` neurons that share the magnitude `mu`."""
    check_count("samples", samples)
    sizes = [min(_PORTION, samples - start) for start in range(0, samples, _PORTION)]
    return np.concatenate([effective_frequencies(_family(scheme, size, mu), dimension, rng) for size in sizes])


def sample_moments(values: FloatArray) -> Sample:
    """Mean and variance of independent values, with standard errors that assume no distribution."""
    n = len(values)
    if n < 2:
        raise ProblemError(f"a variance needs at least 2 samples; got {n}")
    mean = float(values.mean())
    squares = (values - mean) ** 2
    variance = float(squares.sum()) / (n - 1)
    return Sample(
        size=n,
        mean=mean,
        mean_error=math.sqrt(variance / n),
        variance=variance,
        variance_error=float(squares.std()) / math.sqrt(n),
    )


def _family(scheme: Scheme, neurons: int, mu: float) -> Family:
    """One family of each scheme; SIREN-PIELM and GFF-PIELM draw their weights alike."""
    if scheme not in SCHEMES:
        raise ProblemError(f"scheme must be one of {', '.join(map(repr, SCHEMES))}; got {scheme!r}")
    return GFF(neurons, (mu, mu)) if scheme == "scaling" else FrequencyShift(neurons, (mu, mu))
