"""Least squares by truncated singular values: the paper's solve."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar, final

import numpy as np
import scipy
from numpy.typing import NDArray

from fspielm.arrays import FloatArray, NumberArray
from fspielm.errors import ProblemError, SolveError
from fspielm.linalg.householder import Householder
from fspielm.linalg.least_squares import LeastSquares, check_finite
from fspielm.linalg.leaves import Nested

# Size of the smallest subproblems of LAPACK's divide and conquer.
_LEAF = 25


@final
@dataclass(frozen=True)
class TruncatedSVD(LeastSquares):
    """Minimum-norm least squares by LAPACK's gelsd, without the smallest singular values.

    The rank counts the singular values kept; the condition number is the ratio of the largest to the smallest
    of them all.

    Parameters
    ----------
    tol : float
        Singular values up to this fraction of the largest are dropped; between 0 and 1, both excluded (LAPACK
        would take 0 for the rounding unit).
    """

    tol: float = 1e-12
    name: ClassVar[str] = "svd"
    leaves_triangle: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not isinstance(self.tol, Real) or not 0 < self.tol < 1:
            raise ProblemError(f"tol must be a number between 0 and 1, such as 1e-12; got {self.tol!r}")

    def factor(self, augmented: NumberArray | Nested, *, in_place: bool = False) -> MinimumNorm:
        """Solve, or raise `SolveError` if the singular values do not converge."""
        if isinstance(augmented, Nested):
            raise SolveError("TruncatedSVD does not solve systems of cells; use QR")
        check_finite(augmented)
        coefficients, rank, singular = _least_norm(augmented[:, :-1], augmented[:, -1], self.tol)
        smallest = float(singular[-1])
        condition = float(singular[0]) / smallest if smallest > 0 else float("inf")
        return MinimumNorm(coefficients, rank, condition, self.tol, augmented, in_place)

    def workspace(self, rows: int, columns: int, *, in_place: bool = False, itemsize: int = 8) -> int:
        """One copy of H, in place or not, and, from above, what LAPACK asks for.

        LAPACK's own answer is no help where it matters most: its integers overflow for systems that are far
        too large.
        """
        small = min(rows, columns)
        levels = max(0, int(math.log2(max(small, 1) / _LEAF)) + 1)
        blocked = 64 * (rows + columns) if rows >= columns else 64 * (rows + columns) + small**2
        divide_and_conquer = small * (16 + 2 * _LEAF + 8 * levels) + (_LEAF + 1) ** 2
        return itemsize * (rows * columns + rows + columns + blocked + divide_and_conquer)


@final
@dataclass(frozen=True, eq=False)
class MinimumNorm:
    """What gelsd said of a system; a `Factored` system, whose triangle is made when it is asked for.

    Attributes
    ----------
    coefficients : (M,) array
    rank : int
    condition : float
    tol : float
        Of the `TruncatedSVD`.
    augmented : (N, M + 1) array
        ``[H | y]``.
    in_place : bool
        Whether the triangle takes over the memory of H.
    """

    coefficients: NumberArray
    rank: int
    condition: float
    tol: float
    augmented: NumberArray
    in_place: bool

    @property
    def shape(self) -> tuple[int, int]:
        """Rows N and columns M of H."""
        return self.augmented.shape[0], self.augmented.shape[1] - 1

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers in H."""
        return self.augmented.dtype

    @property
    def nbytes(self) -> int:
        """Memory of the system; the triangle takes as much again, unless it is in place."""
        return self.augmented.nbytes

    @cached_property
    def triangle(self) -> Householder:
        """The factorisation of H that gelsd does not leave."""
        matrix, values = self.augmented[:, :-1], self.augmented[:, -1]
        return Householder.of_matrix(matrix if self.in_place else matrix.copy(order="F"), values)

    @property
    def diagonal(self) -> FloatArray:
        """Absolute diagonal entries of R."""
        return self.triangle.diagonal

    def solve(self, values: NumberArray) -> NumberArray:
        """Coefficients for other values, ``(N,)`` or ``(N, n)``: R has the singular values of H."""
        columns = self.shape[1]
        triangle = np.triu(self.triangle.panels[0].packed[:columns])
        return _least_norm(triangle, self.triangle.rotate(values)[:columns], self.tol)[0]

    def solve_triangle(self, values: NumberArray, *, adjoint: bool = False) -> NumberArray:
        """``R^-1 values``, or ``R^-H values``."""
        return self.triangle.solve_triangle(values, adjoint=adjoint)

    def extend(self, columns: NumberArray) -> Householder:
        """Factor ``[H | columns]``; nothing of that is truncated."""
        return self.triangle.extend(columns)

    def restricted(self, columns: NDArray[np.intp]) -> Householder:
        """Factor some of the columns of H alone; nothing of that is truncated."""
        return self.triangle.restricted(columns)


def _least_norm(matrix: NumberArray, values: NumberArray, tol: float) -> tuple[NumberArray, int, FloatArray]:
    """Coefficients, rank and singular values."""
    try:
        coefficients, _, rank, singular = scipy.linalg.lstsq(
            matrix, values, cond=tol, lapack_driver="gelsd", check_finite=False
        )
    except np.linalg.LinAlgError as error:
        raise SolveError(f"the singular values did not converge: {error}") from error
    return np.ascontiguousarray(coefficients), int(rank), singular
