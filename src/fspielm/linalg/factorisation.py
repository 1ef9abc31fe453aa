"""A Householder factorisation that stays in the memory of the matrix it came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import scipy

from fspielm.arrays import FloatArray
from fspielm.errors import SolveError


@final
@dataclass(frozen=True, eq=False)
class Factorisation:
    """``H = Q R``, R in the upper triangle and the reflections that make up Q below it.

    LAPACK reads both in place; neither is ever formed. `factor` makes one.

    Attributes
    ----------
    packed : (N, M) array, Fortran order
    tau : (M,) array
        Scales of the reflections.
    """

    packed: FloatArray
    tau: FloatArray

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of H."""
        return self.packed.shape[0], self.packed.shape[1]

    @property
    def diagonal(self) -> FloatArray:
        """Absolute diagonal entries of R."""
        return np.abs(np.diagonal(self.packed))

    def rotate(self, values: FloatArray) -> FloatArray:
        """``Q^T values``, shape ``(N,)``: its head gives the solution, its tail the residual."""
        # With the least workspace LAPACK applies reflection by reflection; gathering them in blocks, as it would for
        # many columns, takes several times longer for one.
        rotated, _, info = scipy.linalg.lapack.dormqr("L", "T", self.packed, self.tau, values[:, None], lwork=1)
        if info != 0:
            raise SolveError(f"LAPACK dormqr failed with info={info}")
        return np.ascontiguousarray(rotated[:, 0])

    def solve_triangle(self, values: FloatArray, *, transposed: bool = False) -> FloatArray:
        """``R^-1 values``, or ``R^-T values``."""
        solved, info = scipy.linalg.lapack.dtrtrs(self.packed, values, trans=1 if transposed else 0)
        if info != 0:
            raise SolveError(
                f"column {info} of {self.shape[1]} is exactly dependent on the others; "
                "use TruncatedSVD, or other features"
            )
        return np.asarray(solved)

    def condition(self) -> float:
        """Estimate of the one-norm condition number of R."""
        from scipy.sparse.linalg import LinearOperator, onenormest  # seldom needed, slow to import

        columns = self.shape[1]
        norm = max(float(np.abs(self.packed[: j + 1, j]).sum()) for j in range(columns))
        if not np.all(self.diagonal > 0):
            return float("inf")
        inverse = LinearOperator(
            (columns, columns),
            dtype=np.float64,
            matvec=lambda v: self.solve_triangle(np.ravel(v)),
            rmatvec=lambda v: self.solve_triangle(np.ravel(v), transposed=True),
        )
        return norm * float(onenormest(inverse, t=1)) if columns > 4 else norm * _small_norm(self)


def factor(matrix: FloatArray) -> Factorisation:
    """Factor `matrix` ``(N, M)``, N >= M, in place: its memory becomes the factorisation's."""
    rows, columns = matrix.shape
    work, _ = scipy.linalg.lapack.dgeqrf_lwork(rows, columns)
    packed, tau, _, info = scipy.linalg.lapack.dgeqrf(matrix, lwork=int(work), overwrite_a=True)
    if info != 0:
        raise SolveError(f"LAPACK dgeqrf failed with info={info}")
    return Factorisation(packed, tau)


def _small_norm(factorisation: Factorisation) -> float:
    columns = factorisation.shape[1]
    inverse = np.stack([factorisation.solve_triangle(row) for row in np.eye(columns)], axis=1)
    return float(np.abs(inverse).sum(axis=0).max())
