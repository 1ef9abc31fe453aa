"""What a picture says of a solution that may be visibly wrong: how much of it can be believed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fspielm.solution.pictures.labels import as_number
from fspielm.solution.pictures.style import VERMILION

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from fspielm.solution.solution import Solution

# Inches that a note at the foot of a figure takes.
NOTE_HEIGHT = 0.2
# From this relative error on, not even the first digit is known.
_NO_DIGIT = 0.5
# Below this one no eye sees the difference.
_VISIBLE = 1e-3
_SIZE = 7.0


def doubt(solution: Solution) -> str | None:
    """The note on pictures of a solution; None if it has converged, is right to the eye, or was not estimated."""
    report = solution.report
    known = report.error_estimate
    if known is None:
        return None
    if not known < _NO_DIGIT:
        return "not converged: no digits are reliable"
    if report.converged or known < _VISIBLE:
        return None
    return f"not converged: estimated relative error {as_number(known)}"


def add_note(figure: Figure, note: str | None) -> None:
    """Set a note at the foot of a figure, beneath everything else."""
    if note is not None:
        figure.supxlabel(note, x=0.99, ha="right", fontsize=_SIZE, color=VERMILION)


def add_note_within(axes: Axes, note: str | None) -> None:
    """Set a note into axes in a figure of the user's, where there may be no room beside them."""
    if note is None:
        return
    paper = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.5}
    axes.text(
        0.98, 0.03, note, transform=axes.transAxes, ha="right", va="bottom", fontsize=_SIZE, color=VERMILION, bbox=paper
    )
