"""Moments of effective frequencies three ways: exact, as the paper states them, and drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, final

from fspielm.errors import ProblemError
from fspielm.features.families import check_count
from fspielm.solvers.randomness import spawn
from fspielm.study.theory import moments, paper
from fspielm.study.theory.moments import Moments
from fspielm.study.theory.monte_carlo import SCHEMES, Sample, Scheme, draw_frequencies, sample_moments

DIMENSIONS = (1, 2, 3, 4, 5)
# From no shift at all to the largest magnitudes of the paper's studies.
MAGNITUDES = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 400.0)
SAMPLES = 200_000

# The exact moments of each scheme, and the paper's.
_LAWS: dict[Scheme, tuple[Callable[[int, float], Moments], Callable[[int, float], Moments]]] = {
    "scaling": (moments.scaling_moments, paper.scaling_moments),
    "shift": (moments.shift_moments, paper.shift_moments),
}


@final
@dataclass(frozen=True)
class Comparison:
    """One scheme in one number of dimensions at one magnitude.

    Attributes
    ----------
    scheme : {"scaling", "shift"}
    dimension : int
    mu : float
        The scale delta, or the shift mu.
    exact, paper : Moments
    sampled : Sample
    """

    scheme: Scheme
    dimension: int
    mu: float
    exact: Moments
    paper: Moments
    sampled: Sample

    @property
    def mean_deviation(self) -> float:
        """Of the paper's mean from the exact one, relative."""
        return relative(self.paper.mean, self.exact.mean)

    @property
    def variance_deviation(self) -> float:
        """Of the paper's variance from the exact one, relative."""
        return relative(self.paper.variance, self.exact.variance)

    @property
    def mean_score(self) -> float:
        """Of the sampled mean from the exact one, in standard errors."""
        return score(self.sampled.mean, self.exact.mean, self.sampled.mean_error)

    @property
    def variance_score(self) -> float:
        """Of the sampled variance from the exact one, in standard errors."""
        return score(self.sampled.variance, self.exact.variance, self.sampled.variance_error)


def compare(
    *,
    dimensions: Sequence[int] = DIMENSIONS,
    magnitudes: Sequence[float] = MAGNITUDES,
    samples: int = SAMPLES,
    rng: Any = 0,
    ends: Callable[[], None] = lambda: None,
) -> list[Comparison]:
    """Compare both schemes in each number of dimensions at each magnitude.

    Parameters
    ----------
    dimensions : sequence of int
    magnitudes : sequence of float
        Scales of the one scheme and shifts of the other.
    samples : int
        Neurons drawn for each row.
    rng : int or Generator
    ends : callable
        Called after each row.
    """
    check_samples(samples)
    cells = list(product(SCHEMES, dimensions, magnitudes))
    streams, _ = spawn(rng, len(cells))
    rows = []
    for cell, stream in zip(cells, streams, strict=True):
        sampled = sample_moments(draw_frequencies(*cell, samples, stream))
        scheme, dimension, mu = cell
        exact, stated = (law(dimension, mu) for law in _LAWS[scheme])
        rows.append(Comparison(*cell, exact=exact, paper=stated, sampled=sampled))
        ends()
    return rows


def check_samples(samples: int) -> None:
    """Refuse fewer samples than a variance needs."""
    check_count("samples", samples)
    if samples < 2:
        raise ProblemError(f"samples must be at least 2; got {samples}")


def relative(value: float, reference: float) -> float:
    """Relative deviation; none between equal numbers, zeros included."""
    return 0.0 if value == reference else value / reference - 1.0


def score(value: float, reference: float, error: float) -> float:
    """Deviation in standard errors; none between equal numbers, zeros included."""
    return 0.0 if value == reference else (value - reference) / error
