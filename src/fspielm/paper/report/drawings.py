"""The pictures of a report in SVG, for its page."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from fspielm.jobs.job import ESTIMATE, REFERENCE
from fspielm.paper.report import charts, figures
from fspielm.paper.report.analysis import LABELS, SHORT_LABELS, Cell, Group, Spread, StudyResult, SubjectResult
from fspielm.paper.report.charts import (
    Frequencies,
    HeatMap,
    Law,
    Line,
    Lines,
    LogScale,
    Seeds,
    Strip,
    Times,
    every_few,
    heat_colour,
    place,
)
from fspielm.paper.report.markup import Html, element, join, plain, typeset
from fspielm.wording import duration

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# ---- The frame of a diagram in SVG: its axes, and the marks of the methods


Tick = tuple[float, str]


@final
@dataclass(frozen=True)
class Frame:
    """The place of a diagram inside its picture; positions within it are shares between 0 and 1."""

    width: float = 460.0
    height: float = 300.0
    left: float = 68.0
    right: float = 12.0
    top: float = 10.0
    bottom: float = 42.0

    def x(self, share: float) -> float:
        """From left to right."""
        return self.left + share * (self.width - self.left - self.right)

    def y(self, share: float) -> float:
        """From bottom to top."""
        return self.height - self.bottom - share * (self.height - self.top - self.bottom)

    def axes(self, x_ticks: Iterable[Tick], y_ticks: Iterable[Tick], x_label: str, y_label: str) -> Html:
        """Lines of a grid with numbers at the ticks, and what the axes are."""
        left, right, bottom, top = self.x(0), self.x(1), self.y(0), self.y(1)
        parts = []
        for share, label in x_ticks:
            x = self.x(share)
            parts.append(element("line", x1=x, x2=x, y1=bottom, y2=top, class_="grid"))
            parts.append(element("text", label, x=x, y=bottom + 14, text_anchor="middle"))
        for share, label in y_ticks:
            y = self.y(share)
            parts.append(element("line", x1=left, x2=right, y1=y, y2=y, class_="grid"))
            parts.append(element("text", label, x=left - 6, y=y + 4, text_anchor="end"))
        parts.append(element("path", d=f"M{left:.1f} {top:.1f}V{bottom:.1f}H{right:.1f}", class_="axis"))
        parts.append(element("text", x_label, x=self.x(0.5), y=self.height - 6, text_anchor="middle"))
        turned = f"rotate(-90 12 {self.y(0.5):.1f})"
        parts.append(element("text", y_label, x=12, y=self.y(0.5), text_anchor="middle", transform=turned))
        return join(parts)

    def picture(self, label: str, *content: Html) -> Html:
        """The whole, which a reader who does not see it is told by its label."""
        box = f"0 0 {self.width:g} {self.height:g}"
        named = {"role": "group", "aria_label": label} if label else {"aria_hidden": "true"}
        return element("svg", *content, viewBox=box, **named)


def mu(which: str) -> Html:
    """The smallest or the largest frequency as a symbol: ``"min"`` or ``"max"``."""
    return join(["μ", element("tspan", which, dy=3, font_size="78%")])


def log_ticks(scale: LogScale) -> list[Tick]:
    """The ticks of a logarithmic scale with their numbers."""
    return [(scale.share(tick), label) for tick, label in zip(scale.ticks, scale.labels(_power), strict=True)]


def _power(factor: str, exponent: int) -> Html:
    raised = element("tspan", f"{exponent}".replace("-", "\N{MINUS SIGN}"), dy=-4, font_size="80%")
    return join([factor and f"{factor}·", "10", raised])


def mark(method: str, tip: str, shape: Html) -> Html:
    """Something to point at, in the colour of a method; what it says is its label."""
    return element("g", shape, class_=f"mark m-{method}", tabindex=-1, role="img", aria_label=tip)


def symbol(method: str, x: float, y: float, r: float = 4.0) -> Html:
    """The shape of a method at a place, about as large as a disk of radius `r`."""
    return element("path", d=_outline(method, x, y, r))


def polyline(points: Sequence[tuple[float, float]]) -> str:
    """A path through points."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _outline(method: str, x: float, y: float, r: float) -> str:
    match method:
        case "tanh":
            return f"M{x - r:.1f} {y:.1f}a{r:g} {r:g} 0 1 0 {2 * r:g} 0a{r:g} {r:g} 0 1 0 {-2 * r:g} 0z"
        case "siren":
            angles, radii = [45, 135, 225, 315], [1.25]
        case "gff":
            angles, radii = [90, 210, 330], [1.45]
        case "fs-l":
            angles, radii = [0, 90, 180, 270], [1.3]
        case "fs-g":
            angles, radii = [30, 150, 270], [1.45]
        case "fs-l-space":
            angles, radii = list(range(0, 360, 45)), [1.5, 0.6]
        case "fs-g-space":
            angles, radii = list(range(45, 405, 45)), [1.5, 0.6]
        case _:
            angles, radii = list(range(90, 450, 36)), [1.7, 0.75]
    corners = [
        (x + r * radii[k % len(radii)] * math.cos(a), y - r * radii[k % len(radii)] * math.sin(a))
        for k, a in enumerate(map(math.radians, angles))
    ]
    return polyline(corners) + "z"


# ---- What the marks say


def name(cell: Cell) -> str:
    """A method with its range of frequencies."""
    mu = cell.job.mu
    return LABELS[cell.job.method] + ("" if mu is None else f" [{mu[0]:g}, {mu[1]:g}]")


def tip(cell: Cell) -> str:
    """A cell in one line."""
    said = [f"{name(cell)}: {numbers(cell.error)}" if cell.error else f"{name(cell)}: {_nothing(cell)}"]
    if cell.seconds is not None:
        said.append(f"{duration(cell.seconds.mean)} each")
    if cell.error and cell.failed:
        said.append(f"{cell.failed} failed")
    if cell.error and cell.not_finite:
        said.append(f"{cell.not_finite} not finite")
    return "; ".join(said)


def numbers(error: Spread) -> str:
    """Errors in one line."""
    if error.count == 1:
        return f"{plain(error.best)} (one seed)"
    return (
        f"best {plain(error.best)}, mean {plain(error.mean)}, worst {plain(error.worst)}, "
        f"deviation {plain(error.std)} over {error.count} seeds"
    )


def _nothing(cell: Cell) -> str:
    if not cell.rows:
        return "not solved yet"
    if cell.not_finite:
        return "not finite"
    reason = next(row.outcome.message for row in cell.rows if not row.done)
    return f"failed: {reason}"


# ---- Histograms of effective frequencies on the page


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


# ---- Heat maps on the page: a tile for each method, and the scale for all


_TILE = Frame(width=236, height=222, left=38, right=4, top=6, bottom=36)
_BAR = Frame(width=460, height=48, left=16, right=16, top=4, bottom=32)
_STRIPS = 64


def heat_map_svg(chart: HeatMap, quantity: str) -> Html:
    """The tiles, each with its name, and the scale below."""
    tiles = [
        element("div", element("h5", LABELS[method], class_=f"m-{method}"), _tile(chart, method), class_="tile")
        for method in chart.panels
    ]
    columns = 4 if len(tiles) in (4, 7, 8) else 3
    return element("div", join(tiles), class_=f"tiles by{columns}") + _scale(chart, quantity)


def _tile(chart: HeatMap, method: str) -> Html:
    cells = [_cell(chart, pair, cell) for pair, cell in sorted(chart.panels[method].items())]
    frame = _TILE
    axes = frame.axes(_ticks(chart.mu_max), _ticks(chart.mu_min), mu("max"), mu("min"))
    best = []
    if method in chart.best:
        best = [element("rect", **_place(chart, chart.best[method]), class_="best")]
    return frame.picture(f"Heat map of {LABELS[method]}", axes, *cells, *best)


def _cell(chart: HeatMap, pair: tuple[float, float], cell: Cell) -> Html:
    place = _place(chart, pair)
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2 + 3.3
    share = chart.share(cell)
    if share is None:
        shape, ink = element("rect", **place, class_="failed" if cell.rows else "pending"), None
    else:
        colour, ink = heat_colour(share)
        shape = element("rect", **place, fill=colour)
    if chart.numbered:
        shape += element("text", chart.label(cell), x=x, y=y, text_anchor="middle", fill=ink)
    return mark(cell.job.method, tip(cell), shape)


def _place(chart: HeatMap, pair: tuple[float, float]) -> dict[str, float]:
    columns, rows = len(chart.mu_max), len(chart.mu_min)
    column, row = chart.mu_max.index(pair[1]), chart.mu_min.index(pair[0])
    left, right = _TILE.x(column / columns), _TILE.x((column + 1) / columns)
    bottom, top = _TILE.y(row / rows), _TILE.y((row + 1) / rows)
    return {"x": left, "y": top, "width": right - left, "height": bottom - top}


def _ticks(values: tuple[float, ...]) -> list[tuple[float, str]]:
    return [((index + 0.5) / len(values), f"{values[index]:g}") for index in every_few(values)]


def _scale(chart: HeatMap, quantity: str) -> Html:
    frame, width = _BAR, (_BAR.x(1) - _BAR.x(0)) / _STRIPS
    strips = [
        element(
            "rect",
            x=frame.x(k / _STRIPS),
            y=frame.y(1),
            width=width + 0.4,
            height=frame.y(0) - frame.y(1),
            fill=heat_colour((k + 0.5) / _STRIPS)[0],
        )
        for k in range(_STRIPS)
    ]
    ticks = [
        element("text", label, x=frame.x(share), y=frame.y(0) + 13, text_anchor="middle")
        for share, label in log_ticks(chart.scale)
    ]
    name = element("text", quantity, x=frame.x(0.5), y=frame.height - 4, text_anchor="middle")
    return element("div", frame.picture(f"Colour scale: {quantity}", *strips, *ticks, name), class_="bar")


# ---- The error against mu_max on the page


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
        for (at, error), spot in zip(points, best, strict=True):
            marks.append(mark(line.method, f"{_name(line, at)}: {numbers(error)}", symbol(line.method, *spot)))
    return frame.picture("Error against the largest frequency", axes, join(bands), join(drawn), join(marks))


def _name(line: Line, mu_max: float) -> str:
    return f"{LABELS[line.method]} [{line.mu_min:g}, {mu_max:g}]"


# ---- The spread over the seeds on the page


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


# ---- The error against time on the page


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


# ---- The pictures of a report: what there is for which group, on paper and on the page


_QUANTITIES = {REFERENCE: "relative L² distance from the reference", ESTIMATE: "estimated relative error"}


@final
@dataclass(frozen=True, eq=False)
class Illustration:
    """One picture.

    Attributes
    ----------
    group : Group
    stem : str
        The name of its files without suffix.
    title, caption : str
    draw : callable
        Makes the figure for print.
    svg : callable
        Makes the picture on the page.
    """

    group: Group
    stem: str
    title: str
    caption: str
    draw: Callable[[], Figure]
    svg: Callable[[], Html]


def illustrations(study: StudyResult, subject: SubjectResult) -> list[Illustration]:
    """The pictures of a subject, group by group; only those that have something to show."""
    name = unique_slugs(each.name for each in study.subjects)[subject.name]
    labels = unique_slugs(group.label for group in subject.groups)
    found: list[Illustration] = []
    for group in subject.groups:
        stem = f"{name}-{labels[group.label]}" if group.label else name
        found += _of_group(study, subject, group, stem)
    return found


def quantity(subject: SubjectResult) -> str:
    """What is called an error for this subject."""
    return _QUANTITIES.get(subject.measure, "relative L² error")


def unique_slugs(texts: Iterable[str]) -> dict[str, str]:
    """Each text as part of a file's name or of a link, no two alike."""
    found: dict[str, str] = {}
    for text in texts:
        plain = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "case"
        number = 2
        slug = plain
        while slug in found.values():
            slug, number = f"{plain}-{number}", number + 1
        found[text] = slug
    return found


def _of_group(study: StudyResult, subject: SubjectResult, group: Group, stem: str) -> Iterator[Illustration]:
    what, above = quantity(subject), typeset(": ".join(filter(None, (subject.title, group.label))))
    heat_map, lines, times = charts.heat_map(group), charts.lines(group), charts.times(group)
    drawn, seeds = charts.frequencies(group, subject.bench, study.terms), charts.seeds(group, subject.case)
    if heat_map is not None:
        yield Illustration(
            group,
            f"{stem}-heat-map",
            "Every range of frequencies",
            f"Best {what} over the seeds; the numbers are its decimal logarithm. "
            "The best range of each method is framed, and the colours are the same for all.",
            lambda: figures.draw_heat_map(heat_map, above, f"best {what}"),
            lambda: heat_map_svg(heat_map, f"best {what}"),
        )
    if lines is not None:
        yield Illustration(
            group,
            f"{stem}-lines",
            "Error against the largest frequency",
            "Best of the seeds, as the paper draws it, at each method's best smallest frequency; the band above it "
            "reaches to the worst seed.",
            lambda: figures.draw_lines(lines, above, f"best {what}"),
            lambda: lines_svg(lines, f"best {what}"),
        )
    if seeds is not None:
        beside = ", and beside it the paper's from best to mean" if any(s.paper for s in seeds.strips) else ""
        yield Illustration(
            group,
            f"{stem}-seeds",
            "Spread over the seeds",
            f"Every seed at the best range of its method, with the median{beside}.",
            lambda: figures.draw_seeds(seeds, above, what),
            lambda: seeds_svg(seeds, what),
        )
    if times is not None:
        several = any(len(cloud.cells) > 1 for cloud in times.clouds)
        ranges = ": every range as a small mark, the best one of a method as a large one" if several else ""
        yield Illustration(
            group,
            f"{stem}-times",
            "Error against time",
            f"Means over the seeds{ranges}, and a line from the best seed to the worst.",
            lambda: figures.draw_times(times, above, what),
            lambda: times_svg(times, what),
        )
    if drawn is not None:
        yield Illustration(
            group,
            f"{stem}-frequencies",
            "Effective frequencies",
            "Lengths of the frequency vectors that the best seed drew at the best range; the height of each row is "
            "its own.",
            lambda: figures.draw_frequencies(drawn, above),
            lambda: frequencies_svg(drawn),
        )
