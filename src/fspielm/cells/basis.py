"""The basis of polynomials on the cells of a tiling."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray, Latest, NumberArray
from fspielm.basis.basis import Basis, LocalOperator
from fspielm.cells.frames import Frames, MaterialFrames, stack_frames
from fspielm.cells.shared import SharedFunctions
from fspielm.resources import check_deadline

# ---- Chebyshev polynomials at the points of a cell

Indices: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.int_]]


class Tables(ABC):
    """Values of products of polynomials, one along each axis, at n points."""

    @abstractmethod
    def products(self, orders: Indices, which: Indices) -> FloatArray:
        """Derivatives of the products with degrees `which` ``(k, d)``, shape ``(k, n)``."""

    @abstractmethod
    def sums(self, orders: Indices, grids: NumberArray) -> NumberArray:
        """Derivatives of sums with coefficients ``(F, degree, ...)`` of all products, shape ``(F, n)``."""

    @abstractmethod
    def adjoint(self, orders: Indices, numbers: NumberArray) -> NumberArray:
        """The adjoint of `sums`, on numbers ``(F, n)``: shape ``(F, degree, ...)``."""


@final
@dataclass(frozen=True, eq=False)
class Scattered(Tables):
    """Tables at arbitrary points: ``(order, degree, n)`` for each axis."""

    axes: Sequence[FloatArray]

    def products(self, orders: Indices, which: Indices) -> FloatArray:
        """See `Tables`."""
        product = self.axes[0][orders[0]][which[:, 0]]
        for axis in range(1, len(self.axes)):
            product = product * self.axes[axis][orders[axis]][which[:, axis]]
        return np.asarray(product)

    def sums(self, orders: Indices, grids: NumberArray) -> NumberArray:
        """See `Tables`."""
        values = grids @ self.axes[-1][orders[-1]]
        for axis in reversed(range(len(self.axes) - 1)):
            values = np.einsum("f...kn,kn->f...n", values, self.axes[axis][orders[axis]])
        return np.asarray(values)

    def adjoint(self, orders: Indices, numbers: NumberArray) -> NumberArray:
        """See `Tables`."""
        values = numbers
        for axis in range(len(self.axes) - 1):
            values = values[..., None, :] * self.axes[axis][orders[axis]]
        return np.asarray(values @ self.axes[-1][orders[-1]].T)


@final
@dataclass(frozen=True, eq=False)
class Gridded(Tables):
    """Tables at the points of a grid, the last axis fastest: ``(order, degree, number along it)`` for each axis."""

    axes: Sequence[FloatArray]

    def products(self, orders: Indices, which: Indices) -> FloatArray:
        """See `Tables`."""
        product = self.axes[0][orders[0]][which[:, 0]]
        for axis in range(1, len(self.axes)):
            own = self.axes[axis][orders[axis]][which[:, axis]]
            product = (product[:, :, None] * own[:, None, :]).reshape(len(which), -1)
        return np.asarray(product)

    def sums(self, orders: Indices, grids: NumberArray) -> NumberArray:
        """See `Tables`."""
        return _along_each(grids, [table[order] for table, order in zip(self.axes, orders, strict=True)])

    def adjoint(self, orders: Indices, numbers: NumberArray) -> NumberArray:
        """See `Tables`."""
        shape = (len(numbers), *(table.shape[-1] for table in self.axes))
        tables = [table[order].T for table, order in zip(self.axes, orders, strict=True)]
        return _along_each(numbers.reshape(shape), tables).reshape(len(numbers), *(t.shape[1] for t in tables))


def _along_each(values: NumberArray, tables: Sequence[FloatArray]) -> NumberArray:
    """Numbers ``(F, a, b, ...)`` times a matrix along each axis, with all axes but the first flattened."""
    for table in tables:
        # the axis in front becomes the last one
        values = np.moveaxis(values, 1, -1) @ table
    return values.reshape(len(values), -1)


def tables_for(operator: LocalOperator, box: tuple[FloatArray, FloatArray], degrees: Sequence[int]) -> Tables:
    """The derivatives of polynomials on a box that an operator needs, at its points."""
    lower, upper = box
    highest = operator.orders.max(axis=0, initial=0)
    points = operator.axes or operator.points.T
    axes = zip(points, lower, upper, degrees, highest, strict=True)
    found = [_table(_unit(x, low, high), degree, order, 2.0 / (high - low)) for x, low, high, degree, order in axes]
    return Gridded(found) if operator.axes else Scattered(found)


def _unit(x: FloatArray, low: float, high: float) -> FloatArray:
    return np.asarray(((x - low) - (high - x)) / (high - low))


def _table(x: FloatArray, degree: int, order: int, slope: float) -> FloatArray:
    """Derivatives of Chebyshev's polynomials at `x`, shape ``(order + 1, degree + 1, n)``; `slope` is that of x."""
    found = np.empty((order + 1, degree + 1, len(x)))
    values = found[0]
    values[0] = 1.0
    values[1:2] = x
    known = 1
    while known < degree:  # T(m + j) = 2 T(m) T(j) - T(m - j): twice as many each time
        further = min(known, degree - known)
        np.multiply(2.0 * values[known], values[1 : further + 1], out=values[known + 1 : known + further + 1])
        values[known + 1 : known + further + 1] -= values[known - further : known][::-1]
        known += further
    for k in range(order):
        np.matmul(slope * _derivatives(degree), found[k], out=found[k + 1])
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
# Points at a time, whose tables stay in the processor's cache.
_AT_ONCE = 2048
# Cells are reported as equal in size up to this ratio.
_ALIKE = 0.9


@final
class CellBasis(Basis):
    """Products of Chebyshev polynomials on the frame of each cell of a tiling, for each unknown; zero on other cells.

    Their degrees lie within a quarter of an ellipse, which is more efficient than the full square for functions that
    are equally rough in every direction. Columns are ordered by cell, then by unknown. They are followed by functions
    that several cells share, at corners and where materials meet, and by columns without values for the unknowns on the
    edges of cells.

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
        The functions shared by the cells that meet at a point, for a single unknown.
    """

    is_piecewise = True

    def __init__(
        self,
        frames: Frames | MaterialFrames,
        degrees: Indices,
        scales: Sequence[float] = (1.0,),
        elsewhere: int = 0,
        meeting: SharedFunctions | None = None,
    ) -> None:
        self.frames = frames
        self.degrees = np.asarray(degrees, dtype=np.int_)
        self.scales = tuple(float(scale) for scale in scales)
        self.elsewhere = elsewhere
        self.meeting: SharedFunctions = no_corner_terms() if meeting is None else meeting
        self.corners = self.meeting.corners
        each = [len(ball(tuple(own))) for own in self.degrees.tolist()]
        self.starts = np.cumsum([0, *(len(self.scales) * count for count in each)])
        self.size = int(self.starts[-1]) + len(self.meeting) + elsewhere
        self.dimension, self.components = frames.dimension, len(self.scales)

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

    def shared(self, cell: int) -> Indices:
        """Columns of functions that a cell shares with others."""
        return np.asarray(self.starts[-1] + self.meeting.columns(cell))

    def shared_rows(self, cell: int, operator: LocalOperator) -> NumberArray:
        """The operator on the shared functions of a cell, shape ``(n, k)``."""
        return self.scales[0] * self.meeting.rows(cell, operator)

    def rows(self, cell: int, operator: LocalOperator) -> NumberArray:
        """The operator on the functions of one cell, shape ``(n, k)``; points may lie anywhere."""
        which = ball(tuple(self.degrees[cell].tolist()))
        tables = self.tables(cell, operator)
        unknowns = operator.unknowns or (0,) * len(operator.orders)
        dtype = np.result_type(np.float64, operator.coefficients)
        found = np.zeros((self.components, len(which), len(operator.points)), dtype=dtype)
        for orders, coefficient, unknown in zip(operator.orders, operator.coefficients, unknowns, strict=True):
            product = tables.products(orders, which)
            product *= self.scales[unknown]
            found[unknown] += coefficient * product
        return found.reshape(-1, len(operator.points)).T

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
        points = operators[0].points
        kind = np.result_type(fields, *(operator.coefficients for operator in operators))
        found = np.empty((len(operators), len(fields), len(points)), dtype=kind)
        highest = np.max([operator.orders.max(axis=0, initial=0) for operator in operators], axis=0)
        for cell, here in self.by_cell(points):
            own = fields[:, self.columns(cell)]
            for some in np.split(here, range(_AT_ONCE, len(here), _AT_ONCE)):
                # the same tables for all of them
                tables = self.tables(cell, LocalOperator(points[some], highest[None], np.ones(1)))
                for total, operator in zip(found, operators, strict=True):
                    total[:, some] = self.sum_in(cell, own, operator.select(some), tables)
            if len(self.shared(cell)):
                for total, operator in zip(found, operators, strict=True):
                    total[:, here] += self.sum_shared(cell, fields, operator.select(here))
        return found

    def sum_shared(self, cell: int, fields: NumberArray, operator: LocalOperator) -> NumberArray:
        """Sums of a cell's shared functions with coefficients `fields` ``(F, M)``, shape ``(F, n)``."""
        return np.asarray(fields[:, self.shared(cell)] @ self.shared_rows(cell, operator).T)

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
        return CellBasis(self.frames, self.degrees, self.scales, 0, self.meeting), coefficients[..., : -self.elsewhere]

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """One unknown of the sums; see `Basis.field`."""
        if self.components == 1 and not self.elsewhere and self.scales == (1.0,):
            return self, coefficients
        parts = []
        for start, end in zip(self.starts[:-1], self.starts[1:], strict=True):
            each = (end - start) // self.components
            parts.append(coefficients[..., start + unknown * each : start + (unknown + 1) * each])
        parts.append(coefficients[..., self.starts[-1] : self.size - self.elsewhere])
        return CellBasis(self.frames, self.degrees, meeting=self.meeting), self.scales[unknown] * np.concatenate(
            parts, axis=-1
        )

    def sum_in(
        self, cell: int, fields: NumberArray, operator: LocalOperator, tables: Tables | None = None
    ) -> NumberArray:
        """Sums in one cell, along one axis after the other; `tables` if they are known."""
        check_deadline()
        degrees = tuple(self.degrees[cell].tolist())
        grids = np.zeros((len(fields), self.components, *(degree + 1 for degree in degrees)), dtype=fields.dtype)
        grids[:, :, *ball(degrees).T] = fields.reshape(len(fields), self.components, -1)
        tables = tables or self.tables(cell, operator)
        unknowns = operator.unknowns or (0,) * len(operator.orders)
        total = np.zeros((len(fields), len(operator.points)), np.result_type(fields, operator.coefficients))
        for orders, coefficient, unknown in zip(operator.orders, operator.coefficients, unknowns, strict=True):
            total += self.scales[unknown] * coefficient * tables.sums(orders, grids[:, unknown])
        return total

    def adjoint_in(
        self, cell: int, numbers: NumberArray, operator: LocalOperator, tables: Tables | None = None
    ) -> NumberArray:
        """The adjoint of `sum_in`: maps ``(F, n)`` to ``(F, k)`` for the functions of one cell."""
        check_deadline()
        degrees = tuple(self.degrees[cell].tolist())
        tables = tables or self.tables(cell, operator)
        unknowns = operator.unknowns or (0,) * len(operator.orders)
        shape = (len(numbers), self.components, *(degree + 1 for degree in degrees))
        grids = np.zeros(shape, dtype=np.result_type(numbers, operator.coefficients))
        for orders, coefficient, unknown in zip(operator.orders, operator.coefficients, unknowns, strict=True):
            grids[:, unknown] += tables.adjoint(orders, self.scales[unknown] * np.conj(coefficient) * numbers)
        return grids[:, :, *ball(degrees).T].reshape(len(numbers), -1)

    def sizes(self, fields: NumberArray, order: int) -> FloatArray:
        """Approximate size of derivatives of sums with coefficients `fields` ``(F, M)`` in each cell, ``(F, C)``."""
        steep = np.max(2.0 * self.degrees / self.frames.lengths, axis=1)
        squares = np.add.reduceat(np.abs(fields[:, : self.starts[-1]]) ** 2, self.starts[:-1], axis=1)
        return np.asarray(np.sqrt(squares) * steep**order)

    def tables(self, cell: int, operator: LocalOperator) -> Tables:
        """The polynomials of a cell at the points of an operator."""
        return tables_for(operator, (self.frames.lower[cell], self.frames.upper[cell]), self.degrees[cell].tolist())

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
def ball(degrees: tuple[int, ...]) -> Indices:
    """The degrees ``(k, d)`` of products within an ellipsoid with these half-axes."""
    grid = np.stack(np.meshgrid(*(np.arange(degree + 1) for degree in degrees), indexing="ij"), axis=-1)
    flat = grid.reshape(-1, len(degrees))
    inside = np.sum((flat / np.maximum(degrees, 1)) ** 2, axis=1) <= 1.0 + 1e-12
    return np.asarray(flat[inside])


# ---- Rows that are applied without being stored


@final
@dataclass(frozen=True, eq=False)
class RowsInCells:
    """Operators at points of some cells, ordered by cell.

    Attributes
    ----------
    basis : CellBasis
    parts : tuple of (int, LocalOperator)
        Cells and the operators applied in them.
    order : (n,) integer array or None
        The position of each row, if they are not in order.
    """

    basis: CellBasis
    parts: tuple[tuple[int, LocalOperator], ...]
    order: np.ndarray[tuple[int, ...], np.dtype[np.intp]] | None = None

    @classmethod
    def at(cls, basis: CellBasis, operator: LocalOperator) -> RowsInCells:
        """One operator at points of arbitrary cells."""
        split = list(basis.by_cell(operator.points))
        order = np.concatenate([np.empty(0, dtype=np.intp), *(here for _, here in split)])
        return cls(basis, tuple((cell, operator.select(here)) for cell, here in split), order)

    @cached_property
    def _ends(self) -> list[int]:
        return [0, *np.cumsum([len(operator.points) for _, operator in self.parts]).tolist()]

    def __matmul__(self, coefficients: NumberArray) -> NumberArray:
        """The rows times coefficients ``(M,)``."""
        return self._latest(lambda: np.asarray(self.sums(coefficients[None])[0]), coefficients)

    @cached_property
    def _latest(self) -> Latest[NumberArray]:
        return Latest()

    def sums(self, fields: NumberArray) -> NumberArray:
        """The rows times the coefficients ``(F, M)`` of several sums, shape ``(F, n)``."""
        parts = []
        for cell, operator in self.parts:
            own = self.basis.sum_in(cell, fields[:, self.basis.columns(cell)], operator)
            parts.append(own + self.basis.sum_shared(cell, fields, operator))
        joined = np.concatenate([np.empty((len(fields), 0)), *parts], axis=1)
        if self.order is None:
            return joined
        found = np.empty_like(joined)
        found[:, self.order] = joined
        return found

    def adjoint(self, numbers: NumberArray) -> NumberArray:
        """Sums of the conjugate rows times numbers ``(F, n)``, shape ``(F, M)``."""
        numbers = numbers if self.order is None else numbers[:, self.order]
        types = [operator.coefficients for _, operator in self.parts]
        found = np.zeros((len(numbers), self.basis.size), dtype=np.result_type(numbers, *types))
        for (cell, operator), start, end in zip(self.parts, self._ends[:-1], self._ends[1:], strict=True):
            here = numbers[:, start:end]
            found[:, self.basis.columns(cell)] += self.basis.adjoint_in(cell, here, operator)
            shared = self.basis.shared(cell)
            if len(shared):
                found[:, shared] += here @ self.basis.shared_rows(cell, operator).conj()
        return found


# ---- Functions on stacked tilings


def stack_cells(parts: Sequence[tuple[CellBasis, NumberArray]]) -> tuple[CellBasis, NumberArray]:
    """One sum from sums on tilings that each begin where the previous one ends along the last axis."""
    frames = [basis.frames for basis, _ in parts]
    assert all(isinstance(each, Frames) for each in frames)  # of one material
    coefficients = np.concatenate([_plain(basis, each) for basis, each in parts])
    stacked = stack_frames([each for each in frames if isinstance(each, Frames)])
    degrees = np.concatenate([basis.degrees for basis, _ in parts])
    return CellBasis(stacked, degrees, (1.0,) * parts[0][0].components), coefficients


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
