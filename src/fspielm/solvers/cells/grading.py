"""Cells made smaller toward points and lines, with neighbours that suit them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.deadline import check_deadline
from fspielm.equations import Problem
from fspielm.geometry.cells import Cover
from fspielm.solvers.cells.corners import CLOSE
from fspielm.solvers.cells.ties import tied_cells

# Neighbours are no more unlike than that, in their longest sides; and beside what is narrow, where solutions change
# over distances like that from it.
_UNLIKE, UNLIKE_BESIDE = 4.5, 2.2
# A cell is cut at a point unless that is as close to its end, relative to its length.
_CUT = 0.02
# Sides that are no shorter than this share of the longest are halved toward a point.
_ALIKE = 0.75


def touching(tiling: Cover, point: FloatArray) -> NDArray[np.intp]:
    """The cells that touch a point."""
    lower, upper = (np.asarray(side) for side in tiling.domain.bounding_box)
    frames = tiling.frames
    slack = min(CLOSE * float(np.max(upper - lower)), 0.25 * float(np.min(frames.lengths)))
    met = np.all((frames.lower - slack <= point) & (point <= frames.upper + slack), axis=1)
    return np.flatnonzero(met)


def toward(tiling: Cover, points: Sequence[FloatArray]) -> Cover:
    """All cells that touch one of some points, halved along every axis, or along those that are too long."""
    met = {int(cell) for point in points for cell in touching(tiling, point)}
    sides = tiling.frames.lengths
    axes = {cell: np.flatnonzero(sides[cell] >= _ALIKE * sides[cell].max()).tolist() for cell in met}
    return tiling.halve(axes) if met else tiling


def cut_at(tiling: Cover, points: Iterable[FloatArray]) -> Cover:
    """Cells cut where they hold one of some points, so that this is a corner of all around it."""
    for point in points:
        for axis in range(tiling.domain.dimension):
            wanted: dict[int, dict[int, float]] = {}
            for index in touching(tiling, point).tolist():
                # the boxes of a cell may be more than what is in the domain, and one cell may have several
                for lower, upper in tiling.cells[index].boxes if len(tiling.cells[index].boxes) == 1 else ():
                    share = (point[axis] - lower[axis]) / (upper[axis] - lower[axis])
                    if _CUT < share < 1 - _CUT:
                        wanted[index] = {axis: float(point[axis])}
            tiling = tiling.halve(wanted) if wanted else tiling
    return tiling


def balanced(tiling: Cover, unlike: float = _UNLIKE, *, problem: Problem | None = None) -> Cover:
    """With large cells halved until none is next to much smaller ones.

    Nor next to itself, across faces that are one place in a problem.
    """
    while True:
        # of their boxes: what the boundary leaves of one may be a sliver, however often its neighbour is halved
        sides = np.array([np.max([high - low for low, high in cell.boxes], axis=0) for cell in tiling.cells])
        tied = {} if problem is None else tied_cells(tiling, problem)
        wanted: dict[int, tuple[int, ...]] = {one: (axis,) for (one, other), axis in tied.items() if one == other}
        pairs = [*(joint.cells for joint in tiling.joints), *(contact.cells for contact in tiling.contacts), *tied]
        for pair in pairs:
            check_deadline()
            for large, small in (pair, pair[::-1]):
                axes = np.flatnonzero(sides[large] > unlike * sides[small].max()).tolist()
                if axes:
                    wanted[large] = tuple(sorted({*wanted.get(large, ()), *axes}))
        if not wanted:
            return tiling
        tiling = tiling.halve(wanted)
