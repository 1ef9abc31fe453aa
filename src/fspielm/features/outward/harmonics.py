"""Real spherical harmonics, and what is left of them under multiplication with a coordinate.

Those of degree n and order m from -n to n are counted by ``n^2 + n + m``: cosines of the azimuth for positive orders,
sines for negative ones. The mean of their squares over all directions is one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Sparse: TypeAlias = csr_array

# Closer to the axis than this, the azimuth means nothing.
_AXIS = 1e-300


def degrees(highest: int) -> NDArray[np.int_]:
    """The degree of each harmonic up to the highest, ``((highest + 1)^2,)``."""
    return np.repeat(np.arange(highest + 1), 2 * np.arange(highest + 1) + 1)


def harmonics(highest: int, directions: FloatArray) -> FloatArray:
    """All up to a degree, ``((highest + 1)^2, n)``, in directions ``(n, 3)`` of length one."""
    x, y, z = directions.T
    across = np.hypot(x, y)
    turn = np.where(across > _AXIS, (x + 1j * y) / np.maximum(across, _AXIS), 1.0)
    table = np.empty(((highest + 1) ** 2, len(directions)))
    diagonal, turned = np.ones(len(directions)), np.ones(len(directions), dtype=np.complex128)
    for m in range(highest + 1):
        if m:
            diagonal = diagonal * across * np.sqrt((2 * m + 1) / (2 * m) * (2 if m == 1 else 1))
            turned = turned * turn
        before, here = np.zeros(len(directions)), diagonal
        for n in range(m, highest + 1):
            middle = n * n + n
            table[middle + m] = here * turned.real
            if m:
                table[middle - m] = here * turned.imag
            # upward in the degree, which is stable
            ahead = np.sqrt((4 * (n + 1) ** 2 - 1) / ((n + 1) ** 2 - m * m))
            behind = np.sqrt((n * n - m * m) / (4 * n * n - 1)) if n else 0.0
            before, here = here, ahead * (z * here - behind * before)
    return table


@lru_cache(maxsize=64)
def times_coordinate(highest: int, axis: int) -> tuple[Sparse, Sparse]:
    """A coordinate of the direction times each harmonic up to a degree, as sums of those up to the next.

    Two matrices ``((highest + 1)^2, (highest + 2)^2)``: to the next degree, and to the one before.
    """
    from scipy.sparse import coo_array  # imported here: it takes long, and few need it

    n = degrees(highest)
    m = np.arange(len(n)) - n * n - n

    def matrix(step: int, turn: int, values: FloatArray) -> Sparse:
        kept = (np.abs(m + turn) <= n + step) & (n + step >= 0)
        to = (n + step) ** 2 + n + step + m + turn
        entries = (values[kept], (np.flatnonzero(kept), to[kept]))
        return coo_array(entries, shape=(len(n), (highest + 2) ** 2)).tocsr()

    # of the complex harmonics with the phase of Condon and Shortley
    up, down = np.sqrt(1 / ((2 * n + 1) * (2 * n + 3))), np.sqrt(1 / np.maximum((2 * n - 1) * (2 * n + 1), 1))
    if axis == 2:
        parts = (
            matrix(1, 0, up * np.sqrt((n + 1) ** 2 - m**2)),
            matrix(-1, 0, down * np.sqrt(n**2 - m**2)),
        )
    else:
        right = np.sqrt((n + m + 1) * (n + m + 2)), np.sqrt(np.maximum((n - m) * (n - m - 1), 0))
        left = np.sqrt((n - m + 1) * (n - m + 2)), np.sqrt(np.maximum((n + m) * (n + m - 1), 0))
        # x + i y turns to the next order, x - i y to the one before
        first, last = (0.5, 0.5) if axis == 0 else (-0.5j, 0.5j)
        parts = (
            first * matrix(1, 1, -up * right[0]) + last * matrix(1, -1, up * left[0]),
            first * matrix(-1, 1, down * right[1]) + last * matrix(-1, -1, -down * left[1]),
        )
    here, there = _in_complex(highest), _in_complex(highest + 1)
    found = [(here @ part @ there.conj().T).real.tocsr() for part in parts]
    return found[0], found[1]


def _in_complex(highest: int) -> Sparse:
    """The real harmonics as sums of complex ones."""
    from scipy.sparse import coo_array

    n = degrees(highest)
    m = np.arange(len(n)) - n * n - n
    zero, right, left = (np.flatnonzero(kept) for kept in (m == 0, m > 0, m < 0))
    sign, half = (-1.0) ** m, np.sqrt(0.5)
    rows = np.concatenate([zero, right, right, left, left])
    columns = np.concatenate([zero, right, right - 2 * m[right], left - 2 * m[left], left])
    values = np.concatenate(
        [
            np.ones(len(zero)),
            half * sign[right],
            np.full(len(right), half),
            -1j * half * sign[left],
            [1j * half] * len(left),
        ]
    )
    return coo_array((values, (rows, columns)), shape=(len(n), len(n))).tocsr()
