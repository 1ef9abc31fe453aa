"""Polynomials on each cell of a tiling, zero on all others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from typing import Any, TypeAlias, final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.deadline import check_deadline
from fspielm.features.basis import Basis
from fspielm.features.corner_terms import CornerTerms, no_corner_terms
from fspielm.features.local import LocalOperator
from fspielm.features.tables import Tables, tables_for
from fspielm.geometry.cells import Frames, MaterialFrames

Indices: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.int_]]

# A polynomial of degree d on a side of length L holds waves up to this times d / L: about ten degrees a wavelength,
# and some more for the first digits, are known to give many.
WAVES = 2 * np.pi / 10
# Points that are summed at together: their tables stay in the processor's cache.
_AT_A_TIME = 2048
# Cells are said to be of one size up to this ratio.
_ALIKE = 0.9


@final
class CellBasis(Basis):
    """Chebyshev's polynomials on the frame of each cell of a tiling, for each of some unknowns.

    Products of those whose degrees lie within a quarter of an ellipse: for functions that are as rough in every
    direction they are worth more than the corners of the full square. Columns are those of cell after cell, in each of
    unknown after unknown; then come functions that several cells share where materials meet, and further ones without
    values anywhere, for what is unknown on the edges of cells.

    Parameters
    ----------
    frames : Frames or MaterialFrames
    degrees : (C, d) integer array
        The highest degree in each cell, along each axis.
    scales : sequence of float
        What the functions for each unknown are multiplied with.
    elsewhere : int
        How many columns have no values.
    meeting : CornerTerms, optional
        Of a single unknown.
    """

    def __init__(
        self,
        frames: Frames | MaterialFrames,
        degrees: Indices,
        scales: Sequence[float] = (1.0,),
        elsewhere: int = 0,
        meeting: CornerTerms | None = None,
    ) -> None:
        self.frames = frames
        self.degrees = np.asarray(degrees, dtype=np.int_)
        self.scales = tuple(float(scale) for scale in scales)
        self.elsewhere = elsewhere
        self.meeting = no_corner_terms() if meeting is None else meeting
        each = [len(ball(tuple(own))) for own in self.degrees.tolist()]
        self.starts = np.cumsum([0, *(len(self.scales) * count for count in each)])

    @property
    def size(self) -> int:
        """Number of columns."""
        return int(self.starts[-1]) + len(self.meeting) + self.elsewhere

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return self.frames.dimension

    @property
    def components(self) -> int:
        """Number of unknowns."""
        return len(self.scales)

    @property
    def is_piecewise(self) -> bool:
        """It is."""
        return True

    @property
    def on_cells(self) -> tuple[CellBasis, ...]:
        """All of it."""
        return (self,)

    @cached_property
    def reach(self) -> FloatArray:
        """The highest frequency along each axis that the functions of all cells hold."""
        return np.asarray(np.min(WAVES * self.degrees / self.frames.lengths, axis=0))

    @property
    def in_words(self) -> str:
        """How many cells there are, of what degrees and sizes."""
        low, high = int(self.degrees.min()), int(self.degrees.max())
        words = f"{len(self.frames)}, degree {low}" + f" to {high}" * (high > low)
        sides = self.frames.lengths.max(axis=1)
        ratio = float(sides.min() / sides.max())
        return words if ratio > _ALIKE else f"{words}; the smallest {ratio:.1g} of the largest"

    def columns(self, cell: int) -> slice:
        """Those of a cell."""
        return slice(int(self.starts[cell]), int(self.starts[cell + 1]))

    def shared(self, cell: int) -> Indices:
        """Columns of functions that a cell shares with others."""
        return np.asarray(self.starts[-1] + self.meeting.columns(cell))

    def shared_rows(self, cell: int, operator: LocalOperator) -> NumberArray:
        """The operator on those, at points anywhere, shape ``(n, k)``."""
        return self.scales[0] * self.meeting.rows(cell, operator)

    def rows(self, cell: int, operator: LocalOperator) -> NumberArray:
        """The operator on the functions of one cell, at points anywhere, shape ``(n, k)``."""
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
        """Each of T operators at the same points on the sums with coefficients `fields` ``(F, M)``: ``(T, F, n)``."""
        points = operators[0].points
        kind = np.result_type(fields, *(operator.coefficients for operator in operators))
        found = np.empty((len(operators), len(fields), len(points)), dtype=kind)
        highest = np.max([operator.orders.max(axis=0, initial=0) for operator in operators], axis=0)
        for cell, here in self.by_cell(points):
            own = fields[:, self.columns(cell)]
            for some in np.split(here, range(_AT_A_TIME, len(here), _AT_A_TIME)):
                # the same tables for all of them
                tables = self.tables(cell, LocalOperator(points[some], highest[None], np.ones(1)))
                for total, operator in zip(found, operators, strict=True):
                    total[:, some] = self.sum_in(cell, own, operator.select(some), tables)
            if len(self.shared(cell)):
                for total, operator in zip(found, operators, strict=True):
                    total[:, here] += self.sum_shared(cell, fields, operator.select(here))
        return found

    def sum_shared(self, cell: int, fields: NumberArray, operator: LocalOperator) -> NumberArray:
        """What the functions that a cell shares add to sums with coefficients `fields` ``(F, M)``, shape ``(F, n)``."""
        return np.asarray(fields[:, self.shared(cell)] @ self.shared_rows(cell, operator).T)

    def sparse(self, operator: LocalOperator) -> Any:
        """The operator on every function at every point, ``(n, M)``, as a sparse array of SciPy's."""
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
        """Sums in one cell, along one axis after the other; `tables` as they are known, if they are."""
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
        """The adjoint of `sum_in`: of weights ``(F, n)``, the sums ``(F, k)`` for the functions of one cell."""
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
        """About how large the terms of derivatives of sums with coefficients `fields` ``(F, M)`` are, ``(F, C)``."""
        steep = np.max(2.0 * self.degrees / self.frames.lengths, axis=1)
        squares = np.add.reduceat(np.abs(fields[:, : self.starts[-1]]) ** 2, self.starts[:-1], axis=1)
        return np.asarray(np.sqrt(squares) * steep**order)

    def tables(self, cell: int, operator: LocalOperator) -> Tables:
        """What the polynomials of a cell are at the points of an operator."""
        return tables_for(operator, (self.frames.lower[cell], self.frames.upper[cell]), self.degrees[cell].tolist())

    def by_cell(self, points: FloatArray) -> Iterator[tuple[int, Indices]]:
        """The cells that points lie in, and which ones do."""
        if not len(points):
            return
        cells = self.frames.locate(points)
        order = np.argsort(cells, kind="stable")
        borders = np.flatnonzero(np.diff(cells[order])) + 1
        for here in np.split(order, borders):
            yield int(cells[here[0]]), here


@cache
def ball(degrees: tuple[int, ...]) -> Indices:
    """The degrees ``(k, d)`` of products within an ellipsoid of these half-axes."""
    grid = np.stack(np.meshgrid(*(np.arange(degree + 1) for degree in degrees), indexing="ij"), axis=-1)
    flat = grid.reshape(-1, len(degrees))
    inside = np.sum((flat / np.maximum(degrees, 1)) ** 2, axis=1) <= 1.0 + 1e-12
    return np.asarray(flat[inside])
