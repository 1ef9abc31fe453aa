"""Matrices whose rows belong to leaves of a tree, which share few columns with one another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, final

import numpy as np

from fspielm.arrays import NumberArray
from fspielm.deadline import check_deadline

Merges: TypeAlias = "int | tuple[Merges, ...]"
Indices: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int_]]


@final
@dataclass(frozen=True, eq=False)
class Leaf:
    """Rows on a few of all columns.

    Attributes
    ----------
    own : (k,) integer array
        Columns in which no other leaf has entries.
    shared : (s,) integer array
        Columns in which others have some too.
    height : int
        How many rows there are.
    dtype : dtype
        Of the entries.
    fill : callable
        Makes them when they are needed: their entries in its own columns, in those that it shares, and r columns of
        values, shape ``(height, k + s + r)``.
    """

    own: Indices
    shared: Indices
    height: int
    dtype: np.dtype[Any]
    fill: Callable[[], NumberArray]


@final
@dataclass(frozen=True, eq=False)
class Nested:
    """A matrix whose rows belong to leaves, with values beside it.

    Attributes
    ----------
    leaves : tuple of Leaf
    merges : nested tuple of int
        The leaves by their indices, as they are merged: ``((0, 1), (2, 3))``. Those that share columns should be
        close to one another.
    sharing : (M,) integer array
        How many leaves have entries in each column.
    values : int
        Columns of values beside real entries: one, or two for real and imaginary parts. Complex ones have one.
    threads : int
        That leaves are factored on.
    keep : bool
        Whether to keep what it takes to solve for other values.
    leave_out : bool
        Whether columns that depend exactly on others get the coefficient zero; they are refused otherwise.
    """

    leaves: tuple[Leaf, ...]
    merges: Merges
    sharing: Indices
    values: int
    threads: int
    keep: bool = False
    leave_out: bool = False

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """Of all entries."""
        return np.result_type(*{leaf.dtype for leaf in self.leaves})

    def values_beside(self, dtype: np.dtype[Any]) -> int:
        """Columns of values beside entries of a type."""
        return 1 if dtype.kind == "c" else self.values

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix."""
        return sum(leaf.height for leaf in self.leaves), len(self.sharing)

    @cached_property
    def cost(self) -> Cost:
        """What factoring it takes, found by going through the tree without any numbers."""
        fronts: dict[int, tuple[Indices, Indices, int]] = {}
        types: list[np.dtype[Any]] = []
        operations: list[float] = []
        nodes = flatten(self.merges)
        # level by level: bytes that are kept, those left to be merged, and those of the latter that mergers free
        kept, made, freed = (np.zeros(nodes[-1].height + 1) for _ in range(3))
        left, largest = np.zeros(len(nodes)), 0.0
        for place, node in enumerate(nodes):
            check_deadline()
            if node.leaf >= 0:
                leaf = self.leaves[node.leaf]
                columns, met, rows = leaf.shared, np.ones(len(leaf.shared), dtype=np.int_), leaf.height
                own, width, dtype = len(leaf.own), len(leaf.own) + len(leaf.shared), leaf.dtype
            else:
                parts = [fronts.pop(child) for child in node.children]
                columns, met = all_met([(columns, met) for columns, met, _ in parts])
                done = met == self.sharing[columns]
                own, width, rows = int(done.sum()), len(columns), sum(part[2] for part in parts)
                columns, met = columns[~done], met[~done]
                dtype = np.result_type(*(types[child] for child in node.children))
            types.append(dtype)
            below, values = max(min(rows, width) - own, 0), self.values_beside(dtype)
            fronts[place] = columns, met, below
            operations.append(self.operations_of(dtype) * 2.0 * rows * width**2)
            kept[node.height] += dtype.itemsize * ((own + rows * self.keep) * width + own * values)
            left[place] = dtype.itemsize * below * (width - own + values)
            made[node.height] += left[place]
            freed[node.height] += left[list(node.children)].sum()
            largest = max(largest, dtype.itemsize * 2.0 * rows * (width + values))
        heights = tuple(node.height for node in nodes)
        alive = np.cumsum(made - freed) + freed  # while a level is under way
        return Cost(tuple(operations), heights, int(np.max(np.cumsum(kept) + alive) + self.threads * largest))

    def operations_of(self, dtype: np.dtype[Any]) -> float:
        """What operations with numbers of a type count: with real ones a fourth, where others are complex."""
        return 0.25 if self.dtype.kind == "c" and dtype.kind != "c" else 1.0


@final
@dataclass(frozen=True)
class Cost:
    """Operations of a factorisation, of the type of all entries, node by node; and the bytes that it takes.

    Nodes of one height do not depend on one another.
    """

    each: tuple[float, ...]
    heights: tuple[int, ...]
    nbytes: int

    @property
    def operations(self) -> float:
        """All of them."""
        return sum(self.each)

    def in_a_row(self, threads: int) -> float:
        """Those that some thread does one after the other: toward the root there are ever fewer nodes to share."""
        levels: dict[int, list[float]] = {}
        for height, operations in zip(self.heights, self.each, strict=True):
            levels.setdefault(height, []).append(operations)
        return sum(max(sum(level) / threads, *level) for level in levels.values())


@dataclass(frozen=True, eq=False)
class Node:
    """A leaf, by its index, or the merger of others; `height` is above those of all its children."""

    height: int
    leaf: int = -1
    children: tuple[int, ...] = ()


def all_met(parts: Sequence[tuple[Indices, Indices]]) -> tuple[Indices, Indices]:
    """All columns of some fronts, and how often each was met in all of them."""
    columns, positions = np.unique(np.concatenate([columns for columns, _ in parts]), return_inverse=True)
    met = np.zeros(len(columns), dtype=np.int_)
    np.add.at(met, positions, np.concatenate([met for _, met in parts]))
    return columns, met


def flatten(merges: Merges) -> list[Node]:
    """The nodes of a tree, children before their parents; the root is the last."""
    nodes: list[Node] = []
    ended: list[int] = []  # subtrees without a parent so far
    work: list[tuple[Merges, bool]] = [(merges, False)]
    while work:  # not by recursion: a chain of cells is as deep as it is long
        tree, has_children = work.pop()
        if not isinstance(tree, tuple):
            nodes.append(Node(0, leaf=int(tree)))
        elif not has_children:
            work.append((tree, True))
            work.extend((child, False) for child in reversed(tree))
            continue
        else:
            children = tuple(ended[-len(tree) :])
            del ended[-len(tree) :]
            nodes.append(Node(1 + max(nodes[child].height for child in children), children=children))
        ended.append(len(nodes) - 1)
    return nodes
