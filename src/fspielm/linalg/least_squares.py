"""What a least-squares method is, and what it reports."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.errors import SolveError
from fspielm.linalg.factorisation import Factorisation


@dataclass(frozen=True, eq=False)
class LeastSquaresResult:
    """Coefficients and what the factorisation says about them.

    Attributes
    ----------
    coefficients : (M,) array
    rank : int
        Numerical rank, as the method sees it.
    condition : float
        Condition number of the matrix, or an estimate; see each method.
    factorisation : Factorisation or None
        What is left of the solve for later use, where the method leaves something.
    """

    coefficients: FloatArray
    rank: int
    condition: float
    factorisation: Factorisation | None = None


class LeastSquares(ABC):
    """A method for ``min |H beta - y|``; never changes H, never becomes another method."""

    name: ClassVar[str]

    @abstractmethod
    def solve(self, matrix: FloatArray, values: FloatArray) -> LeastSquaresResult:
        """Solve with `matrix` of shape ``(N, M)`` (Fortran order saves a copy) and `values` ``(N,)``."""

    @abstractmethod
    def workspace(self, rows: int, columns: int) -> int:
        """Bytes that `solve` will allocate beside the matrix itself."""


def check_finite(matrix: FloatArray, values: FloatArray) -> None:
    """Refuse NaN and infinity, which LAPACK answers with messages of its own, or never.

    Sums show them as well as a mask of the whole matrix would, and need no memory.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        if not (np.isfinite(matrix.sum()) and np.isfinite(values.sum())):
            raise SolveError("the matrix or the right-hand side contains NaN or infinity")
