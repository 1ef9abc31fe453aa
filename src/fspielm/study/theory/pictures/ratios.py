"""The variance ratio over the mean frequency, exact, stated and drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.geometry.pictures.style import PALETTE
from fspielm.solution.pictures import require_matplotlib
from fspielm.solution.pictures.style import INK, WIDTHS, style
from fspielm.study.theory import moments, paper
from fspielm.study.theory.pictures.panels import CURVE_POINTS, scale_percent, tidy
from fspielm.study.theory.ratios import RatioComparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HEIGHT = 3.2
_LARGEST_SHIFT = 400.0
_KINDS: dict[str, dict[str, Any]] = {
    "exact": {},
    "paper": {"linestyle": "--", "linewidth": 0.8},
    "drawn": {"linestyle": "none", "marker": "o", "markersize": 3},
}


def draw_ratios(rows: Sequence[RatioComparison]) -> Figure:
    """Draw the variance ratio for each number of dimensions, and how far the paper's is off."""
    require_matplotlib()
    from fspielm.solution.pictures.figure import new_picture

    dimensions = sorted({row.dimension for row in rows})
    with style():
        figure = new_picture(WIDTHS["double"], _HEIGHT)
        left, right = figure.subplots(1, 2, sharex=True)
        for dimension, colour in zip(dimensions, PALETTE, strict=False):
            own = [row for row in rows if row.dimension == dimension]
            _draw_ratio(left, own, colour)
            _draw_deviation(right, own, colour)
        _finish(left, right)
        figure.legend(
            *left.get_legend_handles_labels(), loc="outside upper center", ncols=len(dimensions) + len(_KINDS)
        )
    return figure


def _draw_ratio(axes: Axes, rows: Sequence[RatioComparison], colour: str) -> None:
    dimension = rows[0].dimension
    frequencies, variances = _curve(dimension)
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


def _draw_deviation(axes: Axes, rows: Sequence[RatioComparison], colour: str) -> None:
    frequencies, variances = _curve(rows[0].dimension)
    axes.plot(frequencies, 100 * (variances - 1.0), color=colour, **_KINDS["paper"])


def _curve(dimension: int) -> tuple[FloatArray, FloatArray]:
    """Means from the lowest there is, and the variances by shift that belong to them."""
    mu = np.concatenate([[0.0], np.geomspace(0.05, _LARGEST_SHIFT, CURVE_POINTS)])
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
