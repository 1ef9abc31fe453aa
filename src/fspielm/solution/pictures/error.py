"""Solution.plot_error(): where and by how much the solution differs from one that is known."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray, safe_norm
from fspielm.equations import Problem
from fspielm.errors import ProblemError
from fspielm.expressions import Value, make_field
from fspielm.geometry.pictures import require_matplotlib
from fspielm.solution.pictures.frequencies import highest_frequencies
from fspielm.solution.pictures.labels import as_math, as_number, unknown_symbol
from fspielm.solution.pictures.plot import check_resolution
from fspielm.solution.pictures.quantity import Quantity
from fspielm.solution.pictures.save import check_picture_path, save_picture
from fspielm.solution.pictures.style import Width, inches
from fspielm.solution.pictures.view import View, draw_quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from fspielm.solution.solution import Solution

# Places where norms over the whole domain are taken, time included: always the same.
_PROBES = 4000


def plot_error(
    solution: Solution,
    exact: Value | Solution,
    path: str | os.PathLike[str] | None = None,
    *,
    ax: Axes | None = None,
    time: float | Sequence[float] | None = None,
    at: Sequence[float] | None = None,
    resolution: int | None = None,
    width: Width | None = None,
) -> Figure:
    """Draw the absolute error at every point in decades, with the relative L2 error over the domain above it.

    Parameters
    ----------
    solution : Solution
    exact : number, Expr, callable ``(n, d) -> (n,)``, or Solution
        What to compare with: the exact solution, or another solution with the same coordinates.
    path, ax, time, at, resolution, width
        As for `Solution.plot`; an error is not animated.

    Returns
    -------
    Figure
        Free of pyplot and its global state; a notebook shows it.
    """
    prepare(path, resolution, width)
    problem = solution.problem
    expected = read_exact(problem, exact)

    def error(points: FloatArray) -> FloatArray:
        return np.asarray(np.abs(solution(points) - expected(points)))

    probes = probe(problem)
    reference = safe_norm(expected(probes))
    name = as_math(unknown_symbol(problem))
    if reference > 0:
        title = rf"relative $L^2$ error {as_number(safe_norm(error(probes)) / reference)}"
    else:  # nothing to be relative to
        title = rf"root mean square error {as_number(safe_norm(error(probes)) / np.sqrt(len(probes)))}"
    frequencies = highest_frequencies(solution)
    quantity = Quantity(
        problem, error, f"|{name} \N{MINUS SIGN} exact|", frequencies, logarithmic=True, resolution=resolution
    )
    figure = draw_quantity(quantity, View(ax, time, at, width, title))
    if path is not None:
        save_picture(figure, path)
    return figure


def read_exact(problem: Problem, exact: Any) -> Callable[[FloatArray], FloatArray]:
    """What the user compares with, as a function of points with finite values."""
    from fspielm.solution.solution import Solution  # solutions import pictures

    if isinstance(exact, Solution):
        if exact.problem.dimension != problem.dimension:
            raise ProblemError(
                f"exact is a solution in {exact.problem.dimension} coordinates, but this one has {problem.dimension}"
            )
        return exact
    if isinstance(exact, sp.Expr) and exact.has(problem.unknown.func):
        raise ProblemError(f"exact must be known, but contains the unknown {problem.unknown}; got {exact}")
    field = make_field(exact, problem.coordinates, what="exact")
    return lambda points: field.checked(points, "exact")


def prepare(path: str | os.PathLike[str] | None, resolution: int | None, width: Width | None) -> None:
    """Refuse, before anything is computed, what could not be drawn or written."""
    require_matplotlib()
    if path is not None:
        check_picture_path(path)
    check_resolution(resolution)
    if width is not None:
        inches(width)


def probe(problem: Problem) -> FloatArray:
    """Points spread evenly over the whole domain; the same every time."""
    return problem.domain.sample(_PROBES, np.random.default_rng(0), "low-discrepancy")
