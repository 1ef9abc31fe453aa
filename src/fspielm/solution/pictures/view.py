"""One quantity as the picture that fits: a line, a map, snapshots, or slices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.equations import Problem
from fspielm.errors import ProblemError
from fspielm.solution.pictures.labels import as_text, held_label, wrapped
from fspielm.solution.pictures.line import draw_lines
from fspielm.solution.pictures.map import add_colour_bar, draw_map, height_of
from fspielm.solution.pictures.note import NOTE_HEIGHT, add_note, add_note_within
from fspielm.solution.pictures.quantity import Quantity, hold, read_times
from fspielm.solution.pictures.section import Section
from fspielm.solution.pictures.style import Width, inches, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SNAPSHOTS = 4
_MOST_COLUMNS = 4
_FEWER_TICKS = 4
# Of a title, to an inch.
_LETTERS = 14
# Of the width: what the colour bar and its label leave to a title.
_BESIDE_COLOURS = 0.6
# Height over width of a line.
_LINE_ASPECT = 0.6


@dataclass(frozen=True, eq=False)
class View:
    """Where a quantity is looked at, and where it is drawn.

    Attributes
    ----------
    ax : Axes or None
        Where to draw one panel: of slices the first, of snapshots the last; a new figure if None.
    time : float, sequence of float or None
    at : sequence of float or None
        Where slices cut, one number for each coordinate of space.
    width : "single", "double" or None
        Of a new figure; if None, double for several panels.
    title : str or None
        Above the picture, as it is: what comes from the user has gone through `as_text`.
    """

    ax: Axes | None = None
    time: float | Sequence[float] | None = None
    at: Sequence[float] | None = None
    width: Width | None = None
    title: str | None = None


def draw_quantity(quantity: Quantity, view: View) -> Figure:
    """Draw what fits the number of coordinates and the view."""
    problem = quantity.problem
    with style():
        places = line_places(problem, view)
        if places:
            return _draw_lines(quantity, view, places)
        return _draw_maps(quantity, view, sections_of(quantity, view))


def line_places(problem: Problem, view: View) -> list[FloatArray]:
    """The points that lines go through where lines are what fits; none where maps are."""
    space = problem.dimension - (problem.domain.time is not None)
    times = () if view.time is None else read_times(problem, view.time)
    if space == 0 and times:
        raise ProblemError(f"a function of time alone is drawn at all times; leave time={view.time!r} out")
    if problem.dimension > 1 and (space > 1 or not times):
        return []
    return [hold(problem, view.at, time) for time in times or (None,)]


def sections_of(quantity: Quantity, view: View) -> list[tuple[Section, FloatArray]]:
    """The sections to show, each with the point it goes through."""
    problem = quantity.problem
    space = problem.dimension - (problem.domain.time is not None)
    times = () if view.time is None else read_times(problem, view.time)
    if space > 2:
        if len(times) > 1:
            raise ProblemError(f"time must be a single number for slices of {space} coordinates; got {view.time!r}")
        at = hold(problem, view.at, times[0] if times else None)
        slices = ((0, 1),) if view.ax is not None else ((0, 1), (0, 2), (1, 2))
        return [(quantity.section(axes, at), at) for axes in slices]
    if space == 2 and problem.domain.time is not None and not times:
        start, end = problem.domain.time.start, problem.domain.time.end
        times = (end,) if view.ax is not None else tuple(np.linspace(start, end, _SNAPSHOTS).tolist())
    places = [hold(problem, view.at, time) for time in times or (None,)]
    return [(quantity.section((0, 1), at), at) for at in places]


def _draw_lines(quantity: Quantity, view: View, places: list[FloatArray]) -> Figure:
    width = inches(view.width or "single")
    figure, (axes,) = panels(view, width, _LINE_ASPECT * inches("single") + note_room(quantity), 1)
    draw_lines(axes, quantity, places)
    set_title(figure, axes, view)
    _set_note(figure, axes, view, quantity)
    return figure


def _draw_maps(quantity: Quantity, view: View, sections: list[tuple[Section, FloatArray]]) -> Figure:
    """Maps side by side, with one scale for all, so that they compare."""
    columns = min(len(sections), _MOST_COLUMNS)
    same_axes = len({section.axes for section, _ in sections}) == 1
    width = inches(view.width or ("single" if len(sections) == 1 else "double"))
    height = height_of(quantity, [section for section, _ in sections], width, columns) + note_room(quantity)
    widths = [section.extent[1] - section.extent[0] for section, _ in sections[:columns]]
    figure, axes = panels(view, width, height, len(sections), widths)
    values = [quantity.values(section.points) for section, _ in sections]
    scale = quantity.scale(np.concatenate(values))
    for index, (panel, (section, at), drawn) in enumerate(zip(axes, sections, values, strict=True)):
        shown = draw_map(panel, quantity, section, drawn, scale)
        panel.set_title(held_label(quantity.problem, at, section.axes))
        if (index + 1) % columns == 0 or index == len(sections) - 1:
            add_colour_bar(panel, shown, quantity.label, scale.ticks)
        if columns > 1:
            panel.locator_params(nbins=_FEWER_TICKS)
        if same_axes and index % columns:
            panel.set_ylabel("")
            panel.tick_params(labelleft=False)
    set_title(figure, axes[0], view)
    _set_note(figure, axes[0], view, quantity)
    return figure


def panels(
    view: View, width: float, height: float, count: int, widths: Sequence[float] = (1.0,)
) -> tuple[Figure, list[Axes]]:
    """A new figure with `count` panels in columns of relative `widths`, or the user's axes for the only one."""
    if view.ax is not None:
        if count > 1:
            raise ProblemError(
                f"ax holds one panel, but this picture has {count}; leave ax out, or show one time with time="
            )
        figure = view.ax.get_figure(root=True)
        assert figure is not None  # the user's axes are drawn somewhere
        return figure, [view.ax]
    from fspielm.solution.pictures.figure import new_picture

    picture, columns = new_picture(width, height), len(widths)
    ratios = {"width_ratios": widths}
    grid = picture.subplots(-(-count // columns), columns, squeeze=False, gridspec_kw=ratios).ravel()
    for spare in grid[count:]:
        spare.remove()
    return picture, list(grid[:count])


def set_title(figure: Figure, axes: Axes, view: View) -> None:
    """Set the title above the only panel, or above all of them."""
    if view.title is None:
        return
    letters = _LETTERS * figure.get_figwidth()
    if view.ax is not None:
        axes.set_title(view.title)
    elif len(figure.axes) == 1 and not axes.get_title():
        axes.set_title(wrapped(view.title, int(_BESIDE_COLOURS * letters)))
    else:
        figure.suptitle(wrapped(view.title, int(letters)), fontsize="medium")


def _set_note(figure: Figure, axes: Axes, view: View, quantity: Quantity) -> None:
    if view.ax is None:
        add_note(figure, quantity.note)
    else:
        add_note_within(axes, quantity.note)


def note_room(quantity: Quantity) -> float:
    """Inches that the note of a picture takes."""
    return 0.0 if quantity.note is None else NOTE_HEIGHT


def user_title(title: str | None) -> str | None:
    """A title in the user's words, as plain text."""
    return None if title is None else as_text(title)
