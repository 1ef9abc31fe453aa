"""The FS-PIELM paper's statements on effective frequencies, uncorrected.

Theorems and the corollary are those of its section "Theoretical Analysis". Compare with
`fspielm.paper.theory.moments` to see which are exact and which are approximations.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.paper.theory.moments import Moments


def scaling_constant(dimension: int) -> float:
    """The constant ``c_d`` of Theorem 3.3."""
    return math.sqrt(2.0) * math.gamma((dimension + 1) / 2) / math.gamma(dimension / 2)


def scaling_moments(dimension: int, delta: float) -> Moments:
    """Theorem 3.3: mean ``delta c_d``, variance ``delta**2 (d - c_d**2)``."""
    c = scaling_constant(dimension)
    return Moments(delta * c, delta**2 * (dimension - c**2))


def shift_mean(dimension: int, mu: ArrayLike) -> FloatArray:
    """Theorem 3.4 (ii): the mean is about ``sqrt(mu**2 + d)``."""
    return np.asarray(np.sqrt(np.square(mu, dtype=np.float64) + dimension))


def shift_variance(dimension: int, mu: ArrayLike) -> FloatArray:
    """Theorem 3.5: the variance is about ``(2 mu**2 + d) / (2 (mu**2 + d))``."""
    square = np.square(mu, dtype=np.float64)
    return np.asarray((2.0 * square + dimension) / (2.0 * (square + dimension)))


def shift_moments(dimension: int, mu: float) -> Moments:
    """Theorems 3.4 (ii) and 3.5."""
    return Moments(float(shift_mean(dimension, mu)), float(shift_variance(dimension, mu)))


def shift_for_mean(dimension: int, frequency: float) -> float:
    """Theorem 3.4 (iii): the shift for a target mean, ``sqrt(frequency**2 - d)``."""
    if frequency**2 < dimension:
        raise ProblemError(
            f"the paper's shift needs a frequency of at least sqrt({dimension}) in {dimension} dimensions; "
            f"got {frequency!r}"
        )
    return math.sqrt(frequency**2 - dimension)


def variance_ratio(dimension: int, frequency: ArrayLike) -> FloatArray:
    """Corollary 3.6: variance by scaling over variance by shift at the same mean."""
    c = scaling_constant(dimension)
    return np.asarray(np.square(frequency, dtype=np.float64) * (dimension - c**2) / c**2)


@final
@dataclass(frozen=True)
class Printed:
    """A number that the paper prints, and the correct one."""

    # the place in the paper
    where: str
    what: str
    # as the paper writes it
    printed: str
    # the same quantity, without rounding on the way
    computed: float

    @property
    def deviation(self) -> float:
        """Relative deviation of the printed number."""
        return float(self.printed) / self.computed - 1.0

    @property
    def is_rounded(self) -> bool:
        """Whether the printed number is the computed one, rounded to as many digits."""
        _, _, decimals = self.printed.partition(".")
        return abs(float(self.printed) - self.computed) <= 0.5 * 10.0 ** -len(decimals)


def printed_numbers() -> tuple[Printed, ...]:
    """The numbers about effective frequencies that the paper prints, in its order; all are for two dimensions."""
    c = math.sqrt(math.pi / 2)
    spread = 2.0 / c**2 - 1.0  # variance by scaling over the square of the mean
    wave, klein_gordon = 24 * math.pi, 19 * math.pi * math.sqrt(2.0)
    amplification, comparison = "Remark after Theorem 3.3", "Klein-Gordon results"
    return (
        Printed("Theorem 3.3 (iii)", "c_2", "1.253", c),
        Printed("Theorem 3.3 (iii)", "variance by scaling over delta squared", "0.429", 2.0 - c**2),
        Printed(amplification, "delta for mean 80", "63.8", 80.0 / c),
        Printed(amplification, "variance by scaling at mean 80", "1746", 80.0**2 * spread),
        Printed(amplification, "standard deviation by scaling at mean 80", "41.8", 80.0 * math.sqrt(spread)),
        Printed("Corollary 3.6", "variance ratio at mean 80", "1746", 80.0**2 * spread),
        Printed(comparison, "19 pi sqrt(2)", "84", klein_gordon),
        Printed(comparison, "delta for mean 19 pi sqrt(2)", "67", klein_gordon / c),
        Printed(comparison, "variance by scaling at mean 19 pi sqrt(2)", "1930", klein_gordon**2 * spread),
        Printed(comparison, "variance by scaling for Helmholtz, mean 24 pi", "1746", wave**2 * spread),
    )
