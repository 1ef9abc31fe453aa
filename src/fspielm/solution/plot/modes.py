"""Pages of small panels for modes, whose size and sign mean nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray
from fspielm.geometry.pictures import require_matplotlib
from fspielm.solution.plot.panels import View, draw_map, panels, set_title, user_title
from fspielm.solution.plot.quantity import Quantity, field_quantity, highest_frequencies, hold, probe
from fspielm.solution.plot.style import (
    BLUE,
    LAYOUT,
    PALE,
    POSITIVE_COLOURS,
    SIGNED_COLOURS,
    Scale,
    add_note,
    doubt,
    held_label,
    inches,
    style,
)
from fspielm.solution.solution import Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# Modes on one page by default, and in a row.
MOST_DRAWN = 12
_COLUMNS = 3


def plot_modes(fields: Sequence[Solution], captions: Sequence[str], title: str | None = None) -> Figure:
    """Draw solutions of one problem in rows of three, each with its caption and a scale of its own about zero.

    Complex values are shown by their real part, several unknowns by the length of their vector. In space, slices go
    through the point where a field is largest.

    Parameters
    ----------
    fields : sequence of Solution
    captions : sequence of str
        The text above each.
    title : str, optional
        Above all panels, as plain text.
    """
    require_matplotlib()
    quantities = [_quantity(field) for field in fields]
    notes = [quantity.note for quantity in quantities if quantity.note is not None]
    columns = 2 if len(fields) == 4 else min(len(fields), _COLUMNS)
    view = View(title=user_title(title))
    width = inches("double") * columns / _COLUMNS
    panel = (width - (columns + 1) * LAYOUT.mode_gap) / columns * _aspect(quantities[0])
    lines = 1 + max(caption.count("\n") for caption in captions) + (fields[0].problem.dimension > 2)
    rows = -(-len(fields) // columns)
    height = rows * (panel + LAYOUT.text * lines + LAYOUT.mode_gap) + LAYOUT.mode_title * (title is not None)
    with style():
        figure, axes = panels(view, width, height + LAYOUT.note * bool(notes), len(fields), [1.0] * columns)
        for each, quantity, caption in zip(axes, quantities, captions, strict=True):
            where = _draw_line(each, quantity) if quantity.problem.dimension == 1 else _draw_map(each, quantity)
            each.set_title(f"{caption}\n{where}" if where else caption)
        set_title(figure, axes[0], view)
        add_note(figure, notes[0] if notes else None)
    return figure


def _quantity(field: Solution) -> Quantity:
    if len(field.problem.stated.unknowns) == 1:
        return field_quantity(field)

    def length(points: FloatArray) -> FloatArray:
        return np.asarray(np.linalg.norm(field(points, outside="extend"), axis=1))

    return Quantity(field.problem, length, sp.Symbol("length"), highest_frequencies(field), note=doubt(field))


def _aspect(quantity: Quantity) -> float:
    """Height over width of a panel."""
    if quantity.problem.dimension == 1:
        return LAYOUT.line_aspect
    lower, upper = quantity.problem.domain.bounding_box
    across, up = (upper - lower)[:2]
    return min(float(up / across), LAYOUT.mode_aspect)


def _draw_line(axes: Axes, quantity: Quantity) -> str:
    points = quantity.line(hold(quantity.problem, None, None))
    values = quantity.values(points)
    largest = float(np.abs(values).max()) or 1.0
    axes.axhline(0.0, color=PALE, linewidth=0.6)
    axes.plot(points[:, 0], values, color=BLUE)
    axes.set_xlim(points[0, 0], points[-1, 0])
    axes.set_ylim(-LAYOUT.reach * largest, LAYOUT.reach * largest)
    _hide_labels(axes)
    return ""


def _draw_map(axes: Axes, quantity: Quantity) -> str:
    """Draw a map, and return where it cuts through space."""
    problem = quantity.problem
    at = hold(problem, None, None)
    if problem.dimension > 2:
        places = probe(problem)
        at = places[np.argmax(np.abs(quantity.values(places)))]
    section = quantity.section((0, 1), at)
    values = quantity.values(section.points)
    largest = float(np.abs(values).max()) or 1.0
    several = len(problem.stated.unknowns) > 1
    scale = Scale(0.0, largest, POSITIVE_COLOURS) if several else Scale(-largest, largest, SIGNED_COLOURS)
    draw_map(axes, quantity, section, values, scale)
    _hide_labels(axes)
    if section.loops and not problem.domain.is_unbounded:
        axes.set_axis_off()  # the outline says where it ends
    return held_label(problem, at, (0, 1))


def _hide_labels(axes: Axes) -> None:
    """Hide the ticks and names of the axes, which all panels have in common."""
    axes.set(xticks=[], yticks=[], xlabel="", ylabel="")
