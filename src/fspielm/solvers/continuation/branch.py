"""What following solutions gives: points, folds, bifurcations, branches."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, cast, final

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.solution.plot.style import (
    BLUE,
    INK,
    LAYOUT,
    VERMILION,
    Width,
    check_picture_path,
    inches,
    new_picture,
    save_picture,
    style,
)
from fspielm.solution.solution import Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# ---- Branch.plot(): the bifurcation diagram

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

    with style():
        if ax is None:
            across = inches(width)
            figure: Figure = new_picture(across, LAYOUT.line_aspect * across)
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


# ---- Branches: points, folds and bifurcations

Kind = Literal["pitchfork", "transcritical", "bifurcation"]


@final
@dataclass(frozen=True, eq=False)
class BranchPoint:
    """One of the solutions of a branch.

    Attributes
    ----------
    value : float
        Of the parameter.
    solution : Solution
    unstable : int or None
        How many eigenvalues of the linearisation make it unstable, as a solution at rest of ``u_t = F(u)`` or ``u_t =
        -F(u)``, whichever is well posed; None where neither is.
    eigenvalues : (k,) complex array
        Those closest to zero, with the sign of that: a solution is stable where all real parts are negative.
    size : float
        Root mean square of the solution, with the sign of its mean.
    """

    value: float
    solution: Solution
    unstable: int | None
    eigenvalues: NDArray[np.complex128]
    size: float

    @property
    def stable(self) -> bool | None:
        """Whether it is stable; None where that is not told."""
        return None if self.unstable is None else self.unstable == 0

    @property
    def converged(self) -> bool:
        """Whether its error estimate meets the tolerance."""
        return self.solution.converged


@final
@dataclass(frozen=True, eq=False)
class Fold:
    """Where a branch turns back: on one side there are two solutions, on the other none.

    Attributes
    ----------
    value : float
        Of the parameter.
    estimate : float
        Of the error of that, absolute.
    solution : Solution
    size : float
        Of it, as in `BranchPoint`.
    """

    value: float
    estimate: float
    solution: Solution
    size: float


@final
@dataclass(frozen=True, eq=False)
class Bifurcation:
    """Where branches cross.

    Attributes
    ----------
    value : float
        Of the parameter.
    estimate : float
        Of the error of that, absolute.
    solution : Solution
    size : float
        Of it, as in `BranchPoint`.
    multiplicity : int
        How many eigenvalues are zero there. Where it is not one, branches are not switched.
    kind : {"pitchfork", "transcritical", "bifurcation"}
        The last where it is not known.
    branches : tuple of Branch
        That begin there, one in each direction; empty where they were not followed.
    """

    value: float
    estimate: float
    solution: Solution
    size: float
    multiplicity: int
    kind: Kind = "bifurcation"
    branches: tuple[Branch, ...] = ()


@final
@dataclass(frozen=True, eq=False)
class Branch:
    """Solutions along a parameter, in the order in which they were found.

    Attributes
    ----------
    parameter : Symbol
    points : tuple of BranchPoint
    folds : tuple of Fold
    bifurcations : tuple of Bifurcation
    ending : str
        Why there are no further points.
    """

    parameter: sp.Symbol
    points: tuple[BranchPoint, ...]
    folds: tuple[Fold, ...]
    bifurcations: tuple[Bifurcation, ...]
    ending: str

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, number: int) -> BranchPoint:
        return self.points[number]

    def __iter__(self) -> Iterator[BranchPoint]:
        return iter(self.points)

    @property
    def values(self) -> FloatArray:
        """Of the parameter, one for each point."""
        return np.array([point.value for point in self.points])

    @property
    def solutions(self) -> tuple[Solution, ...]:
        """One for each point."""
        return tuple(point.solution for point in self.points)

    @property
    def stable(self) -> tuple[bool | None, ...]:
        """Whether each point is."""
        return tuple(point.stable for point in self.points)

    @property
    def branches(self) -> tuple[Branch, ...]:
        """All that begin at its bifurcations."""
        return tuple(branch for bifurcation in self.bifurcations for branch in bifurcation.branches)

    plot = plot

    def __repr__(self) -> str:
        values = self.values
        parts = [f"{len(self)} points", f"{self.parameter} from {values.min():g} to {values.max():g}"]
        parts += [f"fold at {fold.value:.12g} +- {fold.estimate:.1e}" for fold in self.folds]
        parts += [f"{one.kind} at {one.value:.12g} +- {one.estimate:.1e}" for one in self.bifurcations]
        return f"Branch({', '.join(parts)})"
