"""Least squares by Householder QR, keeping only the triangular factor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from scipy.linalg import lapack

from fspielm.arrays import FloatArray
from fspielm.errors import SolveError
from fspielm.linalg.least_squares import LeastSquares, LeastSquaresResult, check_finite


@final
@dataclass(frozen=True)
class QR(LeastSquares):
    """Plain Householder QR of ``[H | y]`` and one triangular solve.

    Nothing is truncated, so nothing of the accuracy is; the orthogonal factor is never formed. The rank is
    the number of diagonal entries of R above rounding, the condition number LAPACK's one-norm estimate from
    R.
    """

    name: ClassVar[str] = "qr"

    def solve(self, matrix: FloatArray, values: FloatArray) -> LeastSquaresResult:
        """Solve, or raise `SolveError` where columns are exactly dependent or rows too few."""
        check_finite(matrix, values)
        rows, columns = matrix.shape
        if rows < columns:
            raise SolveError(
                f"QR needs at least as many rows as neurons; got {rows} rows and {columns} neurons: "
                "add points, use fewer neurons, or use TruncatedSVD"
            )
        augmented = np.empty((rows, columns + 1), order="F")
        augmented[:, :columns] = matrix
        augmented[:, columns] = values
        work, _ = lapack.dgeqrf_lwork(rows, columns + 1)
        factored, _, _, info = lapack.dgeqrf(augmented, lwork=int(work), overwrite_a=True)
        if info != 0:
            raise SolveError(f"LAPACK dgeqrf failed with info={info}")
        R, rotated = _compact(factored, columns)
        diagonal = np.abs(np.diagonal(R))
        if not np.all(diagonal > 0):
            raise SolveError(
                f"{np.count_nonzero(diagonal == 0)} of {columns} columns are exactly dependent on the "
                "others; use TruncatedSVD, or other features"
            )
        coefficients, _ = lapack.dtrtrs(R, rotated)
        rcond, _ = lapack.dtrcon(R, norm="1", uplo="U", diag="N")
        return LeastSquaresResult(
            np.ascontiguousarray(coefficients),
            rank=int(np.count_nonzero(diagonal > rows * np.finfo(float).eps * diagonal.max())),
            condition=float(1 / rcond) if rcond > 0 else float("inf"),
        )

    def workspace(self, rows: int, columns: int) -> int:
        """One copy of ``[H | y]`` and LAPACK's blocks."""
        return 8 * (rows * (columns + 1) + 64 * (columns + 1))


def _compact(factored: FloatArray, columns: int) -> tuple[FloatArray, FloatArray]:
    """Move R to the front of the memory of ``[H | y]``, where LAPACK takes it without another copy.

    Returns R (its lower triangle is left as it was) and the rotated right-hand side.
    """
    rotated = factored[:columns, columns].copy()
    memory = factored.ravel(order="K")
    rows = len(factored)
    for column in range(1, columns):
        memory[column * columns : (column + 1) * columns] = memory[column * rows : column * rows + columns]
    return memory[: columns * columns].reshape(columns, columns, order="F"), rotated
