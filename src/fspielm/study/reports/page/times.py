"""The error against time on the page."""

from __future__ import annotations

from fspielm.study.reports.charts import Times
from fspielm.study.reports.charts.times import place
from fspielm.study.reports.markup import Html, element, join
from fspielm.study.reports.page.frame import Frame, log_ticks, mark, symbol
from fspielm.study.reports.page.tips import tip


def times_svg(chart: Times, quantity: str) -> Html:
    """A small mark for every range of frequencies, a large one for the best."""
    frame = Frame()

    def at(seconds: float, error: float) -> tuple[float, float]:
        return frame.x(chart.seconds.share(seconds)), frame.y(chart.errors.share(error))

    axes = frame.axes(log_ticks(chart.seconds), log_ticks(chart.errors), "seconds of a solve", quantity)
    small, large = [], []
    for cloud in chart.clouds:
        method = cloud.method
        small += [
            mark(f"{method} faint", tip(cell), symbol(method, *at(*place(cell)), 2.4))
            for cell in cloud.cells
            if cell is not cloud.best
        ]
        error = cloud.best.error
        assert error is not None
        (seconds, mean), method = place(cloud.best), cloud.method
        (x, top), (_, bottom) = at(seconds, error.worst), at(seconds, error.best)
        bar = element("line", x1=x, x2=x, y1=top, y2=bottom, class_="whisker")
        large.append(mark(f"{method} best", f"Best: {tip(cloud.best)}", bar + symbol(method, *at(seconds, mean), 5)))
    return frame.picture("Error against time", axes, join(small), join(large))
