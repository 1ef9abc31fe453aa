"""Sparse matrices whose rows belong to cells, factored along a tree of cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from heapq import heapify, heappop, heappush
from typing import Any, NoReturn, Protocol, TypeAlias, final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from fspielm.arrays import BoolArray, FloatArray, NumberArray
from fspielm.collocation.householder import LONG, Panel, factor_in_place
from fspielm.errors import SolveError
from fspielm.resources import check_deadline, limited, reserve_memory, run_tasks

Merges: TypeAlias = "int | tuple[Merges, ...]"
Indices: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int_]]

# Time of an operation of a square elimination, relative to one of a QR factorisation.
_SQUARE = 0.6


class Change(Protocol):
    """A change of the functions of a leaf."""

    def apply(self, coefficients: NumberArray) -> NumberArray:
        """The coefficients ``(k, n)`` of its own columns from those of other functions."""

    def adjoint(self, coefficients: NumberArray) -> NumberArray:
        """The adjoint of `apply`."""


@final
@dataclass(frozen=True, eq=False)
class Leaf:
    """Rows on a few of all columns.

    Attributes
    ----------
    own : (k,) integer array
        Columns in which no other leaf has entries.
    shared : (s,) integer array
        Columns in which other leaves have entries too.
    rows : (h,) integer array
        Its rows among all.
    dtype : dtype
        Of the entries.
    change : Change or None
        If its rows are filled for other functions than its own columns.
    core : int
        The first so many of its rows have entries in own columns alone, and determine the first so many of these. They
        hold exactly, not in the sense of least squares.
    """

    own: Indices
    shared: Indices
    rows: Indices
    dtype: np.dtype[Any]
    change: Change | None = None
    core: int = 0

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(self.rows)

    @property
    def core_operations(self) -> float:
        """Operations to eliminate the core from its rows and all others, in units of those of a QR factorisation."""
        own, others = len(self.own) - self.core, self.height - self.core
        return _SQUARE * 2.0 * self.core * (self.core**2 / 3 + own * (self.core + others))


@final
@dataclass(frozen=True, eq=False)
class Nested:
    """A matrix whose rows belong to leaves, with columns of values.

    Attributes
    ----------
    leaves : tuple of Leaf
    merges : nested tuple of int
        The indices of the leaves in the order of merging: ``((0, 1), (2, 3))``. Leaves that share columns should be
        close to one another.
    sharing : (M,) integer array
        Number of leaves with entries in each column.
    values : int
        Columns of values with real entries: one, or two for real and imaginary parts. Complex entries have one.
    fill : callable
        Makes the rows of B leaves when they are needed: entries in own columns, in shared columns, and r columns of
        values, shape ``(B, h, k + s + r)``; leaves with fewer rows or shared columns have zeros at the end of each.
    kinds : tuple of (B,) integer arrays
        Leaves that are filled together; these have the same number of own columns.
    threads : int
        Number of threads.
    keep : bool
        Whether to keep the reflections, to solve for other values.
    leave_out : bool
        Whether columns that depend exactly on others get the coefficient zero; otherwise they are refused.
    """

    leaves: tuple[Leaf, ...]
    merges: Merges
    sharing: Indices
    values: int
    fill: Callable[[Indices, int], NumberArray]
    kinds: tuple[Indices, ...]
    threads: int
    keep: bool = False
    leave_out: bool = False

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The type of all entries."""
        return np.result_type(*{leaf.dtype for leaf in self.leaves})

    def value_columns(self, dtype: np.dtype[Any]) -> int:
        """Columns of values for entries of a type."""
        return 1 if dtype.kind == "c" else self.values

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix."""
        return sum(leaf.height for leaf in self.leaves), len(self.sharing)

    @cached_property
    def cost(self) -> Cost:
        """The cost of factoring, from a symbolic pass through the tree."""
        fronts: dict[int, tuple[Indices, Indices, int]] = {}
        types: list[np.dtype[Any]] = []
        operations: list[float] = []
        nodes = flatten(self.merges)
        # bytes by level: kept, left to be merged, and freed by merging
        kept, made, freed = (np.zeros(nodes[-1].height + 1) for _ in range(3))
        left = np.zeros(len(nodes))
        largest = max(map(self._bytes_together, self.kinds), default=0.0)
        for place, node in enumerate(nodes):
            check_deadline()
            if node.leaf >= 0:
                leaf = self.leaves[node.leaf]
                columns, met, rows = leaf.shared, np.ones(len(leaf.shared), dtype=np.int_), leaf.height
                core, own, dtype = leaf.core, len(leaf.own) - leaf.core, leaf.dtype
                rows, width = rows - core, own + len(leaf.shared)
                more = leaf.core_operations
                kept[0] += dtype.itemsize * core * (core + own + rows * self.keep)
            else:
                parts = [fronts.pop(child) for child in node.children]
                columns, met = merge_columns([(columns, met) for columns, met, _ in parts])
                done = met == self.sharing[columns]
                own, width, rows, more = int(done.sum()), len(columns), sum(part[2] for part in parts), 0.0
                columns, met = columns[~done], met[~done]
                dtype = np.result_type(*(types[child] for child in node.children))
            types.append(dtype)
            below, values = max(min(rows, width) - own, 0), self.value_columns(dtype)
            fronts[place] = columns, met, below
            operations.append(self.operations_of(dtype) * (2.0 * rows * width**2 + more))
            kept[node.height] += dtype.itemsize * ((own + rows * self.keep) * width + own * values)
            left[place] = dtype.itemsize * below * (width - own + values)
            made[node.height] += left[place]
            freed[node.height] += left[list(node.children)].sum()
            largest = max(largest, dtype.itemsize * 2.0 * rows * (width + values))
        heights = tuple(node.height for node in nodes)
        alive = np.cumsum(made - freed) + freed  # while a level is processed
        return Cost(tuple(operations), heights, int(np.max(np.cumsum(kept) + alive) + self.threads * largest))

    def _bytes_together(self, kind: Indices) -> float:
        """Bytes to fill and factor leaves together: their rows, LAPACK's form of them, and its working copy.

        Leaves with a core are filled together, but factored one after the other.
        """
        leaves = [self.leaves[leaf] for leaf in kind.tolist()]
        height = max(leaf.height for leaf in leaves)
        width = max(len(leaf.own) + len(leaf.shared) for leaf in leaves) + self.values
        matrices = len(leaves) + 2 if leaves[0].core else 3 * len(leaves)
        return float(leaves[0].dtype.itemsize * matrices * height * width)

    def eliminate(self, number: int) -> float:
        """Eliminate the own columns of one leaf, to see how long that takes; returns the number of operations."""
        leaf = self.leaves[number]
        rows = np.asarray(self.fill(np.array([number]), self.value_columns(leaf.dtype))[0])
        if leaf.core:
            rows = _core_of(rows, leaf, keep=False)[1]
        np.linalg.qr(rows, mode="raw")
        return float(self.operations_of(leaf.dtype) * (2.0 * rows.shape[0] * rows.shape[1] ** 2 + leaf.core_operations))

    def operations_of(self, dtype: np.dtype[Any]) -> float:
        """The weight of operations with a type: a fourth for real ones if other entries are complex."""
        return 0.25 if self.dtype.kind == "c" and dtype.kind != "c" else 1.0


@final
@dataclass(frozen=True)
class Cost:
    """Operations of a factorisation by node, and its memory; nodes of one height are independent."""

    each: tuple[float, ...]
    heights: tuple[int, ...]
    nbytes: int

    @property
    def operations(self) -> float:
        """All operations."""
        return sum(self.each)

    def sequential_operations(self, threads: int) -> float:
        """Operations in sequence on some thread: toward the root there are fewer and fewer nodes to share."""
        levels: dict[int, list[float]] = {}
        for height, operations in zip(self.heights, self.each, strict=True):
            levels.setdefault(height, []).append(operations)
        return sum(max(sum(level) / threads, *level) for level in levels.values())


@dataclass(frozen=True, eq=False)
class Node:
    """A leaf, by its index, or the merger of children; `height` is above those of all children."""

    height: int
    leaf: int = -1
    children: tuple[int, ...] = ()


def merge_columns(parts: Sequence[tuple[Indices, Indices]]) -> tuple[Indices, Indices]:
    """All columns of some fronts, and in how many leaves each was met."""
    columns, positions = np.unique(np.concatenate([columns for columns, _ in parts]), return_inverse=True)
    met = np.zeros(len(columns), dtype=np.int_)
    np.add.at(met, positions, np.concatenate([met for _, met in parts]))
    return columns, met


def flatten(merges: Merges) -> list[Node]:
    """The nodes of a tree, children before their parents; the root is the last."""
    nodes: list[Node] = []
    ended: list[int] = []  # subtrees without a parent
    work: list[tuple[Merges, bool]] = [(merges, False)]
    while work:  # no recursion: a long chain of cells is deep
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


# ---- The order in which leaves are merged


# Columns of more leaves do not make two leaves neighbours.
_MANY_LEAVES = 8


def merge_order(shared: Sequence[Indices]) -> Merges:
    """Merge leaves with these shared columns greedily, to leave few open rows and columns.

    On an even grid a tree of boxes would be as good. With cells graded toward a point on the border of its boxes, it
    would leave open all columns that the boxes share.
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
    """Merged leaves by number; columns with the same leaves form a group."""

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
        self._tie = [len(leaves) <= _MANY_LEAVES for leaves in groups]
        self._groups: dict[int, set[int]] = {leaf: set() for leaf in self.trees}
        for group, leaves in enumerate(groups):
            for leaf in leaves:
                self._groups[leaf].add(group)

    def pairs(self) -> list[tuple[int, int]]:
        """Pairs of clusters with common columns."""
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
        """The clusters with columns in common with one."""
        found: set[int] = set()
        for group in self._groups[cluster]:
            if self._tie[group]:
                found |= self._holders[group]
        return sorted(found - {cluster})

    def cost(self, a: int, b: int) -> tuple[int, int]:
        """Open columns during and after a merger of two clusters; ties go to older clusters."""
        own, other = self._groups[a], self._groups[b]
        closed = [group for group in own & other if self._holders[group] == {a, b}]
        union = sum(self._sizes[group] for group in own | other)
        return 2 * union - sum(self._sizes[group] for group in closed), max(a, b)

    def merge(self, a: int, b: int) -> int:
        """Merge two clusters; returns the number of the new one."""
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


# ---- Factorisation


# Operations of a task that is worth a thread.
_WORTH_A_THREAD = 3e6


@dataclass(frozen=True, eq=False)
class _Step:
    """Rows of R: eliminated columns, and later columns with entries in these rows.

    `panel` has the reflections, if kept; `below` is the number of rows left to others; `left_out` are the columns of
    the triangle that depend exactly on others, whose rows set their coefficients to zero. The functions of a leaf may
    be `change`d, and their `core` eliminated before.
    """

    columns: Indices
    others: Indices
    triangle: NumberArray
    right: NumberArray
    values: NumberArray
    below: int
    panel: Panel | None
    left_out: Indices
    change: Change | None = None
    core: _Core | None = None

    @property
    def diagonal(self) -> FloatArray:
        """Absolute diagonal entries of the triangle, zero for columns left out."""
        found: FloatArray = np.abs(np.diagonal(self.triangle))
        found[self.left_out] = 0.0
        return found if self.core is None else np.append(self.core.diagonal, found)

    @property
    def nbytes(self) -> int:
        kept = 0 if self.panel is None else self.panel.packed.nbytes
        return int(self.triangle.nbytes + self.right.nbytes + kept + (0 if self.core is None else self.core.nbytes))

    def back(self, head: NumberArray, found: NumberArray) -> NumberArray:
        """The coefficients of its columns, from the right-hand side of its rows and those of the other columns."""
        count = len(head) - len(self.triangle)
        last = _solve(self.triangle, head[count:] - _multiply(self.right, found[self.others]))
        if self.core is not None:
            last = np.concatenate([self.core.solve(head[:count]) - _multiply(self.core.beside, last), last])
        return last if self.change is None else self.change.apply(last)

    def forward(self, head: NumberArray) -> tuple[NumberArray, NumberArray]:
        """The adjoint of `back`: the right-hand side of its rows, and what to subtract from those of other columns."""
        if self.change is not None:
            head = self.change.adjoint(head)
        count = len(head) - len(self.triangle)
        last = head[count:]
        if self.core is not None:
            last = last - _multiply(self.core.beside.conj().T, head[:count])
        last = _solve(self.triangle, last, adjoint=True)
        left = _multiply(self.right.conj().T, last)
        return last if self.core is None else np.concatenate([self.core.solve(head[:count], adjoint=True), last]), left

    def rotate(self, values: NumberArray) -> tuple[NumberArray, NumberArray]:
        """The right-hand side of its rows, and of those left to others, from values of the rows that it was made of."""
        if self.panel is None:
            raise SolveError("what it takes to solve for other values was not kept")
        count = 0 if self.core is None else self.core.size
        first, rest = values[:count], values[count:]
        if self.core is not None:
            rest = rest - _multiply(self.core.below, self.core.solve(first))
        rotated, size = _rotate(self.panel, rest), len(self.triangle)
        rotated[self.left_out] = 0.0
        head = rotated[:size] if self.core is None else np.concatenate([first, rotated[:size]])
        return head, rotated[size : size + self.below]


@dataclass(frozen=True, eq=False)
class _Core:
    """Columns of a leaf that as many of its rows E determine: ``E^-1 E'`` for its other columns, and its other rows."""

    factors: NumberArray
    pivots: Indices
    beside: NumberArray
    below: NumberArray

    @property
    def size(self) -> int:
        """Number of columns."""
        return len(self.factors)

    @property
    def diagonal(self) -> FloatArray:
        """Absolute pivots."""
        return np.asarray(np.abs(np.diagonal(self.factors)))

    @property
    def nbytes(self) -> int:
        return int(self.factors.nbytes + self.beside.nbytes + self.below.nbytes)

    def solve(self, values: NumberArray, *, adjoint: bool = False) -> NumberArray:
        """``E^-1 values``, or ``E^-H values``."""
        if np.iscomplexobj(values) and not np.iscomplexobj(self.factors):
            return _complex(self.solve(_real(values), adjoint=adjoint))
        solve = lapack.zgetrs if np.iscomplexobj(self.factors) else lapack.dgetrs
        return np.asarray(solve(self.factors, self.pivots, values, trans=2 if adjoint else 0)[0])


@dataclass(frozen=True, eq=False)
class _Front:
    """Rows that a subtree leaves on shared columns, and the number of its leaves with each column; real if possible."""

    columns: Indices
    rows: NumberArray
    met: Indices


@final
class NestedQR:
    """``H = Q R``, a `Factored` system: a leaf's own columns first, then those that only the leaves of a subtree share.

    Only the core of a leaf is inverted by itself, if it is far from singular; QR eliminates all else. The condition
    number is the ratio of the largest to the smallest diagonal entry of R, pivots of cores included: a lower bound of
    that of R.
    """

    def __init__(self, nested: Nested) -> None:
        self._nested = nested
        self._nodes = flatten(nested.merges)
        self._steps: list[_Step | None] = [None] * len(self._nodes)
        reserve_memory(nested.cost.nbytes, "the factorisation")
        fronts: dict[int, _Front] = {}
        place = {node.leaf: number for number, node in enumerate(self._nodes) if node.leaf >= 0}
        kinds = [each for kind in nested.kinds if len(each := np.array([leaf for leaf in kind if leaf in place]))]
        work = float(np.mean([sum(nested.cost.each[place[leaf]] for leaf in kind.tolist()) for kind in kinds]))
        with self._single(len(kinds), work):
            self._run([partial(self._factor_leaves, kind, place, fronts) for kind in kinds], work)
        for level in self._levels[1:]:
            work = float(np.mean([nested.cost.each[place] for place in level]))
            with self._single(len(level), work):
                self._run([partial(self._factor, place, fronts) for place in level], work)
        left = fronts[len(self._nodes) - 1].columns
        if len(left):
            raise SolveError(f"{len(left)} columns have entries in leaves that are not in the tree")
        if not (nested.leave_out or np.all(self.diagonal > 0)):
            raise SolveError(
                f"{np.count_nonzero(self.diagonal == 0)} of {self.shape[1]} columns are exactly dependent on the "
                "others; check that no condition is missing"
            )

    @cached_property
    def _levels(self) -> list[list[int]]:
        """Groups of independent nodes, from the leaves to the root."""
        heights = range(self._nodes[-1].height + 1)
        return [[place for place, node in enumerate(self._nodes) if node.height == height] for height in heights]

    def _run(self, tasks: Sequence[Callable[[], None]], operations: float) -> None:
        """Run independent tasks of so many operations each, on threads where that pays; see `_single`."""
        if operations > _WORTH_A_THREAD and min(self._nested.threads, len(tasks)) > 1:
            run_tasks(tasks, self._nested.threads)
            return
        check_deadline()
        for task in tasks:
            task()

    def _single(self, tasks: int, operations: float) -> AbstractContextManager[None]:
        """A single BLAS thread for each of some tasks, of so many operations each.

        Results must not depend on the number of threads, as sums in BLAS do. Only a lone large task uses all of them.
        """
        return nullcontext() if tasks == 1 and operations > LONG else limited(1)

    def _triangle_work(self, level: list[int], columns: int) -> float:
        """Operations of a substitution by node of a level, on average."""
        return columns * self._triangle_sizes[self._nodes[level[0]].height]

    @cached_property
    def _triangle_sizes(self) -> list[float]:
        """The entries of R by node, on average for each level."""
        each = ([self._done[place] for place in level] for level in self._levels)
        return [float(np.mean([step.triangle.size + 2 * step.right.size for step in steps])) for steps in each]

    def _factor_leaves(self, kind: Indices, place: dict[int, int], fronts: dict[int, _Front]) -> None:
        """Eliminate the own columns of several leaves."""
        nested = self._nested
        rows = nested.fill(kind, nested.value_columns(nested.leaves[kind[0]].dtype))
        if not np.isfinite(rows.sum()):
            raise SolveError("the matrix or the right-hand side contains NaN or infinity")
        if nested.leaves[kind[0]].core:
            for number, own in zip(kind.tolist(), rows, strict=True):
                self._condense(number, place[number], own, fronts)
            return
        # LAPACK's reflections of all leaves, transposed
        raw, taus = np.linalg.qr(rows, mode="raw")
        values = nested.value_columns(rows.dtype)
        for number, (packed, tau) in zip(kind.tolist(), zip(raw, taus, strict=True), strict=True):
            leaf = nested.leaves[number]
            width = len(leaf.own) + len(leaf.shared)
            kept = np.concatenate([np.arange(width), np.arange(len(packed) - values, len(packed))])
            met = np.ones(len(leaf.shared), dtype=np.int_)
            at = place[number]
            own = packed.T[: leaf.height, kept] if len(kept) < len(packed) else packed.T[: leaf.height]
            self._steps[at], fronts[at] = _eliminated(own, tau, leaf.own, leaf.shared, met, nested)

    def _condense(self, number: int, place: int, rows: NumberArray, fronts: dict[int, _Front]) -> None:
        """Eliminate the core of a leaf by its own rows, unless it is almost singular, and then its other columns."""
        nested, leaf = self._nested, self._nested.leaves[number]
        met = np.ones(len(leaf.shared), dtype=np.int_)
        values = np.arange(rows.shape[1] - nested.value_columns(rows.dtype), rows.shape[1])
        rows = rows[: leaf.height, np.append(np.arange(len(leaf.own) + len(leaf.shared)), values)]
        core, others = _core_of(rows, leaf, keep=nested.keep)
        step, fronts[place] = _eliminate(
            others, leaf.own if core is None else leaf.own[core.size :], leaf.shared, met, nested
        )
        if core is not None:
            step = replace(step, values=np.concatenate([rows[: core.size, -len(values) :], step.values]))
        self._steps[place] = replace(step, columns=leaf.own, change=leaf.change, core=core)

    def _factor(self, place: int, fronts: dict[int, _Front]) -> None:
        node, nested = self._nodes[place], self._nested
        parts = [fronts.pop(child) for child in node.children]
        columns, met = merge_columns([(part.columns, part.met) for part in parts])
        positions = np.searchsorted(columns, np.concatenate([part.columns for part in parts]))
        done = met == nested.sharing[columns]
        order = np.concatenate([np.flatnonzero(done), np.flatnonzero(~done)])
        where = np.empty_like(order)
        where[order] = np.arange(len(order))
        dtype = np.result_type(*(part.rows for part in parts))
        height, width = sum(len(part.rows) for part in parts), len(columns) + nested.value_columns(dtype)
        reserve_memory(2.0 * dtype.itemsize * height * width, "the factorisation")
        rows = np.zeros((height, width), dtype, order="F")
        row = column = 0
        for part in parts:
            below, right = row + len(part.rows), column + len(part.columns)
            values = part.rows[:, len(part.columns) :]
            rows[row:below, where[positions[column:right]]] = part.rows[:, : len(part.columns)]
            rows[row:below, len(columns) :] = values if values.shape[1] == width - len(columns) else _as_complex(values)
            row, column = below, right
        kept = columns[~done]
        self._steps[place], fronts[place] = _eliminate(rows, columns[done], kept, met[~done], nested)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows N and columns M of H."""
        return self._nested.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers in H."""
        return self._nested.dtype

    @property
    def nbytes(self) -> int:
        """Memory of the rows of R, and of the reflections if kept."""
        return sum(step.nbytes for step in self._done)

    @cached_property
    def _done(self) -> list[_Step]:
        return [step for step in self._steps if step is not None]

    @cached_property
    def coefficients(self) -> NumberArray:
        """Coefficients for the values that H was factored with, ``(M,)``."""
        return np.ascontiguousarray(self._back_substitute([_as_complex(step.values) for step in self._done])[:, 0])

    @cached_property
    def diagonal(self) -> FloatArray:
        """Absolute diagonal entries of R, in the order of elimination."""
        return np.concatenate([step.diagonal for step in self._done])

    @cached_property
    def exact(self) -> BoolArray:
        """The rows of R ``(M,)`` that hold exactly, not in the sense of least squares."""
        found = np.zeros(self.shape[1], dtype=np.bool_)
        for step in self._done:
            if step.core is not None:
                found[step.columns[: step.core.size]] = True
        return found

    @property
    def rank(self) -> int:
        """The number of diagonal entries above rounding, node by node."""
        eps = np.finfo(self.dtype).eps
        each = [step.diagonal for step in self._done if len(step.columns)]
        return sum(int(np.count_nonzero(own > self.shape[0] * eps * own.max())) for own in each)

    @property
    def condition(self) -> float:
        """The ratio of the largest to the smallest diagonal entry of R."""
        smallest = float(self.diagonal.min())
        return float(self.diagonal.max()) / smallest if smallest > 0 else float("inf")

    def solve(self, values: NumberArray) -> NumberArray:
        """Coefficients for other values, ``(N,)`` or ``(N, n)``; needs `Nested.keep`."""
        left: dict[int, NumberArray] = {}
        given, heads = values.reshape(len(values), -1), []
        for place, (node, step) in enumerate(zip(self._nodes, self._done, strict=True)):
            if node.leaf >= 0:
                here = given[self._nested.leaves[node.leaf].rows]
            else:
                here = np.concatenate([left.pop(child) for child in node.children])
            head, left[place] = step.rotate(here)
            heads.append(head)
        return self._back_substitute(heads).reshape(-1, *values.shape[1:])

    def solve_triangle(self, values: NumberArray, *, adjoint: bool = False) -> NumberArray:
        """``R^-1 values``, or ``R^-H values``, in the order of the columns; ``(M,)`` or ``(M, n)``."""
        given = values.reshape(len(values), -1)
        if not adjoint:
            return self._back_substitute([given[step.columns] for step in self._done]).reshape(values.shape)
        rest = given.astype(np.result_type(values, self.dtype))
        with limited(1):
            for level in self._levels:
                left: dict[int, NumberArray] = {}
                work = self._triangle_work(level, rest.shape[1])
                self._run([partial(self._forward_substitute, place, rest, left) for place in level], work)
                for place in level:  # in sequence, as neighbours have columns in common
                    rest[self._done[place].others] -= left[place]
        return rest.reshape(values.shape)

    def _forward_substitute(self, place: int, rest: NumberArray, left: dict[int, NumberArray]) -> None:
        step = self._done[place]
        rest[step.columns], left[place] = step.forward(rest[step.columns])

    def extend(self, columns: NumberArray) -> NoReturn:
        """Refused: further columns would have entries in all leaves."""
        raise SolveError("columns cannot be added to a system of cells")

    def restricted(self, columns: NDArray[np.intp]) -> NoReturn:
        """Refused: the columns of a smaller basis are spread over all leaves."""
        raise SolveError("columns cannot be taken out of a system of cells")

    def _back_substitute(self, heads: Sequence[NumberArray]) -> NumberArray:
        """Solve ``R x = heads`` from the root to the leaves, shape ``(M, r)``."""
        found = np.zeros((self.shape[1], heads[0].shape[1]), dtype=np.result_type(self.dtype, *heads))

        def solve(place: int) -> None:
            step = self._done[place]
            found[step.columns] = step.back(heads[place], found)

        with limited(1):
            for level in reversed(self._levels):
                self._run([partial(solve, place) for place in level], self._triangle_work(level, found.shape[1]))
        return found


def _eliminate(rows: NumberArray, own: Indices, others: Indices, met: Indices, nested: Nested) -> tuple[_Step, _Front]:
    """QR of rows on ``[own | others | values]``: the first rows of R are final, the rest is left to others."""
    if not np.isfinite(rows.sum()):
        raise SolveError("the matrix or the right-hand side contains NaN or infinity")
    return _eliminated(*factor_in_place(np.asfortranarray(rows)), own, others, met, nested)


def _eliminated(
    packed: NumberArray, tau: NumberArray, own: Indices, others: Indices, met: Indices, nested: Nested
) -> tuple[_Step, _Front]:
    """What QR leaves of rows on ``[own | others | values]``, from its result in LAPACK's form."""
    count, width = len(own), len(own) + len(others)
    if len(packed) < count:
        raise SolveError(f"{len(packed)} rows do not determine the {count} columns that no others share")
    R = np.triu(packed[: min(len(packed), width)])
    below = R[count:width, count:]
    panel = Panel(packed[:0], packed[:, :width], tau[:width]) if nested.keep else None
    # copies, as slices would keep all rows in memory
    triangle, right, values = (np.array(part, order="F") for part in np.split(R[:count], [count, width], axis=1))
    left_out = np.flatnonzero(np.diagonal(triangle) == 0) if nested.leave_out else np.arange(0)
    for part in (triangle, right, values):
        part[left_out] = 0.0
    triangle[left_out, left_out] = 1.0
    step = _Step(own, others, triangle, right, values, len(below), panel, left_out)
    return step, _Front(others, below.copy(), met)


# Other functions of a leaf that continue into its core by more than this leave too few digits.
_LARGE = 1e5


def _core_of(rows: NumberArray, leaf: Leaf, *, keep: bool) -> tuple[_Core | None, NumberArray]:
    """The core of a leaf with rows on ``[own | shared | values]``, and the other rows without it.

    None, and all rows, if the core is almost singular.
    """
    size, end, width = leaf.core, len(leaf.own), len(leaf.own) + len(leaf.shared)
    factor = lapack.zgetrf if np.iscomplexobj(rows) else lapack.dgetrf
    factors, pivots, singular = factor(np.asfortranarray(rows[:size, :size]))
    below = rows[size:, :size]
    if singular:
        return None, rows
    kept = below.copy() if keep else np.empty((0, size), dtype=rows.dtype)  # a view would keep all rows in memory
    core = _Core(factors, pivots, np.empty((size, 0)), kept)
    beside = core.solve(np.hstack([rows[:size, size:end], rows[:size, width:]]))
    if not np.abs(beside[:, : end - size]).max(initial=0.0) < _LARGE:
        return None, rows
    others, reduced = np.array(rows[size:, size:], order="F"), below @ beside
    others[:, : end - size] -= reduced[:, : end - size]
    others[:, width - size :] -= reduced[:, end - size :]
    return replace(core, beside=beside[:, : end - size].copy()), others


def _rotate(panel: Panel, values: NumberArray) -> NumberArray:
    if not np.iscomplexobj(values) or np.iscomplexobj(panel.packed):
        return panel.rotate(np.asarray(values, dtype=np.result_type(panel.packed, values)))
    return np.asarray(panel.rotate(values.real.copy()) + 1j * panel.rotate(values.imag.copy()))


def _solve(triangle: NumberArray, values: NumberArray, *, adjoint: bool = False) -> NumberArray:
    if not len(triangle):
        return values
    if np.iscomplexobj(values) and not np.iscomplexobj(triangle):
        return _complex(_solve(triangle, _real(values), adjoint=adjoint))
    solve = lapack.ztrtrs if np.iscomplexobj(triangle) else lapack.dtrtrs
    solved, info = solve(triangle, values, trans=2 if adjoint else 0)
    if info:
        raise SolveError(f"column {info} of a triangle is exactly dependent on the others")
    return np.asarray(solved)


def _multiply(matrix: NumberArray, values: NumberArray) -> NumberArray:
    """The product, without a complex copy of a real matrix."""
    if np.iscomplexobj(values) and not np.iscomplexobj(matrix):
        return _complex(matrix @ _real(values))
    return np.asarray(matrix @ values)


def _as_complex(values: NumberArray) -> NumberArray:
    """A single column of values, complex from two columns of real and imaginary parts."""
    return values if values.shape[1] == 1 else np.asarray(values[:, :1] + 1j * values[:, 1:])


def _real(values: NumberArray) -> FloatArray:
    """Complex columns as pairs of real columns."""
    return np.ascontiguousarray(values).view(np.float64)


def _complex(pairs: FloatArray) -> NumberArray:
    return np.ascontiguousarray(pairs).view(np.complex128)
