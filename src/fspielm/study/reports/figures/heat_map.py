"""Heat maps of the best error over (mu_min, mu_max), method by method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fspielm.solution.pictures.style import INK, LOGARITHMIC_COLOURS, style
from fspielm.study.reports.analysis import LABELS
from fspielm.study.reports.charts import HeatMap, every_few, heat_colour
from fspielm.study.reports.figures.canvas import MU_MAX, MU_MIN, new_figure, power

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure

_ROW_HEIGHT = 2.25
_MARK = "#e8000b"


def draw_heat_map(chart: HeatMap, title: str, quantity: str) -> Figure:
    """Draw the maps on one colour scale, each cell with the decimal logarithm of its error.

    Parameters
    ----------
    chart : HeatMap
    title : str
    quantity : str
        What the colours are.
    """
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LogNorm
    from matplotlib.ticker import NullLocator

    count = len(chart.panels)
    columns = count if count <= 3 else 3 if count in (5, 6) else 4
    rows = -(-count // columns)
    norm = LogNorm(chart.scale.low, chart.scale.high)
    with style():
        figure = new_figure(title, 0.25 + _ROW_HEIGHT * rows)
        grid = figure.subplots(rows, columns, squeeze=False)
        for index, (axes, method) in enumerate(zip(grid.ravel(), chart.panels, strict=False)):
            _draw_panel(axes, chart, method, norm, columns)
            axes.set_xlabel(MU_MAX)
            axes.set_ylabel("" if index % columns else MU_MIN)
            axes.set_title(LABELS[method])
        for spare in grid.ravel()[count:]:
            spare.remove()
        mappable = ScalarMappable(norm, LOGARITHMIC_COLOURS)
        bar = figure.colorbar(mappable, ax=grid.ravel()[:count].tolist(), label=quantity, aspect=30, pad=0.02)
        bar.ax.yaxis.set_ticks(chart.scale.ticks, chart.scale.labels(power))
        bar.ax.yaxis.set_minor_locator(NullLocator())
    return figure


def _draw_panel(axes: Axes, chart: HeatMap, method: str, norm: Normalize, columns: int) -> None:
    from matplotlib.patches import Rectangle

    cells = chart.panels[method]
    values = np.full((len(chart.mu_min), len(chart.mu_max)), np.nan)
    for (low, high), cell in cells.items():
        row, column = chart.mu_min.index(low), chart.mu_max.index(high)
        values[row, column] = max(cell.error.best, chart.scale.low) if cell.error else np.nan
        if chart.numbered:
            share = chart.share(cell)
            colour = INK if share is None else heat_colour(share)[1]
            written = axes.text(column, row, chart.label(cell), color=colour, ha="center", va="center")
            written.set_fontsize(5.6 if columns < 4 else 4.4)
            written.set_in_layout(False)  # inside its cell anyhow, and there are hundreds
    axes.imshow(values, norm=norm, cmap=LOGARITHMIC_COLOURS, origin="lower", aspect="auto")
    axes.set_facecolor("#f0f0f0")
    if method in chart.best:
        low, high = chart.best[method]
        corner = (chart.mu_max.index(high) - 0.5, chart.mu_min.index(low) - 0.5)
        axes.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=_MARK, linewidth=1.6, clip_on=False, zorder=5))
    for axis, ticks in ((axes.xaxis, chart.mu_max), (axes.yaxis, chart.mu_min)):
        axis.set_ticks(every_few(ticks), [f"{ticks[index]:g}" for index in every_few(ticks)])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
