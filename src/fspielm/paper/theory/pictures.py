"""Figures of effective frequencies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.geometry.pictures import PALETTE, require_matplotlib
from fspielm.numerics.tolerances import PROBES
from fspielm.paper.theory import moments
from fspielm.paper.theory import stated as paper
from fspielm.paper.theory.comparison import DIMENSIONS, MAGNITUDES, SAMPLES, TARGETS, Comparison, RatioComparison
from fspielm.paper.theory.moments import (
    Scheme,
    draw_frequencies,
    scale_for_mean,
    scaling_density,
    shift_density,
    shift_for_mean,
)
from fspielm.solution.plot.style import BLUE, GRID, INK, LAYOUT, PALE, VERMILION, WIDTHS, new_picture, style
from fspielm.solvers.request import spawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


COLOURS: dict[Scheme, str] = {"scaling": VERMILION, "shift": BLUE}

# Percent. The scale of deviations is linear up to here and logarithmic beyond.
_LINEAR = 1.0


def scale_percent(axes: Axes, low: float, high: float) -> None:
    """Set a vertical scale for deviations in percent, linear within one percent, which is shaded."""
    # the size of the linear part leaves no kink in curves
    axes.set_yscale("symlog", linthresh=_LINEAR, linscale=0.9 / np.log(10))
    axes.set_ylim(low, high)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.axhspan(-_LINEAR, _LINEAR, color=GRID, alpha=0.6, zorder=0)
    axes.grid(True)


def tidy(axes: Axes) -> None:
    """Remove the top and right sides of a panel, and the minor ticks, which are slow to lay out."""
    axes.minorticks_off()
    axes.spines[["top", "right"]].set_visible(False)


# ---- Distributions by scaling and by shift, with the same mean


def draw_densities(
    *,
    dimensions: Sequence[int] = DIMENSIONS,
    targets: Sequence[float] = TARGETS,
    samples: int = SAMPLES,
    rng: Any = 0,
) -> Figure:
    """Draw histograms of both schemes at the same mean, with the closed-form densities.

    Parameters
    ----------
    dimensions : sequence of int
        One column for each.
    targets : sequence of float
        Mean effective frequencies, one row for each.
    samples : int
    rng : int or Generator
    """
    require_matplotlib()

    streams, _ = spawn(rng, len(targets) * len(dimensions))
    with style():
        figure = new_picture(WIDTHS["double"], 0.5 + LAYOUT.line_height * len(targets))
        panels = figure.subplots(len(targets), len(dimensions), sharex="row", sharey="row", squeeze=False)
        cells = (
            (panel, mean, d)
            for line, mean in zip(panels, targets, strict=True)
            for panel, d in zip(line, dimensions, strict=True)
        )
        for (panel, mean, dimension), stream in zip(cells, streams, strict=True):
            _draw_panel(panel, dimension, mean, samples, stream)
        for panel, dimension in zip(panels[0], dimensions, strict=True):
            panel.set_title(f"$d = {dimension}$")
        for panel, mean in zip(panels[:, 0], targets, strict=True):
            panel.set_ylabel(rf"density, mean $\nu^* = {mean:g}$")
        figure.supxlabel(r"effective frequency $\nu$", fontsize="medium")
        figure.legend(handles=_key(), loc="outside upper center", ncols=4)
    return figure


def _draw_panel(axes: Axes, dimension: int, mean: float, samples: int, rng: np.random.Generator) -> None:
    laws: dict[Scheme, Any] = {"scaling": (scale_for_mean, scaling_density), "shift": (shift_for_mean, shift_density)}
    for scheme, (magnitude_for, density) in laws.items():
        magnitude = magnitude_for(dimension, mean)
        values = draw_frequencies(scheme, dimension, magnitude, samples, rng)
        axes.hist(values, "rice", density=True, color=COLOURS[scheme], alpha=0.35, linewidth=0)
        x = np.linspace(values.min(), values.max(), PROBES)
        axes.plot(x, density(dimension, magnitude, x), color=COLOURS[scheme])
    axes.set_yscale("log")
    axes.set_xlim(left=0.0)
    axes.locator_params(axis="x", nbins=4)
    tidy(axes)


def _key() -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    return [
        Patch(color=COLOURS["scaling"], alpha=0.35, linewidth=0, label="scaling, drawn"),
        Line2D([], [], color=COLOURS["scaling"], label="scaling, chi density"),
        Patch(color=COLOURS["shift"], alpha=0.35, linewidth=0, label="shift, drawn"),
        Line2D([], [], color=COLOURS["shift"], label="shift, noncentral chi density"),
    ]


# ---- Mean and standard deviation over the magnitude: exact, stated and drawn


_DOTS: dict[str, Any] = {"fmt": "o", "markersize": 2.6, "elinewidth": 0.8, "linestyle": "none"}


def draw_moments(rows: Sequence[Comparison]) -> Figure:
    """Draw means and standard deviations of both schemes, and how far the paper's values for shift are off."""
    require_matplotlib()

    rows = [row for row in rows if row.mu > 0]  # the axis is logarithmic
    dimensions = sorted({row.dimension for row in rows})
    with style():
        figure = new_picture(WIDTHS["double"], 4 * LAYOUT.line_height)
        panels = figure.subplots(4, len(dimensions), sharex=True, sharey="row", squeeze=False)
        for column, dimension in enumerate(dimensions):
            own = [row for row in rows if row.dimension == dimension]
            panels[0, column].set_title(f"$d = {dimension}$")
            _draw_moment(panels[0, column], own, "mean", 1)
            _draw_moment(panels[1, column], own, "variance", 0.5)
            shifted = [row for row in own if row.scheme == "shift"]
            _draw_deviations(panels[2, column], shifted, "mean")
            _draw_deviations(panels[3, column], shifted, "variance")
        labels = ("mean", "standard deviation", "shift: mean,\noff by (%)", "shift: variance,\noff by (%)")
        for panel, label in zip(panels[:, 0], labels, strict=True):
            panel.set_ylabel(label)
        figure.supxlabel(r"shift $\mu$ or scale $\delta$", fontsize="medium")
        figure.legend(handles=_key_moments(), loc="outside upper center", ncols=4)
        figure.align_ylabels()
    return figure


def _draw_moment(axes: Axes, rows: Sequence[Comparison], quantity: str, power: float) -> None:
    """Draw the "mean", or a power of the "variance": exact for both schemes, the paper's by shift, and drawn."""
    mu, dimension = _magnitudes(rows), rows[0].dimension
    axes.plot(mu, mu * getattr(moments, f"chi_{quantity}")(dimension) ** power, color=COLOURS["scaling"])
    axes.plot(mu, getattr(moments, f"shift_{quantity}")(dimension, mu) ** power, color=COLOURS["shift"])
    stated = getattr(paper, f"shift_{quantity}")(dimension, mu) ** power
    axes.plot(mu, stated, color=INK, linestyle="--", linewidth=0.8)

    def drawn(row: Comparison) -> tuple[float, float]:
        value, error = getattr(row.sampled, quantity), getattr(row.sampled, f"{quantity}_error")
        return value**power, power * value ** (power - 1) * error

    _draw_sampled(axes, rows, drawn)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_yticks([1.0, 10.0, 100.0], ["1", "10", "100"])
    axes.grid(True)
    tidy(axes)


def _draw_deviations(axes: Axes, rows: Sequence[Comparison], quantity: str) -> None:
    """Draw how far the paper's "mean" or "variance" by shift is off, and the drawn ones."""
    mu, dimension = _magnitudes(rows), rows[0].dimension
    stated, exact = (getattr(law, f"shift_{quantity}")(dimension, mu) for law in (paper, moments))
    axes.plot(mu, 100 * (stated / exact - 1.0), color=INK, linestyle="--", linewidth=0.8)

    def percent(row: Comparison) -> tuple[float, float]:
        value, error = getattr(row.sampled, quantity), getattr(row.sampled, f"{quantity}_error")
        return 100 * (value / getattr(row.exact, quantity) - 1.0), 100 * error / getattr(row.exact, quantity)

    _draw_sampled(axes, rows, percent)
    axes.axhline(0.0, color=COLOURS["shift"])
    scale_percent(axes, -12.0, 40.0)
    axes.set_xticks([1.0, 10.0, 100.0], ["1", "10", "100"])
    tidy(axes)


def _draw_sampled(axes: Axes, rows: Sequence[Comparison], value: Callable[[Comparison], tuple[float, float]]) -> None:
    """What was drawn, with two standard errors either way."""
    for scheme, colour in COLOURS.items():
        own = [row for row in rows if row.scheme == scheme]
        if own:
            values, errors = np.array([value(row) for row in own]).T
            axes.errorbar([row.mu for row in own], values, 2 * errors, color=colour, **_DOTS)


def _magnitudes(rows: Sequence[Comparison]) -> FloatArray:
    return np.geomspace(min(row.mu for row in rows), max(row.mu for row in rows), PROBES)


def _key_moments() -> list[Any]:
    """The legend of all panels."""
    from matplotlib.lines import Line2D

    drawn = "drawn, \N{PLUS-MINUS SIGN}2 standard errors"
    return [
        Line2D([], [], color=COLOURS["scaling"], label=r"scaling $\delta \varepsilon$, exact"),
        Line2D([], [], color=COLOURS["shift"], label=r"shift $\mu e + \varepsilon$, exact"),
        Line2D([], [], color=INK, linestyle="--", linewidth=0.8, label="shift, the paper's approximation"),
        Line2D([], [], color=PALE, marker="o", markersize=3, linestyle="none", label=drawn),
    ]


# ---- The variance ratio over the mean frequency: exact, stated and drawn


_KINDS: dict[str, dict[str, Any]] = {
    "exact": {},
    "paper": {"linestyle": "--", "linewidth": 0.8},
    "drawn": {"linestyle": "none", "marker": "o", "markersize": 3},
}


def draw_ratios(rows: Sequence[RatioComparison]) -> Figure:
    """Draw the variance ratio for each number of dimensions, and how far the paper's is off."""
    require_matplotlib()

    dimensions = sorted({row.dimension for row in rows})
    with style():
        figure = new_picture(WIDTHS["double"], 2 * LAYOUT.line_height)
        left, right = figure.subplots(1, 2, sharex=True)
        for dimension, colour in zip(dimensions, PALETTE, strict=False):
            own = [row for row in rows if row.dimension == dimension]
            frequencies, variances = _curve(dimension)
            _draw_ratio(left, own, frequencies, variances, colour)
            right.plot(frequencies, 100 * (variances - 1.0), color=colour, **_KINDS["paper"])
        _finish(left, right)
        figure.legend(
            *left.get_legend_handles_labels(), loc="outside upper center", ncols=len(dimensions) + len(_KINDS)
        )
    return figure


def _draw_ratio(
    axes: Axes, rows: Sequence[RatioComparison], frequencies: FloatArray, variances: FloatArray, colour: str
) -> None:
    dimension = rows[0].dimension
    scaling = frequencies**2 * moments.chi_variance(dimension) / moments.chi_mean(dimension) ** 2
    axes.plot(frequencies, scaling / variances, color=colour, label=f"$d = {dimension}$")
    axes.plot(frequencies, paper.variance_ratio(dimension, frequencies), color=colour, **_KINDS["paper"])
    axes.errorbar(
        [row.frequency for row in rows],
        [row.sampled for row in rows],
        [2 * row.sampled_error for row in rows],
        color=colour,
        **_KINDS["drawn"],
    )


def _curve(dimension: int) -> tuple[FloatArray, FloatArray]:
    """Means from the lowest possible one, and their variances by shift."""
    mu = np.concatenate([[0.0], np.geomspace(0.05, MAGNITUDES[-1], PROBES)])
    return moments.shift_mean(dimension, mu), moments.shift_variance(dimension, mu)


def _finish(left: Axes, right: Axes) -> None:
    left.set_xscale("log")
    left.set_yscale("log")
    left.set_xticks([1.0, 10.0, 100.0], ["1", "10", "100"])
    left.set_ylabel("variance by scaling / by shift")
    for kind, looks in _KINDS.items():
        left.plot([], [], color=INK, label=kind, **looks)
    left.grid(True)
    right.set_ylabel("the paper's ratio, off by (%)")
    scale_percent(right, -100.0, 1.5)
    for panel in (left, right):
        panel.set_xlabel(r"mean effective frequency $\nu^*$ of both")
        tidy(panel)
