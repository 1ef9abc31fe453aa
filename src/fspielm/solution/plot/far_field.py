"""Polar pictures of far fields."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.solution.export.arrays import IN_PLANE
from fspielm.solution.open_space import check_far_field, directions_around, far_field
from fspielm.solution.plot.panels import View, set_title, user_title
from fspielm.solution.plot.style import (
    BLUE,
    INK,
    LAYOUT,
    VERMILION,
    Width,
    add_note,
    as_math,
    check_picture_path,
    doubt,
    inches,
    new_picture,
    save_picture,
    style,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from fspielm.solution.solution import Solution


# The range of a logarithmic scale, below the largest value.
_DECIBELS = 40.0
_LINES = ((BLUE, "-"), (VERMILION, "--"), (INK, ":"))


def plot_far_field(
    solution: Solution,
    path: str | os.PathLike[str] | None = None,
    *,
    decibels: bool = False,
    width: Width = "single",
    title: str | None = None,
) -> Figure:
    """Draw the size of the far field over the direction, as a polar picture.

    In the plane the angle is from the first axis, as for `far_field`. In space there is a curve for each of the planes
    of two axes, with the angle from the first of them. Of an elastic body there is a curve for displacements along the
    direction and one for those across it.

    Parameters
    ----------
    solution : Solution
        On an open domain, of an equation of undamped waves.
    path : str or path, optional
        Where to save the picture: ``.png``, ``.pdf``, ``.svg`` or ``.jpg``.
    decibels : bool
        Draw 40 decibels below the largest value, to show directions that are weak beside others.
    width : "single" or "double"
        One column of a journal (3.5 inches) or two (7 inches).
    title : str, optional
        Above the picture, as plain text.

    Returns
    -------
    Figure
        Free of pyplot and its global state; a notebook shows it.

    Raises
    ------
    ProblemError
        If the solution has no far field: the domain is bounded or a grating, or the equation has no undamped waves.
    """
    check_picture_path(path)
    check_far_field(solution.problem)
    from matplotlib.ticker import MaxNLocator

    across = inches(width)
    count = max(IN_PLANE, directions_around(solution.problem))
    angles = 2 * np.pi * np.arange(count + 1) / count
    curves = _curves(solution, angles)
    largest = max(float(curve.max()) for curve in curves.values()) or 1.0
    note = doubt(solution)
    with style():
        figure = new_picture(across, across + LAYOUT.words(None, note))
        axes: Any = figure.add_subplot(projection="polar")
        for (label, curve), (colour, line) in zip(curves.items(), _LINES, strict=False):
            if decibels:
                curve = 20 * np.log10(np.maximum(curve / largest, 10 ** (-_DECIBELS / 20)))
            axes.plot(angles, curve, line, color=colour, linewidth=1.0, label=label)
        axes.set_ylim(-_DECIBELS if decibels else 0.0, 0.0 if decibels else 1.05 * largest)
        axes.yaxis.set_major_locator(MaxNLocator(4))
        axes.tick_params(labelsize="small")
        axes.set_rlabel_position(67.5)
        axes.grid(True, linewidth=0.4)
        shown = "|far field|, decibels below the largest" if decibels else "|far field|"
        if len(curves) > 1:
            figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3, title=shown)
        else:
            axes.set_xlabel(shown)
        set_title(figure, axes, View(title=user_title(title)))
        add_note(figure, note)
    return save_picture(figure, path)


def _curves(solution: Solution, angles: FloatArray) -> dict[str, FloatArray]:
    """The sizes of the far field over the angles, by the name of the curve."""
    problem = solution.problem
    if problem.dimension == 2:
        sizes = np.abs(far_field(solution, angles))
        return {"": sizes} if sizes.ndim == 1 else dict(zip(("along", "across"), sizes.T, strict=True))
    names = [as_math(coordinate) for coordinate in problem.coordinates]
    curves = {}
    for first, second in ((0, 1), (0, 2), (1, 2)):
        directions = np.zeros((len(angles), 3))
        directions[:, first], directions[:, second] = np.cos(angles), np.sin(angles)
        curves[f"{names[first]}, {names[second]}"] = np.abs(far_field(solution, directions))
    return curves
