"""Tilings one on top of the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fspielm.geometry.cells.frames import Frames
from fspielm.geometry.cells.tree import Tree, grow_tree


def stack_frames(parts: Sequence[Frames]) -> Frames:
    """The frames of all parts, each of which begins where the one before ends along the last axis."""
    trees = [part.tree for part in parts]
    cuts: list[tuple[int, int, float]] = []

    def graft(first: int, last: int, node: int) -> None:
        """Grow the trees from `first` to `last` out of a leaf."""
        if last - first == 1:
            _copy(trees[first], node, cuts)
            return
        middle = (first + last) // 2
        cuts.append((node, trees[0].dimension - 1, float(trees[middle].lower[0, -1])))
        below = 2 * len(cuts) - 1
        graft(first, middle, below)
        graft(middle, last, below + 1)

    graft(0, len(trees), 0)
    tree = grow_tree(trees[0].lower[0], trees[-1].upper[0], np.array(cuts, dtype=np.float64).reshape(-1, 3))
    begins = np.cumsum([0, *map(len, parts)])
    owner = [np.where(part.owner < 0, -1, part.owner + begin) for part, begin in zip(parts, begins, strict=False)]
    lower, upper, whole = (np.concatenate([getattr(p, name) for p in parts]) for name in ("lower", "upper", "whole"))
    return Frames(lower, upper, whole, tree, np.concatenate(owner), max(part.slack for part in parts))


def _copy(tree: Tree, node: int, cuts: list[tuple[int, int, float]]) -> None:
    """Cut a leaf as a tree is cut; each cut makes two nodes more, numbered one after the other."""
    names = {0: node}
    for own, axis, at in tree.cuts.tolist():
        cuts.append((names[int(own)], int(axis), at))
        below = int(tree.below[int(own)])
        names |= {below: 2 * len(cuts) - 1, below + 1: 2 * len(cuts)}
