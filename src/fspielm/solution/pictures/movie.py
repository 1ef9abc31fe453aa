"""Writing a moving picture: GIF by Pillow, which comes with matplotlib; MP4 by the program ffmpeg."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fspielm.solution.pictures.style import INK, style

if TYPE_CHECKING:
    from PIL.Image import Image

    from fspielm.solution.pictures.figure import Picture

_FRAMES_PER_SECOND = 15
_DPI = 110
# A GIF has 256 colours: those of the map or line, the others for ink on white.
_COLOURS, _GREYS = 206, 50


@dataclass(frozen=True, eq=False)
class Movie:
    """A picture that changes.

    Attributes
    ----------
    picture : Picture
    frames : callable
        Gives an iterator, each step of which changes the picture to the next state.
    colours : str
        The colour map of what moves, or its one colour.
    """

    picture: Picture
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
