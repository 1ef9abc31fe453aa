"""Heat maps on the page: a tile for each method, and the scale for all."""

from __future__ import annotations

from fspielm.study.reports.analysis import LABELS, Cell
from fspielm.study.reports.charts import HeatMap, every_few, heat_colour
from fspielm.study.reports.markup import Html, element, join
from fspielm.study.reports.page.frame import Frame, log_ticks, mark, mu
from fspielm.study.reports.page.tips import tip

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
