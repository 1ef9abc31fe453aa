"""What of a residual can drive a wave: the part that oscillates as the wave does.

Rounding of high derivatives is large where polynomials end, and next to nothing in any wave that is longer; and what
changes with time far more slowly than a wave oscillates makes none of it.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from fspielm.accuracy.held_out import HeldOut
from fspielm.arrays import FloatArray, NumberArray, safe_rms
from fspielm.equations import Relation
from fspielm.features import CellBasis, RowsInCells

# Waves in a cell that its nodes tell apart, as a share of their number.
_TOLD_APART = 0.5
# Frequencies are looked at a third of an octave apart, and stand for all between.
_BAND = 2 ** (1 / 6) - 2 ** (-1 / 6)


def driving(relation: Relation, held_out: HeldOut, coefficients: NumberArray, k: FloatArray) -> FloatArray | None:
    """The size of a residual at frequencies ``(m,)`` along the first axis, whenever and wherever it has them.

    Root mean squares over all cells; None where functions are not on cells of one dimension in space.
    """
    rows = held_out.rows.get(relation.name)
    if not isinstance(rows, RowsInCells) or rows.basis.dimension != 2:
        return None
    sites = held_out.sites[relation.name]
    residual = rows @ coefficients - relation.values(sites)
    squares, total, begin = np.zeros(len(k)), 0.0, 0
    for cell, operator in rows.parts:
        own = residual[begin : begin + len(operator.points)]
        begin += len(own)
        lengths = rows.basis.frames.lengths[cell]
        amplitudes = np.full(len(k), safe_rms(own))
        if operator.axes:
            grid = own.reshape(len(operator.axes[0]), -1)
            amplitudes = np.minimum(amplitudes, _amplitudes(grid, operator.axes[0], k, float(lengths[0])))
        squares += float(np.prod(lengths)) * amplitudes**2
        total += float(np.prod(lengths))
    return np.asarray(np.sqrt(squares / total))


def fastest_change(basis: CellBasis) -> float:
    """The highest frequency in time that functions of any cell, and products of them, have at all."""
    return float(2 * np.pi * np.max(basis.degrees[:, -1] / basis.frames.lengths[:, -1]))


def _amplitudes(grid: NumberArray, x: FloatArray, k: FloatArray, length: float) -> FloatArray:
    """Of values ``(n, times)`` at nodes of one cell, on the average over times; infinite where nodes do not tell."""
    waves = np.exp(-1j * k[:, None] * x) * _weights(len(x))
    each = np.abs(waves @ grid).mean(axis=1)
    several = np.sqrt(1 + _BAND * np.abs(k) * length / (2 * np.pi))
    return np.where(0.5 * np.abs(k) * length <= _TOLD_APART * len(x), 2 * several * each, np.inf)


@cache
def _weights(n: int) -> FloatArray:
    """Of n nodes of Chebyshev's, so that sums are means of polynomials (Fejer's first rule)."""
    theta = np.pi * (np.arange(n) + 0.5) / n
    m = np.arange(1, n // 2 + 1)
    return np.asarray((1 - 2 * (np.cos(2 * m * theta[:, None]) / (4 * m**2 - 1)).sum(axis=1)) / n)
