"""Functions of one period, continued to all others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, final

import numpy as np

from fspielm.arrays import ComplexArray, NumberArray
from fspielm.equations.lattice import Lattice
from fspielm.features.basis import Basis
from fspielm.features.local import LocalOperator
from fspielm.features.real_parts import parts_of_sum
from fspielm.features.wrapping import WrappedBasis


@final
class FoldedBasis(WrappedBasis):
    """Functions that are known in one period, continued to all others.

    Parameters
    ----------
    basis : Basis
        For a single unknown, complex.
    lattice : Lattice
    """

    def __init__(self, basis: Basis, lattice: Lattice) -> None:
        super().__init__(basis)
        self.lattice = lattice

    @property
    def dtype(self) -> np.dtype[Any]:
        """Complex."""
        return np.dtype(np.complex128)

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """The sums on real and imaginary parts; see `Basis.field`."""
        return parts_of_sum(self, coefficients)

    def fill(self, operator: LocalOperator, columns: slice, out: ComplexArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        folded, phases = fold(operator, self.lattice)
        self.basis.write(folded, columns, out)
        out *= phases


def fold(operator: LocalOperator, lattice: Lattice) -> tuple[LocalOperator, ComplexArray]:
    """The operator at points moved to the period around the middle, and what values there are multiplied with."""
    copies = lattice.copies(operator.points)
    points = operator.points - np.outer(copies, (lattice.period, 0.0))
    return replace(operator, points=points, axes=()), lattice.phases(copies)
