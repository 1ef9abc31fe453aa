"""The spread over the seeds on the page."""

from __future__ import annotations

from fspielm.study.reports.analysis import LABELS, SHORT_LABELS
from fspielm.study.reports.charts import Seeds, Strip
from fspielm.study.reports.markup import Html, element, join, plain
from fspielm.study.reports.page.frame import Frame, log_ticks, mark, symbol
from fspielm.study.reports.page.tips import name, numbers

_PAPER_SHIFT = 0.27


def seeds_svg(chart: Seeds, quantity: str) -> Html:
    """A strip for each method, and the paper's numbers beside it."""
    frame, count = Frame(), len(chart.strips)
    # names share the width: long ones only where there is room
    labels = [(_share(k, count), SHORT_LABELS[strip.method]) for k, strip in enumerate(chart.strips)]
    axes = frame.axes([], log_ticks(chart.scale), "", quantity)
    names = [
        element("text", label, x=frame.x(share), y=frame.y(0) + 14 + (13 * (k % 2) if count > 5 else 0), **_MIDDLE)
        for k, (share, label) in enumerate(labels)
    ]
    strips = [_strip(frame, chart, k, strip) for k, strip in enumerate(chart.strips)]
    return frame.picture("Spread over the seeds", axes, join(names), join(strips))


_MIDDLE = {"text_anchor": "middle"}


def _strip(frame: Frame, chart: Seeds, k: int, strip: Strip) -> Html:
    count = len(chart.strips)
    x, width = frame.x(_share(k, count)), frame.x(1 / count) - frame.x(0)

    def y(error: float) -> float:
        return frame.y(chart.scale.share(error))

    top, bottom, half = y(strip.error.worst), y(strip.error.best), min(0.16 * width, 14.0)
    box = element("rect", x=x - half, y=top, width=2 * half, height=max(bottom - top, 1.0), class_="box")
    median = element("line", x1=x - half, x2=x + half, y1=y(strip.error.median), y2=y(strip.error.median), class_="ink")
    parts = [mark(strip.method, f"{name(strip.cell)}: {numbers(strip.error)}", box + median)]
    parts += [
        mark(strip.method, f"{name(strip.cell)}, seed {seed}: {plain(error)}", symbol(strip.method, x, y(error)))
        for seed, error in strip.seeds
    ]
    if strip.paper is not None:
        ends, aside = (y(strip.paper.mean), y(strip.paper.best)), x + _PAPER_SHIFT * width
        path = f"M{aside - 4:.1f} {ends[0]:.1f}h8m-4 0V{ends[1]:.1f}m-4 0h8"
        said = (
            f"The paper, {LABELS[strip.method]} [{strip.paper.mu[0]:g}, {strip.paper.mu[1]:g}]: "
            f"best {plain(strip.paper.best)}, mean {plain(strip.paper.mean)}, deviation {plain(strip.paper.std)}"
        )
        parts.append(mark("paper", said, element("path", d=path, class_="paper")))
    return join(parts)


def _share(k: int, count: int) -> float:
    return (k + 0.5) / count
