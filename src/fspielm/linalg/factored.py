"""What is left of a least-squares solve, for everything that follows."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray, NumberArray


class Factored(Protocol):
    """A system ``H beta = y`` that was factored, ``H = Q R``, in whatever way and however it is stored."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows N and columns M of H."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers in H: float64 or complex128."""

    @property
    def nbytes(self) -> int:
        """Memory that it keeps."""

    @property
    def coefficients(self) -> NumberArray:
        """Coefficients beta for the values y that H was factored with, shape ``(M,)``."""

    @property
    def rank(self) -> int:
        """Numerical rank of H, as the method sees it."""

    @property
    def condition(self) -> float:
        """Condition number of H, or an estimate; see each method."""

    def solve(self, values: NumberArray) -> NumberArray:
        """Coefficients for other values, ``(N,)`` or, of several, ``(N, n)``."""

    @property
    def diagonal(self) -> FloatArray:
        """Absolute diagonal entries of R."""

    def solve_triangle(self, values: NumberArray, *, adjoint: bool = False) -> NumberArray:
        """``R^-1 values``, or ``R^-H values``, where there are as many rows as columns, or more."""

    def extend(self, columns: NumberArray) -> Factored:
        """Factor ``[H | columns]``, at the price of the `columns` ``(N, K)`` alone; their memory is taken over.

        There must be at least ``M + K`` rows.
        """

    def restricted(self, columns: NDArray[np.intp]) -> Factored:
        """Factor some of the columns of H alone, at no price where they are the first ones."""
