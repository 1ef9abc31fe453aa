"""Trees of boxes, the seams between their leaves, and the nearest box of a point."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.errors import UnsuitableError
from fspielm.resources import check_deadline

_AT_ONCE = 2**20


def nearest_frame(points: FloatArray, lower: FloatArray, upper: FloatArray) -> NDArray[np.intp]:
    """The index of the box from `lower` to `upper` ``(k, d)`` that is nearest to each point ``(n, d)``.

    Boxes that are farther from all points than another box is from any are skipped, which is fast for close points.
    """
    found = np.empty(len(points), dtype=np.intp)
    if not len(points):
        return found
    first, last = points.min(axis=0), points.max(axis=0)
    farthest = _squares(np.maximum(np.maximum(lower - first, last - upper), 0.0)).min()
    near = np.flatnonzero(_squares(np.maximum(np.maximum(lower - last, first - upper), 0.0)) <= farthest)
    step = max(1, _AT_ONCE // len(near))
    for start in range(0, len(points), step):
        some = points[start : start + step, None, :]
        off = np.maximum(np.maximum(lower[near] - some, some - upper[near]), 0.0)
        found[start : start + step] = near[np.argmin(_squares(off), axis=1)]
    return found


def _squares(off: FloatArray) -> FloatArray:
    """Sums of squares over the short last axis."""
    return sum((off[..., axis] ** 2 for axis in range(1, off.shape[-1])), start=off[..., 0] ** 2)


# ---- A tree of boxes: each is a leaf, or cut in two across an axis


@final
@dataclass(frozen=True, eq=False)
class Tree:
    """Boxes ``k = 0, ..., n - 1``, the root first; halving adds nodes and keeps the numbers of the others.

    Attributes
    ----------
    lower, upper : (n, d) arrays
        Corners of the boxes.
    axis : (n,) array of int
        The axis across which a box is cut; -1 for a leaf.
    at : (n,) array
        Where it is cut.
    below : (n,) array of int
        The child below the cut; the one above it is the next node.
    parent : (n,) array of int
        The parent; the root's is itself.
    """

    lower: FloatArray
    upper: FloatArray
    axis: NDArray[np.intp]
    at: FloatArray
    below: NDArray[np.intp]
    parent: NDArray[np.intp]

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return int(self.lower.shape[1])

    @cached_property
    def leaves(self) -> NDArray[np.intp]:
        """The leaves, ordered so that those of every subtree are consecutive."""
        found, stack = [], [0]
        axis, below = self.axis.tolist(), self.below.tolist()
        while stack:
            node = stack.pop()
            if axis[node] < 0:
                found.append(node)
            else:
                stack += [below[node] + 1, below[node]]
        return np.array(found, dtype=np.intp)

    @cached_property
    def rank(self) -> NDArray[np.intp]:
        """The index of each node in `leaves`; -1 for inner nodes."""
        rank = np.full(len(self.axis), -1, dtype=np.intp)
        rank[self.leaves] = np.arange(len(self.leaves))
        return rank

    @property
    def cuts(self) -> FloatArray:
        """Node, axis and position of each cut in order, ``(c, 3)``, from which `grow_tree` restores the tree."""
        inner = np.flatnonzero(self.axis >= 0)
        inner = inner[np.argsort(self.below[inner])]
        return np.column_stack([inner, self.axis[inner], self.at[inner]]).astype(np.float64)

    def find(self, points: FloatArray) -> NDArray[np.intp]:
        """The index in `leaves` of the leaf that contains each point ``(m, d)`` of the root's box."""
        node = np.zeros(len(points), dtype=np.intp)
        walking = np.arange(len(points))
        while True:
            walking = walking[self.axis[node[walking]] >= 0]
            if not walking.size:
                return self.rank[node]
            here = node[walking]
            node[walking] = self.below[here] + (points[walking, self.axis[here]] >= self.at[here])

    def halved(self, nodes: Mapping[int, Collection[int]]) -> Tree:
        """The tree with some of its leaves halved along one axis or several, the longest side first.

        Where axes come with places, leaves are cut there.
        """
        grown = _Growing(self)
        for node, axes in nodes.items():
            parts = [node]
            for axis in sorted(axes, key=lambda axis: self.lower[node, axis] - self.upper[node, axis]):
                middle = 0.5 * (self.lower[node, axis] + self.upper[node, axis])
                at = float(axes[axis] if isinstance(axes, Mapping) else middle)
                parts = [child for part in parts for child in grown.cut(part, axis, at)]
        return grown.tree()


def grow_tree(lower: FloatArray, upper: FloatArray, cuts: FloatArray) -> Tree:
    """The tree from its root's box and its `cuts`; a ValueError if they are no tree's."""
    grown = _Growing(_root(lower, upper))
    for node, axis, at in cuts.tolist():
        if not (node in range(len(grown.axis)) and axis in range(len(lower)) and grown.axis[int(node)] < 0):
            raise ValueError(f"a cut of node {node} across axis {axis}")
        grown.cut(int(node), int(axis), at)
    return grown.tree()


def grid_tree(lower: FloatArray, upper: FloatArray, shape: Sequence[int]) -> Tree:
    """A box cut into equal boxes along each axis, always across the longer side first."""
    lines = [low + (high - low) * (np.arange(n + 1) / n) for low, high, n in zip(lower, upper, shape, strict=True)]
    grown = _Growing(_root(lower, upper))
    open_ones: list[tuple[int, list[tuple[int, int]]]] = [(0, [(0, n) for n in shape])]
    while open_ones:
        node, ranges = open_ones.pop()
        lengths = [
            lines[axis][b] - lines[axis][a] if b - a > 1 else 0.0  # one box is cut no further
            for axis, (a, b) in enumerate(ranges)
        ]
        axis = int(np.argmax(lengths))
        a, b = ranges[axis]
        if b - a > 1:
            middle = (a + b) // 2
            children = grown.cut(node, axis, float(lines[axis][middle]))
            for child, part in zip(children, ((a, middle), (middle, b)), strict=True):
                open_ones.append((child, [*ranges[:axis], part, *ranges[axis + 1 :]]))
    return grown.tree()


def _root(lower: FloatArray, upper: FloatArray) -> Tree:
    nowhere = np.zeros(1, dtype=np.intp)
    return Tree(lower[None], upper[None], nowhere - 1, np.zeros(1), nowhere, nowhere)


class _Growing:
    """The nodes of a tree that is being cut further, as lists."""

    def __init__(self, tree: Tree) -> None:
        self.lower, self.upper = list(tree.lower), list(tree.upper)
        self.axis, self.at = tree.axis.tolist(), tree.at.tolist()
        self.below, self.parent = tree.below.tolist(), tree.parent.tolist()

    def cut(self, node: int, axis: int, at: float) -> tuple[int, int]:
        """Cut a leaf in two and return its children."""
        check_deadline()
        if not self.lower[node][axis] < at < self.upper[node][axis]:
            raise UnsuitableError(
                f"a cell from {self.lower[node][axis]} to {self.upper[node][axis]} along axis {axis} cannot be "
                "halved: there is no number between; shift the domain so that what needs such cells is at the origin"
            )
        child = len(self.axis)
        self.axis[node], self.at[node], self.below[node] = axis, at, child
        inner_lower, inner_upper = self.lower[node].copy(), self.upper[node].copy()
        inner_lower[axis] = inner_upper[axis] = at
        self.lower += [self.lower[node], inner_lower]
        self.upper += [inner_upper, self.upper[node]]
        self.axis += [-1, -1]
        self.at += [0.0, 0.0]
        self.below += [0, 0]
        self.parent += [node, node]
        return child, child + 1

    def tree(self) -> Tree:
        """The finished tree."""
        axis, below, parent = (np.array(each, dtype=np.intp) for each in (self.axis, self.below, self.parent))
        return Tree(np.array(self.lower), np.array(self.upper), axis, np.array(self.at), below, parent)


# ---- Where the leaves of a tree of boxes meet


class Seam(NamedTuple):
    """A straight piece of edge between two leaves, which are given by their indices in ``tree.leaves``."""

    below: int
    above: int
    axis: int
    at: float
    low: float
    high: float


# The leaves at each face in ascending order along the other axis, by axis and end (0 for the lower one).
Faces = tuple[tuple[list[int], list[int]], ...]


def seams_of(tree: Tree) -> tuple[list[Seam], Faces]:
    """All seams between leaves, and the leaves at each face of the root's box."""
    axes, below, rank = tree.axis.tolist(), tree.below.tolist(), tree.rank.tolist()
    at = tree.at.tolist()
    lower, upper = tree.lower[tree.leaves].tolist(), tree.upper[tree.leaves].tolist()
    seams: list[Seam] = []
    faces: dict[int, Faces] = {}
    # children have greater numbers than their parents: from the last node back, both are known already
    for node in range(len(axes) - 1, -1, -1):
        check_deadline()
        if axes[node] < 0:
            faces[node] = tuple(([rank[node]], [rank[node]]) for _ in range(tree.dimension))
            continue
        first, second = faces.pop(below[node]), faces.pop(below[node] + 1)
        cut = axes[node]
        across = 1 - cut if tree.dimension == 2 else None
        seams += _between(first[cut][1], second[cut][0], cut, at[node], across, lower, upper)
        faces[node] = tuple(
            (first[axis][0], second[axis][1])
            if axis == cut
            else (first[axis][0] + second[axis][0], first[axis][1] + second[axis][1])
            for axis in range(tree.dimension)
        )
    return seams, faces[0]


def _between(
    first: list[int],
    second: list[int],
    axis: int,
    at: float,
    across: int | None,
    lower: list[list[float]],
    upper: list[list[float]],
) -> list[Seam]:
    """The seams between two faces that coincide."""
    if across is None:
        return [Seam(first[0], second[0], axis, at, 0.0, 0.0)]
    found = []
    i = j = 0
    while i < len(first) and j < len(second):
        a, b = first[i], second[j]
        low, high = max(lower[a][across], lower[b][across]), min(upper[a][across], upper[b][across])
        if low < high:
            found.append(Seam(a, b, axis, at, low, high))
        ends = upper[a][across], upper[b][across]
        i, j = i + (ends[0] <= ends[1]), j + (ends[1] <= ends[0])
    return found
