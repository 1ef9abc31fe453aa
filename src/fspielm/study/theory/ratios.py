"""How much wider scaling spreads effective frequencies than shift does, at the same mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, final

from fspielm.solvers.randomness import spawn
from fspielm.study.theory import paper
from fspielm.study.theory.comparison import DIMENSIONS, SAMPLES, check_samples, relative, score
from fspielm.study.theory.moments import scaling_moments, shift_moments
from fspielm.study.theory.monte_carlo import draw_frequencies, sample_moments
from fspielm.study.theory.targets import scale_for_mean, shift_for_mean

# From just above the lowest mean that five dimensions allow; 80 is the paper's example.
FREQUENCIES = (2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0)


@final
@dataclass(frozen=True)
class RatioComparison:
    """Variance by scaling over variance by shift where both have the same mean.

    Attributes
    ----------
    dimension : int
    frequency : float
        The common mean.
    delta, mu : float
        The scale and the shift that have it.
    shift_variance : float
        Exact.
    exact, paper : float
        The ratio, and what the paper's corollary says.
    sampled, sampled_error : float
        The ratio of drawn frequencies, and its standard error.
    """

    dimension: int
    frequency: float
    delta: float
    mu: float
    shift_variance: float
    exact: float
    paper: float
    sampled: float
    sampled_error: float

    @property
    def deviation(self) -> float:
        """Of the paper's ratio from the exact one, relative."""
        return relative(self.paper, self.exact)

    @property
    def score(self) -> float:
        """Of the sampled ratio from the exact one, in standard errors."""
        return score(self.sampled, self.exact, self.sampled_error)


def compare_ratios(
    *,
    dimensions: Sequence[int] = DIMENSIONS,
    frequencies: Sequence[float] = FREQUENCIES,
    samples: int = SAMPLES,
    rng: Any = 0,
    ends: Callable[[], None] = lambda: None,
) -> list[RatioComparison]:
    """Compare the variance ratio in each number of dimensions at each mean frequency.

    Parameters
    ----------
    dimensions : sequence of int
    frequencies : sequence of float
        Means; at least those of unshifted neurons.
    samples : int
        Neurons drawn for each scheme and row.
    rng : int or Generator
    ends : callable
        Called after each row.
    """
    check_samples(samples)
    cells = list(product(dimensions, frequencies))
    streams, _ = spawn(rng, len(cells))
    rows = []
    for (dimension, frequency), stream in zip(cells, streams, strict=True):
        delta, mu = scale_for_mean(dimension, frequency), shift_for_mean(dimension, frequency)
        wide = sample_moments(draw_frequencies("scaling", dimension, delta, samples, stream))
        narrow = sample_moments(draw_frequencies("shift", dimension, mu, samples, stream))
        sampled = wide.variance / narrow.variance
        shift_variance = shift_moments(dimension, mu).variance
        rows.append(
            RatioComparison(
                dimension=dimension,
                frequency=frequency,
                delta=delta,
                mu=mu,
                shift_variance=shift_variance,
                exact=scaling_moments(dimension, delta).variance / shift_variance,
                paper=float(paper.variance_ratio(dimension, frequency)),
                sampled=sampled,
                sampled_error=sampled
                * math.hypot(wide.variance_error / wide.variance, narrow.variance_error / narrow.variance),
            )
        )
        ends()
    return rows
