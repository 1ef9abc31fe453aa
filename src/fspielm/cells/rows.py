"""The rows of one cell, and the residuals of traces between neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, NumberArray
from fspielm.basis.basis import LocalOperator
from fspielm.cells.basis import CellBasis, Tables
from fspielm.cells.places import Placed, chebyshev, sparse_at
from fspielm.cells.sums import Part
from fspielm.cells.traces import Trace
from fspielm.collocation.system import BlockRows, Seam
from fspielm.resources import check_deadline

# ---- The rows of one cell
# User functions are called here, once and in the caller's thread; rows are filled on several threads later.

# Rows along an edge in excess of the number of polynomials there.
_MORE_ROWS = 4


@final
@dataclass(frozen=True, eq=False)
class CellRows:
    """Rows of a relation in one cell.

    Attributes
    ----------
    placed : Placed
    operator : LocalOperator
    scale : float
        Their factor.
    values : (n,) array
        The right-hand side, scaled.
    """

    placed: Placed
    operator: LocalOperator
    scale: float
    values: NumberArray

    def __len__(self) -> int:
        return len(self.values)


@final
@dataclass(frozen=True, eq=False)
class Tie:
    """Rows that tie one cell to a trace that it shares.

    Attributes
    ----------
    trace : Trace
    operator : LocalOperator
        The operator on the cell's side.
    values : (n,) array
    shared : (n, k) array
        The part of the functions shared with other cells that differs between both sides.
    """

    trace: Trace
    operator: LocalOperator
    values: NumberArray
    shared: NumberArray

    def __len__(self) -> int:
        return len(self.values)


def fitted_along(trace: Trace) -> int:
    """Number of nodes along its edge at which a trace is fitted."""
    return trace.count + _MORE_ROWS


def checked_along(trace: Trace) -> int:
    """Number of other nodes at which a trace is checked."""
    return trace.count + 2 * _MORE_ROWS + 1


def type_of_rows(rows: Sequence[CellRows], ties: Sequence[Tie], parts: Sequence[Part]) -> np.dtype[Any]:
    """The type of a cell's rows: complex if any operator is."""
    operators = [each.operator for each in rows] + [each.operator for each in ties] + [each.operator for each in parts]
    return np.result_type(np.float64, *(operator.coefficients for operator in operators))


def fill_cell(
    basis: CellBasis,
    cell: int,
    rows: Sequence[CellRows],
    ties: Sequence[Tie],
    parts: Sequence[Part],
    values: int,
) -> NumberArray:
    """All rows of a cell: its own columns, those of its traces and parts of sums, and the right-hand side.

    `values` is the number of columns of the right-hand side: two if it is complex and the rows are real.
    """
    check_deadline()
    own = basis.columns(cell)
    count = own.stop - own.start
    first = count + len(basis.shared(cell))
    width = first + sum(tie.trace.count for tie in ties) + sum(len(part.shared) for part in parts)
    dtype = type_of_rows(rows, ties, parts)
    height = sum(map(len, rows)) + sum(map(len, ties)) + sum(map(len, parts))
    matrix = np.zeros((height, width + values), dtype=dtype, order="F")
    row, column = 0, first
    for each in rows:
        end = row + len(each)
        matrix[row:end, :count] = each.scale * basis.rows(cell, each.operator)
        if first > count:
            matrix[row:end, count:first] = each.scale * basis.shared_rows(cell, each.operator)
        _put(each.values, matrix[row:end, width:])
        row = end
    for tie in ties:
        end, right = row + len(tie), column + tie.trace.count
        matrix[row:end, :count] = basis.rows(cell, tie.operator)
        matrix[row:end, count:first] = tie.shared
        matrix[row:end, column:right] = -tie.trace.polynomials(len(tie))
        _put(tie.values, matrix[row:end, width:])
        row, column = end, right
    for part in parts:
        end, right = row + len(part), column + len(part.shared)
        matrix[row:end, :count] = part.weights @ basis.rows(cell, part.operator)
        if first > count:
            matrix[row:end, count:first] = part.weights @ basis.shared_rows(cell, part.operator)
        matrix[row:end, column:right] = part.beside
        _put(part.values, matrix[row:end, width:])
        row, column = end, right
    return matrix


def shared_along(basis: CellBasis, cells: tuple[int, int], operators: Sequence[LocalOperator]) -> list[NumberArray]:
    """For both sides of an edge, the shared functions in the fitted trace: for functions of both, the difference.

    They fit together by themselves, however fast they vary along the edge.
    """
    one, other = (basis.shared(cell) for cell in cells)
    rows = [basis.shared_rows(cell, operator) for cell, operator in zip(cells, operators, strict=True)]
    _, first, second = np.intersect1d(one, other, return_indices=True)
    rows[1][:, second] -= rows[0][:, first]
    rows[0][:, first] = 0.0
    return rows


def _put(values: NumberArray, columns: NumberArray) -> None:
    """Write values into a column, or their real and imaginary parts into two."""
    columns[:, 0] = values if columns.shape[1] == 1 else values.real
    if columns.shape[1] == 2:
        columns[:, 1] = values.imag


# ---- Residuals of traces, between the nodes at which they were fitted

# The name of the ties between cells among residuals.
JOINED = "edges of cells"


@final
@dataclass(frozen=True, eq=False)
class Seams:
    """Both sides of every trace, for checks.

    Attributes
    ----------
    basis : CellBasis
    traces : sequence of Trace
    dtype : NumPy type
        The type of the numbers in the system.
    """

    basis: CellBasis
    traces: Sequence[Trace]
    dtype: np.dtype[Any]

    @property
    def rows(self) -> int:
        """Number of fitted rows."""
        return sum(2 * fitted_along(trace) for trace in self.traces)

    @cached_property
    def cells(self) -> NDArray[np.intp]:
        """The cell of each residual."""
        each = [np.full(len(check.polynomials), check.cell, dtype=np.intp) for check in self._checked]
        return np.concatenate([np.empty(0, dtype=np.intp), *each])

    def seen(self, coefficients: NumberArray, is_cut: BoolArray) -> tuple[Seam, ...]:
        """Differences between the traces of cells and the fitted ones."""
        if not self.traces:
            return ()
        counts = [len(check.polynomials) for check in self._checked]
        known = [check.weight * check.trace.values(check.cell, len(check.polynomials)) for check in self._checked]
        deviation = self.at(coefficients[None])[0] - np.concatenate(known)
        sparse = np.concatenate([sparse_at(chebyshev(count)) for count in counts])
        scale = float(np.sqrt(len(deviation) / self.rows))
        return (Seam(BlockRows(JOINED, slice(0, self.rows), scale), deviation, is_cut[self.cells], sparse),)

    def at(self, fields: NumberArray) -> NumberArray:
        """Differences between the traces of cells and the common ones, up to prescribed jumps."""
        basis, first = self.basis, self.basis.size - self.basis.elsewhere
        parts = [np.zeros((len(fields), 0))]
        for check in self._checked:
            begin = first + check.trace.start
            common = fields[:, begin : begin + check.trace.count] @ check.polynomials.T
            own = basis.sum_in(check.cell, fields[:, basis.columns(check.cell)], check.operator, check.tables)
            if check.shared.size:
                own = own + fields[:, basis.shared(check.cell)] @ check.shared.T
            parts.append(check.weight * (own - common))
        return np.concatenate(parts, axis=1)

    def across(self, numbers: NumberArray) -> NumberArray:
        """The adjoint of `at`."""
        basis, first = self.basis, self.basis.size - self.basis.elsewhere
        found = np.zeros((len(numbers), basis.size), dtype=np.result_type(numbers, self.dtype))
        start = 0
        for check in self._checked:
            end = start + len(check.polynomials)
            here = check.weight * numbers[:, start:end]
            found[:, basis.columns(check.cell)] += basis.adjoint_in(check.cell, here, check.operator, check.tables)
            if check.shared.size:
                found[:, basis.shared(check.cell)] += here @ check.shared.conj()
            begin = first + check.trace.start
            found[:, begin : begin + check.trace.count] -= here @ check.polynomials
            start = end
        return found

    @cached_property
    def _checked(self) -> list[_CheckedTie]:
        """Both sides of every trace, at other nodes than those where it was fitted."""
        found = []
        for trace in self.traces:
            nodes = checked_along(trace)
            weight = float(np.sqrt(fitted_along(trace) / nodes))
            local = trace.localised(nodes, self.basis.components)
            shared = shared_along(self.basis, trace.cells, local)
            for cell, operator, its in zip(trace.cells, local, shared, strict=True):
                tables = self.basis.tables(cell, operator)
                found.append(_CheckedTie(trace, cell, operator, tables, trace.polynomials(nodes), its, weight))
        return found


@dataclass(frozen=True, eq=False)
class _CheckedTie:
    """One side of a trace at nodes where it was not fitted, with weighted rows."""

    trace: Trace
    cell: int
    operator: LocalOperator
    tables: Tables
    polynomials: FloatArray
    shared: NumberArray
    weight: float
