"""The charts of a report, by matplotlib: for print, and as SVG inside of its page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np

from fspielm.jobs.job import ESTIMATE, REFERENCE
from fspielm.paper.report import charts
from fspielm.paper.report.analysis import LOOKS, Group, StudyResult, SubjectResult
from fspielm.paper.report.charts import (
    Frequencies,
    HeatMap,
    Lines,
    LogScale,
    Seeds,
    Strip,
    Times,
    every_few,
    means,
)
from fspielm.paper.templates import typeset
from fspielm.solution.plot.panels import MOST_COLUMNS
from fspielm.solution.plot.style import (
    INK,
    LAYOUT,
    LOGARITHMIC_COLOURS,
    WIDTHS,
    as_text,
    leave_open,
    new_picture,
    save_picture,
    style,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure


# ---- A figure as files for print, and as SVG for the page


FORMATS = (".png", ".pdf")
# Without them nothing in the SVG refers to other addresses or to the time.
_NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))


def save_figure(figure: Figure, stem: Path) -> None:
    """Write a figure beside `stem`, once for each format."""
    for suffix in FORMATS:
        save_picture(figure, stem.with_name(stem.name + suffix))


def inline_svg(figure: Figure, name: str, label: str) -> str:
    """A figure as SVG inside of a page; its ids begin with `name`, since a page has many figures."""
    written = StringIO()
    figure.savefig(written, format="svg", metadata=_NO_METADATA)
    svg = written.getvalue()
    content = svg[svg.index(">", svg.index("<svg")) + 1 : svg.rindex("</svg>")]
    content = re.sub(r'( id="|href="#|url\(#)', rf"\g<1>{name}-", content)
    # the page's own font
    content = re.sub(r" font-family: [^;\"]*;", "", content)
    width, height = 72 * figure.get_size_inches()
    return f'<svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(label)}">{content}</svg>'


# ---- What the charts have in common: their size, their logarithmic axes, the look of a method


# Upright as all other text: every further font costs time and space in each PDF.
MU_MIN, MU_MAX = r"$\mathrm{\mu_{min}}$", r"$\mathrm{\mu_{max}}$"


def new_figure(title: str, height: float = LAYOUT.pair_height) -> Figure:
    """A figure as wide as a page's text, with plain text above."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = new_picture(WIDTHS["double"], height)
    # one pass instead of several: no panel here has a fixed shape
    figure.set_layout_engine(ConstrainedLayoutEngine(w_pad=0.04, h_pad=0.04, wspace=0.03, hspace=0.05))
    figure.suptitle(as_text(title), fontsize=9)
    return figure


def look(method: str, size: float = 4.0) -> dict[str, Any]:
    """The colour, marker and name of a method."""
    own = LOOKS[method]
    return {"color": own.colour, "marker": own.marker, "markersize": size * own.size, "label": own.short}


def set_log_axis(axes: Axes, which: str, scale: LogScale, label: str) -> None:
    """Make an axis logarithmic, with the scale's ticks."""
    from matplotlib.ticker import NullLocator

    axis: Axis = getattr(axes, f"{which}axis")
    getattr(axes, f"set_{which}scale")("log")
    getattr(axes, f"set_{which}lim")(scale.low, scale.high)
    axis.set_ticks(scale.ticks, scale.labels)
    axis.set_minor_locator(NullLocator())
    axis.set_label_text(label)


def add_legend(figure: Figure, axes: Axes) -> None:
    """Name the methods below the chart."""
    handles, labels = axes.get_legend_handles_labels()
    columns = len(labels) if len(labels) <= MOST_COLUMNS else -(-len(labels) // 2)
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, handletextpad=0.4)


# ---- The charts


def draw_frequencies(chart: Frequencies, title: str) -> Figure:
    """Draw the share of the neurons over their effective frequency, with one axis for all."""
    with style():
        figure = new_figure(title, (1 + len(chart.laws)) * LAYOUT.line_height)
        panels = figure.subplots(len(chart.laws), 1, sharex=True, squeeze=False).ravel()
        for axes, law in zip(panels, chart.laws, strict=True):
            colour = LOOKS[law.method].colour
            axes.stairs(100 * law.shares, chart.edges, fill=True, color=colour, alpha=0.35)
            axes.stairs(100 * law.shares, chart.edges, color=colour, linewidth=0.9)
            axes.set_ylim(0, 118 * max(law.shares.max(), 1e-3))
            axes.text(0.995, 0.93, law.words, transform=axes.transAxes, ha="right", va="top", fontsize=7)
            axes.locator_params(axis="y", nbins=2)
            leave_open(axes)
        panels[-1].set_xlim(0, chart.edges[-1])
        panels[-1].set_xlabel("effective frequency |w|")
        figure.supylabel("share of the neurons in %", fontsize=8)
    return figure


_HEAT_MAP_ROW_HEIGHT = 2.25
_MARK = "#e8000b"


def draw_heat_map(chart: HeatMap, title: str, quantity: str) -> Figure:
    """Draw the maps on one colour scale of a `quantity`, each cell with the decimal logarithm of its error."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LogNorm
    from matplotlib.ticker import NullLocator

    count = len(chart.panels)
    columns = count if count <= 3 else 3 if count in (5, 6) else 4
    rows = -(-count // columns)
    norm = LogNorm(chart.scale.low, chart.scale.high)
    with style():
        figure = new_figure(title, 0.25 + _HEAT_MAP_ROW_HEIGHT * rows)
        grid = figure.subplots(rows, columns, squeeze=False)
        for index, (axes, method) in enumerate(zip(grid.ravel(), chart.panels, strict=False)):
            _draw_panel(axes, chart, method, norm, columns)
            axes.set_xlabel(MU_MAX)
            axes.set_ylabel("" if index % columns else MU_MIN)
            axes.set_title(LOOKS[method].label)
        for spare in grid.ravel()[count:]:
            spare.remove()
        mappable = ScalarMappable(norm, LOGARITHMIC_COLOURS)
        bar = figure.colorbar(mappable, ax=grid.ravel()[:count].tolist(), label=quantity, aspect=30, pad=0.02)
        bar.ax.yaxis.set_ticks(chart.scale.ticks, chart.scale.labels)
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
            colour = INK if cell.error is None else _text_colour(chart.scale.share(cell.error.best))
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


def _text_colour(share: float) -> str:
    """The colour of text on the colour of a share of the scale."""
    from matplotlib import colormaps

    red, green, blue, _ = colormaps[LOGARITHMIC_COLOURS](share)
    dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
    return "#ffffff" if dark else INK


def draw_lines(chart: Lines, title: str, quantity: str) -> Figure:
    """Draw the best of the seeds as a line, as the paper does, and all up to the worst as a band."""
    with style():
        figure = new_figure(title)
        axes = figure.subplots()
        for line in chart.lines:
            best = [max(error.best, chart.scale.low) for error in line.errors]
            worst = [max(error.worst, chart.scale.low) for error in line.errors]
            axes.fill_between(line.mu_max, best, worst, color=LOOKS[line.method].colour, alpha=0.13, linewidth=0)
            label = f"{LOOKS[line.method].short}, {MU_MIN} = {line.mu_min:g}"
            axes.plot(line.mu_max, best, **look(line.method) | {"label": label})
        axes.set_xlabel(MU_MAX)
        ticks = sorted({mu_max for line in chart.lines for mu_max in line.mu_max})
        if len(ticks) <= 10:
            axes.set_xticks(ticks)
        set_log_axis(axes, "y", chart.scale, quantity)
        axes.grid(True)
        add_legend(figure, axes)
    return figure


_PAPER_SHIFT = 0.27


def draw_seeds(chart: Seeds, title: str, quantity: str) -> Figure:
    """Draw every seed's error, their median, and beside them what the paper has from best to mean."""
    with style():
        figure = new_figure(title)
        axes = figure.subplots()
        for x, strip in enumerate(chart.strips):
            errors = [max(error, chart.scale.low) for _, error in strip.seeds]
            axes.vlines(x, min(errors), max(errors), color=LOOKS[strip.method].colour, linewidth=5, alpha=0.2)
            axes.hlines(max(strip.error.median, chart.scale.low), x - 0.13, x + 0.13, color=INK, linewidth=1.2)
            axes.plot([x] * len(errors), errors, linestyle="none", **look(strip.method, 4.5), alpha=0.85)
            if strip.paper is not None:
                ends = [strip.paper.best, strip.paper.mean]
                axes.plot([x + _PAPER_SHIFT] * 2, ends, color="#777777", linewidth=1, marker="_", markersize=6)
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
    return f"{LOOKS[job.method].short}{below}"


def _add_key(figure: Figure, paper: bool) -> None:
    from matplotlib.lines import Line2D

    keys = [
        Line2D([], [], linestyle="none", marker="o", color="#888888", markersize=4.5, label="a seed"),
        Line2D([], [], color=INK, linewidth=1.2, label="median"),
    ]
    if paper:
        keys.append(Line2D([], [], color="#777777", marker="|", linewidth=1, label="the paper, best to mean"))
    figure.legend(handles=keys, loc="outside lower center", ncols=len(keys))


def draw_times(chart: Times, title: str, quantity: str) -> Figure:
    """Draw a small mark for every range of frequencies, and a large one for the best with its seeds as a bar."""
    with style():
        figure = new_figure(title)
        axes = figure.subplots()
        small = {"linestyle": "none", "markersize": 2.5, "alpha": 0.45, "label": None}
        for cloud in chart.clouds:
            points = [means(cell) for cell in cloud.cells]
            errors = [max(error, chart.errors.low) for _, error in points]
            axes.plot([max(seconds, chart.seconds.low) for seconds, _ in points], errors, **look(cloud.method) | small)
        for cloud in chart.clouds:
            (seconds, y), error = means(cloud.best), cloud.best.error
            assert error is not None
            x, low = max(seconds, chart.seconds.low), chart.errors.low
            axes.vlines(x, max(error.best, low), max(error.worst, low), color=LOOKS[cloud.method].colour, linewidth=1)
            axes.plot([x], [max(y, low)], **look(cloud.method, 7), linestyle="none", markeredgecolor="white")
        set_log_axis(axes, "x", chart.seconds, "seconds of a solve")
        set_log_axis(axes, "y", chart.errors, quantity)
        axes.grid(True)
        add_legend(figure, axes)
    return figure


# ---- The list of charts


_QUANTITIES = {REFERENCE: "relative L² distance from the reference", ESTIMATE: "estimated relative error"}


@final
@dataclass(frozen=True, eq=False)
class Illustration:
    """One chart."""

    group: Group
    # the name of its files without suffix
    stem: str
    title: str
    caption: str
    draw: Callable[[], Figure]

    @cached_property
    def figure(self) -> Figure:
        """The figure, laid out: finding the places takes longer than drawing, and it is drawn several times."""
        figure = self.draw()
        with style():
            figure.draw_without_rendering()
            figure.set_layout_engine(None)
        return figure

    @property
    def svg(self) -> str:
        """The chart for the page; a reader who does not see it is told its title."""
        return inline_svg(self.figure, self.stem, self.title)


def illustrations(study: StudyResult, subject: SubjectResult) -> list[Illustration]:
    """The charts of a subject, group by group; only those that have something to show."""
    name = unique_slugs(each.name for each in study.subjects)[subject.name]
    labels = unique_slugs(group.label for group in subject.groups)
    found: list[Illustration] = []
    for group in subject.groups:
        stem = f"{name}-{labels[group.label]}" if group.label else name
        found += _of_group(study, subject, group, stem)
    return found


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
    what = _QUANTITIES.get(subject.measure, "relative L² error")
    above = typeset(": ".join(filter(None, (subject.title, group.label))))
    heat_map, lines, times = charts.heat_map(group), charts.lines(group), charts.times(group)
    drawn, seeds = charts.frequencies(group, subject.bench, study.terms), charts.seeds(group, subject.case)
    if heat_map is not None:
        yield Illustration(
            group,
            f"{stem}-heat-map",
            "Every range of frequencies",
            f"Best {what} over the seeds; the numbers are its decimal logarithm. "
            "The best range of each method is framed, and the colours are the same for all.",
            lambda: draw_heat_map(heat_map, above, f"best {what}"),
        )
    if lines is not None:
        yield Illustration(
            group,
            f"{stem}-lines",
            "Error against the largest frequency",
            "Best of the seeds, as the paper draws it, at each method's best smallest frequency; the band above it "
            "reaches to the worst seed.",
            lambda: draw_lines(lines, above, f"best {what}"),
        )
    if seeds is not None:
        beside = ", and beside it the paper's from best to mean" if any(s.paper for s in seeds.strips) else ""
        yield Illustration(
            group,
            f"{stem}-seeds",
            "Spread over the seeds",
            f"Every seed at the best range of its method, with the median{beside}.",
            lambda: draw_seeds(seeds, above, what),
        )
    if times is not None:
        several = any(len(cloud.cells) > 1 for cloud in times.clouds)
        ranges = ": every range as a small mark, the best one of a method as a large one" if several else ""
        yield Illustration(
            group,
            f"{stem}-times",
            "Error against time",
            f"Means over the seeds{ranges}, and a line from the best seed to the worst.",
            lambda: draw_times(times, above, what),
        )
    if drawn is not None:
        yield Illustration(
            group,
            f"{stem}-frequencies",
            "Effective frequencies",
            "Lengths of the frequency vectors that the best seed drew at the best range; the height of each row is "
            "its own.",
            lambda: draw_frequencies(drawn, above),
        )
