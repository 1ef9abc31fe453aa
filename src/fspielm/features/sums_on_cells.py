"""Sums of polynomials on cells, as functions of their own."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from fspielm.arrays import ComplexArray, NumberArray
from fspielm.features.basis import Basis
from fspielm.features.cells import CellBasis
from fspielm.features.local import LocalOperator
from fspielm.features.real_parts import parts_of_sum


@final
class SumsOnCells(Basis):
    """Complex functions that are known on the cells of a tiling.

    Parameters
    ----------
    cells : CellBasis
        For a single unknown.
    fields : (F, M) array
        The coefficients of each function.
    """

    def __init__(self, cells: CellBasis, fields: NumberArray) -> None:
        self.cells, self.fields = cells, fields

    @property
    def size(self) -> int:
        """Number of functions."""
        return len(self.fields)

    @property
    def dimension(self) -> int:
        """Number of coordinates they depend on."""
        return self.cells.dimension

    @property
    def dtype(self) -> np.dtype[Any]:
        """Complex."""
        return np.dtype(np.complex128)

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """The sums on real and imaginary parts; see `Basis.field`."""
        return parts_of_sum(self, coefficients)

    def summed(self, coefficients: NumberArray) -> SumsOnCells:
        """One function: the sum of all with these coefficients ``(F,)``."""
        return SumsOnCells(self.cells, (coefficients @ self.fields)[None])

    def fill(self, operator: LocalOperator, columns: slice, out: ComplexArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        out[...] = self.cells.sums(self.fields[columns], [operator])[0]
