"""Where the leaves of a tree of boxes meet."""

from __future__ import annotations

from typing import NamedTuple

from fspielm.deadline import check_deadline
from fspielm.geometry.cells.tree import Tree


class Seam(NamedTuple):
    """A straight piece of edge between two leaves, given by their places in ``tree.leaves``."""

    below: int
    above: int
    axis: int
    at: float
    low: float
    high: float


# By axis and end (0 for the lower one): the leaves at that face, in ascending order along the other axis.
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
    """The seams between two faces that lie on each other."""
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
