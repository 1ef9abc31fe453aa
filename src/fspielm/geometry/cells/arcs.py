"""Pieces of a boundary that turn back along no axis: each crosses a line along an axis once, if at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.deadline import check_deadline
from fspielm.geometry.boundary import BoundaryPart
from fspielm.geometry.intervals import bisect, halves
from fspielm.geometry.sites import Sites

# First look at a part that is not straight: so many places in all, and no fewer on each of its smooth pieces.
_PLACES, _FEWEST = 1024, 32
# The cosine of the angle that the normal may turn by from one place to the next.
_SMALL_TURN = float(np.cos(0.2))
_MOST_HALVINGS = 40
# A component of a normal below this is rounding: there the boundary is along an axis.
_ALONG = 1e-12
# An extreme found to half the digits is one to all of them, as the curve is level there.
_BISECTIONS = 30
# How far from the ends of a smooth piece its normal is taken to be its own, relative to its length.
_INSET = 1e-9
# Where a straight piece is compared with its chord.
_LOOKS = np.array([0.2137, 0.5, 0.7911])


@final
@dataclass(frozen=True, eq=False)
class Arcs:
    """Pieces ``k = 0, ..., m - 1`` of boundary parts, each monotone along every axis; in one dimension points.

    Attributes
    ----------
    part : (m,) array of int
        Number of the boundary part.
    start, end : (m,) arrays
        Unit coordinates of both ends on it.
    first, last : (m, d) arrays
        Points at both ends.
    outward : (m, d) array
        An outward normal; along every axis it has the same sign all along the arc.
    node : (m,) array of int
        The node of a tree of boxes that the arc is in.
    """

    part: NDArray[np.intp]
    start: FloatArray
    end: FloatArray
    first: FloatArray
    last: FloatArray
    outward: FloatArray
    node: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.part)

    def select(self, index: NDArray[np.intp] | BoolArray) -> Arcs:
        """Those at `index`."""
        return Arcs(**{field.name: getattr(self, field.name)[index] for field in fields(self)})


def join_arcs(arcs: Sequence[Arcs], dimension: int) -> Arcs:
    """All of several sets of arcs as one."""
    none, nowhere = np.empty(0, dtype=np.intp), np.empty((0, dimension))
    every = [Arcs(none, np.empty(0), np.empty(0), nowhere, nowhere, nowhere, none), *arcs]
    return Arcs(**{field.name: np.concatenate([getattr(a, field.name) for a in every]) for field in fields(Arcs)})


def place(parts: Sequence[BoundaryPart], number: NDArray[np.intp], unit: FloatArray) -> Sites:
    """The sites of unit coordinates ``(n,)`` on the parts of these numbers."""
    found: Sites | None = None
    for each in np.unique(number):
        check_deadline()
        here = number == each
        sites = _place(parts[each], unit[here])
        if here.all():
            return sites
        if found is None:
            found = Sites(np.empty((len(unit), sites.dimension)), np.empty((len(unit), sites.dimension)))
        assert found.normals is not None
        found.points[here], found.normals[here] = sites.points, _normals(sites)
    assert found is not None  # nobody asks for no sites
    return found


def arcs_of(part: BoundaryPart, number: int, slack: float) -> Arcs:
    """The arcs that a part is made of, at the root of a tree; points up to `slack` apart are one."""
    if part.parameters == 0:
        sites, nil = part.place(np.empty((1, 0))), np.zeros(1)
        which = np.zeros(1, dtype=np.intp)
        return Arcs(which + number, nil, nil, sites.points, sites.points.copy(), _normals(sites), which)
    breaks = np.array(part.breaks)
    straight = _are_straight(part, breaks, slack)
    turns = _turns(part, breaks[:-1][~straight], breaks[1:][~straight])
    cuts = np.unique(np.concatenate([breaks, turns]))
    start, end = cuts[:-1], cuts[1:]
    first = _place(part, start).points
    # a break of the part may be a gap: what comes before it ends just before it
    last = _place(part, np.append(np.nextafter(end[:-1], 0.0), end[-1])).points
    same = np.all(np.abs(first[1:] - last[:-1]) <= slack, axis=1)
    last[:-1][same] = first[1:][same]
    outward = _normals(_place(part, 0.5 * (start + end)))
    which = np.zeros(len(start), dtype=np.intp)
    return Arcs(which + number, start, end, first, last, outward, which)


def _place(part: BoundaryPart, unit: FloatArray) -> Sites:
    return part.place(unit[:, None] if part.parameters else np.empty((len(unit), 0)))


def _normals(sites: Sites) -> FloatArray:
    assert sites.normals is not None  # every boundary part has them
    return sites.normals


def _are_straight(part: BoundaryPart, breaks: FloatArray, slack: float) -> BoolArray:
    """Which of the pieces between breaks are straight, up to rounding."""
    low, high = breaks[:-1], np.append(np.nextafter(breaks[1:-1], 0.0), breaks[-1])
    first, last = _place(part, low).points, _place(part, high).points
    straight = np.ones(len(low), dtype=np.bool_)
    for share in _LOOKS:
        between = _place(part, low + share * (high - low)).points
        straight &= np.all(np.abs(between - first - share * (last - first)) <= slack, axis=1)
    return straight


def _turns(part: BoundaryPart, low: FloatArray, high: FloatArray) -> FloatArray:
    """Where smooth pieces between `low` and `high` turn back along an axis."""
    if not len(low):
        return np.empty(0)
    count = max(_FEWEST, _PLACES // len(low))
    inset = _INSET * (high - low)
    grid = np.linspace(low + inset, high - inset, count, axis=1)
    start, end = _refined(part, grid[:, :-1].ravel(), grid[:, 1:].ravel())
    signs = [_signs(_normals(_place(part, s))) for s in (start, end)]
    found = []
    for axis in range(signs[0].shape[1]):
        before, after = signs[0][:, axis], signs[1][:, axis]
        # where the boundary is along the axis for a while, either end of that will do
        turning = (before != after) & (before != 0)

        def as_before(s: FloatArray, axis: int = axis, before: FloatArray = before[turning]) -> BoolArray:
            same: BoolArray = _signs(_normals(_place(part, s)))[:, axis] == before
            return same

        found.append(bisect(start[turning], end[turning], as_before, _BISECTIONS)[1])
    return np.concatenate(found)


def _refined(part: BoundaryPart, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Intervals halved until the normal turns little in each of them, unless there is a corner."""
    done: list[tuple[FloatArray, FloatArray]] = []
    for _ in range(_MOST_HALVINGS):
        first, last = (_normals(_place(part, s)) for s in (low, high))
        little = np.sum(first * last, axis=1) >= _SMALL_TURN
        done.append((low[little], high[little]))
        low, high = halves(low[~little], high[~little])
        if not len(low):
            break
    done.append((low, high))
    return np.concatenate([each[0] for each in done]), np.concatenate([each[1] for each in done])


def _signs(normals: FloatArray) -> FloatArray:
    return np.where(np.abs(normals) < _ALONG, 0.0, np.sign(normals))
