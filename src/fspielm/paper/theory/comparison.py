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

# ---- Tables and numbers in Markdown


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, words: int = 0) -> str:
    """A table with headings; its first `words` columns are text, the others numbers."""
    rule = [":---" if column < words else "---:" for column in range(len(columns))]
    lines = [columns, rule, *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


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

_INTRODUCTION = """\
# Effective frequencies: scaling and shift

The effective frequency of a neuron is the norm of its weight vector. *Scaling* (SIREN-PIELM, GFF-PIELM) draws the
weights as `delta eps`, *shift* (FS-PIELM) as `mu e + eps`, with `eps` standard normal in d dimensions and `e` a unit
vector. The norm then has delta times a chi distribution, and a noncentral chi distribution. Here the exact moments are
compared with what the FS-PIELM paper states, and with neurons drawn by the package's own families. Deviations are
relative to the exact value; c_d is the mean norm of `eps`."""


def findings(rows: Sequence[Comparison], ratios: Sequence[RatioComparison], *, rng: int) -> str:
    """The report, as Markdown."""
    dimensions = sorted({row.dimension for row in rows})
    parts = [
        MARK,
        _INTRODUCTION,
        _scaling(rows, dimensions),
        _shift_mean(dimensions),
        _targets(dimensions),
        _shift_variance(dimensions),
        _sharper(dimensions),
        _ratio(ratios, dimensions),
        _printed(),
        _drawn(rows, ratios, rng),
    ]
    return "\n\n".join(parts) + "\n"


def _scaling(rows: Sequence[Comparison], dimensions: Sequence[int]) -> str:
    own = [row for row in rows if row.scheme == "scaling"]
    worst = max(max(abs(row.mean_deviation), abs(row.variance_deviation)) for row in own)
    constants = []
    for d in dimensions:
        mean, variance = moments.chi_mean(d), moments.chi_variance(d)
        constants.append((str(d), f"{mean:.6f}", f"{variance:.6f}", f"{math.sqrt(variance) / mean:.1%}"))
    return f"""\
## Theorem 3.3, scaling: exact

Mean `delta c_d` and variance `delta^2 (d - c_d^2)` are those of the chi distribution: they differ from the exact
values by {worst:.0e} at most, which is rounding. The spread is a fixed part of the mean, smaller in more dimensions:

{table(("d", "c_d", "variance / delta^2", "standard deviation / mean"), constants)}"""


def _shift_mean(dimensions: Sequence[int]) -> str:
    found = map(mean_deviations, dimensions)
    lines = [(str(one.dimension), signed_percent(one.unshifted), *_within(one)) for one in found]
    return f"""\
## Theorem 3.4 (i) and (ii), the mean by shift: always too large, right in the limit

The second moment `mu^2 + d` is exact. Its root `sqrt(mu^2 + d)` lies above the mean for every mu (Jensen's
inequality), by about 1/(2 mu) for large mu, whatever d:

{table(("d", "at mu = 0", *_from("mu")), lines)}"""


def _targets(dimensions: Sequence[int]) -> str:
    lines = []
    for d in dimensions:
        stated, exact = paper.shift_for_mean(d, TARGETS[0]), shift_for_mean(d, TARGETS[0])
        reached = float(moments.shift_mean(d, stated))
        limits = (f"{moments.chi_mean(d):.4f}", f"{math.sqrt(d):.4f}")
        lines.append((str(d), *limits, f"{stated:.5f}", f"{reached:.5f}", f"{exact:.5f}"))
    columns = ("d", "lowest mean c_d", "lowest target sqrt(d)", "paper's mu", "its mean", "exact mu")
    return f"""\
## Theorem 3.4 (iii), the shift for a target nu: short by about 1/(2 nu)

`mu = sqrt(nu^2 - d)` gives a mean below the target, and has no value for targets between c_d and sqrt(d), which a
shift does reach. Below c_d there is none. For nu = {TARGETS[0]:g}:

{table(columns, lines)}"""


def _shift_variance(dimensions: Sequence[int]) -> str:
    lines = []
    for one in map(variance_deviations, dimensions):
        unshifted = f"{moments.chi_variance(one.dimension):.4f}", signed_percent(one.unshifted)
        lowest = f"{signed_percent(one.lowest[0])} at mu = {one.lowest[1]:.1f}"
        lines.append((str(one.dimension), *unshifted, lowest, *_within(one)))
    return f"""\
## Theorem 3.5, the variance by shift: first too large, then too small, right in the limit

The approximation `(2 mu^2 + d) / (2 (mu^2 + d))` starts at 1/2, the exact variance lower, at d - c_d^2. Later the
approximation is too small, by about 1/(2 mu^2):

{table(("d", "variance at mu = 0", "deviation at mu = 0", "lowest deviation", *_from("mu")), lines)}

The proof by the delta method gives the limit 1 but no bound. A bound holds nevertheless: the norm changes no faster
than its argument, and so the Gaussian Poincaré inequality keeps the variance at or below 1 for every mu and d."""


def _sharper(dimensions: Sequence[int]) -> str:
    lines = []
    for d in dimensions:
        exact = moments.shift_moments(d, TARGETS[0])
        forms = [paper.shift_moments(degrees, TARGETS[0]) for degrees in (d, d - 1)]
        means = (f"{form.mean / exact.mean - 1:+.1e}" for form in forms)
        variances = (f"{form.variance / exact.variance - 1:+.1e}" for form in forms)
        lines.append((str(d), *means, *variances))
    columns = ("d", "mean: paper", "mean: with d - 1", "variance: paper", "variance: with d - 1")
    return f"""\
## A sharper form: d - 1 in place of d

Of the d components of `eps`, the one along the shift moves the norm up as often as down; only the others raise its
mean. With d - 1 for d, the paper's two approximations have errors that fall like 1/mu^4, not 1/mu^2. At
mu = {TARGETS[0]:g} they are

{table(columns, lines)}"""


def _ratio(ratios: Sequence[RatioComparison], dimensions: Sequence[int]) -> str:
    values = []
    for frequency in sorted({row.frequency for row in ratios}):
        own = sorted((row for row in ratios if row.frequency == frequency), key=lambda row: row.dimension)
        cells = (f"{significant(row.exact)} ({signed_percent(row.deviation)})" for row in own)
        values.append((f"{frequency:g}", *cells))
    limits = []
    for one in map(ratio_deviations, dimensions):
        means = moments.shift_mean(one.dimension, list(one.within.values()))
        limits.append((str(one.dimension), *(f"{mean:.2f}" for mean in means)))
    return f"""\
## Corollary 3.6, the variance ratio at the same mean nu: always too small, right in the limit

The corollary takes the variance by shift to be 1, its upper bound; so `nu^2 (d - c_d^2) / c_d^2` is a lower bound for
the ratio. At the lowest mean, c_d, both schemes are the same and the ratio is 1; the corollary has d - c_d^2 there.
Exact ratios, and in brackets the corollary's deviation:

{table(("nu", *(f"d = {d}" for d in dimensions)), values)}

{table(("d", *_from("nu")), limits)}"""


def _printed() -> str:
    lines = []
    for one in paper.printed_numbers():
        off = "" if one.is_rounded else signed_percent(one.deviation)
        lines.append((one.where, one.what, one.printed, f"{one.computed:.6g}", off))
    ratio, helmholtz = (float(paper.variance_ratio(2, nu)) for nu in (80.0, 24 * math.pi * math.sqrt(2.0)))
    return f"""\
## Numbers that the paper prints, for d = 2

{table(("where", "what", "printed", "computed", "off by"), lines, words=2)}

- The variance and the ratio at mean 80, and the Klein-Gordon variance, are what rounded factors give:
  0.429 x 63.8^2 = {0.429 * 63.8**2:.0f} and 0.429 x 67^2 = {0.429 * 67.0**2:.0f}.
- A ratio of {ratio:.0f} is {math.log10(ratio):.2f} orders of magnitude: more than the "nearly three" of the corollary.
- What the Klein-Gordon section quotes for the Helmholtz equation belongs to the mean 80, not 24 pi; and it calls 1930
  "not as extreme" as 1746. By the measure that it uses for its own frequency, the norm of (24 pi, 24 pi), the
  Helmholtz variance is {helmholtz:.0f}, and the comparison holds.
- "Variance remains constant at I" is meant for a given direction. Over random directions, the covariance of the weight
  vector is (1 + mu^2/d) I, and grows quadratically too; what stays bounded is the variance of its norm."""


def _drawn(rows: Sequence[Comparison], ratios: Sequence[RatioComparison], rng: int) -> str:
    # neurons scaled by zero have no variance
    spread = [row for row in rows if row.exact.variance > 0]
    scores = [score for row in spread for score in (row.mean_score, row.variance_score)]
    sizes = np.abs([*scores, *(row.score for row in ratios)])
    beyond = f"{np.sum(sizes > 2)} ({np.mean(sizes > 2):.1%})"
    return f"""\
## Monte Carlo

Every mean and variance is from {rows[0].sampled.size} neurons (rng {rng}). Of {len(sizes)} drawn means, variances
and ratios, {beyond} are more than two standard errors from the exact value, where 4.6% are to be expected; the
farthest is off by {sizes.max():.1f} standard errors. All are in `theory.csv` and `variance_ratio.csv`."""


def _from(symbol: str) -> tuple[str, ...]:
    return tuple(f"within {100 * tolerance:g}% from {symbol} =" for tolerance in TOLERANCES)


def _within(found: Deviations) -> tuple[str, ...]:
    return tuple(f"{mu:.2f}" if mu > 0 else "always" for mu in found.within.values())
