"""Mean and standard deviation of effective frequencies over the magnitude, exact, stated and drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.solution.pictures import require_matplotlib
from fspielm.solution.pictures.style import INK, PALE, WIDTHS, style
from fspielm.study.theory import moments, paper
from fspielm.study.theory.comparison import Comparison
from fspielm.study.theory.pictures.panels import COLOURS, CURVE_POINTS, scale_percent, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HEIGHT = 6.0
# The logarithmic axis leaves out neurons without a shift, and those that hardly have one.
_LOWEST = 0.3
_DOTS: dict[str, Any] = {"fmt": "o", "markersize": 2.6, "elinewidth": 0.8, "linestyle": "none"}


def draw_moments(rows: Sequence[Comparison]) -> Figure:
    """Draw means and standard deviations of both schemes, and how far the paper's values for shift are off."""
    require_matplotlib()
    from fspielm.solution.pictures.figure import new_picture

    rows = [row for row in rows if row.mu >= _LOWEST]
    dimensions = sorted({row.dimension for row in rows})
    with style():
        figure = new_picture(WIDTHS["double"], _HEIGHT)
        panels = figure.subplots(4, len(dimensions), sharex=True, sharey="row", squeeze=False)
        for column, dimension in enumerate(dimensions):
            own = [row for row in rows if row.dimension == dimension]
            panels[0, column].set_title(f"$d = {dimension}$")
            _draw_means(panels[0, column], own)
            _draw_spreads(panels[1, column], own)
            _draw_mean_deviations(panels[2, column], [row for row in own if row.scheme == "shift"])
            _draw_variance_deviations(panels[3, column], [row for row in own if row.scheme == "shift"])
        labels = ("mean", "standard deviation", "shift: mean,\noff by (%)", "shift: variance,\noff by (%)")
        for panel, label in zip(panels[:, 0], labels, strict=True):
            panel.set_ylabel(label)
        figure.supxlabel(r"shift $\mu$ or scale $\delta$", fontsize="medium")
        figure.legend(handles=_key(), loc="outside upper center", ncols=4)
        figure.align_ylabels()
    return figure


def _draw_means(axes: Axes, rows: Sequence[Comparison]) -> None:
    mu, dimension = _magnitudes(rows), rows[0].dimension
    axes.plot(mu, mu * moments.chi_mean(dimension), color=COLOURS["scaling"])
    axes.plot(mu, moments.shift_mean(dimension, mu), color=COLOURS["shift"])
    axes.plot(mu, paper.shift_mean(dimension, mu), color=INK, linestyle="--", linewidth=0.8)
    _draw_sampled(axes, rows, lambda row: (row.sampled.mean, row.sampled.mean_error))
    _scale_logarithmically(axes)


def _draw_spreads(axes: Axes, rows: Sequence[Comparison]) -> None:
    mu, dimension = _magnitudes(rows), rows[0].dimension
    axes.plot(mu, mu * np.sqrt(moments.chi_variance(dimension)), color=COLOURS["scaling"])
    axes.plot(mu, np.sqrt(moments.shift_variance(dimension, mu)), color=COLOURS["shift"])
    axes.plot(mu, np.sqrt(paper.shift_variance(dimension, mu)), color=INK, linestyle="--", linewidth=0.8)

    def spread(row: Comparison) -> tuple[float, float]:
        deviation = np.sqrt(row.sampled.variance)
        return deviation, row.sampled.variance_error / (2 * deviation)

    _draw_sampled(axes, rows, spread)
    _scale_logarithmically(axes)


def _draw_mean_deviations(axes: Axes, rows: Sequence[Comparison]) -> None:
    mu, dimension = _magnitudes(rows), rows[0].dimension
    off = 100 * (paper.shift_mean(dimension, mu) / moments.shift_mean(dimension, mu) - 1.0)
    axes.plot(mu, off, color=INK, linestyle="--", linewidth=0.8)
    _draw_sampled(axes, rows, lambda row: _percent(row.sampled.mean, row.sampled.mean_error, row.exact.mean))
    _finish_deviations(axes)


def _draw_variance_deviations(axes: Axes, rows: Sequence[Comparison]) -> None:
    mu, dimension = _magnitudes(rows), rows[0].dimension
    off = 100 * (paper.shift_variance(dimension, mu) / moments.shift_variance(dimension, mu) - 1.0)
    axes.plot(mu, off, color=INK, linestyle="--", linewidth=0.8)
    _draw_sampled(
        axes, rows, lambda row: _percent(row.sampled.variance, row.sampled.variance_error, row.exact.variance)
    )
    _finish_deviations(axes)


def _draw_sampled(axes: Axes, rows: Sequence[Comparison], value: Callable[[Comparison], tuple[float, float]]) -> None:
    """What was drawn, with two standard errors either way."""
    for scheme, colour in COLOURS.items():
        own = [row for row in rows if row.scheme == scheme]
        if own:
            values, errors = np.array([value(row) for row in own]).T
            axes.errorbar([row.mu for row in own], values, 2 * errors, color=colour, **_DOTS)


def _percent(value: float, error: float, exact: float) -> tuple[float, float]:
    return 100 * (value / exact - 1.0), 100 * error / exact


def _magnitudes(rows: Sequence[Comparison]) -> FloatArray:
    return np.geomspace(_LOWEST, max(row.mu for row in rows), CURVE_POINTS)


def _scale_logarithmically(axes: Axes) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_yticks([1.0, 10.0, 100.0], ["1", "10", "100"])
    axes.grid(True)
    tidy(axes)


def _finish_deviations(axes: Axes) -> None:
    axes.axhline(0.0, color=COLOURS["shift"])
    scale_percent(axes, -12.0, 40.0)
    axes.set_xticks([1.0, 10.0, 100.0], ["1", "10", "100"])
    tidy(axes)


def _key() -> list[Any]:
    """What lines and dots mean, once for all panels."""
    from matplotlib.lines import Line2D

    return [
        Line2D([], [], color=COLOURS["scaling"], label=r"scaling $\delta \varepsilon$, exact"),
        Line2D([], [], color=COLOURS["shift"], label=r"shift $\mu e + \varepsilon$, exact"),
        Line2D([], [], color=INK, linestyle="--", linewidth=0.8, label="shift, the paper's approximation"),
        Line2D(
            [],
            [],
            color=PALE,
            marker="o",
            markersize=3,
            linestyle="none",
            label="drawn, \N{PLUS-MINUS SIGN}2 standard errors",
        ),
    ]
