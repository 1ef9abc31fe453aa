"""An order in which leaves are merged, so that few columns are open at any time."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from typing import TypeAlias

import numpy as np

from fspielm.deadline import check_deadline

Merges: TypeAlias = "int | tuple[Merges, ...]"
Indices: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int_]]

# Columns that more leaves have are no reason to merge two of these first.
_MANY = 8


def merge_order(shared: Sequence[Indices]) -> Merges:
    """Of leaves with these columns that they share: those first whose merger leaves the fewest rows and columns.

    A tree of boxes would be as good on an even grid; where cells are graded toward a point on the border of its boxes,
    it leaves open what the boxes on both sides share, level for level.
    """
    clusters = _Clusters(shared)
    candidates = [(clusters.cost(a, b), a, b) for a, b in clusters.pairs()]
    heapify(candidates)
    while candidates:
        check_deadline()
        _, a, b = heappop(candidates)
        if a in clusters.trees and b in clusters.trees:
            merged = clusters.merge(a, b)
            for other in clusters.neighbours(merged):
                heappush(candidates, (clusters.cost(other, merged), other, merged))
    trees = list(clusters.trees.values())
    return trees[0] if len(trees) == 1 else tuple(trees)


class _Clusters:
    """Leaves that are merged, by numbers; columns with the same leaves are one group."""

    def __init__(self, shared: Sequence[Indices]) -> None:
        self.trees: dict[int, Merges] = dict(enumerate(range(len(shared))))
        holders: dict[int, list[int]] = {}
        for leaf, columns in enumerate(shared):
            for column in columns.tolist():
                holders.setdefault(column, []).append(leaf)
        groups: dict[tuple[int, ...], int] = {}
        for own in holders.values():
            groups[tuple(own)] = groups.get(tuple(own), 0) + 1
        self._sizes = list(groups.values())
        self._holders = [set(leaves) for leaves in groups]
        self._tie = [len(leaves) <= _MANY for leaves in groups]
        self._groups: dict[int, set[int]] = {leaf: set() for leaf in self.trees}
        for group, leaves in enumerate(groups):
            for leaf in leaves:
                self._groups[leaf].add(group)

    def pairs(self) -> list[tuple[int, int]]:
        """Those that have columns in common."""
        found = {
            (a, b)
            for leaves, tie in zip(self._holders, self._tie, strict=True)
            if tie
            for a in leaves
            for b in leaves
            if a < b
        }
        return sorted(found)

    def neighbours(self, cluster: int) -> list[int]:
        """Those that have columns in common with one."""
        found: set[int] = set()
        for group in self._groups[cluster]:
            if self._tie[group]:
                found |= self._holders[group]
        return sorted(found - {cluster})

    def cost(self, a: int, b: int) -> tuple[int, int]:
        """Columns that are open while two are merged and after that; fewer leaves first where it is the same."""
        own, other = self._groups[a], self._groups[b]
        closed = [group for group in own & other if self._holders[group] == {a, b}]
        union = sum(self._sizes[group] for group in own | other)
        return 2 * union - sum(self._sizes[group] for group in closed), max(a, b)

    def merge(self, a: int, b: int) -> int:
        """Two as one; its number."""
        number = len(self._groups)
        self.trees[number] = self.trees.pop(a), self.trees.pop(b)
        groups = self._groups[a] | self._groups[b]
        for group in list(groups):
            self._holders[group] -= {a, b}
            if self._holders[group]:
                self._holders[group].add(number)
            else:
                groups.discard(group)
        self._groups[number] = groups
        return number
