"""The basis of polynomials on the cells of a tiling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, ComplexArray, FloatArray, Latest, NumberArray, positions_in_runs
from fspielm.basis.basis import Basis, LocalOperator
from fspielm.cells.edges import EdgeFunctions
from fspielm.cells.frames import Frames, MaterialFrames, stack_frames
from fspielm.cells.shared import SharedFunctions
from fspielm.resources import check_deadline

# ---- Chebyshev polynomials at the points of a cell

Indices: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.int_]]


def chebyshev_table(x: FloatArray, degree: int, order: int, slope: float = 1.0) -> FloatArray:
    """Derivatives of Chebyshev's polynomials at `x`, shape ``(order + 1, degree + 1, *x.shape)``.

    The `slope` is that of x.
    """
    found = np.empty((order + 1, degree + 1, *x.shape))
    values = found[0]
    values[0] = 1.0
    values[1:2] = x
    known = 1
    while known < degree:  # T(m + j) = 2 T(m) T(j) - T(m - j): twice as many each time
        further = min(known, degree - known)
        np.multiply(2.0 * values[known], values[1 : further + 1], out=values[known + 1 : known + further + 1])
        values[known + 1 : known + further + 1] -= values[known - further : known][::-1]
        known += further
    flat = found.reshape(order + 1, degree + 1, -1)
    for k in range(order):
        np.matmul(slope * _derivatives(degree), flat[k], out=flat[k + 1])
    return found


@cache
def _derivatives(degree: int) -> FloatArray:
    """Row k has the coefficients of the derivative of the Chebyshev polynomial of degree k."""
    k, j = np.meshgrid(np.arange(degree + 1), np.arange(degree + 1), indexing="ij")
    return np.where((k > j) & ((k - j) % 2 == 1), np.where(j == 0, 1.0, 2.0) * k, 0.0)


# ---- Powers of the distance from points where materials meet

# Distances are bounded below by this share of the length, as derivatives are infinite at the point.
_CLOSEST = 1e-14


@final
@dataclass(frozen=True, eq=False)
class CornerTerms(SharedFunctions):
    """Real parts of ``factor * (turn * (z - point) / length)^power``, with one factor and turn for each cell.

    Attributes
    ----------
    cell : (n,) integer array
        In ascending order.
    column : (n,) integer array
        The function that the cell has.
    point : (n,) complex array
    power, length : (n,) arrays
    turn : (n,) complex array
        Of size one; rotates the middle of the sector of the cell's material onto the real axis.
    factor : (n,) complex array
    """

    cell: NDArray[np.int_]
    column: NDArray[np.int_]
    point: ComplexArray
    power: FloatArray
    length: FloatArray
    turn: ComplexArray
    factor: ComplexArray

    @cached_property
    def sharing(self) -> NDArray[np.int_]:
        """Number of cells of each function."""
        return np.bincount(self.column)

    def columns(self, cell: int) -> NDArray[np.int_]:
        """The functions of a cell."""
        return self.column[self._of(cell)]

    def rows(self, cell: int, operator: LocalOperator) -> NumberArray:
        """The operator on these functions, shape ``(n, k)``.

        Terms of equal order are added first, so that an equation the function satisfies is zero to the last digit.
        """
        here = self._of(cell)
        if here.start == here.stop:
            return np.zeros((len(operator.points), 0))
        power, steep = self.power[here], self.turn[here] / self.length[here]
        z = operator.points @ np.array([1.0, 1j])
        w = steep * (z[:, None] - self.point[here])
        w = np.where(np.abs(w) < _CLOSEST, _CLOSEST, w)
        total: NumberArray = np.zeros(w.shape, dtype=np.result_type(np.float64, operator.coefficients))
        orders = operator.orders.sum(axis=1)
        for order in np.unique(orders).tolist():
            some = orders == order
            coefficients = operator.coefficients[some].reshape(int(some.sum()), -1)
            # a derivative along y is i times that along x
            along_y = 1j ** operator.orders[some, 1]
            falling = np.prod(power[:, None] - np.arange(order), axis=1)
            derivative = self.factor[here] * falling * steep**order * w ** (power - order)
            total += np.real((along_y @ coefficients.real)[:, None] * derivative)
            if np.iscomplexobj(coefficients):
                total += 1j * np.real((along_y @ coefficients.imag)[:, None] * derivative)
        return total

    def _of(self, cell: int) -> slice:
        first, last = np.searchsorted(self.cell, [cell, cell + 1])
        return slice(int(first), int(last))


def no_corner_terms() -> CornerTerms:
    """An empty set."""
    none, numbers, complex_numbers = np.empty(0, dtype=np.int_), np.empty(0), np.empty(0, dtype=np.complex128)
    return CornerTerms(none, none, complex_numbers, numbers, numbers, complex_numbers, complex_numbers)


# ---- The basis

# A polynomial of degree d on a side of length L resolves waves up to this times d / L: about ten degrees a wavelength.
WAVES = 2 * np.pi / 10
# Cells are reported as equal in size up to this ratio.
_ALIKE = 0.9


@final
class CellBasis(Basis):
    """Products of Chebyshev polynomials on the frame of each cell of a tiling, for each unknown; zero on other cells.

    Their degrees lie within a quarter of an ellipse, which is more efficient than the full square for functions that
    are equally rough in every direction. Full cells have all products. Columns are ordered by cell, then by unknown.
    They are followed by functions that several cells share, at corners and where materials meet, and by columns without
    values for the unknowns on the edges of cells.

    Parameters
    ----------
    frames : Frames or MaterialFrames
    degrees : (C, d) integer array
        The highest degree in each cell, along each axis.
    scales : sequence of float
        Factors of the functions of each unknown.
    elsewhere : int
        Number of columns without values.
    meeting : SharedFunctions, optional
        The functions shared by the cells that meet at a point. Their factor is the largest of the `scales`.
    full : (C,) boolean array, optional
        The cells with all products; none by default.
    """

    is_piecewise = True

    def __init__(
        self,
        frames: Frames | MaterialFrames,
        degrees: Indices,
        scales: Sequence[float] = (1.0,),
        elsewhere: int = 0,
        meeting: SharedFunctions | None = None,
        full: BoolArray | None = None,
    ) -> None:
        self.frames = frames
        self.degrees = np.asarray(degrees, dtype=np.int_)
        self.full: BoolArray = np.zeros(len(self.degrees), dtype=np.bool_) if full is None else full
        self.scales = tuple(float(scale) for scale in scales)
        self.elsewhere = elsewhere
        self.meeting: SharedFunctions = no_corner_terms() if meeting is None else meeting
        self.corners = self.meeting.corners
        each = [len(self.products(cell)) for cell in range(len(self.degrees))]
        self.starts = np.cumsum([0, *(len(self.scales) * count for count in each)])
        self.size = int(self.starts[-1]) + len(self.meeting) + elsewhere
        self.dimension, self.components = frames.dimension, len(self.scales)

    def products(self, cell: int) -> Indices:
        """The degrees ``(k, d)`` of the functions of a cell."""
        degrees = tuple(self.degrees[cell].tolist())
        return square(degrees) if self.full[cell] else ball(degrees)

    @cached_property
    def kinds(self) -> Indices:
        """A row of numbers for each cell, which are equal where cells have the same functions."""
        return np.column_stack([self.degrees, self.full])

    @property
    def on_cells(self) -> tuple[CellBasis, ...]:
        """Itself."""
        return (self,)

    @cached_property
    def reach(self) -> FloatArray:
        """The highest frequency along each axis that the functions of all cells resolve."""
        return np.asarray(np.min(WAVES * self.degrees / self.frames.lengths, axis=0))

    @property
    def in_words(self) -> str:
        """The number, degrees and sizes of cells, for reports."""
        low, high = int(self.degrees.min()), int(self.degrees.max())
        words = f"{len(self.frames)}, degree {low}" + f" to {high}" * (high > low)
        sides = self.frames.lengths.max(axis=1)
        ratio = float(sides.min() / sides.max())
        return words if ratio > _ALIKE else f"{words}; the smallest {ratio:.1g} of the largest"

    def columns(self, cell: int) -> slice:
        """The columns of a cell."""
        return slice(int(self.starts[cell]), int(self.starts[cell + 1]))

    def columns_of(self, cells: Indices) -> Indices:
        """The columns ``(B, k)`` of cells with equally many."""
        if not len(cells):
            return np.empty((0, 0), dtype=np.int_)
        count = int(self.starts[cells[0] + 1] - self.starts[cells[0]])
        return np.asarray(self.starts[cells][:, None] + np.arange(count))

    @cached_property
    def sharing_cells(self) -> Indices:
        """The cells with functions that several cells may share."""
        cells = range(len(self.frames) if len(self.meeting) else 0)
        return np.array([cell for cell in cells if len(self.meeting.columns(cell))], dtype=np.int_)

    def shared(self, cell: int) -> Indices:
        """Columns of functions that a cell shares with others."""
        return np.asarray(self.starts[-1] + self.meeting.columns(cell))

    def shared_rows(self, cell: int, operator: LocalOperator) -> NumberArray:
        """The operator on the shared functions of a cell, shape ``(n, k)``."""
        return max(self.scales) * self.meeting.rows(cell, operator)

    def rows(self, cell: int, operator: LocalOperator, change: EdgeFunctions | None = None) -> NumberArray:
        """The operator on the functions of one cell, shape ``(n, k)``, or on those of a change; points are anywhere."""
        own = self.columns(cell)
        batches = RowsInCells(self, np.full(len(operator.points), cell), operator).batches
        return np.concatenate([np.zeros((0, own.stop - own.start)), *(each.matrix(change)[0] for each in batches)])

    def fill(self, operator: LocalOperator, columns: slice, out: NumberArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        out[...] = 0.0
        first, last, _ = columns.indices(self.size)
        for cell, here in self.by_cell(operator.points):
            own = self.columns(cell)
            begin, end = max(first, own.start), min(last, own.stop)
            if begin < end:
                values = self.rows(cell, operator.select(here))[:, begin - own.start : end - own.start]
                out[begin - first : end - first, here] = values.T
            shared = self.shared(cell)
            asked = (shared >= first) & (shared < last)
            if asked.any():
                values = self.shared_rows(cell, operator.select(here))[:, asked]
                out[np.ix_(shared[asked] - first, here)] = values.T

    def sums(self, fields: NumberArray, operators: Sequence[LocalOperator]) -> NumberArray:
        """T operators at the same points on the sums with coefficients `fields` ``(F, M)``: ``(T, F, n)``."""
        cells = self.frames.locate(operators[0].points)
        return np.stack([RowsInCells(self, cells, operator).sums(fields) for operator in operators])

    def sparse(self, operator: LocalOperator) -> Any:
        """The operator on every function at every point, ``(n, M)``, as a sparse array of SciPy."""
        from scipy.sparse import csr_array

        parts, each = [], np.zeros(len(operator.points), dtype=np.intp)
        for cell, here in self.by_cell(operator.points):
            local, own = operator.select(here), self.columns(cell)
            values = np.hstack([self.rows(cell, local), self.shared_rows(cell, local)])
            its = np.append(np.arange(own.start, own.stop), self.shared(cell))
            parts.append((here, its, values))
            each[here] = len(its)
        starts = np.append(0, np.cumsum(each))
        entries = np.empty(starts[-1], dtype=np.result_type(np.float64, *(values for _, _, values in parts)))
        columns = np.empty(starts[-1], dtype=np.intp)
        for here, its, values in parts:
            places = starts[here][:, None] + np.arange(len(its))
            entries[places], columns[places] = values, its
        return csr_array((entries, columns, starts), shape=(len(operator.points), self.size))

    def valued(self, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """Without the columns that have no values; see `Basis.valued`."""
        if not self.elsewhere:
            return self, coefficients
        basis = CellBasis(self.frames, self.degrees, self.scales, 0, self.meeting, self.full)
        return basis, coefficients[..., : -self.elsewhere]

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """One unknown of the sums; see `Basis.field`."""
        if self.components == 1 and not self.elsewhere and self.scales == (1.0,):
            return self, coefficients
        parts = []
        for start, end in zip(self.starts[:-1], self.starts[1:], strict=True):
            each = (end - start) // self.components
            own = coefficients[..., start + unknown * each : start + (unknown + 1) * each]
            parts.append(self.scales[unknown] * own)
        parts.append(max(self.scales) * coefficients[..., self.starts[-1] : self.size - self.elsewhere])
        basis = CellBasis(self.frames, self.degrees, meeting=self.meeting.component(unknown), full=self.full)
        return basis, np.concatenate(parts, axis=-1)

    def sizes(self, fields: NumberArray, order: int) -> FloatArray:
        """Approximate size of derivatives of sums with coefficients `fields` ``(F, M)`` in each cell, ``(F, C)``."""
        steep = np.max(2.0 * self.degrees / self.frames.lengths, axis=1)
        squares = np.add.reduceat(np.abs(fields[:, : self.starts[-1]]) ** 2, self.starts[:-1], axis=1)
        return np.asarray(np.sqrt(squares) * steep**order)

    def by_cell(self, points: FloatArray) -> Iterator[tuple[int, Indices]]:
        """The cells that contain points, and the indices of their points."""
        if not len(points):
            return
        cells = self.frames.locate(points)
        order = np.argsort(cells, kind="stable")
        borders = np.flatnonzero(np.diff(cells[order])) + 1
        for here in np.split(order, borders):
            yield int(cells[here[0]]), here


@cache
def square(degrees: tuple[int, ...]) -> Indices:
    """The degrees ``(k, d)`` of all products up to these degrees, ordered by the last axis first."""
    grid = np.stack(np.meshgrid(*(np.arange(degree + 1) for degree in degrees), indexing="ij"), axis=-1)
    return np.asarray(grid.reshape(-1, len(degrees)))


@cache
def ball(degrees: tuple[int, ...]) -> Indices:
    """The degrees ``(k, d)`` of products within an ellipsoid with these half-axes."""
    flat = square(degrees)
    inside = np.sum((flat / np.maximum(degrees, 1)) ** 2, axis=1) <= 1.0 + 1e-12
    return np.asarray(flat[inside])


# ---- Operators on the polynomials of many cells at once
# Rows are points with the cell whose functions they apply to. Cells of equal degrees are processed together, in arrays
# with one axis for the cells.

# Numbers in the tables of a batch, which stay in the processor's cache; and the ratio of numbers of rows in its cells.
_ENTRIES, _SIMILAR = 2**18, 1.5
# Tables of more numbers in all are not kept.
_KEPT = 2**20


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
    def _which(self) -> Indices:
        return self.basis.products(int(self.cells[0]))

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
                yield tuple(orders.tolist()), unknown, factor * operator.coefficients[number][self._within]

    @property
    def _within(self) -> Indices:
        """The numbers of the rows, that of any other where a cell has fewer."""
        return np.minimum(self.rows, self.count - 1)

    def matrix(self, change: EdgeFunctions | None = None) -> NumberArray:
        """The operator on all functions of the cells, ``(B, p, k)``; or on those of a change."""
        (count, each), several = self.rows.shape, self.basis.components
        dtype = np.result_type(np.float64, self.operator.coefficients)
        found = np.zeros((count, each, several, len(self._which)), dtype=dtype)
        for orders, unknown, factor in self.terms():
            found[:, :, unknown] += factor[:, :, None] * self._products(orders, change)
        return found.reshape(count, each, -1) if change is None else change.joined(found)

    def _products(self, orders: tuple[int, ...], change: EdgeFunctions | None) -> FloatArray:
        """Products of polynomials: ``(B, p, k)``, or ``(p, k)`` for a grid."""
        if self.is_grid:
            axes = tuple(axis.tobytes() for axis in self.unit)
            return _products_on_grid(axes, orders, self.degrees, bool(self.basis.full[self.cells[0]]), change)
        each = [np.moveaxis(own[order], 0, -1) for own, order in zip(self.tables, orders, strict=True)]
        product = each[0][..., self._which[:, 0]]
        for axis in range(1, len(each)):
            product *= each[axis][..., self._which[:, axis]]
        return np.asarray(product if change is None else change.of_rows(product))

    def sums(self, fields: NumberArray) -> NumberArray:
        """The rows times coefficients ``(F, M)`` of all functions, shape ``(F, B, p)``."""
        degrees = self.degrees
        grids = np.zeros((len(fields), self.basis.components, len(self.cells), *(n + 1 for n in degrees)), fields.dtype)
        own = fields[:, self.basis.columns_of(self.cells)]
        inside = (slice(None),) * 3 + tuple(self._which.T)
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
        held = numbers[:, self._within] * (self.rows < self.count)
        shape = (len(numbers), self.basis.components, count, *(degree + 1 for degree in degrees))
        grids = np.zeros(shape, dtype=np.result_type(numbers, self.operator.coefficients))
        for orders, unknown, factor in self.terms():
            values, last = np.conj(factor) * held, self.tables[-1][orders[-1]]
            if len(degrees) == 1:
                across = last.T if self.is_grid else np.moveaxis(last, 0, -1)
                grids[:, unknown] += (values[:, :, None] @ across)[:, :, 0]
            elif self.is_grid:
                first = self.tables[0][orders[0]]
                grids[:, unknown] += first @ values.reshape(*values.shape[:2], first.shape[1], -1) @ last.T
            else:
                first = np.moveaxis(self.tables[0][orders[0]], 0, 1)
                grids[:, unknown] += (values[:, :, None] * first) @ np.moveaxis(last, 0, -1)
        inside = grids[(slice(None),) * 3 + tuple(self._which.T)]
        return np.asarray(np.moveaxis(inside, 1, 2).reshape(len(numbers), count, -1))


@lru_cache(maxsize=8)
def _products_on_grid(
    axes: tuple[bytes, ...],
    orders: tuple[int, ...],
    degrees: tuple[int, ...],
    is_full: bool,
    change: EdgeFunctions | None,
) -> FloatArray:
    """Derivatives of products of polynomials on a grid with these coordinates along each axis, ``(p, k)``."""
    which = (square if is_full else ball)(degrees)
    product = np.ones((1, len(which)))
    for axis, (own, order, degree) in enumerate(zip(axes, orders, degrees, strict=True)):
        table = chebyshev_table(np.frombuffer(own), degree, order)[order].T
        product = (product[:, None] * table[None, :, which[:, axis]]).reshape(-1, len(which))
    product = product if change is None else change.of_rows(product)
    product.setflags(write=False)  # shared by all threads
    return product


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
        """All rows, in groups of cells whose tables are not too large."""
        left = np.ones(len(self), dtype=np.bool_)
        for grid in self.grids:
            left[grid.start : grid.start + len(grid.cells) * grid.each] = False
        return [*self._on_grids(), *self._elsewhere(np.flatnonzero(left))]

    def _on_grids(self) -> Iterator[Batch]:
        for grid in self.grids:
            count, each = len(grid.cells), grid.each
            rows = grid.start + np.arange(count * each).reshape(count, each)
            kinds, which = np.unique(self.basis.kinds[grid.cells], axis=0, return_inverse=True)
            for number, highest in enumerate(kinds[:, :-1].max(axis=1).tolist()):
                alike = np.flatnonzero(which.ravel() == number)
                size = max(1, _ENTRIES // (each * (highest + 1)))
                for first in range(0, len(alike), size):
                    some = alike[first : first + size]
                    yield Batch(self.basis, self.operator, grid.cells[some], rows[some], grid.axes)

    def _elsewhere(self, others: Indices) -> Iterator[Batch]:
        """Batches of rows that form no grid."""
        if not len(others):
            return
        lower, lengths = self.basis.frames.lower, self.basis.frames.lengths
        upper = self.basis.frames.upper
        order = others[np.argsort(self.cells[others], kind="stable")]
        cells, first, counts = np.unique(self.cells[order], return_index=True, return_counts=True)
        # very many points of a cell in several runs
        sizes = self.basis.degrees[cells].max(axis=1) + 1
        runs = -(-counts * sizes // _ENTRIES)
        of = np.repeat(np.arange(len(cells)), runs)
        most = -(-counts // runs)[of]
        begins = positions_in_runs(runs) * most
        cells, sizes, first, counts = cells[of], sizes[of], first[of] + begins, np.minimum(most, counts[of] - begins)
        # the same degrees together, and among these cells with similar numbers of points
        kinds = np.unique(self.basis.kinds[cells], axis=0, return_inverse=True)[1].ravel()
        sequence = np.lexsort((counts, kinds))
        places = np.append(order, len(self))
        for some in _alike(kinds[sequence], counts[sequence], sizes[sequence]):
            here = sequence[some]
            own, each = cells[here], int(counts[here].max())
            at = np.arange(each)
            held = at < counts[here][:, None]
            rows = places[np.where(held, first[here][:, None] + at, len(order))]
            points = self.operator.points[np.where(held, rows, places[first[here]][:, None])]
            low, high = lower[own][:, None], upper[own][:, None]
            unit = ((points - low) - (high - points)) / lengths[own][:, None]
            axes = tuple(np.ascontiguousarray(unit[:, :, axis]) for axis in range(self.basis.dimension))
            yield Batch(self.basis, self.operator, own, rows, axes)

    @cached_property
    def _shared(self) -> list[tuple[Indices, Indices, NumberArray]]:
        """For cells with functions that they share: the rows, these columns, and the operator on them."""
        basis = self.basis
        found: list[tuple[Indices, Indices, NumberArray]] = []
        if self.with_shared and len(basis.sharing_cells):
            for cell in np.intersect1d(self.cells, basis.sharing_cells).tolist():
                rows = np.flatnonzero(self.cells == cell)
                found.append((rows, basis.shared(cell), basis.shared_rows(cell, self.operator.select(rows))))
        return found

    def _in_turn(self) -> Iterator[Batch]:
        """All batches, of which only small ones keep their tables."""
        entries = len(self) * (int(self.basis.degrees.max()) + 1)
        for batch in self.batches:
            check_deadline()
            yield batch
            if entries > _KEPT and not batch.is_grid:
                batch.__dict__.pop("tables", None)

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
        for batch in self._in_turn():
            found[:, batch.rows] = batch.sums(fields)
        for rows, columns, values in self._shared:
            found[:, rows] += fields[:, columns] @ values.T
        return found[:, :-1]

    def adjoint(self, numbers: NumberArray) -> NumberArray:
        """Sums of the conjugate rows times numbers ``(F, N)``, shape ``(F, M)``."""
        kind = np.result_type(numbers, self.operator.coefficients, np.float64)
        found = np.zeros((len(numbers), self.basis.size), dtype=kind)
        for batch in self._in_turn():
            found[:, self.basis.columns_of(batch.cells)] += batch.adjoint(numbers)
        for rows, columns, values in self._shared:
            found[:, columns] += numbers[:, rows] @ values.conj()
        return found


def _alike(kinds: Indices, counts: Indices, sizes: Indices) -> Iterator[slice]:
    """Runs of cells of one kind with similar numbers of rows, in ascending order, whose tables are not too large."""
    start = 0
    for end in range(1, len(kinds) + 1):
        full = end < len(kinds) and (
            kinds[end] != kinds[start]
            or counts[end] > _SIMILAR * counts[start] + 4
            or (end + 1 - start) * counts[end] * sizes[end] > _ENTRIES
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
    grids = [
        replace(g, start=g.start + start) for each, start in zip(several, starts, strict=False) for g in each.grids
    ]
    cells = np.concatenate([each.cells for each in several])
    return RowsInCells(several[0].basis, cells, joined, tuple(grids))


# ---- Functions on stacked tilings


def stack_cells(parts: Sequence[tuple[CellBasis, NumberArray]]) -> tuple[CellBasis, NumberArray]:
    """One sum from sums on tilings that each begin where the previous one ends along the last axis."""
    frames = [basis.frames for basis, _ in parts]
    assert all(isinstance(each, Frames) for each in frames)  # of one material
    coefficients = np.concatenate([_plain(basis, each) for basis, each in parts])
    stacked = stack_frames([each for each in frames if isinstance(each, Frames)])
    degrees = np.concatenate([basis.degrees for basis, _ in parts])
    full = np.concatenate([basis.full for basis, _ in parts])
    return CellBasis(stacked, degrees, (1.0,) * parts[0][0].components, full=full), coefficients


def _plain(basis: CellBasis, coefficients: NumberArray) -> NumberArray:
    """The coefficients of unscaled functions, without columns that have no values."""
    each = np.diff(basis.starts) // basis.components
    scales = np.repeat(np.tile(basis.scales, len(each)), np.repeat(each, basis.components))
    return np.asarray(scales * coefficients[: basis.starts[-1]])


@final
class SumsOnCells(Basis):
    """Complex functions that are sums of polynomials on the cells of a tiling.

    Parameters
    ----------
    cells : CellBasis
        For a single unknown.
    fields : (F, M) array
        The coefficients of each function.
    """

    dtype = np.dtype(np.complex128)

    def __init__(self, cells: CellBasis, fields: NumberArray) -> None:
        self.cells, self.fields = cells, fields
        self.size, self.dimension = len(fields), cells.dimension

    def summed(self, coefficients: NumberArray) -> SumsOnCells:
        """The sum of the functions with these coefficients ``(F,)`` as a single function."""
        return SumsOnCells(self.cells, (coefficients @ self.fields)[None])

    def fill(self, operator: LocalOperator, columns: slice, out: ComplexArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        out[...] = self.cells.sums(self.fields[columns], [operator])[0]
