"""Lines, maps, arrows and slices of one quantity, and panels for several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray, spread_out
from fspielm.errors import ProblemError
from fspielm.problem.problem import Problem
from fspielm.solution.evaluation import meshed
from fspielm.solution.plot.quantity import (
    Part,
    Quantity,
    Section,
    as_path,
    field_quantity,
    hold,
    is_spatial,
    middles,
    read_times,
    through,
)
from fspielm.solution.plot.style import (
    BLUE,
    INK,
    LAYOUT,
    PALE,
    VERMILION,
    Scale,
    Width,
    add_note,
    add_note_within,
    as_math,
    as_text,
    held_label,
    inches,
    label_upright,
    leave_open,
    new_picture,
    style,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage
    from matplotlib.lines import Line2D

    from fspielm.solution.solution import Solution


# ---- Lines: a quantity along one coordinate


def draw_lines(axes: Axes, quantity: Quantity, places: list[FloatArray]) -> list[Line2D]:
    """One line through each of `places`, such as several times; a legend tells them apart."""
    from matplotlib import colormaps

    problem = quantity.problem
    curves = [(points[:, 0], quantity.values(points)) for points in map(quantity.line, places)]
    values = np.concatenate([curve for _, curve in curves])
    scale = quantity.scale(values)
    single = VERMILION if quantity.logarithmic else BLUE
    colours = [single] if len(places) == 1 else colormaps["viridis"](np.linspace(0.0, 0.85, len(places)))
    lines = []
    for (across, curve), place, colour in zip(curves, places, colours, strict=True):
        shown = np.maximum(curve, scale.low) if quantity.logarithmic else unjoined(curve) if quantity.cyclic else curve
        lines += axes.plot(across, shown, color=colour, label=held_label(problem, place, {0}))
    set_line_axes(axes, quantity, scale, values)
    # lines at several times would each have their own overlay
    if quantity.line_overlay is not None and len(places) == 1:
        quantity.line_overlay(axes, places[0])
    if len(places) > 1:
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    elif problem.dimension > 1:
        axes.set_title(held_label(problem, places[0], {0}))
    return lines


def unjoined(phase: FloatArray) -> FloatArray:
    """Phases with a gap (NaN) wherever they jump by about a turn."""
    shown = phase.copy()
    shown[1:][np.abs(np.diff(phase)) > np.pi] = np.nan
    return shown


def set_line_axes(axes: Axes, quantity: Quantity, scale: Scale, values: FloatArray) -> None:
    """Set labels, limits and a light grid."""
    lower, upper = quantity.problem.domain.bounding_box
    if quantity.logarithmic:
        axes.set_yscale("log")
        axes.set_ylim(scale.low, scale.high)
    elif quantity.cyclic:
        axes.set_ylim(scale.low, scale.high)
        axes.set_yticks(list(scale.ticks), labels=list(scale.ticks.values()))
    else:
        finite = values[np.isfinite(values)]
        low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
        room = LAYOUT.margin * (high - low) or 0.5 * abs(high) or 1.0
        axes.set_ylim(low - room, high + room)
        axes.locator_params(axis="y", nbins=5)
    axes.set_xlim(lower[0], upper[0])
    axes.locator_params(axis="x", nbins=6)
    axes.set_xlabel(as_math(quantity.problem.coordinates[0]))
    if isinstance(quantity.label, sp.Basic):
        label_upright(axes, quantity.label)
    else:
        axes.set_ylabel(quantity.label)
    leave_open(axes)


# ---- Maps: a quantity over a plane section, clipped to the outline of the domain


def draw_map(axes: Axes, quantity: Quantity, section: Section, values: FloatArray, scale: Scale) -> AxesImage:
    """Draw the values at the points of a section as an image, clipped by the exact outline."""
    problem = quantity.problem
    shown = axes.imshow(
        section.image(values),
        origin="lower",
        extent=section.extent,
        norm=scale.norm,
        cmap=scale.colours,
        aspect="auto",
        # errors, which jump by decades, and phases, which jump by a turn, are shown cell by cell
        interpolation="nearest" if quantity.logarithmic or quantity.cyclic else "bicubic",
    )
    if is_spatial(problem.domain, section.axes):
        axes.set_aspect("equal")
    else:
        axes.set_box_aspect(LAYOUT.space_time_aspect)
    if section.loops:
        _clip(axes, shown, section)
    _draw_inner_lines(axes, section)
    if quantity.overlay is not None:
        quantity.overlay(axes, section)
    axes.locator_params(nbins=LAYOUT.ticks)
    across, up = (problem.coordinates[axis] for axis in section.axes)
    axes.set_xlabel(as_math(across))
    label_upright(axes, up)
    return shown


def add_colour_bar(
    axes: Axes, shown: ScalarMappable, label: str | sp.Basic, ticks: Mapping[float, str] | None = None
) -> None:
    """Add a colour bar as tall as the panel; a symbol is written above it, words beside it."""
    figure = axes.get_figure(root=True)
    assert figure is not None  # these axes are drawn in
    bar = figure.colorbar(shown, cax=axes.inset_axes((1.04, 0.0, 0.045, 1.0)))
    if isinstance(label, sp.Basic):
        bar.ax.set_title(as_math(label))
    else:
        bar.set_label(label)
    if ticks:
        bar.set_ticks(list(ticks), labels=list(ticks.values()))
    bar.outline.set_linewidth(0.5)
    bar.ax.minorticks_off()


def height_of(quantity: Quantity, sections: Sequence[Section], width: float, columns: int, bars: int = 1) -> float:
    """The height in inches of maps in rows of `columns`, with `bars` colour bars in each, in a figure of a width."""
    sides = [(s.extent[1] - s.extent[0], s.extent[3] - s.extent[2]) for s in sections]
    rows = -(-len(sections) // columns)
    beside = LAYOUT.right if bars == 1 else bars * LAYOUT.narrow_bar
    across = width - LAYOUT.left - beside - (columns - 1) * LAYOUT.between
    if is_spatial(quantity.problem.domain, sections[0].axes):
        panel = across * max(up for _, up in sides) / sum(along for along, _ in sides[:columns])
    else:
        panel = across / columns * LAYOUT.space_time_aspect
    return min(rows * (panel + LAYOUT.around), LAYOUT.tallest if bars == 1 else LAYOUT.tallest_page)


def _clip(axes: Axes, shown: AxesImage, section: Section) -> None:
    """Clip the image and draw the outline, with a margin to the frame unless the domain continues beyond it."""
    from matplotlib.patches import PathPatch

    path = as_path(section.loops)
    shown.set_clip_path(path, axes.transData)
    axes.add_patch(PathPatch(path, fill=False, edgecolor=INK, linewidth=0.8))
    left, right, bottom, top = section.extent
    margin = 0.0 if section.continues else 0.03 * max(right - left, top - bottom)
    axes.set_xlim(left - margin, right + margin)
    axes.set_ylim(bottom - margin, top + margin)
    if not section.continues:
        axes.spines[:].set_color(PALE)


def _draw_inner_lines(axes: Axes, section: Section) -> None:
    """Draw the borders within a section, visible on dark and on light colours."""
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=1.4, foreground="white")]
    for line in section.lines:
        axes.plot(*line.T, color=INK, linewidth=0.6, path_effects=halo, scalex=False, scaley=False)


# ---- Two unknowns as the components of a vector: arrows or streamlines over its magnitude

VectorStyle: TypeAlias = Literal["arrows", "stream"]


@dataclass(frozen=True)
class _VectorLook:
    """How closely a map is covered: arrows along its longer side; the density of streamlines, and size of their heads.

    The size is in units of ten points.
    """

    arrows: int
    density: float
    head: float
    longest: float = 0.95  # arrow, relative to their distance
    shortest: float = 0.03  # arrow, relative to the longest
    shortest_line: float = 0.25  # relative to the width
    least_share: float = 0.3  # the least density across a narrow domain, relative to a square
    cells: int = 120  # along the longer side, for streamlines


_LARGE, _SMALL = _VectorLook(18, 0.9, 0.42), _VectorLook(11, 0.5, 0.3)
_PAPER = "white"

# The components of a vector.
_Vector: TypeAlias = tuple[Quantity, Quantity]


def vector_quantity(
    solution: Solution, vectors: Sequence[Any], part: Part | None, style: VectorStyle, resolution: int | None
) -> Quantity:
    """The magnitude of a vector in the plane, with arrows or streamlines over it."""
    if style not in _STYLES:
        raise ProblemError(f"style must be one of {', '.join(map(repr, _STYLES))}; got {style!r}")
    if part not in (None, "real", "imag"):
        raise ProblemError(f'of a vector, part must be "real" or "imag"; got {part!r}')
    components = _components(solution, vectors, part, resolution)
    names = ",".join(sp.latex(component.label) for component in components)

    def values(points: FloatArray) -> FloatArray:
        return np.asarray(np.hypot(*(component.values(points) for component in components)))

    label = sp.Symbol(rf"|({names})|")
    return replace(components[0], values=values, label=label, overlay=lambda a, s: _STYLES[style](a, s, components))


def _components(solution: Solution, vectors: Sequence[Any], part: Part | None, resolution: int | None) -> _Vector:
    problem = solution.problem
    if problem.dimension - (problem.domain.time is not None) != 2:
        coordinates = ", ".join(map(str, problem.coordinates))
        raise ProblemError(f"vectors needs two coordinates of space; the unknowns are functions of {coordinates}")
    names = list(problem.names)
    if isinstance(vectors, str) or not isinstance(vectors, Sequence) or len(vectors) != 2:
        raise ProblemError(f"vectors must be two of the unknowns {', '.join(names)}, as in (u, v); got {vectors!r}")
    first, second = (field_quantity(solution[unknown], part, resolution) for unknown in vectors)
    return first, second


def _on_grid(vector: _Vector, section: Section, cells: int) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Coordinates across and up, about `cells` along the longer side, and the components there, NaN outside."""
    left, right, bottom, top = section.extent
    step = max(right - left, top - bottom) / cells
    sides = ((left, right), (bottom, top))
    across, up = (middles(low, high, max(round((high - low) / step), 2)) for low, high in sides)
    points = through(section.points[0], (0, 1), meshed((up, across))[:, ::-1])
    inside = vector[0].problem.domain.contains(points)
    u, v = (spread_out(each.values(points[inside]), inside).reshape(len(up), len(across)) for each in vector)
    return across, up, u, v


def _draw_arrows(axes: Axes, section: Section, vector: _Vector) -> None:
    """Draw arrows that grow with the root of the magnitude, so that slow places show a direction too."""
    look = _look_for(axes)
    across, up, u, v = _on_grid(vector, section, look.arrows)
    size = np.hypot(u, v)
    largest = float(np.nanmax(size, initial=0.0)) or 1.0
    length = np.sqrt(size / largest)
    length[length < look.shortest] = np.nan
    apart = float(across[1] - across[0])
    steps = (look.longest * apart * length * component / np.where(size > 0, size, 1.0) for component in (u, v))
    lengths: dict[str, Any] = {"angles": "xy", "scale_units": "xy", "scale": 1.0, "units": "xy", "pivot": "mid"}
    heads: dict[str, Any] = {"width": 0.1 * apart, "headwidth": 3.6, "headlength": 4.0, "headaxislength": 3.6}
    colours: dict[str, Any] = {"facecolor": _PAPER, "edgecolor": INK, "linewidth": 0.25}
    axes.quiver(across, up, *steps, **lengths, **heads, **colours)


def _draw_streamlines(axes: Axes, section: Section, vector: _Vector) -> None:
    look = _look_for(axes)
    across, up, u, v = _on_grid(vector, section, look.cells)
    limits = axes.get_xlim(), axes.get_ylim()
    looks: dict[str, Any] = {"color": _PAPER, "linewidth": 0.6, "arrowsize": look.head, "arrowstyle": "-|>"}
    left, right, bottom, top = section.extent
    share = np.array((right - left, top - bottom)) / max(right - left, top - bottom)
    densities = tuple(look.density * np.maximum(share, look.least_share))  # as far apart across as along
    lines = axes.streamplot(across, up, u, v, density=densities, minlength=look.shortest_line, **looks)
    axes.set_xlim(limits[0])
    axes.set_ylim(limits[1])
    if section.loops:
        lines.lines.set_clip_path(as_path(section.loops), axes.transData)


def _look_for(axes: Axes) -> _VectorLook:
    """The look for a panel, which may have others beside it."""
    place = axes.get_subplotspec()
    return _SMALL if place is not None and place.get_gridspec().ncols > 1 else _LARGE


_STYLES: dict[str, Callable[[Axes, Section, _Vector], None]] = {"arrows": _draw_arrows, "stream": _draw_streamlines}


# ---- What is drawn of a quantity: a line, a map, snapshots, or slices

# Snapshots over all times, and maps in a row.
MOST_COLUMNS = 4


@dataclass(frozen=True, eq=False)
class View:
    """What part of a quantity is drawn, and where."""

    ax: Axes | None = None  # the axes for one panel (the first of slices, the last of snapshots); a new figure if None
    time: float | Sequence[float] | None = None
    at: Sequence[float] | None = None  # where slices cut, one number for each coordinate of space
    width: Width | None = None  # the width of a new figure; if None, double for several panels
    title: str | None = None  # in matplotlib's notation: a title of the user's has gone through `as_text`


def line_places(problem: Problem, view: View) -> list[FloatArray]:
    """The points that lines go through; none where maps are drawn instead."""
    space, times = _space_and_times(problem, view)
    if space == 0 and times:
        raise ProblemError(f"a function of time alone is drawn at all times; leave time={view.time!r} out")
    if problem.dimension > 1 and (space > 1 or not times):
        return []
    return [hold(problem, view.at, time) for time in times or (None,)]


def sections_of(quantity: Quantity, view: View) -> list[tuple[Section, FloatArray]]:
    """The sections to show, each with the point it goes through."""
    problem = quantity.problem
    space, times = _space_and_times(problem, view)
    planes: tuple[tuple[int, int], ...] = ((0, 1),)
    if space > 2:
        if len(times) > 1:
            raise ProblemError(f"time must be a single number for slices of {space} coordinates; got {view.time!r}")
        planes = planes if view.ax is not None else ((0, 1), (0, 2), (1, 2))
    elif space == 2 and problem.domain.time is not None and not times:
        start, end = problem.domain.time.start, problem.domain.time.end
        times = (end,) if view.ax is not None else tuple(np.linspace(start, end, MOST_COLUMNS).tolist())
    places = [hold(problem, view.at, time) for time in times or (None,)]
    return [(quantity.section(axes, at), at) for at in places for axes in planes]


def _space_and_times(problem: Problem, view: View) -> tuple[int, tuple[float, ...]]:
    """The number of coordinates of space, and the times to show."""
    space = problem.dimension - (problem.domain.time is not None)
    return space, () if view.time is None else read_times(problem, view.time)


def draw_map_panels(
    axes: Sequence[Axes], quantity: Quantity, sections: Sequence[tuple[Section, FloatArray]], columns: int
) -> None:
    """Draw maps of one quantity, with one scale for all and a colour bar at the end of each row."""
    values = [quantity.values(section.points) for section, _ in sections]
    scale = quantity.scale(np.concatenate(values))
    same_axes = len({section.axes for section, _ in sections}) == 1
    for index, (panel, (section, at), drawn) in enumerate(zip(axes, sections, values, strict=True)):
        shown = draw_map(panel, quantity, section, drawn, scale)
        panel.set_title(held_label(quantity.problem, at, section.axes))
        if (index + 1) % columns == 0 or index == len(sections) - 1:
            add_colour_bar(panel, shown, quantity.label, scale.ticks)
        if columns > 1:
            panel.locator_params(nbins=LAYOUT.few_ticks)
        if same_axes and index % columns:
            _hide_side_labels(panel)


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
    letters = LAYOUT.letters * figure.get_figwidth()
    if view.ax is not None:
        axes.set_title(view.title)
    elif len(figure.axes) == 1 and not axes.get_title():
        axes.set_title(wrapped(view.title, int(LAYOUT.beside_colours * letters)))
    else:
        figure.suptitle(wrapped(view.title, int(letters)), fontsize="medium")


def _finish(figure: Figure, axes: Sequence[Axes], view: View, quantity: Quantity) -> Figure:
    """Set the title and the note."""
    set_title(figure, axes[0], view)
    if view.ax is None:
        add_note(figure, quantity.note)
    else:
        add_note_within(axes[0], quantity.note)
    return figure


def user_title(title: str | None) -> str | None:
    """A title in the user's words, as plain text."""
    return None if title is None else as_text(title)


# ---- A line, maps or rows of maps for each quantity, with a scale of its own


def draw_quantities(quantities: Sequence[Quantity], view: View) -> Figure:
    """Draw quantities as lines or as maps, below or beside one another, depending on the coordinates and the view."""
    if view.ax is not None and len(quantities) > 1:
        raise ProblemError(f"ax holds one panel, but this picture has {len(quantities)}; draw one unknown at a time")
    with style():
        places = line_places(quantities[0].problem, view)
        if places:
            return _draw_line_panels(quantities, view, places)
        sections = sections_of(quantities[0], view)
        is_table = len(sections) == 1 and len(quantities) > 1
        return (_draw_beside if is_table else _draw_rows)(quantities, view, sections)


def _draw_line_panels(quantities: Sequence[Quantity], view: View, places: list[FloatArray]) -> Figure:
    """Draw lines below one another, over the same axis."""
    count, note = len(quantities), quantities[0].note
    height = LAYOUT.line_aspect * inches("single") + LAYOUT.words(None, note)
    if count > 1:
        height = LAYOUT.line_height * count + LAYOUT.words(view.title, note)
    figure, axes = panels(view, inches(view.width or "single"), height, count)
    for panel, quantity in zip(axes, quantities, strict=True):
        draw_lines(panel, quantity, places)
        if panel is not axes[0]:
            panel.set_title("")
            if (legend := panel.get_legend()) is not None:
                legend.remove()
        if panel is not axes[-1]:
            _hide_labels(panel)
    return _finish(figure, axes, view, quantities[0])


def _draw_beside(quantities: Sequence[Quantity], view: View, sections: Sequence[tuple[Section, FloatArray]]) -> Figure:
    """Draw one map for each quantity, all of the same section."""
    count, width = len(quantities), view.width or "double"
    columns = 1 if width == "single" else 2 if count in (2, 4) else 3
    height = height_of(quantities[0], [sections[0][0]] * count, inches(width), columns, columns)
    height += LAYOUT.words(view.title, quantities[0].note)
    figure, axes = panels(view, inches(width), height, count, [1.0] * columns)
    for index, (panel, quantity) in enumerate(zip(axes, quantities, strict=True)):
        draw_map_panels([panel], quantity, sections, 1)
        panel.locator_params(nbins=LAYOUT.fewest_ticks if columns > 2 else LAYOUT.few_ticks)
        if index % columns:
            _hide_side_labels(panel)
        if index + columns < count:
            _hide_labels(panel)
    return _finish(figure, axes, view, quantities[0])


def _draw_rows(quantities: Sequence[Quantity], view: View, sections: Sequence[tuple[Section, FloatArray]]) -> Figure:
    """Draw a row of maps for each quantity, or several rows for a single one, with one scale for all of its maps."""
    count, note = len(quantities), quantities[0].note
    columns = min(len(sections), MOST_COLUMNS) if count == 1 else len(sections)
    width = inches(view.width or ("single" if len(sections) == 1 else "double"))
    shape = [section for section, _ in sections]
    height = height_of(quantities[0], shape, width, columns) * count
    if count > 1:
        height = min(height + LAYOUT.words(view.title, note), LAYOUT.tallest_page)
    else:
        height += LAYOUT.words(None, note)
    widths = [section.extent[1] - section.extent[0] for section in shape[:columns]]
    figure, axes = panels(view, width, height, len(sections) * count, widths)
    for row, quantity in enumerate(quantities):
        here = axes[row * len(sections) : (row + 1) * len(sections)]
        draw_map_panels(here, quantity, sections, columns)
        for panel in here:
            if row:
                panel.set_title("")
            if row < count - 1 and len({section.axes for section in shape}) == 1:
                _hide_labels(panel)
    return _finish(figure, axes, view, quantities[0])


def _hide_labels(panel: Axes) -> None:
    """Hide the labels below a panel, which the panel under it has."""
    panel.set_xlabel("")
    panel.tick_params(labelbottom=False)


def _hide_side_labels(panel: Axes) -> None:
    """Hide the labels beside a panel, which the first one of its row has."""
    panel.set_ylabel("")
    panel.tick_params(labelleft=False)
