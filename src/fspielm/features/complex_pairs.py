"""Complex functions made of pairs of real ones."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.errors import ProblemError
from fspielm.features.basis import Basis
from fspielm.features.local import LocalOperator


@final
class ComplexPairs(Basis):
    """Functions ``f_0 + i f_1``, ``f_2 + i f_3``, ... of a real basis.

    What satisfies an equation with complex coefficients, where real and imaginary parts by themselves do not.

    Parameters
    ----------
    parts : Basis
        Real, for a single unknown; an even number of functions.
    """

    def __init__(self, parts: Basis) -> None:
        if parts.size % 2 or parts.dtype.kind == "c" or parts.components != 1:
            raise ProblemError("parts must be an even number of real functions for a single unknown")
        self.parts = parts

    @property
    def size(self) -> int:
        """Number of functions."""
        return self.parts.size // 2

    @property
    def dimension(self) -> int:
        """Number of coordinates they depend on."""
        return self.parts.dimension

    @property
    def dtype(self) -> np.dtype[Any]:
        """Complex."""
        return np.dtype(np.complex128)

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """Those of the parts."""
        return self.parts.corners

    @property
    def sources(self) -> FloatArray:
        """Those of the parts."""
        return self.parts.sources

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """The sums on the parts; see `Basis.field`."""
        return self.parts, np.stack([coefficients, 1j * coefficients], axis=-1).reshape(*coefficients.shape[:-1], -1)

    def fill(self, operator: LocalOperator, columns: slice, out: NumberArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        first, last, _ = columns.indices(self.size)
        both = np.empty((2 * (last - first), len(operator.points)), dtype=self.parts.dtype_under(operator))
        self.parts.write(operator, slice(2 * first, 2 * last), both)
        np.add(both[::2], 1j * both[1::2], out=out)
