"""The spread over the seeds, method beside method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fspielm.solution.pictures.style import INK, style
from fspielm.study.reports.analysis import SHORT_LABELS
from fspielm.study.reports.charts import COLOURS, Seeds, Strip
from fspielm.study.reports.figures.canvas import look, new_figure, set_log_axis

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PAPER_SHIFT = 0.27


def draw_seeds(chart: Seeds, title: str, quantity: str) -> Figure:
    """Draw every seed's error, their median, and beside them what the paper has from best to mean."""
    with style():
        figure = new_figure(title)
        axes = figure.subplots()
        for place, strip in enumerate(chart.strips):
            errors = [max(error, chart.scale.low) for _, error in strip.seeds]
            axes.vlines(place, min(errors), max(errors), color=COLOURS[strip.method], linewidth=5, alpha=0.2)
            axes.hlines(max(strip.error.median, chart.scale.low), place - 0.13, place + 0.13, color=INK, linewidth=1.2)
            axes.plot([place] * len(errors), errors, linestyle="none", **look(strip.method, 4.5), alpha=0.85)
            if strip.paper is not None:
                ends = [strip.paper.best, strip.paper.mean]
                axes.plot([place + _PAPER_SHIFT] * 2, ends, color="#777777", linewidth=1, marker="_", markersize=6)
        axes.set_xlim(-0.6, len(chart.strips) - 0.4)
        axes.set_xticks(range(len(chart.strips)), [_label(strip) for strip in chart.strips])
        axes.tick_params(axis="x", length=0)
        set_log_axis(axes, "y", chart.scale, quantity)
        axes.grid(True, axis="y")
        _add_key(figure, any(strip.paper for strip in chart.strips))
    return figure


def _label(strip: Strip) -> str:
    job = strip.cell.job
    below = "" if job.mu is None else f"\n[{job.mu[0]:g}, {job.mu[1]:g}]"
    return f"{SHORT_LABELS[job.method]}{below}"


def _add_key(figure: Figure, paper: bool) -> None:
    from matplotlib.lines import Line2D

    keys = [
        Line2D([], [], linestyle="none", marker="o", color="#888888", markersize=4.5, label="a seed"),
        Line2D([], [], color=INK, linewidth=1.2, label="median"),
    ]
    if paper:
        keys.append(Line2D([], [], color="#777777", marker="|", linewidth=1, label="the paper, best to mean"))
    figure.legend(handles=keys, loc="outside lower center", ncols=len(keys))
