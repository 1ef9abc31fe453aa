"""Solution.plot_convergence(): the rounds of the automatic solver."""

from __future__ import annotations

import os
from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.solution.pictures.labels import as_number, as_text
from fspielm.solution.pictures.save import check_picture_path, save_picture
from fspielm.solution.pictures.style import BLUE, INK, VERMILION, WIDTHS, style
from fspielm.solution.rounds import Round

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from fspielm.solution.solution import Solution

_PANEL_HEIGHT = 2.3
_LINE_HEIGHT = 0.15
_CHARACTERS = 100


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
    from fspielm.solution.pictures.figure import new_picture

    reasons = "\n".join(
        fill(f"{done.number}  {done.why}", _CHARACTERS, subsequent_indent="    ") for done in report.rounds
    )
    with style():
        height = _PANEL_HEIGHT + _LINE_HEIGHT * (reasons.count("\n") + 1)
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
    """Estimates as numbered points; those without a digit stand at 1, hollow."""
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
    axes.grid(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _limits(estimates: FloatArray, tol: float) -> tuple[float, float]:
    """Whole decades around the estimates and the tolerance, with room for the numbers."""
    known = np.append(estimates, tol)
    return 10.0 ** (np.floor(np.log10(known.min())) - 1), 10.0 ** (np.ceil(np.log10(known.max())) + 1)
