"""plot_comparison(): a solution and its pointwise error side by side, for benchmarks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from fspielm.arrays import FloatArray
from fspielm.expressions import Value
from fspielm.geometry.pictures import require_matplotlib
from fspielm.solution.pictures.error import error_quantity, known_fields, read_exact
from fspielm.solution.pictures.fields import field_quantity
from fspielm.solution.pictures.labels import as_text, held_label
from fspielm.solution.pictures.line import draw_lines
from fspielm.solution.pictures.map import add_colour_bar, draw_map, height_of
from fspielm.solution.pictures.note import add_note, doubt
from fspielm.solution.pictures.quantity import Quantity, hold
from fspielm.solution.pictures.style import WIDTHS, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from fspielm.solution.solution import Solution

_LINES_HEIGHT = 3.2
_BESIDE = 0.7


def plot_comparison(
    solution: Solution,
    exact: Value | Mapping[Any, Value],
    *,
    time: float | None = None,
    title: str | None = None,
    resolution: int | None = None,
) -> Figure:
    """Draw a solution and its error in decades: lines above each other, or maps beside each other.

    Of several unknowns those that are known, one row for each.

    Parameters
    ----------
    solution : Solution
        Of three coordinates and more, the first two are drawn, and the others held in the middle.
    exact : number, Expr or callable ``(n, d) -> (n,)``; of several unknowns a mapping from them to such
    time : float, optional
        Where time is held.
    title : str, optional
        Above the panels, as plain text.
    resolution : int, optional
        Cells along the longer side of a map.
    """
    require_matplotlib()
    from fspielm.solution.pictures.figure import new_picture

    problem = solution.problem
    pairs = [_value_and_error(field, known, resolution) for field, known in known_fields(solution, exact)]
    at = hold(problem, None, time)
    width = WIDTHS["double"]
    with style():
        if problem.dimension == 1:
            figure = new_picture(width, _LINES_HEIGHT * len(pairs))
            axes = figure.subplots(2 * len(pairs), 1, sharex=True)
            for panel, quantity in zip(axes, chain(*pairs), strict=True):
                draw_lines(panel, quantity, [at])
                panel.set_xlabel(panel.get_xlabel() if panel is axes[-1] else "")
        else:
            value = pairs[0][0]
            height = height_of(value, [value.section((0, 1), at)] * 2, width - _BESIDE, 2)
            figure = new_picture(width, height * len(pairs))
            for row, pair in zip(figure.subplots(len(pairs), 2, squeeze=False), pairs, strict=True):
                for panel, quantity in zip(row, pair, strict=True):
                    _draw_panel(panel, quantity, at)
        if title is not None:
            figure.suptitle(as_text(title), fontsize="medium")
        add_note(figure, doubt(solution))
    return figure


def _value_and_error(solution: Solution, exact: Value, resolution: int | None) -> tuple[Quantity, Quantity]:
    error = error_quantity(solution, read_exact(solution.problem, exact), resolution)
    return replace(field_quantity(solution, None, resolution), note=None), replace(error, label="absolute error")


def _draw_panel(panel: Axes, quantity: Quantity, at: FloatArray) -> None:
    section = quantity.section((0, 1), at)
    values = quantity.values(section.points)
    scale = quantity.scale(values)
    shown = draw_map(panel, quantity, section, values, scale)
    add_colour_bar(panel, shown, quantity.label, scale.ticks)
    panel.set_title(held_label(quantity.problem, at, (0, 1)))
