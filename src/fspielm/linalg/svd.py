"""Least squares by truncated singular values: the paper's solve."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import ClassVar, final

import numpy as np
import scipy

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError, SolveError
from fspielm.linalg.least_squares import LeastSquares, LeastSquaresResult, check_finite

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

    def __post_init__(self) -> None:
        if not isinstance(self.tol, Real) or not 0 < self.tol < 1:
            raise ProblemError(f"tol must be a number between 0 and 1, such as 1e-12; got {self.tol!r}")

    def solve(self, matrix: FloatArray, values: FloatArray) -> LeastSquaresResult:
        """Solve, or raise `SolveError` if the singular values do not converge."""
        check_finite(matrix, values)
        try:
            coefficients, _, rank, singular = scipy.linalg.lstsq(
                matrix, values, cond=self.tol, lapack_driver="gelsd", check_finite=False
            )
        except np.linalg.LinAlgError as error:
            raise SolveError(f"the singular values did not converge: {error}") from error
        smallest = float(singular[-1])
        return LeastSquaresResult(
            np.ascontiguousarray(coefficients),
            rank=int(rank),
            condition=float(singular[0]) / smallest if smallest > 0 else float("inf"),
        )

    def workspace(self, rows: int, columns: int) -> int:
        """One copy of H and, from above, what LAPACK asks for.

        LAPACK's own answer is no help where it matters most: its integers overflow for systems that are far
        too large.
        """
        small = min(rows, columns)
        levels = max(0, int(math.log2(max(small, 1) / _LEAF)) + 1)
        blocked = 64 * (rows + columns) if rows >= columns else 64 * (rows + columns) + small**2
        divide_and_conquer = small * (16 + 2 * _LEAF + 8 * levels) + (_LEAF + 1) ** 2
        return 8 * (rows * columns + rows + columns + blocked + divide_and_conquer)
