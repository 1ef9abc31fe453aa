"""Matrices whose rows belong to cells, which share few columns with their neighbours, factored along a tree of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NoReturn, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray, NumberArray
from fspielm.blas import limited
from fspielm.deadline import reserve_memory
from fspielm.errors import SolveError
from fspielm.linalg.householder import Panel, factor_in_place
from fspielm.linalg.leaves import Indices, Nested, all_met, flatten
from fspielm.machine import run_tasks

# Operations of a task that is not worth a thread; and of one that is worth several of the libraries'.
_SMALL, _LARGE = 3e6, 2e9


@dataclass(frozen=True, eq=False)
class _Step:
    """Rows of R: columns that were eliminated, and later ones in which these rows have entries.

    `panel` has the reflections that did it, where they are kept; `below` how many rows it left to others; `left_out`
    which of the columns depend exactly on others: their rows say that they have the coefficient zero.
    """

    columns: Indices
    others: Indices
    triangle: NumberArray
    beside: NumberArray
    values: NumberArray
    below: int
    panel: Panel | None
    left_out: Indices

    @property
    def diagonal(self) -> FloatArray:
        """Absolute diagonal entries of the triangle, zero for what is left out."""
        found: FloatArray = np.abs(np.diagonal(self.triangle))
        found[self.left_out] = 0.0
        return found

    @property
    def nbytes(self) -> int:
        kept = 0 if self.panel is None else self.panel.packed.nbytes
        return int(self.triangle.nbytes + self.beside.nbytes + kept)


@dataclass(frozen=True, eq=False)
class _Front:
    """What a subtree leaves to others: rows on columns that they share, and how often each column was met in it.

    Real as long as nothing in it is complex.
    """

    columns: Indices
    rows: NumberArray
    met: Indices


@final
class NestedQR:
    """``H = Q R``, a `Factored` system: a leaf's own columns first, then those that only a subtree's leaves share.

    Nothing is inverted that might be singular by itself, as pieces of a problem may be, other than the whole. The
    condition number is the ratio of the largest to the smallest diagonal entry of R, which is at most that of R.
    """

    def __init__(self, nested: Nested) -> None:
        self._nested = nested
        self._nodes = flatten(nested.merges)
        self._steps: list[_Step | None] = [None] * len(self._nodes)
        reserve_memory(nested.cost.nbytes, "the factorisation")
        fronts: dict[int, _Front] = {}
        for level in self._levels:
            work = float(np.mean([nested.cost.each[place] for place in level]))
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
        """Nodes that do not depend on one another, from the leaves to the root."""
        heights = range(self._nodes[-1].height + 1)
        return [[place for place, node in enumerate(self._nodes) if node.height == height] for height in heights]

    def _run(self, tasks: Sequence[Callable[[], None]], operations: float) -> None:
        """Independent tasks of so many operations each, on threads with one of the libraries' for each of these.

        However many threads there are: sums of the libraries depend on theirs. A lone large task has all of theirs;
        small ones would only wait for each other.
        """
        threads = min(self._nested.threads, len(tasks)) if operations > _SMALL else 1
        with nullcontext() if len(tasks) == 1 and operations > _LARGE else limited(1):
            run_tasks(tasks, threads)

    def _triangle_work(self, level: list[int], columns: int) -> float:
        """Operations with the rows of a node of a level, on average, for so many right-hand sides."""
        sizes = [step.triangle.size + 2 * step.beside.size for step in (self._all[place] for place in level)]
        return columns * float(np.mean(sizes))

    def _factor(self, place: int, fronts: dict[int, _Front]) -> None:
        node, nested = self._nodes[place], self._nested
        if node.leaf >= 0:
            leaf = nested.leaves[node.leaf]
            met = np.ones(len(leaf.shared), dtype=np.int_)
            self._steps[place], fronts[place] = _eliminate(leaf.fill(), leaf.own, leaf.shared, met, nested)
            return
        parts = [fronts.pop(child) for child in node.children]
        columns, met = all_met([(part.columns, part.met) for part in parts])
        positions = np.searchsorted(columns, np.concatenate([part.columns for part in parts]))
        done = met == nested.sharing[columns]
        order = np.concatenate([np.flatnonzero(done), np.flatnonzero(~done)])
        where = np.empty_like(order)
        where[order] = np.arange(len(order))
        dtype = np.result_type(*(part.rows for part in parts))
        height, width = sum(len(part.rows) for part in parts), len(columns) + nested.values_beside(dtype)
        reserve_memory(2.0 * dtype.itemsize * height * width, "the factorisation")
        rows = np.zeros((height, width), dtype, order="F")
        row = column = 0
        for part in parts:
            below, right = row + len(part.rows), column + len(part.columns)
            values = part.rows[:, len(part.columns) :]
            rows[row:below, where[positions[column:right]]] = part.rows[:, : len(part.columns)]
            rows[row:below, len(columns) :] = values if values.shape[1] == width - len(columns) else _one(values)
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
        """Memory of the rows of R, and of the reflections where they are kept."""
        return sum(step.nbytes for step in self._all)

    @cached_property
    def _all(self) -> list[_Step]:
        return [step for step in self._steps if step is not None]

    @cached_property
    def coefficients(self) -> NumberArray:
        """For the values that it was factored with, ``(M,)``."""
        return np.ascontiguousarray(self._back([_one(step.values) for step in self._all])[:, 0])

    @cached_property
    def diagonal(self) -> FloatArray:
        """Absolute diagonal entries of R, in the order of elimination."""
        return np.concatenate([step.diagonal for step in self._all])

    @property
    def rank(self) -> int:
        """How many of the diagonal entries are above rounding, within their rows."""
        eps = np.finfo(self.dtype).eps
        each = [step.diagonal for step in self._all if len(step.columns)]
        return sum(int(np.count_nonzero(own > self.shape[0] * eps * own.max())) for own in each)

    @property
    def condition(self) -> float:
        """The ratio of the largest to the smallest diagonal entry of R."""
        smallest = float(self.diagonal.min())
        return float(self.diagonal.max()) / smallest if smallest > 0 else float("inf")

    def solve(self, values: NumberArray) -> NumberArray:
        """Coefficients for other values, ``(N,)`` or ``(N, n)``, leaf by leaf; they have to be kept for it."""
        left: dict[int, NumberArray] = {}
        heights = [leaf.height for leaf in self._nested.leaves]
        ends = np.cumsum(heights)
        heads = []
        for place, (node, step) in enumerate(zip(self._nodes, self._all, strict=True)):
            if step.panel is None:
                raise SolveError("what it takes to solve for other values was not kept")
            if node.leaf >= 0:
                end = ends[node.leaf]
                here = values[end - heights[node.leaf] : end]
            else:
                here = np.concatenate([left.pop(child) for child in node.children])
            rotated = _rotate(step.panel, here)
            head = rotated[: len(step.columns)].reshape(len(step.columns), *(values.shape[1:] or (1,)))
            head[step.left_out] = 0.0
            heads.append(head)
            left[place] = rotated[len(step.columns) : len(step.columns) + step.below]
        found = self._back(heads)
        return found if values.ndim == 2 else np.ascontiguousarray(found[:, 0])

    def solve_triangle(self, values: NumberArray, *, adjoint: bool = False) -> NumberArray:
        """``R^-1 values``, or ``R^-H values``, both in the order of the columns; ``(M,)`` or ``(M, n)``."""
        given = values.reshape(len(values), -1)
        if not adjoint:
            return self._back([given[step.columns] for step in self._all]).reshape(values.shape)
        rest = given.astype(np.result_type(values, self.dtype))
        for level in self._levels:
            left: dict[int, NumberArray] = {}
            work = self._triangle_work(level, rest.shape[1])
            self._run([partial(self._forward, place, rest, left) for place in level], work)
            for place in level:  # one after the other: neighbours have columns in common
                rest[self._all[place].others] -= left[place]
        return rest.reshape(values.shape)

    def _forward(self, place: int, rest: NumberArray, left: dict[int, NumberArray]) -> None:
        step = self._all[place]
        head = _solve(step.triangle, rest[step.columns], adjoint=True)
        rest[step.columns] = head
        left[place] = _times(step.beside.conj().T, head)

    def extend(self, columns: NumberArray) -> NoReturn:
        """Further columns would have entries in all leaves; nobody asks for them beside cells of their own."""
        raise SolveError("columns cannot be added to a system of cells")

    def restricted(self, columns: NDArray[np.intp]) -> NoReturn:
        """Some of the columns are in all leaves too; cells show by their last degrees what fewer would hold."""
        raise SolveError("columns cannot be taken out of a system of cells")

    def _back(self, heads: Sequence[NumberArray]) -> NumberArray:
        """``R x = heads``, from the root to the leaves, shape ``(M, r)``."""
        found = np.zeros((self.shape[1], heads[0].shape[1]), dtype=np.result_type(self.dtype, *heads))

        def solve(place: int) -> None:
            step = self._all[place]
            found[step.columns] = _solve(step.triangle, heads[place] - _times(step.beside, found[step.others]))

        for level in reversed(self._levels):
            self._run([partial(solve, place) for place in level], self._triangle_work(level, found.shape[1]))
        return found


def _eliminate(rows: NumberArray, own: Indices, others: Indices, met: Indices, nested: Nested) -> tuple[_Step, _Front]:
    """QR of rows on ``[own | others | values]``: the first rows of R are done with, the rest is left to others."""
    count, width = len(own), len(own) + len(others)
    if len(rows) < count:
        raise SolveError(f"{len(rows)} rows do not determine the {count} columns that no others share")
    if not np.isfinite(rows.sum()):
        raise SolveError("the matrix or the right-hand side contains NaN or infinity")
    packed, tau = factor_in_place(np.asfortranarray(rows))
    R = np.triu(packed[: min(packed.shape)])
    below = R[count:width, count:]
    panel = Panel(packed[:0], packed[:, :width], tau[:width]) if nested.keep else None
    # copies: slices would keep all of the rows
    triangle, beside, values = (np.array(part, order="F") for part in np.split(R[:count], [count, width], axis=1))
    left_out = np.flatnonzero(np.diagonal(triangle) == 0) if nested.leave_out else np.arange(0)
    for part in (triangle, beside, values):
        part[left_out] = 0.0
    triangle[left_out, left_out] = 1.0
    step = _Step(own, others, triangle, beside, values, len(below), panel, left_out)
    return step, _Front(others, below.copy(), met)


def _rotate(panel: Panel, values: NumberArray) -> NumberArray:
    if not np.iscomplexobj(values) or np.iscomplexobj(panel.packed):
        return panel.rotate(np.asarray(values, dtype=np.result_type(panel.packed, values)))
    return np.asarray(panel.rotate(values.real.copy()) + 1j * panel.rotate(values.imag.copy()))


def _solve(triangle: NumberArray, values: NumberArray, *, adjoint: bool = False) -> NumberArray:
    from scipy.linalg import lapack  # found here also after Ctrl-C has ended a first import of scipy.linalg

    if not len(triangle):
        return values
    if np.iscomplexobj(values) and not np.iscomplexobj(triangle):
        return _complex(_solve(triangle, _real(values), adjoint=adjoint))
    solve = lapack.ztrtrs if np.iscomplexobj(triangle) else lapack.dtrtrs
    solved, info = solve(triangle, values, trans=2 if adjoint else 0)
    if info:
        raise SolveError(f"column {info} of a triangle is exactly dependent on the others")
    return np.asarray(solved)


def _times(matrix: NumberArray, values: NumberArray) -> NumberArray:
    """Their product; a real matrix is not made complex for it."""
    if np.iscomplexobj(values) and not np.iscomplexobj(matrix):
        return _complex(matrix @ _real(values))
    return np.asarray(matrix @ values)


def _one(values: NumberArray) -> NumberArray:
    """One column of values, from real and imaginary parts if there are two."""
    return values if values.shape[1] == 1 else np.asarray(values[:, :1] + 1j * values[:, 1:])


def _real(values: NumberArray) -> FloatArray:
    """Complex columns as pairs of real ones."""
    return np.ascontiguousarray(values).view(np.float64)


def _complex(pairs: FloatArray) -> NumberArray:
    return np.ascontiguousarray(pairs).view(np.complex128)
