"""Several quantities in one picture: a panel, or a row of panels, for each, with a scale of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.solution.pictures.labels import held_label
from fspielm.solution.pictures.line import draw_lines
from fspielm.solution.pictures.map import add_colour_bar, draw_map, height_of
from fspielm.solution.pictures.note import add_note
from fspielm.solution.pictures.quantity import Quantity
from fspielm.solution.pictures.section import Section
from fspielm.solution.pictures.style import inches, style
from fspielm.solution.pictures.view import (
    View,
    draw_quantity,
    line_places,
    note_room,
    panels,
    sections_of,
    set_title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LINE_HEIGHT = 1.2
_FEW_TICKS, _FEWER_TICKS = 4, 3
_MANY = 2
_TITLE_HEIGHT = 0.2
_TALLEST = 9.0

# A section with the point it goes through.
_Held: TypeAlias = tuple[Section, FloatArray]


def draw_quantities(quantities: Sequence[Quantity], view: View) -> Figure:
    """Draw each of them as fits its coordinates, below or beside one another."""
    if len(quantities) == 1:
        return draw_quantity(quantities[0], view)
    if view.ax is not None:
        raise ProblemError(f"ax holds one panel, but this picture has {len(quantities)}; draw one unknown at a time")
    with style():
        places = line_places(quantities[0].problem, view)
        if places:
            return _draw_lines(quantities, view, places)
        sections = sections_of(quantities[0], view)
        return (_draw_beside if len(sections) == 1 else _draw_rows)(quantities, view, sections)


def _draw_lines(quantities: Sequence[Quantity], view: View, places: list[FloatArray]) -> Figure:
    """Lines below one another, over the same axis."""
    height = _LINE_HEIGHT * len(quantities) + _room(quantities[0], view)
    figure, axes = panels(view, inches(view.width or "single"), height, len(quantities))
    for panel, quantity in zip(axes, quantities, strict=True):
        draw_lines(panel, quantity, places)
        if panel is not axes[0]:
            panel.set_title("")
            legend = panel.get_legend()
            if legend is not None:
                legend.remove()
        if panel is not axes[-1]:
            _hide_labels(panel)
    return _finish(figure, axes, view, quantities)


def _draw_beside(quantities: Sequence[Quantity], view: View, sections: Sequence[_Held]) -> Figure:
    """One map for each quantity, all of the same section."""
    count, width = len(quantities), view.width or "double"
    columns = 1 if width == "single" else 2 if count in (2, 4) else 3
    shape = [sections[0][0]] * count
    height = height_of(quantities[0], shape, inches(width), columns, columns) + _room(quantities[0], view)
    figure, axes = panels(view, inches(width), height, count, [1.0] * columns)
    for index, (panel, quantity) in enumerate(zip(axes, quantities, strict=True)):
        _draw_row([panel], quantity, sections)
        panel.locator_params(nbins=_FEWER_TICKS if columns > _MANY else _FEW_TICKS)
        if index % columns:
            panel.set_ylabel("")
            panel.tick_params(labelleft=False)
        if index + columns < count:
            _hide_labels(panel)
    return _finish(figure, axes, view, quantities)


def _draw_rows(quantities: Sequence[Quantity], view: View, sections: Sequence[_Held]) -> Figure:
    """A row of maps for each quantity, below one another."""
    columns, width = len(sections), inches(view.width or "double")
    shape = [section for section, _ in sections]
    height = height_of(quantities[0], shape, width, columns) * len(quantities) + _room(quantities[0], view)
    widths = [section.extent[1] - section.extent[0] for section in shape]
    figure, axes = panels(view, width, min(height, _TALLEST), columns * len(quantities), widths)
    for row, quantity in enumerate(quantities):
        here = axes[row * columns : (row + 1) * columns]
        _draw_row(here, quantity, sections)
        for panel in here:
            if row:
                panel.set_title("")
            if row < len(quantities) - 1 and len({section.axes for section in shape}) == 1:
                _hide_labels(panel)
    return _finish(figure, axes, view, quantities)


def _draw_row(axes: Sequence[Axes], quantity: Quantity, sections: Sequence[_Held]) -> None:
    """Maps of one quantity, with one scale for all and its colour bar at the end."""
    values = [quantity.values(section.points) for section, _ in sections]
    scale = quantity.scale(np.concatenate(values))
    same = len({section.axes for section, _ in sections}) == 1
    for panel, (section, at), drawn in zip(axes, sections, values, strict=True):
        shown = draw_map(panel, quantity, section, drawn, scale)
        panel.set_title(held_label(quantity.problem, at, section.axes))
        panel.locator_params(nbins=_FEW_TICKS)
        if same and panel is not axes[0]:
            panel.set_ylabel("")
            panel.tick_params(labelleft=False)
    add_colour_bar(axes[-1], shown, quantity.label, scale.ticks)


def _room(quantity: Quantity, view: View) -> float:
    """Inches for what stands above and below all panels."""
    return note_room(quantity) + _TITLE_HEIGHT * (view.title is not None)


def _hide_labels(panel: Axes) -> None:
    """Leave the numbers below to the panel that is lower."""
    panel.set_xlabel("")
    panel.tick_params(labelbottom=False)


def _finish(figure: Figure, axes: Sequence[Axes], view: View, quantities: Sequence[Quantity]) -> Figure:
    set_title(figure, axes[0], view)
    add_note(figure, quantities[0].note)
    return figure
