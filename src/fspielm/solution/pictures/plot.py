"""plot_solution(): the solution and its pointwise error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import FloatArray
from fspielm.geometry.pictures import require_matplotlib
from fspielm.solution.pictures.labels import as_math, as_text
from fspielm.solution.pictures.section import Section, held_at, is_spatial, make_section, outline
from fspielm.solution.solution import Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Exact = Callable[[FloatArray], ArrayLike]

_SIZE = (10.0, 4.1)
_INK = "#222222"
_SOLUTION_LINE = "#0b5394"
_ERROR_LINE = "#a64d00"
_LINE_POINTS = 3000
_MOST_DECADES = 6


def plot_solution(
    solution: Solution,
    exact_values: Exact | None = None,
    *,
    at: Sequence[float] | None = None,
    title: str | None = None,
    resolution: int = 200,
) -> Figure:
    """Draw a solution and, where the exact one is known, its pointwise error.

    One coordinate gives a line, two a map; of three and more, the first two are drawn and the others held.

    Parameters
    ----------
    solution : Solution
    exact_values : callable, optional
        The exact solution at points ``(n, d)``, shape ``(n,)``.
    at : sequence of float, optional
        Where the third and later coordinates (such as time) are held; the middle of the domain by default.
    title : str, optional
        Above the panels, as plain text.
    resolution : int
        Cells along the longer side of a map.

    Returns
    -------
    Figure
        Free of pyplot and its global state; `save_picture` writes it.
    """
    require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(figsize=_SIZE, layout=ConstrainedLayoutEngine(wspace=0.08), facecolor="white")
    FigureCanvasAgg(figure)
    if title is not None:
        figure.suptitle(as_text(title), fontsize="large", color=_INK)
    if solution.problem.dimension == 1:
        _draw_lines(figure, solution, exact_values)
    else:
        fixed = held_at(solution.problem.domain, at)
        _draw_maps(figure, solution, exact_values, fixed, resolution)
    return figure


def _draw_lines(figure: Figure, solution: Solution, exact_values: Exact | None) -> None:
    """The solution, and its error below."""
    lower, upper = solution.problem.domain.bounding_box
    points = np.linspace(lower[0], upper[0], _LINE_POINTS)[:, None]
    values = solution(points)
    panels = figure.subplots(1 if exact_values is None else 2, 1, sharex=True, squeeze=False)[:, 0]
    panels[0].plot(points[:, 0], values, color=_SOLUTION_LINE, linewidth=0.9)
    panels[0].set_title(_solution_title(solution, np.empty(0)))
    panels[0].set_ylabel(as_math(solution.problem.unknown))
    if exact_values is not None:
        error = _absolute_error(values, points, exact_values)
        low, high = error_range(error)
        panels[1].semilogy(points[:, 0], np.maximum(error, low), color=_ERROR_LINE, linewidth=0.7)
        panels[1].set_ylim(low, high)
        panels[1].set_title("Pointwise error")
        panels[1].set_ylabel("absolute error")
    for panel in panels:
        panel.margins(x=0)
        panel.grid(color="#dddddd", linewidth=0.6)
        panel.set_axisbelow(True)
    panels[-1].set_xlabel(as_math(solution.problem.coordinates[0]))


def _draw_maps(
    figure: Figure, solution: Solution, exact_values: Exact | None, fixed: FloatArray, resolution: int
) -> None:
    """The solution, and its error beside it."""
    from matplotlib.colors import LogNorm, Normalize

    section = make_section(solution.problem.domain, fixed, resolution)
    values = solution(section.points)
    panels = figure.subplots(1, 1 if exact_values is None else 2, squeeze=False)[0]
    low, high, colours = _value_range(values)
    norm = Normalize(low, high)
    _draw_map(panels[0], solution, section, section.image(values, smooth=True), norm, colours)
    panels[0].set_title(_solution_title(solution, fixed))
    if exact_values is not None:
        error = _absolute_error(values, section.points, exact_values)
        low, high = error_range(error)
        image = section.image(np.maximum(error, low), smooth=False)
        _draw_map(panels[1], solution, section, image, LogNorm(low, high), "viridis", "absolute error")
        panels[1].set_title("Pointwise error")


def _draw_map(
    axes: Axes,
    solution: Solution,
    section: Section,
    image: Any,
    norm: Any,
    colours: str,
    label: str = "",
) -> None:
    domain = solution.problem.domain
    shown = axes.imshow(image, origin="lower", extent=section.extent, norm=norm, cmap=colours, aspect="auto")
    if is_spatial(domain):
        axes.set_aspect("equal")
    else:
        axes.set_box_aspect(1)
    for curve in outline(domain):
        axes.plot(*curve.T, color=_INK, linewidth=0.9, clip_on=False)
    if not section.mask.all():
        _give_room(axes, section.extent)
    axes.locator_params(nbins=5)
    x, y = solution.problem.coordinates[:2]
    axes.set_xlabel(as_math(x))
    axes.set_ylabel(as_math(y))
    # an inset: as tall as the map itself, whatever its aspect
    axes.figure.colorbar(shown, cax=axes.inset_axes((1.04, 0.0, 0.045, 1.0)), label=label)


def _give_room(axes: Axes, extent: tuple[float, float, float, float]) -> None:
    """Keep an outline off the frame, and the frame behind it."""
    left, right, bottom, top = extent
    margin = 0.03 * max(right - left, top - bottom)
    axes.set_xlim(left - margin, right + margin)
    axes.set_ylim(bottom - margin, top + margin)
    for spine in axes.spines.values():
        spine.set_color("#bbbbbb")


def _solution_title(solution: Solution, fixed: FloatArray) -> str:
    held = ", ".join(
        f"{as_math(symbol)} = {value:g}" for symbol, value in zip(solution.problem.coordinates[2:], fixed, strict=False)
    )
    return f"Solution {as_math(solution.problem.unknown)}" + (f" at {held}" if held else "")


def _absolute_error(values: FloatArray, points: FloatArray, exact_values: Exact) -> FloatArray:
    error: FloatArray = np.abs(values - np.asarray(exact_values(points), dtype=np.float64))
    return error


def _value_range(values: FloatArray) -> tuple[float, float, str]:
    """Limits and colours: around zero where the sign changes, so that white is zero."""
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    if low < 0 < high:
        largest = max(-low, high)
        return -largest, largest, "RdBu_r"
    return low, high, "cividis"


def error_range(error: FloatArray) -> tuple[float, float]:
    """Limits of a logarithmic scale in whole decades, without the chance zeros of an error.

    The error of an oscillating function crosses zero all the time: the smallest percent is left out.
    """
    positive = error[np.isfinite(error) & (error > 0)]
    if positive.size == 0:
        return 1e-17, 1e-15
    top = int(np.ceil(np.log10(positive.max())))
    bottom = int(np.floor(np.log10(np.quantile(positive, 0.01))))
    return 10.0 ** max(min(bottom, top - 2), top - _MOST_DECADES), 10.0**top
