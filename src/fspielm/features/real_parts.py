"""Complex functions as pairs of real ones."""

from __future__ import annotations

from typing import final

import numpy as np

from fspielm.arrays import ComplexArray, FloatArray, NumberArray
from fspielm.errors import ProblemError
from fspielm.features.basis import Basis
from fspielm.features.local import LocalOperator


@final
class RealParts(Basis):
    """The real part of the first function of a complex basis, its imaginary part, the real part of the second, ...

    What sums of complex functions are evaluated by: see `Basis.field`.

    Parameters
    ----------
    basis : Basis
        Complex, for a single unknown.
    """

    def __init__(self, basis: Basis) -> None:
        if basis.dtype.kind != "c" or basis.components != 1:
            raise ProblemError("basis must have complex functions for a single unknown")
        self.basis = basis

    @property
    def size(self) -> int:
        """Twice as many as there are complex ones."""
        return 2 * self.basis.size

    @property
    def dimension(self) -> int:
        """Number of coordinates they depend on."""
        return self.basis.dimension

    @property
    def together(self) -> int:
        """Both parts of the complex ones that do."""
        return 2 * self.basis.together

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """Those of the complex functions."""
        return self.basis.corners

    @property
    def sources(self) -> FloatArray:
        """Those of the complex functions."""
        return self.basis.sources

    def fill(self, operator: LocalOperator, columns: slice, out: FloatArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        first, last, _ = columns.indices(self.size)
        begin, end = first // 2, -(-last // 2)
        values: ComplexArray = np.empty((end - begin, len(operator.points)), dtype=np.complex128)
        self.basis.fill(operator, slice(begin, end), values)
        both = np.stack([values.real, values.imag], axis=1).reshape(-1, len(operator.points))
        out[...] = both[first - 2 * begin : last - 2 * begin]


def parts_of_sum(basis: Basis, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
    """Sums of complex functions with `coefficients` ``(..., M)``, as sums of their real and imaginary parts."""
    both = np.stack([coefficients, 1j * coefficients], axis=-1)
    return RealParts(basis), both.reshape(*coefficients.shape[:-1], -1)
