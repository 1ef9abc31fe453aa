"""Particular solutions: independent functions that satisfy the equations, and those that nearly satisfy conditions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray

# Functions that depend on others up to this share are dropped.
DEPENDENT = 1e-14
# The levels of functions above the first.
LEVELS = 3
# How often a search is repeated closer, farther or from elsewhere.
TRIES = 6
# Places all over a domain at which extremes are sampled.
PLACES = 2000


@final
@dataclass(frozen=True, eq=False)
class Independent:
    """Sums of functions with orthonormal rows, which span all that is independent."""

    rows: NumberArray  # (n, r)
    shares: NumberArray  # (M, r): of functions of norm one
    sizes: FloatArray  # (M,): the norms of the functions
    condition: float  # of the functions, each of norm one

    @property
    def rank(self) -> int:
        """The number of independent functions."""
        return int(self.rows.shape[1])

    def combined(self, factors: NumberArray) -> NumberArray:
        """The coefficients ``(M, k)`` of combinations with factors ``(r, k)``."""
        return np.asarray((self.shares @ factors) / self.sizes[:, None])

    def smallest(self, fitted: int, count: int) -> NumberArray:
        """Factors ``(r, count)`` of the sums with the smallest first `fitted` rows, in ascending order."""
        _, _, Yh = np.linalg.svd(np.linalg.qr(self.rows[:fitted], mode="r"))
        return np.asarray(Yh.conj().T[:, ::-1][:, :count])


def independent(rows: NumberArray, dependent: float = DEPENDENT) -> Independent:
    """The independent sums of functions with these rows ``(n, M)``: traces in conditions, values inside."""
    sizes = np.linalg.norm(rows, axis=0)
    Q, R = np.linalg.qr(rows / sizes)
    U, S, Vh = np.linalg.svd(R)
    kept = dependent * S[0] < S
    return Independent(Q @ U[:, kept], Vh[kept].conj().T / S[kept], sizes, float(S[0] / S[kept][-1]))
