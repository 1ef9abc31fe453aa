"""Moving pictures: a quantity over time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fspielm.errors import ProblemError
from fspielm.solution.pictures.labels import held_label
from fspielm.solution.pictures.line import draw_lines, set_line_axes, unjoined
from fspielm.solution.pictures.map import add_colour_bar, draw_map, height_of
from fspielm.solution.pictures.note import NOTE_HEIGHT, add_note
from fspielm.solution.pictures.quantity import Quantity, hold
from fspielm.solution.pictures.style import BLUE, INK, inches, style
from fspielm.solution.pictures.view import View
from fspielm.writing import staged_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from PIL.Image import Image

# Pictures for each period of the highest frequency in time, and bounds of their number.
_PER_PERIOD = 10.0
_LEAST_FRAMES, _MOST_FRAMES = 30, 90
_LINE_ASPECT = 0.6
_TITLE_HEIGHT = 0.2
_FRAMES_PER_SECOND = 15
_DPI = 110
# A GIF has 256 colours: those of the map or line, the others for ink on white.
_COLOURS, _GREYS = 206, 50


@dataclass(frozen=True, eq=False)
class _Movie:
    """A picture that changes.

    Attributes
    ----------
    picture : Figure
    frames : callable
        Gives an iterator, each step of which changes the picture to the next state.
    colours : str
        The colour map of what moves, or its one colour.
    """

    picture: Any
    frames: Callable[[], Iterator[None]]
    colours: str

    def gif(self) -> bytes:
        """The movie as GIF, repeated for ever."""
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
        flat = [_flatten(image, palette) for image in images]
        buffer = BytesIO()
        pause = round(1000 / _FRAMES_PER_SECOND)
        flat[0].save(buffer, "GIF", save_all=True, append_images=flat[1:], duration=pause, loop=0)
        return buffer.getvalue()

    def write_mp4(self, path: Path) -> None:
        """Write the movie with ffmpeg."""
        from matplotlib.animation import FFMpegWriter

        # an even number of pixels, as the codec wants
        width, height = (2 * round(side * _DPI / 2) / _DPI for side in self.picture.get_size_inches())
        self.picture.set_size_inches(width, height)
        writer = FFMpegWriter(fps=_FRAMES_PER_SECOND)
        with style(), writer.saving(self.picture, str(path), _DPI):
            for _ in self.frames():
                self._draw()
                writer.grab_frame()

    def _draw(self) -> None:
        """Draw one state; the layout of the first is kept, so that nothing jumps."""
        self.picture.set_dpi(_DPI)
        self.picture.canvas.draw()
        self.picture.set_layout_engine("none")

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
        shades = np.concatenate([moving(np.linspace(0, 1, _COLOURS)), ink(np.linspace(0, 1, _GREYS))])
        return np.round(255 * shades[:, :3]).astype(np.uint8).tobytes()


def _flatten(image: Image, palette: Image) -> Image:
    """The nearest colours of the palette; Pillow finds them nearly, and white has to be white."""
    from PIL import Image

    flat = image.quantize(palette=palette, dither=Image.Dither.NONE)
    white = Image.fromarray(255 * np.all(np.asarray(image) == 255, axis=-1).astype(np.uint8))
    flat.paste(_COLOURS, mask=white)  # the first of the greys
    return flat


def animate(quantity: Quantity, view: View, path: str | os.PathLike[str] | None) -> Any:
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
    if path is None:
        movie.picture.moving = movie.gif
        return movie.picture
    with staged_file(path) as draft:
        if draft.suffix.lower() == ".gif":
            draft.write_bytes(movie.gif())
        else:
            movie.write_mp4(draft)
    return movie.picture


def _times(quantity: Quantity) -> list[float]:
    time = quantity.problem.domain.time
    assert time is not None  # checked on entry
    periods = quantity.frequencies[-1] * time.duration / (2 * np.pi)
    count = int(np.clip(_PER_PERIOD * periods, _LEAST_FRAMES, _MOST_FRAMES))
    return [float(t) for t in np.linspace(time.start, time.end, count)]


def _moving_line(quantity: Quantity, view: View) -> _Movie:
    problem = quantity.problem
    places = [hold(problem, view.at, time) for time in _times(quantity)]
    values = [quantity.values(quantity.line(place)) for place in places]
    picture, axes = _new(view, quantity, _LINE_ASPECT * inches(view.width or "single"))
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
    picture, axes = _new(view, quantity, height_of(quantity, [section], inches(view.width or "single"), 1))
    shown = draw_map(axes, quantity, section, values[-1], scale)
    add_colour_bar(axes, shown, quantity.label, scale.ticks)
    axes.set_title(held_label(problem, places[-1], (0, 1)))

    def frames() -> Iterator[None]:
        for place, frame in zip(places, values, strict=True):
            shown.set_data(section.image(frame))
            axes.set_title(held_label(problem, place, (0, 1)))
            yield

    return _Movie(picture, frames, scale.colours)


def _new(view: View, quantity: Quantity, height: float) -> tuple[Any, Axes]:
    from fspielm.solution.pictures.figure import new_picture

    titled, noted = view.title is not None, quantity.note is not None
    picture: Any = new_picture(inches(view.width or "single"), height + _TITLE_HEIGHT * titled + NOTE_HEIGHT * noted)
    if titled:
        picture.suptitle(str(view.title), fontsize="medium")
    add_note(picture, quantity.note)
    return picture, picture.subplots()
