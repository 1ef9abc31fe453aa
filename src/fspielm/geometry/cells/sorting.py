"""Arcs of a boundary sorted into the leaves of a tree, cut wherever they cross from one into another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.geometry.boundary import BoundaryPart
from fspielm.geometry.cells.arcs import Arcs, join_arcs, place
from fspielm.geometry.cells.tree import Tree

# Points closer to a cut than rounding, or than this share of a box, are taken to lie on it.
_SNAP = 2.0**-10
# How much of an arc its crossing may be off.
_LITTLE = 2.0**-40
# Steps in which crossings are found, unless the curve is all but level there: from then on every other one halves.
_NEWTON = 6
_MOST_STEPS = 120
_EPS = float(np.finfo(np.float64).eps)


def sort_arcs(arcs: Arcs, tree: Tree, parts: Sequence[BoundaryPart], slack: float) -> Arcs:
    """Cut arcs so that each is in one leaf, beginning at the nodes where they are; those on a cut go inward.

    Parameters
    ----------
    arcs : Arcs
        Within the boxes of their nodes.
    tree : Tree
    parts : sequence of BoundaryPart
        By number.
    slack : float
        How far rounding may carry a point off.

    Returns
    -------
    Arcs
        A point where an arc crosses a cut has the coordinate of that cut to the last bit.
    """
    done = []
    while len(arcs):
        inner = tree.axis[arcs.node] >= 0
        done.append(arcs.select(~inner))
        arcs = _one_level(arcs.select(inner), tree, parts, slack)
    return join_arcs(done, tree.dimension)


def onto_faces(arcs: Arcs, tree: Tree, slack: float) -> Arcs:
    """Arcs at the root, with points that rounding has carried off its faces put back on them."""
    lower, upper = tree.lower[0], tree.upper[0]

    def snapped(points: FloatArray) -> FloatArray:
        points = np.where(points <= lower + slack, lower, points)
        return np.where(points >= upper - slack, upper, points)

    return replace(arcs, first=snapped(arcs.first), last=snapped(arcs.last))


def _one_level(arcs: Arcs, tree: Tree, parts: Sequence[BoundaryPart], slack: float) -> Arcs:
    """The arcs of inner nodes, each in a child of its node."""
    if not len(arcs):
        return arcs
    rows, axis, at = np.arange(len(arcs)), tree.axis[arcs.node], tree.at[arcs.node]
    side = tree.upper[arcs.node, axis] - tree.lower[arcs.node, axis]
    snap = np.minimum(slack, _SNAP * side)
    first, last = arcs.first.copy(), arcs.last.copy()
    for points in (first, last):
        near = np.abs(points[rows, axis] - at) <= snap
        points[rows[near], axis[near]] = at[near]
    one, other = first[rows, axis], last[rows, axis]
    along = (one == at) & (other == at)
    below = np.where(along, arcs.outward[rows, axis] > 0, np.maximum(one, other) <= at)
    crossing = ~below & ~along & (np.minimum(one, other) < at)
    arcs = replace(arcs, first=first, last=last)
    child = tree.below[arcs.node] + ~below
    passing = replace(arcs, node=child).select(~crossing)
    return join_arcs(
        [passing, *_cut(arcs.select(crossing), axis[crossing], at[crossing], tree, parts, slack)], tree.dimension
    )


def _cut(
    arcs: Arcs, axis: NDArray[np.intp], at: FloatArray, tree: Tree, parts: Sequence[BoundaryPart], slack: float
) -> tuple[Arcs, ...]:
    """Both pieces of arcs that cross the cuts of their nodes."""
    if not len(arcs):
        return ()
    unit = crossings(arcs, axis, at, parts, slack)
    rows = np.arange(len(arcs))
    points = place(parts, arcs.part, unit).points
    points = np.clip(points, np.minimum(arcs.first, arcs.last), np.maximum(arcs.first, arcs.last))
    points[rows, axis] = at
    below = tree.below[arcs.node]
    rising = arcs.first[rows, axis] < at
    return (
        replace(arcs, end=unit, last=points, node=below + ~rising),
        replace(arcs, start=unit, first=points, node=below + rising),
    )


def crossings(
    arcs: Arcs, axis: NDArray[np.intp], at: FloatArray, parts: Sequence[BoundaryPart], slack: float
) -> FloatArray:
    """Unit coordinates where arcs cross lines: Newton's method from the secant on, halving where that is slow."""
    rows = np.arange(len(arcs))
    low, high = arcs.start.copy(), arcs.end.copy()
    off_low, off_high = arcs.first[rows, axis] - at, arcs.last[rows, axis] - at
    rise = np.sign(off_high - off_low) * np.array([part.measure for part in parts])[arcs.part]
    # what rounding leaves of a point's place; in very small boxes a little of the way
    enough = np.minimum(slack / 16, _LITTLE * np.abs(off_high - off_low))
    unit = np.clip(low - off_low * ((high - low) / (off_high - off_low)), low, high)
    open_ones = rows
    for step in range(_MOST_STEPS):
        tried, across = unit[open_ones], axis[open_ones]
        sites = place(parts, arcs.part[open_ones], tried)
        assert sites.normals is not None  # every boundary part has them
        each = np.arange(len(open_ones))
        off = sites.points[each, across] - at[open_ones]
        before = (off > 0) == (off_low[open_ones] > 0)
        low[open_ones], high[open_ones] = (
            np.where(before, tried, low[open_ones]),
            np.where(before, high[open_ones], tried),
        )
        wide = high[open_ones] - low[open_ones] > 2 * _EPS * high[open_ones]
        unmet = wide & (np.abs(off) > enough[open_ones])
        if not unmet.any():
            break
        # a part is walked along at constant speed, and its normal says in what direction
        slope = rise[open_ones] * np.abs(sites.normals[each, 1 - across])
        with np.errstate(divide="ignore", over="ignore"):
            following = tried - off / slope
        inside = (following > low[open_ones]) & (following < high[open_ones])
        middle = 0.5 * (low[open_ones] + high[open_ones])
        following = np.where(inside & (step < _NEWTON or step % 2 == 0), following, middle)
        open_ones = open_ones[unmet]
        unit[open_ones] = following[unmet]
    return unit
