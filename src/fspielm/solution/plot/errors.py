"""Pictures of errors, residuals and convergence."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray, NumberArray, safe_norm, safe_rms
from fspielm.errors import ProblemError
from fspielm.expr.functions import Value, make_field
from fspielm.geometry.pictures import require_matplotlib
from fspielm.problem.problem import Problem
from fspielm.solution.fields import residual_of
from fspielm.solution.plot.panels import View, draw_lines, draw_map_panels, draw_quantities, height_of
from fspielm.solution.plot.plot import check_resolution
from fspielm.solution.plot.quantity import Quantity, field_quantity, highest_frequencies, hold, probe
from fspielm.solution.plot.style import (
    BLUE,
    INK,
    LAYOUT,
    VERMILION,
    WIDTHS,
    Width,
    add_note,
    as_math,
    as_number,
    as_text,
    check_picture_path,
    doubt,
    inches,
    leave_open,
    new_picture,
    save_picture,
    style,
    unknown_symbol,
)
from fspielm.solution.report import Round

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from fspielm.solution.solution import Solution


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

    With several unknowns, each known one has a panel of its own.

    Parameters
    ----------
    solution : Solution
    exact : number, Expr, callable ``(n, d) -> (n,)``, or Solution
        What to compare with: the exact solution, or another solution with the same coordinates. For several unknowns,
        a mapping from some of them to such, or another solution of the same unknowns.
    path, ax, time, at, resolution, width
        As for `Solution.plot`; an error is not animated.

    Returns
    -------
    Figure
        Free of pyplot and its global state; a notebook shows it.
    """
    prepare(path, resolution, width)
    pairs = [(field, read_exact(field, known)) for field, known in known_fields(solution, exact)]
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
    """The absolute error of a solution of one unknown, to draw in decades."""

    def error(points: FloatArray) -> FloatArray:
        return np.asarray(np.abs(solution(points, outside="extend") - expected(points)))

    label = f"|{as_math(unknown_symbol(solution.problem))} \N{MINUS SIGN} exact|"
    frequencies = highest_frequencies(solution)
    return Quantity(solution.problem, error, label, frequencies, logarithmic=True, resolution=resolution)


def _size(problem: Problem, expected: Callable[[FloatArray], NumberArray], error: Quantity) -> str:
    """The size of the error over the whole domain, in words."""
    probes = probe(problem)
    reference, absolute = safe_norm(expected(probes)), safe_norm(error.values(probes))
    if reference > 0:
        return rf"relative $L^2$ error {as_number(absolute / reference)}"
    return rf"root mean square error {as_number(absolute / np.sqrt(len(probes)))}"


def known_fields(solution: Solution, exact: Any) -> list[tuple[Solution, Any]]:
    """The solution of each unknown that is known exactly, with its exact value."""
    unknowns = [unknown.symbol for unknown in solution.problem.stated.unknowns]
    if isinstance(exact, Mapping) and exact:
        return [(solution[unknown], known) for unknown, known in exact.items()]
    if len(unknowns) == 1:
        return [(solution[unknowns[0]], exact)]
    if isinstance(exact, type(solution)):
        return [(solution[unknown], exact[unknown.func.__name__]) for unknown in unknowns]
    names = ", ".join(f"{unknown.func.__name__}: ..." for unknown in unknowns)
    raise ProblemError(f"exact must be a dictionary such as {{{names}}}, or a solution of the same; got {exact!r}")


def read_exact(solution: Solution, exact: Any) -> Callable[[FloatArray], NumberArray]:
    """What a solution of one unknown is compared with, as a function of points with finite values."""
    problem = solution.problem
    if isinstance(exact, type(solution)):
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
    """Refuse, before any computation, what cannot be drawn or written."""
    check_picture_path(path)
    check_resolution(resolution)
    if width is not None:
        inches(width)


def plot_residual(
    solution: Solution,
    path: str | os.PathLike[str] | None = None,
    *,
    ax: Axes | None = None,
    time: float | Sequence[float] | None = None,
    at: Sequence[float] | None = None,
    resolution: int | None = None,
    width: Width | None = None,
) -> Figure:
    """Draw the residual of each equation, its left side minus its right side, in decades.

    Parameters
    ----------
    solution : Solution
    path, ax, time, at, resolution, width
        As for `Solution.plot`; a residual is not animated.

    Returns
    -------
    Figure
        Free of pyplot and its global state; a notebook shows it.
    """
    prepare(path, resolution, width)
    problem = solution.problem.stated
    equations = [relation for relation in problem.pattern if relation.region.kind == "domain"]
    if not equations:
        _ = problem.operator  # which says why a field by itself has none
    quantities = [
        Quantity(
            problem,
            partial(_residual_size, solution, number),
            "|residual|" if len(equations) == 1 else f"|residual| of {equation.name}",
            highest_frequencies(solution),
            logarithmic=True,
            resolution=resolution,
            note=doubt(solution),
        )
        for number, equation in enumerate(equations)
    ]
    sizes = [as_number(safe_rms(quantity.values(probe(problem)))) for quantity in quantities]
    if len(sizes) == 1:
        title = f"equation: root mean square residual {sizes[0]}"
    else:
        title = "root mean square residuals: " + ", ".join(sizes)
    figure = draw_quantities(quantities, View(ax, time, at, width, title))
    return save_picture(figure, path)


def _residual_size(solution: Solution, number: int, points: FloatArray) -> FloatArray:
    return np.asarray(np.abs(residual_of(solution, number, points)))


def plot_comparison(
    solution: Solution,
    exact: Value | Mapping[Any, Value],
    *,
    time: float | None = None,
    title: str | None = None,
    resolution: int | None = None,
) -> Figure:
    """Draw a solution and its error in decades: lines above each other, or maps beside each other.

    With several unknowns, each known one has a row.

    Parameters
    ----------
    solution : Solution
        With three or more coordinates, the first two are drawn and the others held in the middle.
    exact : number, Expr or callable ``(n, d) -> (n,)``; for several unknowns, a mapping from them to such
    time : float, optional
        The time to show.
    title : str, optional
        Above the panels, as plain text.
    resolution : int, optional
        Cells along the longer side of a map.
    """
    require_matplotlib()

    problem = solution.problem
    pairs = [_value_and_error(field, known, resolution) for field, known in known_fields(solution, exact)]
    at = hold(problem, None, time)
    width = WIDTHS["double"]
    with style():
        if problem.dimension == 1:
            figure = new_picture(width, LAYOUT.pair_height * len(pairs))
            axes = figure.subplots(2 * len(pairs), 1, sharex=True)
            for panel, quantity in zip(axes, chain(*pairs), strict=True):
                draw_lines(panel, quantity, [at])
                panel.set_xlabel(panel.get_xlabel() if panel is axes[-1] else "")
        else:
            value = pairs[0][0]
            height = height_of(value, [value.section((0, 1), at)] * 2, width - LAYOUT.right, 2)
            figure = new_picture(width, height * len(pairs))
            for row, pair in zip(figure.subplots(len(pairs), 2, squeeze=False), pairs, strict=True):
                for panel, quantity in zip(row, pair, strict=True):
                    draw_map_panels([panel], quantity, [(quantity.section((0, 1), at), at)], 1)
        if title is not None:
            figure.suptitle(as_text(title), fontsize="medium")
        add_note(figure, doubt(solution))
    return figure


def _value_and_error(solution: Solution, exact: Value, resolution: int | None) -> tuple[Quantity, Quantity]:
    error = error_quantity(solution, read_exact(solution, exact), resolution)
    return replace(field_quantity(solution, None, resolution), note=None), replace(error, label="absolute error")


def plot_convergence(solution: Solution, path: str | os.PathLike[str] | None = None) -> Figure:
    """Draw the error estimate of every round against neurons and seconds, and say what each round changed.

    Parameters
    ----------
    solution : Solution
        Solved automatically: a solve by hand has no rounds.
    path : str or path, optional
        Where to save the picture.

    Returns
    -------
    Figure
        Free of pyplot and its global state; a notebook shows it.
    """
    check_picture_path(path)
    report = solution.report
    if not report.rounds:
        raise ProblemError("this solution has no rounds to draw: a mode has none, nor have functions chosen by hand")

    letters = int(LAYOUT.letters * WIDTHS["double"])
    reasons = "\n".join(fill(f"{done.number}  {done.why}", letters, subsequent_indent="    ") for done in report.rounds)
    with style():
        height = LAYOUT.rounds_height + LAYOUT.text * (reasons.count("\n") + 1)
        figure = new_picture(WIDTHS["double"], height)
        left, right = figure.subplots(1, 2, sharey=True)
        seconds = np.cumsum([done.seconds for done in report.rounds])
        _draw_rounds(left, report.rounds, np.array([float(done.neurons) for done in report.rounds]), report.tol)
        _draw_rounds(right, report.rounds, seconds, report.tol)
        left.set_xlabel(report.noun)
        right.set_xlabel("seconds, all rounds so far")
        left.set_ylabel("estimated relative error")
        figure.legend(*left.get_legend_handles_labels(), loc="outside upper right", ncols=2)
        figure.supxlabel(as_text(reasons), x=0.02, ha="left", fontsize="medium", linespacing=1.3)
    return save_picture(figure, path)


def _draw_rounds(axes: Axes, rounds: Sequence[Round], across: FloatArray, tol: float) -> None:
    """Draw estimates as numbered points; those without a reliable digit are hollow, at 1."""
    estimates = np.array([done.error_estimate for done in rounds])
    known = np.isfinite(estimates) & (estimates > 0)
    low, high = _limits(np.append(estimates[known], np.where(known.all(), tol, 1.0)), tol)
    shown = np.where(known, estimates, np.where(np.isfinite(estimates), low, 1.0))
    axes.set_yscale("log")
    axes.plot(across, shown, color=BLUE)
    for where, face, label in ((known, BLUE, None), (~known, "white", "no digits are reliable")):
        if where.any():
            axes.plot(
                across[where], shown[where], "o", color=BLUE, markerfacecolor=face, label=label, ms=4.5, clip_on=False
            )
    axes.axhline(tol, color=VERMILION, linestyle="--", label=f"tolerance {as_number(tol)}")
    for done, x, y in zip(rounds, across, shown, strict=True):
        axes.annotate(
            str(done.number), (x, y), (5, 4), textcoords="offset points", color=INK, fontweight="bold", clip_on=False
        )
    axes.set_ylim(low, high)
    axes.set_xlim(0, 1.12 * float(across.max()))
    axes.locator_params(axis="x", nbins=5)
    leave_open(axes)


def _limits(estimates: FloatArray, tol: float) -> tuple[float, float]:
    """Whole decades around the estimates and the tolerance, with room for labels."""
    known = np.append(estimates, tol)
    return 10.0 ** (np.floor(np.log10(known.min())) - 1), 10.0 ** (np.ceil(np.log10(known.max())) + 1)
