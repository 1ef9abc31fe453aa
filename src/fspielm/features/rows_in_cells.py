"""Rows of functions on cells that are applied, and whose adjoint is, but that are never filled."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from fspielm.arrays import NumberArray
from fspielm.features.cells import CellBasis
from fspielm.features.local import LocalOperator
from fspielm.latest import Latest


@final
@dataclass(frozen=True, eq=False)
class RowsInCells:
    """Operators at the points of some cells, one cell's after the other's.

    Attributes
    ----------
    basis : CellBasis
    parts : tuple of (int, LocalOperator)
        Cells, and what is applied in them.
    order : (n,) integer array or None
        Where each row goes, if not one after the other.
    """

    basis: CellBasis
    parts: tuple[tuple[int, LocalOperator], ...]
    order: np.ndarray[tuple[int, ...], np.dtype[np.intp]] | None = None

    @classmethod
    def at(cls, basis: CellBasis, operator: LocalOperator) -> RowsInCells:
        """One operator at points of any cells."""
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
        """The rows times the coefficients of several ``(F, M)``, shape ``(F, n)``."""
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
