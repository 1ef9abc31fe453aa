"""plot_comparison(): a solution and its pointwise error side by side, for benchmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.expressions import Value
from fspielm.geometry.pictures import require_matplotlib
from fspielm.solution.pictures.error import read_exact
from fspielm.solution.pictures.frequencies import highest_frequencies
from fspielm.solution.pictures.labels import as_text, held_label, unknown_symbol
from fspielm.solution.pictures.line import draw_lines
from fspielm.solution.pictures.map import add_colour_bar, draw_map, height_of
from fspielm.solution.pictures.note import add_note, doubt
from fspielm.solution.pictures.quantity import Quantity, hold
from fspielm.solution.pictures.scale import scale_for
from fspielm.solution.pictures.style import WIDTHS, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from fspielm.solution.solution import Solution

_LINES_HEIGHT = 3.2
_BESIDE = 0.7


def plot_comparison(
    solution: Solution,
    exact: Value,
    *,
    time: float | None = None,
    title: str | None = None,
    resolution: int | None = None,
) -> Figure:
    """Draw a solution and its error in decades: lines above each other, or maps beside each other.

    Parameters
    ----------
    solution : Solution
        Of three coordinates and more, the first two are drawn, and the others held in the middle.
    exact : number, Expr or callable ``(n, d) -> (n,)``
    time : float, optional
        Where time is held.
    title : str, optional
        Above the panels, as plain text.
    resolution : int, optional
        Cells along the longer side of a map.
    """
    require_matplotlib()
    from fspielm.solution.pictures.figure import Picture

    problem = solution.problem
    expected, bands = read_exact(problem, exact), highest_frequencies(solution)

    def error(points: FloatArray) -> FloatArray:
        return np.asarray(np.abs(solution(points) - expected(points)))

    value = Quantity(problem, solution, unknown_symbol(problem), bands, False, resolution)
    quantities = (value, Quantity(problem, error, "absolute error", bands, True, resolution))
    at = hold(problem, None, time)
    width = WIDTHS["double"]
    with style():
        if problem.dimension == 1:
            figure = Picture(width, _LINES_HEIGHT)
            for panel, quantity in zip(figure.subplots(2, 1, sharex=True), quantities, strict=True):
                draw_lines(panel, quantity, [at])
            figure.axes[0].set_xlabel("")
        else:
            height = height_of(value, [value.section((0, 1), at)] * 2, width - _BESIDE, 2)
            figure = Picture(width, height)
            for panel, quantity in zip(figure.subplots(1, 2), quantities, strict=True):
                _draw_panel(panel, quantity, at)
        if title is not None:
            figure.suptitle(as_text(title), fontsize="medium")
        add_note(figure, doubt(solution))
    return figure


def _draw_panel(panel: Axes, quantity: Quantity, at: FloatArray) -> None:
    section = quantity.section((0, 1), at)
    values = quantity.values(section.points)
    shown = draw_map(panel, quantity, section, values, scale_for(values, logarithmic=quantity.logarithmic))
    add_colour_bar(panel, shown, quantity.label)
    panel.set_title(held_label(quantity.problem, at, (0, 1)))
