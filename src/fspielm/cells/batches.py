"""Operators on the polynomials of many cells at once.

Rows are points with the cell whose functions they apply to. Cells of equal degrees are processed together, in arrays
with one axis for the cells. Points that form the same grid in several cells share its tables of polynomials.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray, Latest, NumberArray
from fspielm.basis.basis import LocalOperator
from fspielm.cells.basis import CellBasis, ball, chebyshev_table
from fspielm.resources import check_deadline

Indices: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.int_]]

# Numbers in the tables of a batch, which stay in the processor's cache; and the ratio of numbers of rows in its cells.
_ENTRIES, _ALIKE = 2**18, 1.5


@final
@dataclass(frozen=True, eq=False)
class Grid:
    """The same grid in B cells.

    Attributes
    ----------
    cells : (B,) integer array
    axes : tuple of (m,) arrays
        Its coordinates along each axis of a cell, from -1 to 1. Its points are ordered by the last axis first.
    start : int
        The number of its first point; the others follow, cell by cell.
    """

    cells: Indices
    axes: tuple[FloatArray, ...]
    start: int = 0

    @property
    def each(self) -> int:
        """Number of points in each cell."""
        return int(np.prod([len(axis) for axis in self.axes]))

    def points(self, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """All points, cell by cell, in the frames ``(C, d)`` of all cells."""
        unit = np.stack(np.meshgrid(*self.axes, indexing="ij"), axis=-1).reshape(-1, len(self.axes))
        low, high = lower[self.cells][:, None], upper[self.cells][:, None]
        return np.asarray((0.5 * ((1 - unit) * low + (1 + unit) * high)).reshape(-1, len(self.axes)))


@final
@dataclass(frozen=True, eq=False)
class Batch:
    """Rows in cells of equal degrees, p in each of B cells.

    Attributes
    ----------
    basis : CellBasis
    operator : LocalOperator
        Of all rows, not of these alone.
    cells : (B,) integer array
    rows : (B, p) integer array
        Numbers of the rows; where a cell has fewer than p, the number of rows that there are in all.
    unit : tuple of arrays
        Coordinates in the cells, from -1 to 1: ``(B, p)`` for each axis, or ``(m,)`` if they form a grid.
    """

    basis: CellBasis
    operator: LocalOperator
    cells: Indices
    rows: Indices
    unit: tuple[FloatArray, ...]

    @property
    def count(self) -> int:
        """Number of all rows."""
        return len(self.operator.points)

    def select(self, some: Indices) -> Batch:
        """The rows of some of its cells."""
        unit = self.unit if self.is_grid else tuple(own[some] for own in self.unit)
        return replace(self, cells=self.cells[some], rows=self.rows[some], unit=unit)

    @property
    def degrees(self) -> tuple[int, ...]:
        """The degrees along each axis, of all cells."""
        return tuple(self.basis.degrees[self.cells[0]].tolist())

    @property
    def is_grid(self) -> bool:
        """Whether the rows of a cell are at the points of a grid."""
        return self.unit[0].ndim == 1

    @cached_property
    def tables(self) -> list[FloatArray]:
        """Derivatives along each axis: ``(order, degree, B, p)``, or ``(order, degree, m)`` for a grid."""
        highest = self.operator.orders.max(axis=0, initial=0)
        return [chebyshev_table(x, *each) for x, *each in zip(self.unit, self.degrees, highest.tolist(), strict=True)]

    def terms(self) -> Iterator[tuple[tuple[int, ...], int, NumberArray]]:
        """The orders and the unknown of each term, and its factor for derivatives in the cell, ``(B, p)``."""
        operator, basis = self.operator, self.basis
        steep = 2.0 / basis.frames.lengths[self.cells]
        for number, orders in enumerate(operator.orders):
            unknown = operator.unknowns[number] if operator.unknowns else 0
            factor = (basis.scales[unknown] * np.prod(steep**orders, axis=1))[:, None]
            if operator.is_constant:
                yield tuple(orders.tolist()), unknown, factor * operator.coefficients[number]
            else:
                padded = np.append(operator.coefficients[number], 0.0)
                yield tuple(orders.tolist()), unknown, factor * padded[self.rows]

    def matrix(self) -> NumberArray:
        """The operator on all functions of the cells, ``(B, p, k)``."""
        which, (count, each) = ball(self.degrees), self.rows.shape
        dtype = np.result_type(np.float64, self.operator.coefficients)
        found = np.zeros((count, each, self.basis.components, len(which)), dtype=dtype)
        for orders, unknown, factor in self.terms():
            found[:, :, unknown] += factor[:, :, None] * self._products(orders, which)
        return found.reshape(count, each, -1)

    def _products(self, orders: tuple[int, ...], which: Indices) -> FloatArray:
        """Products of polynomials with degrees `which` ``(k, d)``: ``(B, p, k)``, or ``(p, k)`` for a grid."""
        each = [np.moveaxis(own[order], 0, -1) for own, order in zip(self.tables, orders, strict=True)]
        product = each[0][..., which[:, 0]]
        for axis in range(1, len(each)):
            if self.is_grid:
                product = product[:, None] * each[axis][None, :, which[:, axis]]
                product = product.reshape(-1, len(which))
            else:
                product *= each[axis][..., which[:, axis]]
        return np.asarray(product)

    def sums(self, fields: NumberArray) -> NumberArray:
        """The rows times coefficients ``(F, M)`` of all functions, shape ``(F, B, p)``."""
        degrees = self.degrees
        grids = np.zeros((len(fields), self.basis.components, len(self.cells), *(n + 1 for n in degrees)), fields.dtype)
        own = fields[:, self.basis.columns_of(self.cells)]
        inside = (slice(None),) * 3 + tuple(ball(degrees).T)
        grids[inside] = np.moveaxis(own.reshape(len(fields), len(self.cells), self.basis.components, -1), 1, 2)
        kind = np.result_type(fields, self.operator.coefficients)
        total = np.zeros((len(fields), *self.rows.shape), dtype=kind)
        known: dict[tuple[int, ...], NumberArray] = {}
        for orders, unknown, factor in self.terms():
            total += factor * self._contracted(grids[:, unknown], unknown, orders, known)
        return total

    def _contracted(
        self, grids: NumberArray, unknown: int, orders: tuple[int, ...], known: dict[tuple[int, ...], NumberArray]
    ) -> NumberArray:
        """Sums of polynomials with coefficients ``(F, B, degree, ...)``, one axis after the other."""
        last = self.tables[-1][orders[-1]]
        # (B, degree, p), or (degree, m)
        last = last if self.is_grid else np.moveaxis(last, 0, 1)
        if len(self.tables) == 1:
            return np.asarray((grids[:, :, None] @ last)[:, :, 0])
        if (unknown, orders[1]) not in known:
            known[unknown, orders[1]] = grids @ last
        first, inner = self.tables[0][orders[0]], known[unknown, orders[1]]
        if self.is_grid:
            return np.asarray((first.T @ inner).reshape(*inner.shape[:2], -1))
        return np.asarray(np.einsum("fbkp,kbp->fbp", inner, first))

    def adjoint(self, numbers: NumberArray) -> NumberArray:
        """The adjoint of `sums`, on numbers ``(F, N)`` of all rows: shape ``(F, B, k)``."""
        degrees, count = self.degrees, len(self.cells)
        padded = np.concatenate([numbers, np.zeros((len(numbers), 1))], axis=1)[:, self.rows]
        shape = (len(numbers), self.basis.components, count, *(degree + 1 for degree in degrees))
        grids = np.zeros(shape, dtype=np.result_type(numbers, self.operator.coefficients))
        for orders, unknown, factor in self.terms():
            values, last = np.conj(factor) * padded, self.tables[-1][orders[-1]]
            if len(degrees) == 1:
                across = last.T if self.is_grid else np.moveaxis(last, 0, -1)
                grids[:, unknown] += (values[:, :, None] @ across)[:, :, 0]
            elif self.is_grid:
                first = self.tables[0][orders[0]]
                grids[:, unknown] += first @ values.reshape(*values.shape[:2], first.shape[1], -1) @ last.T
            else:
                first = np.moveaxis(self.tables[0][orders[0]], 0, 1)
                grids[:, unknown] += (values[:, :, None] * first) @ np.moveaxis(last, 0, -1)
        inside = grids[(slice(None),) * 3 + tuple(ball(degrees).T)]
        return np.asarray(np.moveaxis(inside, 1, 2).reshape(len(numbers), count, -1))


@final
@dataclass(frozen=True, eq=False)
class RowsInCells:
    """An operator at N points of some cells; applied without being stored.

    Attributes
    ----------
    basis : CellBasis
    cells : (N,) integer array
        The cell of each point.
    operator : LocalOperator
        At all points.
    grids : tuple of Grid
        Points that form grids.
    with_shared : bool
        Whether it is applied to the functions that cells share, too.
    """

    basis: CellBasis
    cells: NDArray[np.intp]
    operator: LocalOperator
    grids: tuple[Grid, ...] = ()
    with_shared: bool = True

    @classmethod
    def at(cls, basis: CellBasis, operator: LocalOperator) -> RowsInCells:
        """One operator at points of arbitrary cells."""
        return cls(basis, basis.frames.locate(operator.points), operator)

    def __len__(self) -> int:
        return len(self.cells)

    @cached_property
    def batches(self) -> list[Batch]:
        """All rows; each cell is at most once among grids, and at most once among the others."""
        found, left = [], np.ones(len(self), dtype=np.bool_)
        for grid in self.grids:
            count, each = len(grid.cells), grid.each
            rows = grid.start + np.arange(count * each).reshape(count, each)
            left[rows] = False
            degrees = self.basis.degrees[grid.cells[0]] if count else (0,)
            size = max(1, _ENTRIES // (each * (int(max(degrees)) + 1)))
            for some in _split(count, size):
                found.append(Batch(self.basis, self.operator, grid.cells[some], rows[some], grid.axes))
        others = np.flatnonzero(left)
        if not len(others):
            return found
        lower, lengths = self.basis.frames.lower, self.basis.frames.lengths
        upper = self.basis.frames.upper
        order = others[np.argsort(self.cells[others], kind="stable")]
        cells, first, counts = np.unique(self.cells[order], return_index=True, return_counts=True)
        # the same degrees together, and among these cells with similar numbers of points
        kinds = np.unique(self.basis.degrees[cells], axis=0, return_inverse=True)[1].ravel()
        sequence = np.lexsort((counts, kinds))
        places = np.append(order, len(self))
        for some in _alike(kinds[sequence], counts[sequence], self.basis.degrees[cells[sequence]].max(axis=1)):
            here = sequence[some]
            own, each = cells[here], int(counts[here].max())
            at = np.arange(each)
            held = at < counts[here][:, None]
            rows = places[np.where(held, first[here][:, None] + at, len(order))]
            points = self.operator.points[np.where(held, rows, places[first[here]][:, None])]
            low, high = lower[own][:, None], upper[own][:, None]
            unit = ((points - low) - (high - points)) / lengths[own][:, None]
            axes = tuple(np.ascontiguousarray(unit[:, :, axis]) for axis in range(self.basis.dimension))
            found.append(Batch(self.basis, self.operator, own, rows, axes))
        return found

    @cached_property
    def _shared(self) -> list[tuple[Indices, Indices, NumberArray]]:
        """For cells with functions that they share: the rows, these columns, and the operator on them."""
        basis, found = self.basis, []
        if self.with_shared and len(basis.meeting):
            for cell in np.intersect1d(self.cells, basis.meeting.cell).tolist():
                rows = np.flatnonzero(self.cells == cell)
                found.append((rows, basis.shared(cell), basis.shared_rows(cell, self.operator.select(rows))))
        return found

    def __matmul__(self, coefficients: NumberArray) -> NumberArray:
        """The rows times coefficients ``(M,)``."""
        return self._latest(lambda: np.asarray(self.sums(coefficients[None])[0]), coefficients)

    @cached_property
    def _latest(self) -> Latest[NumberArray]:
        return Latest()

    def sums(self, fields: NumberArray) -> NumberArray:
        """The rows times the coefficients ``(F, M)`` of several sums, shape ``(F, N)``."""
        kind = np.result_type(fields, self.operator.coefficients, np.float64)
        found = np.zeros((len(fields), len(self) + 1), dtype=kind)
        for batch in self.batches:
            check_deadline()
            found[:, batch.rows] = batch.sums(fields)
        for rows, columns, values in self._shared:
            found[:, rows] += fields[:, columns] @ values.T
        return found[:, :-1]

    def adjoint(self, numbers: NumberArray) -> NumberArray:
        """Sums of the conjugate rows times numbers ``(F, N)``, shape ``(F, M)``."""
        kind = np.result_type(numbers, self.operator.coefficients, np.float64)
        found = np.zeros((len(numbers), self.basis.size), dtype=kind)
        for batch in self.batches:
            check_deadline()
            found[:, self.basis.columns_of(batch.cells)] += batch.adjoint(numbers)
        for rows, columns, values in self._shared:
            found[:, columns] += numbers[:, rows] @ values.conj()
        return found


def _split(count: int, size: int) -> Iterator[slice]:
    yield from (slice(first, min(first + size, count)) for first in range(0, count, size))


def _alike(kinds: Indices, counts: Indices, degrees: Indices) -> Iterator[slice]:
    """Runs of cells of one kind with similar numbers of rows, in ascending order, whose tables are not too large."""
    start = 0
    for end in range(1, len(kinds) + 1):
        full = end < len(kinds) and (
            kinds[end] != kinds[start]
            or counts[end] > _ALIKE * counts[start] + 4
            or (end + 1 - start) * counts[end] * (degrees[end] + 1) > _ENTRIES
        )
        if end == len(kinds) or full:
            yield slice(start, end)
            start = end


def join_rows(several: Sequence[RowsInCells]) -> RowsInCells:
    """Rows of operators, such as an equation in several materials, one after the other."""
    if len(several) == 1:
        return several[0]
    terms: dict[tuple[tuple[int, ...], int], NumberArray] = {}
    starts = np.cumsum([0, *map(len, several)])
    kind = np.result_type(np.float64, *(each.operator.coefficients for each in several))
    for each, start in zip(several, starts[:-1], strict=True):
        operator = each.operator
        for number, orders in enumerate(operator.orders.tolist()):
            key = tuple(orders), operator.unknowns[number] if operator.unknowns else 0
            entries = terms.setdefault(key, np.zeros(starts[-1], dtype=kind))
            entries[start : start + len(each)] += operator.coefficients[number]
    joined = LocalOperator(
        np.concatenate([each.operator.points for each in several]),
        np.array([orders for orders, _ in terms], dtype=np.int_),
        np.array(list(terms.values())),
        tuple(unknown for _, unknown in terms),
    )
    grids = [replace(g, start=g.start + start) for each, start in zip(several, starts, strict=False) for g in each.grids]
    cells = np.concatenate([each.cells for each in several])
    return RowsInCells(several[0].basis, cells, joined, tuple(grids))
