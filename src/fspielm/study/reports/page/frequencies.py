"""Histograms of effective frequencies on the page."""

from __future__ import annotations

import math

from fspielm.study.reports.analysis import LABELS
from fspielm.study.reports.charts import Frequencies, Law
from fspielm.study.reports.markup import Html, element, join
from fspielm.study.reports.page.frame import Frame, mark

_ROW = 50.0
_FILLED = 0.74


def frequencies_svg(chart: Frequencies) -> Html:
    """A row for each method, all over one axis."""
    frame = Frame(height=_ROW * len(chart.laws) + 46, left=14, top=4)
    reach = float(chart.edges[-1])
    ticks = [(value / reach, f"{value:g}") for value in _round_numbers(reach)]
    axes = frame.axes(ticks, [], "effective frequency |w|", "")
    rows = [_row(frame, chart, number, law) for number, law in enumerate(chart.laws)]
    return frame.picture("Effective frequencies", axes, join(rows))


def _row(frame: Frame, chart: Frequencies, number: int, law: Law) -> Html:
    base = frame.y(0) - _ROW * (len(chart.laws) - 1 - number)
    reach, highest = float(chart.edges[-1]), float(law.shares.max()) or 1.0
    bars = []
    for share, low, high in zip(law.shares, chart.edges[:-1], chart.edges[1:], strict=True):
        if share == 0.0:
            continue
        left, right = frame.x(low / reach), frame.x(high / reach)
        height = _FILLED * _ROW * float(share) / highest
        shape = element("rect", x=left, y=base - height, width=right - left, height=height)
        said = f"{LABELS[law.method]}: {100 * share:.2g} % of the neurons between {low:.4g} and {high:.4g}"
        bars.append(mark(law.method, said, shape))
    line = element("line", x1=frame.x(0), x2=frame.x(1), y1=base, y2=base, class_="axis")
    text = element("text", law.words, x=frame.x(1), y=base - _FILLED * _ROW + 1, text_anchor="end", class_="note")
    return join([line, *bars, text])


def _round_numbers(reach: float) -> list[float]:
    """About five round numbers from zero up to `reach`."""
    rough = reach / 5
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
    return [step * k for k in range(int(reach / step) + 1)]
