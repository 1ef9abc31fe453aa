"""Compare the paper's statements on effective frequencies with exact and with drawn values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias, final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.basis.random.families import check_count
from fspielm.errors import ProblemError
from fspielm.paper.templates import fill
from fspielm.paper.theory import moments
from fspielm.paper.theory import stated as paper
from fspielm.paper.theory.moments import (
    SCHEMES,
    Moments,
    Sample,
    Scheme,
    draw_frequencies,
    sample_moments,
    scale_for_mean,
    scaling_moments,
    shift_for_mean,
    shift_moments,
)
from fspielm.solvers.request import spawn

# ---- Numbers in tables


def signed_percent(value: float) -> str:
    """A relative deviation in percent, with its sign unless it rounds to zero."""
    text = f"{value:+.2%}"
    return "0.00%" if text in ("+0.00%", "-0.00%") else text


def significant(value: float) -> str:
    """A positive number with at least three digits, and all of those before the decimal point."""
    for decimals, limit in ((3, 1.0), (2, 10.0), (1, 100.0)):
        if value < limit:
            return f"{value:.{decimals}f}"
    return f"{value:.0f}"


# ---- Moments: exact, as the paper states them, and drawn


DIMENSIONS = (1, 2, 3, 4, 5)
# From no shift to the largest magnitudes of the paper's studies.
MAGNITUDES = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 400.0)
# Means that are examples in pictures; single values are shown at the first.
TARGETS = (10.0, 80.0)
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
        """Relative deviation of the paper's mean from the exact one."""
        return relative(self.paper.mean, self.exact.mean)

    @property
    def variance_deviation(self) -> float:
        """Relative deviation of the paper's variance from the exact one."""
        return relative(self.paper.variance, self.exact.variance)

    @property
    def mean_score(self) -> float:
        """Deviation of the sampled mean from the exact one, in standard errors."""
        return score(self.sampled.mean, self.exact.mean, self.sampled.mean_error)

    @property
    def variance_score(self) -> float:
        """Deviation of the sampled variance from the exact one, in standard errors."""
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
    """Relative deviation; zero between equal numbers, also between zeros."""
    return 0.0 if value == reference else value / reference - 1.0


def score(value: float, reference: float, error: float) -> float:
    """Deviation in standard errors; zero between equal numbers, also between zeros."""
    return 0.0 if value == reference else (value - reference) / error


# ---- The variance ratio: scaling over shift, at the same mean


# From just above the lowest possible mean in five dimensions; 80 is the paper's example.
FREQUENCIES = (2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0)


@final
@dataclass(frozen=True)
class RatioComparison:
    """Variance by scaling over variance by shift, at the same mean.

    Attributes
    ----------
    dimension : int
    frequency : float
        The common mean.
    delta, mu : float
        The scale and the shift with that mean.
    shift_variance : float
        Exact.
    exact, paper : float
        The exact ratio, and that of the paper's corollary.
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
        """Relative deviation of the paper's ratio from the exact one."""
        return relative(self.paper, self.exact)

    @property
    def score(self) -> float:
        """Deviation of the sampled ratio from the exact one, in standard errors."""
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


# ---- The deviations of the paper's approximations, and where they are good enough


TOLERANCES = (0.1, 0.01, 0.001)

Curve: TypeAlias = Callable[[FloatArray], FloatArray]

# Shifts at which the curves are evaluated; they are smooth on the scale of one.
_GRID = np.concatenate([np.linspace(0.0, 20.0, 4001), np.geomspace(20.01, 1e4, 1000)])


@final
@dataclass(frozen=True)
class Deviations:
    """The deviation of one approximation from the exact value, over all shifts."""

    dimension: int
    # relative deviation at mu = 0
    unshifted: float
    # the smallest (most negative) relative deviation, and its shift
    lowest: tuple[float, float]
    # for each tolerance, the shift beyond which the deviation stays within it
    within: dict[float, float]


def mean_deviations(dimension: int) -> Deviations:
    """The deviations of ``sqrt(mu**2 + d)`` from the mean by shift (Theorem 3.4)."""
    return _deviations(dimension, lambda mu: paper.shift_mean(dimension, mu) / moments.shift_mean(dimension, mu) - 1.0)


def variance_deviations(dimension: int) -> Deviations:
    """The deviations of ``(2 mu**2 + d) / (2 (mu**2 + d))`` from the variance by shift (Theorem 3.5)."""
    return _deviations(
        dimension, lambda mu: paper.shift_variance(dimension, mu) / moments.shift_variance(dimension, mu) - 1.0
    )


def ratio_deviations(dimension: int) -> Deviations:
    """The deviations of the variance ratio (Corollary 3.6), which takes the variance by shift to be one."""
    return _deviations(dimension, lambda mu: moments.shift_variance(dimension, mu) - 1.0)


def within_from(deviation: Curve, tolerance: float) -> float:
    """The shift beyond which `deviation` stays within plus or minus `tolerance`; zero if it always does."""
    from scipy.optimize import brentq  # slow to import, and the command line imports this module

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


# ---- The report, in Markdown


# Marks a report of ours, which a newer one may replace.
MARK = "<!-- written by fspielm study theory -->"


def findings(rows: Sequence[Comparison], ratios: Sequence[RatioComparison], *, rng: int) -> str:
    """The report, as Markdown."""
    scaling = [row for row in rows if row.scheme == "scaling"]
    # neurons scaled by zero have no variance
    spread = [row for row in rows if row.exact.variance > 0]
    scores = [score for row in spread for score in (row.mean_score, row.variance_score)]
    return fill(
        "theory/findings.md",
        mark=MARK,
        dimensions=sorted({row.dimension for row in rows}),
        worst=max(max(abs(row.mean_deviation), abs(row.variance_deviation)) for row in scaling),
        target=TARGETS[0],
        beyond=lambda symbol: [f"within {100 * tolerance:g}% from {symbol} =" for tolerance in TOLERANCES],
        exact=moments,
        paper=paper,
        deviations={"mean": mean_deviations, "variance": variance_deviations, "ratio": ratio_deviations},
        ratios=sorted(ratios, key=lambda row: row.dimension),
        sizes=np.abs([*scores, *(row.score for row in ratios)]),
        neurons=rows[0].sampled.size,
        rng=rng,
        signed=signed_percent,
        significant=significant,
        log10=math.log10,
        pi=math.pi,
    )
