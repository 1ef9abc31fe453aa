"""Isosurfaces: surfaces in space on which the solution has one value."""

from __future__ import annotations

import os
from itertools import permutations, product
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from fspielm.arrays import FloatArray, spread_out
from fspielm.errors import ProblemError
from fspielm.solution.evaluation import default_count, meshed
from fspielm.solution.plot.errors import prepare
from fspielm.solution.plot.quantity import Part, Quantity, field_quantity, hold, only_field, through
from fspielm.solution.plot.style import (
    LAYOUT,
    PALE,
    Width,
    add_note,
    as_math,
    as_plain,
    doubt,
    held_label,
    inches,
    new_picture,
    save_picture,
    style,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from fspielm.solution.solution import Solution


_ABOVE_ZERO, _BELOW_ZERO = "#b2182b", "#2166ac"
_LIGHT = np.array([0.4, -0.7, 0.6])
# A cell is cut into six tetrahedra around its diagonal; the corners of each, as steps along the three axes.
_TETRAHEDRA = [
    np.cumsum([np.zeros(3, dtype=int), *(np.eye(3, dtype=int)[axis] for axis in order)], axis=0)
    for order in permutations(range(3))
]


def level_surface(values: FloatArray, axes: tuple[FloatArray, FloatArray, FloatArray], level: float) -> FloatArray:
    """Triangles ``(n, 3, 3)``, by triangle, corner and coordinate, on which values ``(nx, ny, nz)`` are `level`.

    Cells with a corner that is NaN are left out. See A. Doi and A. Koide, An efficient method of triangulating
    equi-valued surfaces by using tetrahedral cells, 1991.
    """
    places = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    cells = tuple(n - 1 for n in values.shape)
    surfaces = []
    for corners in _TETRAHEDRA:
        index = [tuple(slice(s, s + n) for s, n in zip(corner, cells, strict=True)) for corner in corners]
        heights = np.stack([values[i].ravel() for i in index], axis=1) - level
        points = np.stack([places[i].reshape(-1, 3) for i in index], axis=1)
        known = np.isfinite(heights).all(axis=1)
        surfaces += _triangles_at_zero(heights[known], points[known])
    return np.concatenate(surfaces)


def _triangles_at_zero(heights: FloatArray, points: FloatArray) -> list[FloatArray]:
    """The triangles in which tetrahedra, ``(n, 4)`` heights at ``(n, 4, 3)`` points, meet height zero."""
    above = heights > 0
    surfaces = []
    for pattern in product((False, True), repeat=4):
        high, low = ([corner for corner in range(4) if pattern[corner] is side] for side in (True, False))
        chosen = np.all(above == pattern, axis=1)
        if not len(high) or not len(low) or not chosen.any():
            continue
        h, p = heights[chosen], points[chosen]
        crossings = [[_crossing(h, p, i, j) for j in low] for i in high]
        if len(high) == len(low):
            (a, b), (c, d) = crossings
            surfaces += [np.stack([a, b, d], axis=1), np.stack([a, d, c], axis=1)]
        else:
            surfaces.append(np.stack([point for row in crossings for point in row], axis=1))
    return surfaces


def _crossing(heights: FloatArray, points: FloatArray, i: int, j: int) -> FloatArray:
    """Where the edge from corner i to corner j has height zero."""
    share = heights[:, i] / (heights[:, i] - heights[:, j])
    return np.asarray(points[:, i] + share[:, None] * (points[:, j] - points[:, i]))


def plot_isosurface(
    solution: Solution,
    path: str | os.PathLike[str] | None = None,
    *,
    level: float | None = None,
    time: float | None = None,
    resolution: int | None = None,
    width: Width | None = None,
    part: Part | None = None,
) -> Figure:
    """Draw the surfaces on which a solution in three coordinates of space has one value.

    Parameters
    ----------
    solution : Solution
    path : str or path, optional
        Where to save the picture.
    level : float, optional
        The value; by default half of the largest one and, where the sign changes, also its negative.
    time : float, optional
        In a problem with time; the middle of it by default.
    resolution : int, optional
        Cells along the longest side.
    width, part
        As for `Solution.plot`; a phase has no isosurfaces, as it jumps.

    Returns
    -------
    Figure
        Free of pyplot and its global state; a notebook shows it.
    """
    prepare(path, resolution, width)
    if part == "phase":
        raise ProblemError('an isosurface cannot show a phase, which jumps; part must be "real", "imag" or "abs"')
    quantity = field_quantity(only_field(solution, "an isosurface"), part)
    problem = solution.problem
    if problem.dimension - (problem.domain.time is not None) != 3:
        raise ProblemError(f"an isosurface needs three coordinates of space; the unknown is {problem.unknown}")
    at = hold(problem, None, time)
    axes, values = _sample(quantity, at, resolution or default_count(3))
    levels = _levels(values, level)
    with style():
        figure = _draw(solution, axes, [(v, level_surface(values, axes, v)) for v in levels], inches(width or "single"))
        held = held_label(problem, at, (0, 1, 2))
        name = as_math(quantity.label)
        both = "\N{PLUS-MINUS SIGN}" if len(levels) == 2 else ""
        figure.suptitle(f"{name} = {both}{as_plain(levels[0])}" + (f" at {held}" if held else ""), fontsize="medium")
        add_note(figure, doubt(solution))
    return save_picture(figure, path)


def _sample(
    quantity: Quantity, at: FloatArray, cells: int
) -> tuple[tuple[FloatArray, FloatArray, FloatArray], FloatArray]:
    """Grid lines, and the values where they meet: NaN outside of the domain."""
    domain = quantity.problem.domain
    lower, upper = (bound[:3] for bound in domain.bounding_box)
    counts = np.maximum(np.round(cells * (upper - lower) / np.max(upper - lower)).astype(int), 4) + 1
    across, along, up = (np.linspace(a, b, n) for a, b, n in zip(lower, upper, counts, strict=True))
    points = through(at, (0, 1, 2), meshed((across, along, up)))
    inside = domain.contains(points)
    values = spread_out(quantity.values(points[inside]), inside)
    return (across, along, up), values.reshape(len(across), len(along), len(up))


def _levels(values: FloatArray, level: float | None) -> list[float]:
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if level is None:
        half = max(-low, high) / 2
        return [v for v in (half, -half) if low < v < high] or [(low + high) / 2]
    if not isinstance(level, Real) or isinstance(level, bool) or not low < float(level) < high:
        raise ProblemError(f"level must be a number between the values {low:.3g} and {high:.3g}; got {level!r}")
    return [float(level)]


def _draw(
    solution: Solution,
    axes: tuple[FloatArray, FloatArray, FloatArray],
    surfaces: list[tuple[float, FloatArray]],
    width: float,
) -> Figure:
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    figure = new_picture(width, LAYOUT.box_aspect * width)
    panel: Any = figure.add_subplot(projection="3d")
    triangles = np.concatenate([surface for _, surface in surfaces])
    colours = np.concatenate([_shades(surface, _ABOVE_ZERO if v > 0 else _BELOW_ZERO) for v, surface in surfaces])
    panel.add_collection3d(Poly3DCollection(triangles, facecolors=colours, edgecolors=colours, linewidths=0.2))
    for symbol, line, name in zip(solution.problem.coordinates, axes, "xyz", strict=False):
        axis = getattr(panel, f"{name}axis")
        getattr(panel, f"set_{name}lim")(line[0], line[-1])
        getattr(panel, f"set_{name}label")(as_math(symbol), labelpad=-4)
        axis.set_tick_params(pad=-1)
        axis.set_pane_color((1.0, 1.0, 1.0, 0.0))
        axis.line.set_color(PALE)
        # where two axes meet, one number is enough
        axis.get_major_locator().set_params(nbins=3, prune=None if name == "x" else "lower")
    panel.set_box_aspect([line[-1] - line[0] for line in axes], zoom=LAYOUT.box_zoom)
    panel.view_init(elev=24, azim=-58)
    return figure


def _shades(triangles: FloatArray, colour: str) -> FloatArray:
    """The colour of every triangle: the darker, the more it turns away from the light; both sides alike."""
    from matplotlib.colors import to_rgb

    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    lengths = np.maximum(np.linalg.norm(normals, axis=1), np.finfo(np.float64).tiny)
    light = np.abs(normals @ _LIGHT) / (lengths * np.linalg.norm(_LIGHT))
    base = np.array(to_rgb(colour))
    # from shadow to the colour to nearly white
    dark, bright = np.minimum(LAYOUT.shadow + light, 1.0)[:, None], np.maximum(light - 0.6, 0.0)[:, None]
    return np.asarray(dark * base + bright * (1 - base))
