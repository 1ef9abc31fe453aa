"""The error against the time of the solve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fspielm.solution.pictures.style import style
from fspielm.study.reports.charts import COLOURS, Times
from fspielm.study.reports.charts.times import place
from fspielm.study.reports.figures.canvas import add_legend, look, new_figure, set_log_axis

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_times(chart: Times, title: str, quantity: str) -> Figure:
    """Draw a small mark for every range of frequencies, and a large one for the best with its seeds as a bar."""
    with style():
        figure = new_figure(title)
        axes = figure.subplots()
        for cloud in chart.clouds:
            shape = look(cloud.method) | {"linestyle": "none"}
            points = [place(cell) for cell in cloud.cells]
            drawn = [max(error, chart.errors.low) for _, error in points]
            axes.plot([x for x, _ in points], drawn, **shape | {"markersize": 2.5, "alpha": 0.45, "label": None})
        for cloud in chart.clouds:
            (x, y), error = place(cloud.best), cloud.best.error
            assert error is not None
            low = chart.errors.low
            axes.vlines(x, max(error.best, low), max(error.worst, low), color=COLOURS[cloud.method], linewidth=1)
            axes.plot([x], [max(y, low)], **look(cloud.method, 7), linestyle="none", markeredgecolor="white")
        set_log_axis(axes, "x", chart.seconds, "seconds of a solve")
        set_log_axis(axes, "y", chart.errors, quantity)
        axes.grid(True)
        add_legend(figure, axes)
    return figure
