"""Cells made smaller toward points and lines, with neighbours that suit them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.geometry.cells import Cover
from fspielm.scrutiny import Narrow
from fspielm.solvers.cells.corners import CLOSE

# Neighbours are no more unlike than that, in their longest sides.
_UNLIKE = 4.5
# A cell is cut at a point unless that is as close to its end, relative to its length.
_CUT = 0.02
# A cell may be so many times as long as the shortest distance over which anything in it changes; it is halved so often.
_WIDTHS = 2.5
_MOST_HALVINGS = 24
# Cells to begin with, at most, where something is narrow.
_MOST_FIRST = 400
# What takes less than this share of a cell's length is somewhere in it; and points that it takes to tell.
_SOMEWHERE = 0.4
_FEW = 4


def touching(tiling: Cover, point: FloatArray) -> NDArray[np.intp]:
    """The cells that touch a point."""
    lower, upper = (np.asarray(side) for side in tiling.domain.bounding_box)
    frames = tiling.frames
    slack = min(CLOSE * float(np.max(upper - lower)), 0.25 * float(np.min(frames.lengths)))
    met = np.all((frames.lower - slack <= point) & (point <= frames.upper + slack), axis=1)
    return np.flatnonzero(met)


def toward(tiling: Cover, points: Sequence[FloatArray]) -> Cover:
    """All cells that touch one of some points, halved along every axis."""
    met = {int(cell) for point in points for cell in touching(tiling, point)}
    return tiling.halve({index: range(tiling.domain.dimension) for index in met}) if met else tiling


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


def balanced(tiling: Cover) -> Cover:
    """With large cells halved until none is next to much smaller ones."""
    while True:
        sides = np.array([cell.upper - cell.lower for cell in tiling.cells])
        wanted: dict[int, tuple[int, ...]] = {}
        pairs = [*(joint.cells for joint in tiling.joints), *(contact.cells for contact in tiling.contacts)]
        for pair in pairs:
            for large, small in (pair, pair[::-1]):
                axes = np.flatnonzero(sides[large] > _UNLIKE * sides[small].max()).tolist()
                if axes:
                    wanted[large] = tuple(sorted({*wanted.get(large, ()), *axes}))
        if not wanted:
            return tiling
        tiling = tiling.halve(wanted)


def toward_narrow(tiling: Cover, places: Sequence[Narrow]) -> Cover:
    """Halved where data or coefficients change within a short distance: across a layer, toward a spot.

    What is narrow along the boundary comes last: cells there may be short enough by then.
    """
    narrow = [place for place in places if place.kind == "narrow" and place.width > 0]
    size = float(np.max(np.subtract(*reversed(tiling.domain.bounding_box))))
    inner = [place for place in narrow if np.all(np.ptp(place.sites.points, axis=0) > CLOSE * size)]
    others = [place for place in narrow if not any(place is one for one in inner)]
    for some in (inner, others):
        for _ in range(_MOST_HALVINGS):
            wanted = _too_long(tiling, some)
            if not wanted or len(tiling.cells) + 3 * len(wanted) > _MOST_FIRST:
                break
            tiling = tiling.halve(wanted)
    return tiling


def in_narrow(tiling: Cover, places: Sequence[Narrow]) -> Iterator[tuple[int, float, FloatArray]]:
    """The cells in which something is narrow, how narrow, and points of it in the cell."""
    for place in places:
        if place.kind != "narrow" or place.width <= 0:
            continue
        points = place.sites.points
        points = points[np.all((points >= place.lower) & (points <= place.upper), axis=1)]
        cells = tiling.locate(points)
        for cell in np.unique(cells).tolist():
            yield cell, place.width, points[cells == cell]


def _too_long(tiling: Cover, places: Sequence[Narrow]) -> dict[int, tuple[int, ...]]:
    wanted: dict[int, tuple[int, ...]] = {}
    lengths = tiling.frames.lengths
    for cell, width, points in in_narrow(tiling, places):
        spread = np.ptp(points, axis=0)
        varies = spread > CLOSE * lengths[cell] if len(points) >= _FEW else np.ones(len(spread), dtype=np.bool_)
        long: BoolArray = lengths[cell] > _WIDTHS * width
        if not np.any(long & varies):
            continue
        somewhere: BoolArray = long & (spread < _SOMEWHERE * lengths[cell])
        axes = somewhere if len(points) >= _FEW and somewhere.any() else long
        wanted[cell] = tuple(sorted({*wanted.get(cell, ()), *np.flatnonzero(axes).tolist()}))
    return wanted
