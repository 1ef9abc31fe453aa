"""How well the functions of neighbours fit together, between the places where they were fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, NumberArray
from fspielm.collocation.cells.places import chebyshev, sparse_at
from fspielm.collocation.cells.rows import checked_along, fitted_along, shared_along
from fspielm.collocation.cells.traces import Trace
from fspielm.collocation.finite import Seam
from fspielm.collocation.system import BlockRows
from fspielm.features import CellBasis, LocalOperator
from fspielm.features.tables import Tables

# What the ties of cells are called where residuals are.
JOINED = "edges of cells"


@final
@dataclass(frozen=True, eq=False)
class Seams:
    """Both sides of every trace, to be looked at.

    Attributes
    ----------
    basis : CellBasis
    traces : sequence of Trace
    dtype : NumPy type
        Of the numbers in the system.
    """

    basis: CellBasis
    traces: Sequence[Trace]
    dtype: np.dtype[Any]

    @property
    def rows(self) -> int:
        """How many were fitted."""
        return sum(2 * fitted_along(trace) for trace in self.traces)

    @cached_property
    def cells(self) -> NDArray[np.intp]:
        """The cell that each deviation is of."""
        each = [np.full(len(check.polynomials), check.cell, dtype=np.intp) for check in self._checked]
        return np.concatenate([np.empty(0, dtype=np.intp), *each])

    def seen(self, coefficients: NumberArray, is_cut: BoolArray) -> tuple[Seam, ...]:
        """How far the traces of cells are from those that they were fitted to; the boundary cuts some cells."""
        if not self.traces:
            return ()
        counts = [len(check.polynomials) for check in self._checked]
        known = [check.weight * check.trace.values(check.cell, len(check.polynomials)) for check in self._checked]
        deviation = self.at(coefficients[None])[0] - np.concatenate(known)
        sparse = np.concatenate([sparse_at(chebyshev(count)) for count in counts])
        scale = float(np.sqrt(len(deviation) / self.rows))
        return (Seam(BlockRows(JOINED, slice(0, self.rows), scale), deviation, is_cut[self.cells], sparse),)

    def at(self, fields: NumberArray) -> NumberArray:
        """How far the traces of cells are from common ones, but for jumps that are prescribed."""
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
        """Both sides of every trace, at other places than those where it was fitted."""
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
    """One side of a trace, looked at in places where it was not fitted; rows count by their weight."""

    trace: Trace
    cell: int
    operator: LocalOperator
    tables: Tables
    polynomials: FloatArray
    shared: NumberArray
    weight: float
