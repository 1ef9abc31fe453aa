"""Particular solutions: independent functions that satisfy the equations, and those that nearly satisfy conditions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import NumberArray

# Functions that depend on others up to this share are dropped.
DEPENDENT = 1e-14


@final
@dataclass(frozen=True, eq=False)
class Independent:
    """Sums of functions with orthonormal rows, which span all that is independent."""

    rows: NumberArray  # (n, r)
    coefficients: NumberArray  # (M, r)
    condition: float  # of the functions, each of norm one

    @property
    def rank(self) -> int:
        """The number of independent functions."""
        return self.rows.shape[1]

    def smallest(self, fitted: int, count: int) -> NumberArray:
        """Factors ``(r, count)`` of the sums with the smallest first `fitted` rows, in ascending order."""
        _, _, Yh = np.linalg.svd(np.linalg.qr(self.rows[:fitted], mode="r"))
        return np.asarray(Yh.conj().T[:, ::-1][:, :count])


def independent(rows: NumberArray, dependent: float = DEPENDENT) -> Independent:
    """The independent sums of functions with these rows ``(n, M)``: traces in conditions, values inside."""
    sizes = np.linalg.norm(rows, axis=0)
    U, S, Vh = np.linalg.svd(rows / sizes, full_matrices=False)
    kept = dependent * S[0] < S
    U, S, Vh = U[:, kept], S[kept], Vh[kept]
    return Independent(U, (Vh.conj().T / S) / sizes[:, None], float(S[0] / S[-1]))
