"""One figure in all the formats of a report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fspielm.solution.pictures import save_picture
from fspielm.solution.pictures.style import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".png", ".pdf")


def save_figure(figure: Figure, stem: Path) -> None:
    """Write a figure beside `stem`, once for each format."""
    with style():
        figure.draw_without_rendering()
        # everything has its place now; finding it takes longer than drawing
        figure.set_layout_engine(None)
    for suffix in FORMATS:
        save_picture(figure, stem.with_name(stem.name + suffix))
