"""A factorisation with further columns beside those it was made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, final

import numpy as np
import scipy

from fspielm.arrays import FloatArray
from fspielm.errors import SolveError
from fspielm.linalg.factorisation import Factorisation, factor


class Triangular(Protocol):
    """What can be asked of the factor R, whichever way it is stored."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of what was factored."""

    @property
    def diagonal(self) -> FloatArray:
        """Absolute diagonal entries of R."""

    def solve_triangle(self, values: FloatArray, *, transposed: bool = False) -> FloatArray:
        """``R^-1 values``, or ``R^-T values``."""


@final
@dataclass(frozen=True, eq=False)
class Extension:
    """The triangular factor of ``[H | B]``, made of that of H: ``R`` and `above` over zero and the factor of the rest.

    Its price is that of the new columns alone. `extend` makes one.

    Attributes
    ----------
    base : Factorisation
        Of H ``(N, M)``.
    above : (M, K) array
        The part of B that lies in the range of H.
    rest : Factorisation
        Of the part of B that does not, ``(N - M, K)``.
    """

    base: Factorisation
    above: FloatArray
    rest: Factorisation

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of ``[H | B]``."""
        return self.base.shape[0], self.base.shape[1] + self.rest.shape[1]

    @property
    def diagonal(self) -> FloatArray:
        """Absolute diagonal entries of the factor."""
        return np.concatenate([self.base.diagonal, self.rest.diagonal])

    def solve_triangle(self, values: FloatArray, *, transposed: bool = False) -> FloatArray:
        """``R^-1 values``, or ``R^-T values``, block by block."""
        first, last = np.split(values, [self.base.shape[1]])
        if transposed:
            first = self.base.solve_triangle(first, transposed=True)
            last = self.rest.solve_triangle(last - self.above.T @ first, transposed=True)
        else:
            last = self.rest.solve_triangle(last)
            first = self.base.solve_triangle(first - self.above @ last)
        return np.concatenate([first, last])


def extend(base: Factorisation, columns: FloatArray) -> Extension:
    """Factor ``[H | columns]`` given the factorisation of H; the memory of `columns` ``(N, K)`` is taken over.

    There must be at least ``M + K`` rows.
    """
    rotated = columns
    size = -1  # a question first: how much workspace LAPACK would like
    for _ in range(2):
        rotated, work, info = scipy.linalg.lapack.dormqr(
            "L", "T", base.packed, base.tau, rotated, lwork=size, overwrite_c=True
        )
        if info != 0:
            raise SolveError(f"LAPACK dormqr failed with info={info}")
        size = int(work[0])
    inside = base.shape[1]
    return Extension(base, rotated[:inside], factor(np.asfortranarray(rotated[inside:])))
