"""What the comparison shows, in words and numbers made from its data."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fspielm.study.theory import moments, paper
from fspielm.study.theory.comparison import Comparison
from fspielm.study.theory.deviations import (
    TOLERANCES,
    Deviations,
    mean_deviations,
    ratio_deviations,
    variance_deviations,
)
from fspielm.study.theory.markdown import signed_percent, significant, table
from fspielm.study.theory.ratios import RatioComparison
from fspielm.study.theory.targets import shift_for_mean

# How a report of ours is recognised before a newer one replaces it.
MARK = "<!-- written by fspielm study theory -->"

_INTRODUCTION = """\
# Effective frequencies: scaling and shift

The effective frequency of a neuron is the norm of its weight vector. *Scaling* (SIREN-PIELM, GFF-PIELM) draws the
weights as `delta eps`, *shift* (FS-PIELM) as `mu e + eps`, with `eps` standard normal in d dimensions and `e` a unit
vector. The norm then has delta times a chi distribution, and a noncentral chi distribution. Here the exact moments are
compared with what the FS-PIELM paper states, and with neurons drawn by the package's own families. Deviations are
relative to the exact value; c_d is the mean norm of `eps`."""

# Where single values are shown.
_EXAMPLE = 10.0


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
    found = [mean_deviations(d) for d in dimensions]
    lines = [(str(one.dimension), signed_percent(one.unshifted), *_within(one)) for one in found]
    return f"""\
## Theorem 3.4 (i) and (ii), the mean by shift: always too large, right in the limit

The second moment `mu^2 + d` is exact. Its root `sqrt(mu^2 + d)` lies above the mean for every mu (Jensen's
inequality), by about 1/(2 mu) for large mu, whatever d:

{table(("d", "at mu = 0", *_from("mu")), lines)}"""


def _targets(dimensions: Sequence[int]) -> str:
    lines = []
    for d in dimensions:
        stated, exact = paper.shift_for_mean(d, _EXAMPLE), shift_for_mean(d, _EXAMPLE)
        reached = float(moments.shift_mean(d, stated))
        limits = (f"{moments.chi_mean(d):.4f}", f"{math.sqrt(d):.4f}")
        lines.append((str(d), *limits, f"{stated:.5f}", f"{reached:.5f}", f"{exact:.5f}"))
    columns = ("d", "lowest mean c_d", "lowest target sqrt(d)", "paper's mu", "its mean", "exact mu")
    return f"""\
## Theorem 3.4 (iii), the shift for a target nu: short by about 1/(2 nu)

`mu = sqrt(nu^2 - d)` gives a mean below the target, and has no value for targets between c_d and sqrt(d), which a
shift does reach. Below c_d there is none. For nu = {_EXAMPLE:g}:

{table(columns, lines)}"""


def _shift_variance(dimensions: Sequence[int]) -> str:
    found = [variance_deviations(d) for d in dimensions]
    lines = [
        (
            str(one.dimension),
            f"{moments.chi_variance(one.dimension):.4f}",
            signed_percent(one.unshifted),
            f"{signed_percent(one.lowest[0])} at mu = {one.lowest[1]:.1f}",
            *_within(one),
        )
        for one in found
    ]
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
        exact = moments.shift_moments(d, _EXAMPLE)
        forms = [paper.shift_moments(degrees, _EXAMPLE) for degrees in (d, d - 1)]
        means = (f"{form.mean / exact.mean - 1:+.1e}" for form in forms)
        variances = (f"{form.variance / exact.variance - 1:+.1e}" for form in forms)
        lines.append((str(d), *means, *variances))
    columns = ("d", "mean: paper", "mean: with d - 1", "variance: paper", "variance: with d - 1")
    return f"""\
## A sharper form: d - 1 in place of d

Of the d components of `eps`, the one along the shift moves the norm up as often as down; only the others raise its
mean. With d - 1 for d, the paper's two approximations have errors that fall like 1/mu^4, not 1/mu^2. At
mu = {_EXAMPLE:g} they are

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
    lines = [
        (
            one.where,
            one.what,
            one.printed,
            f"{one.computed:.6g}",
            "" if one.is_rounded else signed_percent(one.deviation),
        )
        for one in paper.printed_numbers()
    ]
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
    # neurons that are scaled by zero have no spread to be off by
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
