"""Solution.plot_error(): where and by how much the solution differs from one that is known."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray, NumberArray, safe_norm
from fspielm.equations import Problem
from fspielm.errors import ProblemError
from fspielm.expressions import Value, make_field
from fspielm.solution.pictures.frequencies import highest_frequencies
from fspielm.solution.pictures.labels import as_math, as_number, unknown_symbol
from fspielm.solution.pictures.plot import check_resolution
from fspielm.solution.pictures.quantity import Quantity
from fspielm.solution.pictures.save import check_picture_path, save_picture
from fspielm.solution.pictures.several import draw_quantities
from fspielm.solution.pictures.style import Width, inches
from fspielm.solution.pictures.view import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from fspielm.solution.solution import Solution

# Places where norms over the whole domain are taken, time included: always the same.
_PROBES = 4000


def plot_error(
    solution: Solution,
    exact: Value | Solution | Mapping[Any, Value],
    path: str | os.PathLike[str] | None = None,
    *,
    ax: Axes | None = None,
    time: float | Sequence[float] | None = None,
    at: Sequence[float] | None = None,
    resolution: int | None = None,
    width: Width | None = None,
) -> Figure:
    """Draw the absolute error at every point in decades, with the relative L2 error over the domain above it.

    Of several unknowns those that are known, each in a panel of its own.

    Parameters
    ----------
    solution : Solution
    exact : number, Expr, callable ``(n, d) -> (n,)``, or Solution
        What to compare with: the exact solution, or another solution with the same coordinates. Of several unknowns a
        mapping from some of them to such, or another solution of the same ones.
    path, ax, time, at, resolution, width
        As for `Solution.plot`; an error is not animated.

    Returns
    -------
    Figure
        Free of pyplot and its global state; a notebook shows it.
    """
    prepare(path, resolution, width)
    pairs = [(field, read_exact(field.problem, known)) for field, known in known_fields(solution, exact)]
    quantities = [error_quantity(field, expected, resolution) for field, expected in pairs]
    sizes = [
        f"{as_math(unknown_symbol(field.problem))}: " * (len(pairs) > 1) + _size(field.problem, expected, quantity)
        for (field, expected), quantity in zip(pairs, quantities, strict=True)
    ]
    figure = draw_quantities(quantities, View(ax, time, at, width, ", ".join(sizes)))
    return save_picture(figure, path)


def error_quantity(
    solution: Solution, expected: Callable[[FloatArray], NumberArray], resolution: int | None
) -> Quantity:
    """The absolute error of a solution of one unknown, to be drawn in decades."""

    def error(points: FloatArray) -> FloatArray:
        return np.asarray(np.abs(solution(points, outside="extend") - expected(points)))

    label = f"|{as_math(unknown_symbol(solution.problem))} \N{MINUS SIGN} exact|"
    frequencies = highest_frequencies(solution)
    return Quantity(solution.problem, error, label, frequencies, logarithmic=True, resolution=resolution)


def _size(problem: Problem, expected: Callable[[FloatArray], NumberArray], error: Quantity) -> str:
    """How large the error is over the whole domain, in words."""
    probes = probe(problem)
    reference, absolute = safe_norm(expected(probes)), safe_norm(error.values(probes))
    if reference > 0:
        return rf"relative $L^2$ error {as_number(absolute / reference)}"
    # nothing to be relative to
    return rf"root mean square error {as_number(absolute / np.sqrt(len(probes)))}"


def known_fields(solution: Solution, exact: Any) -> list[tuple[Solution, Any]]:
    """The solution of each unknown that is known exactly, with what it should be."""
    from fspielm.solution.solution import Solution  # solutions import pictures

    unknowns = [unknown.symbol for unknown in solution.problem.stated.unknowns]
    if isinstance(exact, Mapping) and exact:
        return [(solution[unknown], known) for unknown, known in exact.items()]
    if len(unknowns) == 1:
        return [(solution[unknowns[0]], exact)]
    if isinstance(exact, Solution):
        return [(solution[unknown], exact[unknown.func.__name__]) for unknown in unknowns]
    names = ", ".join(f"{unknown.func.__name__}: ..." for unknown in unknowns)
    raise ProblemError(f"exact must be a dictionary such as {{{names}}}, or a solution of the same; got {exact!r}")


def read_exact(problem: Problem, exact: Any) -> Callable[[FloatArray], NumberArray]:
    """What the user compares with, as a function of points with finite values."""
    from fspielm.solution.solution import Solution  # solutions import pictures

    if isinstance(exact, Solution):
        if exact.problem.dimension != problem.dimension:
            raise ProblemError(
                f"exact is a solution in {exact.problem.dimension} coordinates, but this one has {problem.dimension}"
            )
        return partial(exact, outside="extend")
    if isinstance(exact, sp.Expr) and exact.has(problem.unknown.func):
        raise ProblemError(f"exact must be known, but contains the unknown {problem.unknown}; got {exact}")
    field = make_field(exact, problem.coordinates, what="exact")
    return lambda points: field.checked(points, "exact")


def prepare(path: str | os.PathLike[str] | None, resolution: int | None, width: Width | None) -> None:
    """Refuse, before anything is computed, what could not be drawn or written."""
    check_picture_path(path)
    check_resolution(resolution)
    if width is not None:
        inches(width)


def probe(problem: Problem) -> FloatArray:
    """Points spread evenly over the whole domain; the same every time."""
    return problem.domain.sample(_PROBES, np.random.default_rng(0), "low-discrepancy")
