"""The error against mu_max on the page."""

from __future__ import annotations

from fspielm.study.reports.analysis import LABELS
from fspielm.study.reports.charts import Line, Lines
from fspielm.study.reports.markup import Html, element, join
from fspielm.study.reports.page.frame import Frame, log_ticks, mark, mu, polyline, symbol
from fspielm.study.reports.page.tips import numbers

_MARGIN = 0.04
_MOST_TICKS = 7


def lines_svg(chart: Lines, quantity: str) -> Html:
    """The best of the seeds as lines, all up to the worst as bands, and a mark at every point."""
    frame = Frame()
    places = sorted({mu_max for line in chart.lines for mu_max in line.mu_max})
    low, high = places[0], places[-1]

    def share(mu_max: float) -> float:
        return _MARGIN + (1 - 2 * _MARGIN) * (mu_max - low) / (high - low)

    def y(error: float) -> float:
        return frame.y(chart.scale.share(error))

    step = -(-len(places) // _MOST_TICKS)
    axes = frame.axes(
        [(share(place), f"{place:g}") for place in places[::step]], log_ticks(chart.scale), mu("max"), quantity
    )
    bands, drawn, marks = [], [], []
    for line in chart.lines:
        points = list(zip(line.mu_max, line.errors, strict=True))
        upper = [(frame.x(share(at)), y(error.worst)) for at, error in points]
        best = [(frame.x(share(at)), y(error.best)) for at, error in points]
        bands.append(element("path", d=polyline(upper + best[::-1]) + "z", class_=f"band m-{line.method}"))
        drawn.append(element("path", d=polyline(best), class_=f"line m-{line.method}"))
        for (at, error), place in zip(points, best, strict=True):
            marks.append(mark(line.method, f"{_name(line, at)}: {numbers(error)}", symbol(line.method, *place)))
    return frame.picture("Error against the largest frequency", axes, join(bands), join(drawn), join(marks))


def _name(line: Line, mu_max: float) -> str:
    return f"{LABELS[line.method]} [{line.mu_min:g}, {mu_max:g}]"
