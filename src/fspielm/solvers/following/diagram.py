"""Branch.plot(): the bifurcation diagram."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, cast

from fspielm.solution import Solution
from fspielm.solution.pictures.save import check_picture_path, save_picture
from fspielm.solution.pictures.style import BLUE, INK, VERMILION, Width, inches, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from fspielm.solvers.following.branch import Branch, BranchPoint

# Height of a picture over its width.
_ASPECT = 0.7
_SIZE = "root mean square of the solution, signed"


def plot(
    branch: Branch,
    path: str | os.PathLike[str] | None = None,
    *,
    measure: Callable[[Solution], float] | None = None,
    label: str | None = None,
    ax: Axes | None = None,
    width: Width = "single",
) -> Figure:
    """Draw a measure of the solutions against the parameter, with all branches that begin on this one.

    Lines are full where solutions are stable, broken where they are not, and dotted where that is not told; folds are
    full dots, bifurcations hollow ones.

    Parameters
    ----------
    branch : Branch
    path : str or path, optional
        Where to save the picture.
    measure : callable, optional
        A number for each `Solution`; by default its root mean square, with a sign that tells u from -u.
    label : str, optional
        What the measure is called.
    ax : Axes, optional
        Draw into these axes in the place of a new figure.
    width : {"single", "double"}
        Of one or two columns of a journal.

    Returns
    -------
    Figure
        Free of pyplot and its global state; a notebook shows it.
    """
    check_picture_path(path)
    from fspielm.solution.pictures.figure import new_picture

    with style():
        if ax is None:
            across = inches(width)
            figure: Figure = new_picture(across, _ASPECT * across)
            axes = figure.subplots()
        else:
            axes, figure = ax, cast("Figure", ax.get_figure(root=True))
        for one in _all(branch):
            _draw(axes, one, measure)
        axes.set_xlabel(str(branch.parameter))
        axes.set_ylabel(label or ("" if measure else _SIZE))
        axes.grid(True)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        handles, labels = axes.get_legend_handles_labels()
        once = dict(zip(labels, handles, strict=True))
        axes.legend(once.values(), once.keys())
    return save_picture(figure, path)


def _all(branch: Branch) -> Iterator[Branch]:
    yield branch
    for other in branch.branches:
        yield from _all(other)


def _draw(axes: Axes, branch: Branch, measure: Callable[[Solution], float] | None) -> None:
    def height(solution: Solution, size: float) -> float:
        return size if measure is None else float(measure(solution))

    points = [(point, (point.value, height(point.solution, point.size))) for point in branch.points]
    folds = [(fold.value, height(fold.solution, fold.size)) for fold in branch.folds]
    crossings = [(one.value, height(one.solution, one.size)) for one in branch.bifurcations]
    for (first, start), (last, end) in pairwise(points):
        # the line turns where solutions become unstable
        between = [place for place in (*folds, *crossings) if _lies_between(place, start, end)]
        middle = between[:1] if first.stable != last.stable else []
        places = [start, *middle, end]
        for point, (one, other) in zip((first, last), pairwise(places), strict=False):
            dashes, name = _line_of(point)
            axes.plot(*zip(one, other, strict=True), dashes, color=BLUE, label=name)
    for places, face, name in ((folds, VERMILION, "fold"), (crossings, "white", "bifurcation")):
        if places:
            across, up = zip(*places, strict=True)
            axes.plot(across, up, "o", color=VERMILION, markerfacecolor=face, ms=4.5, label=name, zorder=3)
    if len(points) == 1:
        axes.plot(*points[0][1], "o", color=INK, ms=3)


def _lies_between(place: tuple[float, float], start: tuple[float, float], end: tuple[float, float]) -> bool:
    """Whether a place is on the way, by both of its coordinates or, at a fold, by the measure alone."""
    low, high = sorted((start[1], end[1]))
    left, right = sorted((start[0], end[0]))
    return low <= place[1] <= high and (low < high or left <= place[0] <= right)


def _line_of(point: BranchPoint) -> tuple[str, str]:
    if point.stable is None:
        return ":", "stability not told"
    return ("-", "stable") if point.stable else ("--", "unstable")
