"""Least squares by Householder QR: the triangular factor, and the reflections that led to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, final

import numpy as np

from fspielm.arrays import NumberArray
from fspielm.errors import SolveError
from fspielm.linalg.householder import Householder, numbers_beside
from fspielm.linalg.least_squares import LeastSquares, check_finite

if TYPE_CHECKING:
    from fspielm.linalg.leaves import Nested
    from fspielm.linalg.nested import NestedQR


@final
@dataclass(frozen=True)
class QR(LeastSquares):
    """Plain Householder QR of ``[H | y]`` and one triangular solve.

    Nothing is truncated, so nothing of the accuracy is; the orthogonal factor is never formed. The rank is
    the number of diagonal entries of R above rounding, the condition number a one-norm estimate from R.
    """

    name: ClassVar[str] = "qr"
    leaves_triangle: ClassVar[bool] = True

    def factor(self, augmented: NumberArray | Nested, *, in_place: bool = False) -> Householder | NestedQR:
        """Solve, or raise `SolveError` where columns are exactly dependent or rows too few."""
        if not isinstance(augmented, np.ndarray):
            from fspielm.linalg.nested import NestedQR  # rows of cells, which few problems have

            return NestedQR(augmented)
        check_finite(augmented)
        rows, columns = augmented.shape[0], augmented.shape[1] - 1
        if rows < columns:
            raise SolveError(
                f"QR needs at least as many rows as functions; got {rows} rows and {columns} functions: "
                "add points, use fewer functions, or use TruncatedSVD"
            )
        factored = Householder.of_system(augmented if in_place else augmented.copy(order="F"))
        diagonal = factored.diagonal
        if not np.all(diagonal > 0):
            raise SolveError(
                f"{np.count_nonzero(diagonal == 0)} of {columns} columns are exactly dependent on the "
                "others; use TruncatedSVD, or other functions"
            )
        return factored

    def workspace(self, rows: int, columns: int, *, in_place: bool = False, itemsize: int = 8) -> int:
        """One copy of ``[H | y]`` and LAPACK's blocks; in place, those of the columns that are rotated at once."""
        return itemsize * (numbers_beside(rows, columns) if in_place else rows * (columns + 1) + 64 * (columns + 1))
