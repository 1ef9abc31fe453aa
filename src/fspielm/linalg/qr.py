"""Least squares by Householder QR, keeping only the triangular factor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.errors import SolveError
from fspielm.linalg.factorisation import Factorisation, factor
from fspielm.linalg.least_squares import LeastSquares, LeastSquaresResult, check_finite


@final
@dataclass(frozen=True)
class QR(LeastSquares):
    """Plain Householder QR of ``[H | y]`` and one triangular solve.

    Nothing is truncated, so nothing of the accuracy is; the orthogonal factor is never formed. The rank is
    the number of diagonal entries of R above rounding, the condition number a one-norm estimate from R.
    """

    name: ClassVar[str] = "qr"

    def solve(self, matrix: FloatArray, values: FloatArray) -> LeastSquaresResult:
        """Solve, or raise `SolveError` where columns are exactly dependent or rows too few."""
        check_finite(matrix, values)
        rows, columns = matrix.shape
        augmented = np.empty((rows, columns + 1), order="F")
        augmented[:, :columns] = matrix
        augmented[:, columns] = values
        return self.solve_in_place(augmented)

    def solve_in_place(self, augmented: FloatArray) -> LeastSquaresResult:
        """Solve with ``[H | y]``, whose memory the factorisation takes over."""
        rows, columns = augmented.shape[0], augmented.shape[1] - 1
        if rows < columns:
            raise SolveError(
                f"QR needs at least as many rows as neurons; got {rows} rows and {columns} neurons: "
                "add points, use fewer neurons, or use TruncatedSVD"
            )
        whole = factor(augmented)
        factorisation = Factorisation(whole.packed[:, :columns], whole.tau[:columns])
        diagonal = factorisation.diagonal
        if not np.all(diagonal > 0):
            raise SolveError(
                f"{np.count_nonzero(diagonal == 0)} of {columns} columns are exactly dependent on the "
                "others; use TruncatedSVD, or other features"
            )
        return LeastSquaresResult(
            factorisation.solve_triangle(whole.packed[:columns, columns]),
            rank=int(np.count_nonzero(diagonal > rows * np.finfo(float).eps * diagonal.max())),
            condition=factorisation.condition(),
            factorisation=factorisation,
        )

    def workspace(self, rows: int, columns: int) -> int:
        """One copy of ``[H | y]`` and LAPACK's blocks."""
        return 8 * (rows * (columns + 1) + 64 * (columns + 1))
