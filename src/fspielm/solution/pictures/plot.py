"""Solution.plot(): what the solution looks like."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fspielm.errors import ProblemError
from fspielm.geometry.pictures import require_matplotlib
from fspielm.solution.pictures.animation import animate as draw_animation
from fspielm.solution.pictures.cells import show_cells
from fspielm.solution.pictures.fields import each_field, field_quantity, only_field
from fspielm.solution.pictures.parts import Part
from fspielm.solution.pictures.save import FORMATS, MOVING_FORMATS, check_picture_path, is_moving, save_picture
from fspielm.solution.pictures.several import draw_quantities
from fspielm.solution.pictures.style import Width, inches
from fspielm.solution.pictures.vectors import VectorStyle, vector_quantity
from fspielm.solution.pictures.view import View, user_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from fspielm.solution.solution import Solution


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
    """Draw the solution as fits its coordinates.

    One coordinate gives a line, two a map, one with time a map of space and time; two with time give a row of
    snapshots, or an animation; three give slices through the middle. Several unknowns have a panel each, with a scale
    of its own. Where the solution has not converged and may be visibly wrong, the foot of its pictures says so.

    Parameters
    ----------
    solution : Solution
    path : str or path, optional
        Where to save the picture: ``.png``, ``.pdf``, ``.svg`` or ``.jpg``; ``.gif``, or ``.mp4`` where ffmpeg is
        installed, for an animation over time.
    ax : Axes, optional
        Draw into these axes in the place of a new figure.
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
        Above the picture, as plain text; of a scattered field, that it is one by default.
    part : "real", "imag", "abs" or "phase", optional
        What is shown of complex values; the real part by default.
    vectors : pair of unknowns, optional
        In the plane, the components of a vector: its magnitude, and over that its direction.
    style : "arrows" or "stream"
        How the direction of a vector is shown: by arrows, longer where the vector is, or by streamlines.
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
    """Refuse what is no number of cells."""
    if resolution is None:
        return None
    if isinstance(resolution, bool) or not isinstance(resolution, int | np.integer) or resolution < 2:
        raise ProblemError(f"resolution must be a whole number, 2 or more; got {resolution!r}")
    return int(resolution)


def _check_movie(path: str | os.PathLike[str] | None, animate: bool) -> bool:
    """Whether a movie is wanted; refuses a path that cannot be written."""
    require_matplotlib()
    if path is not None:
        check_picture_path(path, MOVING_FORMATS if animate else FORMATS + MOVING_FORMATS)
    return animate or is_moving(path)
