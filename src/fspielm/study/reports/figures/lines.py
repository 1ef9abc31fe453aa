"""The error against mu_max at each method's best mu_min."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fspielm.solution.pictures.style import style
from fspielm.study.reports.analysis import SHORT_LABELS, Spread
from fspielm.study.reports.charts import COLOURS, Lines
from fspielm.study.reports.figures.canvas import MU_MAX, MU_MIN, add_legend, look, new_figure, set_log_axis

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_lines(chart: Lines, title: str, quantity: str) -> Figure:
    """Draw the best of the seeds as a line, as the paper does, and all up to the worst as a band."""
    with style():
        figure = new_figure(title)
        axes = figure.subplots()
        for line in chart.lines:
            best, worst = ([max(end, chart.scale.low) for end in ends] for ends in _ends(line.errors))
            axes.fill_between(line.mu_max, best, worst, color=COLOURS[line.method], alpha=0.13, linewidth=0)
            label = f"{SHORT_LABELS[line.method]}, {MU_MIN} = {line.mu_min:g}"
            axes.plot(line.mu_max, best, **look(line.method) | {"label": label})
        axes.set_xlabel(MU_MAX)
        ticks = sorted({mu_max for line in chart.lines for mu_max in line.mu_max})
        if len(ticks) <= 10:
            axes.set_xticks(ticks)
        set_log_axis(axes, "y", chart.scale, quantity)
        axes.grid(True)
        add_legend(figure, axes)
    return figure


def _ends(errors: tuple[Spread, ...]) -> list[list[float]]:
    return [[getattr(error, name) for error in errors] for name in ("best", "worst")]
