"""Solution.plot(): what the solution looks like, also over time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.basis.basis import Basis
from fspielm.cells.basis import CellBasis
from fspielm.disk import staged_file
from fspielm.errors import ProblemError
from fspielm.geometry.pictures import require_matplotlib
from fspielm.solution.plot.panels import (
    VectorStyle,
    View,
    add_colour_bar,
    draw_lines,
    draw_map,
    draw_quantities,
    height_of,
    set_line_axes,
    unjoined,
    user_title,
    vector_quantity,
)
from fspielm.solution.plot.quantity import (
    Part,
    Quantity,
    Sampling,
    Section,
    as_path,
    each_field,
    field_quantity,
    hold,
    only_field,
    smooth_pieces,
)
from fspielm.solution.plot.style import (
    BLUE,
    FORMATS,
    INK,
    LAYOUT,
    MOVING_FORMATS,
    Width,
    add_note,
    check_picture_path,
    held_label,
    inches,
    is_moving,
    new_picture,
    save_picture,
    style,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from PIL.Image import Image

    from fspielm.solution.solution import Solution


# ---- The cells of a solution over its picture, with the degrees of their polynomials


@final
@dataclass(frozen=True)
class CellLook:
    """How cells are shown over a picture; sizes and distances are shares of it."""

    most_written: int = 100  # cells with degrees written into them; colours show those of more cells
    least_share: float = 0.045  # of a cell with a number
    least_share_of_line: float = 0.02
    least_distance: tuple[float, float] = (0.11, 0.035)  # of two numbers, along the axes
    tick: float = 0.035  # the height of ticks of a line
    colours: str = "plasma"
    brightest: float = 0.85
    most_named: int = 4  # degrees named with their colours


_CELLS = CellLook()


def show_cells(quantity: Quantity, basis: Basis) -> Quantity:
    """The quantity with the cells drawn over its pictures."""
    if not basis.on_cells:
        raise ProblemError('cells=True draws the cells of a solution with approach="patches"; this one has none')
    functions, before = basis.on_cells[0], quantity.overlay

    def overlay(axes: Axes, section: Section) -> None:
        if before is not None:
            before(axes, section)
        _draw_boxes(axes, section, functions)
        borders = [line.part for line in quantity.problem.interfaces if line.part.parameters == 1]
        for piece in (piece for part in borders for piece in smooth_pieces(part)):
            axes.plot(*piece.T, color=INK, linewidth=2 * LAYOUT.thin, scalex=False, scaley=False)

    return replace(quantity, overlay=overlay, line_overlay=lambda axes, at: _draw_ticks(axes, at, functions))


def _draw_boxes(axes: Axes, section: Section, basis: CellBasis) -> None:
    """Draw the edges of cells, cut to the outline, and their degrees: as numbers, or as colours for many cells."""
    from matplotlib.collections import LineCollection

    ends, cells = basis.frames.borders
    highest = basis.degrees.max(axis=1)
    written = len(highest) <= _CELLS.most_written
    # an edge between two cells shows the higher degree
    degree = highest[cells].max(axis=1)
    colours = INK if written else _colours(degree, highest)
    halo = LineCollection(list(ends), colors="white", linewidths=LAYOUT.halo, alpha=LAYOUT.faint)
    for edges in (halo, LineCollection(list(ends), colors=colours, linewidths=LAYOUT.thin)):
        axes.add_collection(edges, autolim=False)
        if section.loops:
            edges.set_clip_path(as_path(section.loops), axes.transData)
    if not written:
        _name_colours(axes, highest)
    else:
        left, right, bottom, top = section.extent
        shares = basis.frames.lengths / [right - left, top - bottom]
        taken: list[FloatArray] = []
        # the largest first: frames of cells that curves cut overlap, and so may their numbers
        for cell in np.argsort(-shares.min(axis=1), kind="stable").tolist():
            middle = 0.5 * (basis.frames.lower[cell] + basis.frames.upper[cell])
            apart = [np.abs(middle - other) / [right - left, top - bottom] for other in taken]
            if shares[cell].min() >= _CELLS.least_share and all(np.any(each > _CELLS.least_distance) for each in apart):
                taken.append(middle)
                _write(axes, middle[0], middle[1], _degree(basis, cell))


def _draw_ticks(axes: Axes, at: FloatArray, basis: CellBasis) -> None:
    """Draw ticks where a line along the first coordinate enters another cell, and degrees between them."""
    ends = basis.frames.ticks(at)
    bottom = axes.get_xaxis_transform()
    axes.vlines(ends, 0.0, _CELLS.tick, color=INK, linewidth=2 * LAYOUT.thin, transform=bottom)
    middles = np.tile(at, (len(ends) - 1, 1))
    middles[:, 0] = 0.5 * (ends[1:] + ends[:-1])
    wide = np.diff(ends) >= _CELLS.least_share_of_line * (ends[-1] - ends[0])
    for place, cell in zip(middles[wide], basis.frames.locate(middles[wide]), strict=True):
        _write(axes, place[0], 0.5 * _CELLS.tick, _degree(basis, cell), transform=bottom)


def _write(axes: Axes, x: float, y: float, text: str, **place: Any) -> None:
    """Write small text, with a halo that keeps it legible on any colour."""
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=2 * LAYOUT.halo, foreground="white", alpha=LAYOUT.faint)]
    axes.text(x, y, text, ha="center", va="center", fontsize=LAYOUT.small_size, color=INK, path_effects=halo, **place)


def _degree(basis: CellBasis, cell: int) -> str:
    """The degree of a cell's polynomials, or the degrees along the axes where they differ."""
    return "\N{MULTIPLICATION SIGN}".join(map(str, dict.fromkeys(basis.degrees[cell].tolist())))


def _colours(degree: NDArray[np.int_], of: NDArray[np.int_]) -> FloatArray:
    from matplotlib import colormaps

    return np.asarray(colormaps[_CELLS.colours](_CELLS.brightest * (degree - of.min()) / max(np.ptp(of), 1)))


def _name_colours(axes: Axes, highest: NDArray[np.int_]) -> None:
    """Name some of the degrees with their colours, above the picture."""
    from matplotlib.lines import Line2D

    named = np.unique(np.linspace(highest.min(), highest.max(), _CELLS.most_named).round().astype(int))
    lines = [
        Line2D([], [], color=colour, label=f"degree {degree}" if degree == named[0] else str(degree))
        for degree, colour in zip(named, _colours(named, highest), strict=True)
    ]
    axes.legend(handles=lines, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(lines), handlelength=1.0)


# ---- Animations

_FRAMES = Sampling(10.0, 30, 90)


@dataclass(frozen=True, eq=False)
class _Movie:
    """A picture that changes: each step of the iterator `frames()` brings it to the next state."""

    picture: Any
    frames: Callable[[], Iterator[None]]
    colours: str  # the colour map of what moves, or its one colour
    per_second: int = 15
    dpi: int = 110
    # a GIF has 256 colours: those of the map or line, and greys for ink on white
    shades: tuple[int, int] = (206, 50)

    def gif(self) -> bytes:
        """The movie as GIF, in an endless loop."""
        from PIL import Image

        images = []
        with style():
            for _ in self.frames():
                self._draw()
                canvas: Any = self.picture.canvas
                images.append(Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3].copy()))
        # one palette for all pictures, so that colours do not flicker
        palette = Image.new("P", (1, 1))
        palette.putpalette(self._palette())
        flat = [self._flatten(image, palette) for image in images]
        buffer = BytesIO()
        pause = round(1000 / self.per_second)
        flat[0].save(buffer, "GIF", save_all=True, append_images=flat[1:], duration=pause, loop=0)
        return buffer.getvalue()

    def write_mp4(self, path: Path) -> None:
        """Write the movie with ffmpeg."""
        from matplotlib.animation import FFMpegWriter

        # the codec needs an even number of pixels
        width, height = (2 * round(side * self.dpi / 2) / self.dpi for side in self.picture.get_size_inches())
        self.picture.set_size_inches(width, height)
        writer = FFMpegWriter(fps=self.per_second)
        with style(), writer.saving(self.picture, str(path), self.dpi):
            for _ in self.frames():
                self._draw()
                writer.grab_frame()

    def _draw(self) -> None:
        """Draw one state; the layout of the first is kept, so that nothing jumps."""
        self.picture.set_dpi(self.dpi)
        self.picture.canvas.draw()
        self.picture.set_layout_engine("none")

    def _flatten(self, image: Image, palette: Image) -> Image:
        """The image in the nearest colours of the palette; Pillow's are approximate, but white has to be white."""
        from PIL import Image

        flat = image.quantize(palette=palette, dither=Image.Dither.NONE)
        white = Image.fromarray(255 * np.all(np.asarray(image) == 255, axis=-1).astype(np.uint8))
        flat.paste(self.shades[0], mask=white)  # the first of the greys
        return flat

    def _palette(self) -> bytes:
        """The colours of what moves, and ink on white, 3 bytes each."""
        from matplotlib import colormaps
        from matplotlib.colors import LinearSegmentedColormap

        moving = (
            colormaps[self.colours]
            if self.colours in colormaps
            else LinearSegmentedColormap.from_list("line", ["white", self.colours])
        )
        ink = LinearSegmentedColormap.from_list("ink", ["white", INK])
        both = zip((moving, ink), self.shades, strict=True)
        shades = np.concatenate([colours(np.linspace(0, 1, count)) for colours, count in both])
        return np.round(255 * shades[:, :3]).astype(np.uint8).tobytes()


def draw_animation(quantity: Quantity, view: View, path: str | os.PathLike[str] | None) -> Figure:
    """Draw the quantity over all times; return the figure with its last state, and write the movie to `path`.

    Without a `path` the figure shows the movie where a notebook displays it.
    """
    problem = quantity.problem
    if problem.domain.time is None:
        raise ProblemError(f"an animation needs a problem with time; the domain is {problem.domain!r}")
    if view.time is not None or view.ax is not None:
        raise ProblemError("an animation shows all times in a figure of its own; leave time and ax out")
    if not 1 < problem.dimension <= 3:
        raise ProblemError("an animation needs one or two coordinates of space; show slices at a time with time=")
    with style():
        movie = _moving_line(quantity, view) if problem.dimension == 2 else _moving_map(quantity, view)
    picture: Figure = movie.picture
    if path is None:
        movie.picture.moving = movie.gif
        return picture
    with staged_file(path) as draft:
        if draft.suffix.lower() == ".gif":
            draft.write_bytes(movie.gif())
        else:
            movie.write_mp4(draft)
    return picture


def _times(quantity: Quantity) -> list[float]:
    time = quantity.problem.domain.time
    assert time is not None  # checked on entry
    periods = quantity.frequencies[-1] * time.duration / (2 * np.pi)
    return [float(t) for t in np.linspace(time.start, time.end, _FRAMES.count(periods))]


def _moving_line(quantity: Quantity, view: View) -> _Movie:
    problem = quantity.problem
    places = [hold(problem, view.at, time) for time in _times(quantity)]
    values = [quantity.values(quantity.line(place)) for place in places]
    picture, axes = _new_movie(view, quantity, LAYOUT.line_aspect * inches(view.width or "single"))
    (line,) = draw_lines(axes, quantity, places[-1:])
    every = np.concatenate(values)
    set_line_axes(axes, quantity, quantity.scale(every), every)

    def frames() -> Iterator[None]:
        for place, curve in zip(places, values, strict=True):
            line.set_ydata(unjoined(curve) if quantity.cyclic else curve)
            axes.set_title(held_label(problem, place, {0}))
            yield

    return _Movie(picture, frames, BLUE)


def _moving_map(quantity: Quantity, view: View) -> _Movie:
    problem = quantity.problem
    places = [hold(problem, view.at, time) for time in _times(quantity)]
    section = quantity.section((0, 1), places[-1])
    values = [quantity.values(section.moved(2, place[2])) for place in places]
    scale = quantity.scale(np.concatenate(values))
    picture, axes = _new_movie(view, quantity, height_of(quantity, [section], inches(view.width or "single"), 1))
    shown = draw_map(axes, quantity, section, values[-1], scale)
    add_colour_bar(axes, shown, quantity.label, scale.ticks)
    axes.set_title(held_label(problem, places[-1], (0, 1)))

    def frames() -> Iterator[None]:
        for place, frame in zip(places, values, strict=True):
            shown.set_data(section.image(frame))
            axes.set_title(held_label(problem, place, (0, 1)))
            yield

    return _Movie(picture, frames, scale.colours)


def _new_movie(view: View, quantity: Quantity, height: float) -> tuple[Any, Axes]:
    picture: Any = new_picture(inches(view.width or "single"), height + LAYOUT.words(view.title, quantity.note))
    if view.title is not None:
        picture.suptitle(view.title, fontsize="medium")
    add_note(picture, quantity.note)
    return picture, picture.subplots()


# ---- Solution.plot()


def plot(
    solution: Solution,
    path: str | os.PathLike[str] | None = None,
    *,
    ax: Axes | None = None,
    time: float | Sequence[float] | None = None,
    at: Sequence[float] | None = None,
    animate: bool = False,
    resolution: int | None = None,
    width: Width | None = None,
    title: str | None = None,
    part: Part | None = None,
    vectors: Sequence[Any] | None = None,
    style: VectorStyle = "arrows",
    cells: bool = False,
) -> Figure:
    """Draw the solution.

    One coordinate gives a line, two a map, one with time a map of space and time; two with time give a row of
    snapshots, or an animation; three give slices through the middle. Each of several unknowns has a panel with its own
    scale. Where the solution has not converged and may be visibly wrong, a note at the foot of the picture says so.

    Parameters
    ----------
    solution : Solution
    path : str or path, optional
        Where to save the picture: ``.png``, ``.pdf``, ``.svg`` or ``.jpg``; ``.gif``, or ``.mp4`` where ffmpeg is
        installed, for an animation over time.
    ax : Axes, optional
        Draw into these axes instead of a new figure.
    time : float or sequence of float, optional
        The times to show.
    at : sequence of float, optional
        Where slices cut, one number for each coordinate of space; the middle of the domain by default.
    animate : bool
        Show all times one after the other; saved as GIF or MP4, or shown in a notebook.
    resolution : int, optional
        Cells along the longer side of a map, or points of a line; as many as the frequencies need by default.
    width : "single" or "double", optional
        One column of a journal (3.5 inches) or two (7 inches).
    title : str, optional
        Above the picture, as plain text; for a scattered field, it says so by default.
    part : "real", "imag", "abs" or "phase", optional
        The part of complex values to show; the real part by default.
    vectors : pair of unknowns, optional
        In the plane, the components of a vector, drawn by its magnitude with its direction over it.
    style : "arrows" or "stream"
        How the direction of a vector is drawn: by arrows, which grow with the vector, or by streamlines.
    cells : bool
        Draw the cells of a solution with ``approach="patches"`` too, and the degrees of their polynomials.

    Returns
    -------
    Figure
        Free of pyplot and its global state; a notebook shows it.
    """
    moving = _check_movie(path, animate)
    resolution = check_resolution(resolution)
    view = View(ax, time, at, width, user_title(solution.caption or None if title is None else title))
    if width is not None:
        inches(width)
    if moving:
        if cells:
            raise ProblemError("cells are not animated; show some times with time=[...]")
        if vectors is not None:
            raise ProblemError("vectors are not animated; show some times with time=[...]")
        return draw_animation(field_quantity(only_field(solution, "an animation"), part, resolution), view, path)
    if vectors is not None:
        quantities = [vector_quantity(solution, vectors, part, style, resolution)]
    else:
        quantities = [field_quantity(field, part, resolution) for field in each_field(solution)]
    if cells:
        quantities = [show_cells(quantity, solution.basis) for quantity in quantities]
    figure = draw_quantities(quantities, view)
    return save_picture(figure, path)


def check_resolution(resolution: int | None) -> int | None:
    """Refuse what is not a number of cells."""
    if resolution is None:
        return None
    if isinstance(resolution, bool) or not isinstance(resolution, int | np.integer) or resolution < 2:
        raise ProblemError(f"resolution must be a whole number, 2 or more; got {resolution!r}")
    return int(resolution)


def _check_movie(path: str | os.PathLike[str] | None, animate: bool) -> bool:
    """Whether a movie is wanted; an error for a path that cannot be written."""
    require_matplotlib()
    if path is not None:
        check_picture_path(path, MOVING_FORMATS if animate else FORMATS + MOVING_FORMATS)
    return animate or is_moving(path)
