"""Histograms of effective frequencies, method above method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fspielm.solution.pictures.style import style
from fspielm.study.reports.charts import COLOURS, Frequencies
from fspielm.study.reports.figures.canvas import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ROW_HEIGHT = 0.72


def draw_frequencies(chart: Frequencies, title: str) -> Figure:
    """Draw the share of the neurons over their effective frequency, with one axis for all."""
    with style():
        figure = new_figure(title, 0.75 + _ROW_HEIGHT * len(chart.laws))
        panels = figure.subplots(len(chart.laws), 1, sharex=True, squeeze=False).ravel()
        for axes, law in zip(panels, chart.laws, strict=True):
            colour = COLOURS[law.method]
            axes.stairs(100 * law.shares, chart.edges, fill=True, color=colour, alpha=0.35)
            axes.stairs(100 * law.shares, chart.edges, color=colour, linewidth=0.9)
            axes.set_ylim(0, 118 * max(law.shares.max(), 1e-3))
            axes.text(0.995, 0.93, law.words, transform=axes.transAxes, ha="right", va="top", fontsize=7)
            axes.locator_params(axis="y", nbins=2)
            axes.grid(True)
            axes.spines[["top", "right"]].set_visible(False)
        panels[-1].set_xlim(0, chart.edges[-1])
        panels[-1].set_xlabel("effective frequency |w|")
        figure.supylabel("share of the neurons in %", fontsize=8)
    return figure
