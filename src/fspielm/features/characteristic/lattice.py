"""Real frequencies from zero on, as dense as those of a Fourier extension."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from fspielm.arrays import FloatArray

ByFrequency: TypeAlias = Callable[[FloatArray], FloatArray]

_GRID = 400
# Frequencies are spaced as those of a Fourier extension: its factor for many of them, and what few need beyond it.
_FACTOR = 1.3
_FACTOR_OF_FEW = 6.0
_LARGEST_FACTOR = 3.5


def spread(
    extent: ByFrequency,
    functions: ByFrequency,
    neurons: float,
    unit: float,
    limit: float | None,
) -> FloatArray:
    """Frequencies from zero, so dense that each resolves `extent`, that have `neurons` functions altogether.

    Parameters
    ----------
    extent : callable
        Length over which functions of given frequencies have to be told apart.
    functions : callable
        Number of functions for one of given frequencies.
    neurons : float
    unit : float
        A low frequency, where the search begins.
    limit : float, optional
        The highest frequency; then the density follows from the number, otherwise the other way round.
    """
    if limit is not None:
        grid = np.linspace(0.0, max(limit, unit), _GRID)
        return _lattice(grid, extent(grid), _factor_for(grid, extent(grid), functions(grid), neurons))
    low, high = 0.0, unit
    for _ in range(60):  # as far as to exceed the number, then halving
        if count(high, extent, functions) > neurons:
            break
        low, high = high, 2 * high
    for _ in range(30):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if count(middle, extent, functions) > neurons else (middle, high)
    grid = np.linspace(0.0, max(low, 1e-3 * unit), _GRID)
    lengths = extent(grid)
    return _lattice(grid, lengths, _natural_factor(grid, lengths))


def count(highest: float, extent: ByFrequency, functions: ByFrequency) -> float:
    """How many functions frequencies up to `highest` make, as dense as their extent and number ask for."""
    grid = np.linspace(0.0, highest, 40)
    lengths = extent(grid)
    return _natural_factor(grid, lengths) * _integral(grid, lengths * functions(grid)) / (2 * np.pi)


def _natural_factor(grid: FloatArray, lengths: FloatArray) -> float:
    """The factor of the extension: dense where few frequencies are needed, sparse where many are."""
    needed = _integral(grid, lengths) / (2 * np.pi)
    return float(min(_FACTOR + _FACTOR_OF_FEW / np.sqrt(max(needed, 1.0) * 1.5), _LARGEST_FACTOR))


def _factor_for(grid: FloatArray, lengths: FloatArray, functions: FloatArray, neurons: float) -> float:
    return float(neurons / (_integral(grid, lengths * functions) / (2 * np.pi)))


def _lattice(grid: FloatArray, lengths: FloatArray, factor: float) -> FloatArray:
    steps = 0.5 * (lengths[1:] + lengths[:-1]) * np.diff(grid) * factor / (2 * np.pi)
    index = np.concatenate([[0.0], np.cumsum(steps)])
    return np.interp(np.arange(int(index[-1]) + 1), index, grid)


def _integral(grid: FloatArray, values: FloatArray) -> float:
    return float(np.sum(0.5 * (values[1:] + values[:-1]) * np.diff(grid)))
