"""Real frequencies of every size, as dense as those of a Fourier extension.

A function of frequencies up to K on an interval of length E is held by frequencies up to K + d, spaced as the multiples
of a period (1 + s) E is, where ``s d E`` is about twice the number of e-foldings wanted: a window that falls off in
the rest of the period has a spectrum as wide as d. Fewest are needed where s and d / K are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from fspielm.arrays import FloatArray

ByFrequency: TypeAlias = Callable[[FloatArray], FloatArray]

_GRID = 400
_COARSE_GRID = 40
# ``s d E`` for twelve digits, by the dimension of the frequencies: those in other directions help.
_EXCESS = {1: 36.0}
_EXCESS_BESIDE_OTHERS = 22.0
# The largest s: for slow functions a wider band helps more than a denser one.
_LARGEST_SHARE = 1.2


def excess(band: float, extent: float, dimension: int = 1) -> float:
    """How far beyond its band the frequencies go that hold a function on an interval of length `extent`."""
    wanted = _wanted(dimension)
    return float(max(np.sqrt(wanted * band / extent), wanted / _LARGEST_SHARE / extent))


def lattice(
    extent: ByFrequency, limit: float, rng: np.random.Generator, density: float = 1.0, dimension: int = 1
) -> FloatArray:
    """Frequencies up to `limit`, so dense that each resolves `extent`.

    The first lies at random between a quarter and half of a step from zero, so that no two draws have functions in
    common: what one of them misses, the other shows.

    Parameters
    ----------
    extent : callable
        Length over which functions of given frequencies have to be told apart.
    limit : float
        The excess over the band included.
    rng : Generator
    density : float
        Relative to that of an extension.
    dimension : int
        In which they are lengths of frequencies in many directions.
    """
    grid = np.linspace(0.0, limit, _GRID)
    lengths = extent(grid)
    steps = (
        0.5 * (lengths[1:] + lengths[:-1]) * np.diff(grid) * density * _factor(grid, lengths, dimension) / (2 * np.pi)
    )
    index = np.concatenate([[0.0], np.cumsum(steps)])
    count = max(int(np.ceil(index[-1])), 1)
    places = np.arange(count) + rng.uniform(0.25, 0.5)
    return np.asarray(np.interp(places * (index[-1] / count), index, grid))


def limit_for(extent: ByFrequency, functions: ByFrequency, neurons: float, unit: float, dimension: int = 1) -> float:
    """How far a lattice goes that has `neurons` functions altogether.

    Parameters
    ----------
    extent : callable
        See `lattice`.
    functions : callable
        Number of functions for one of given frequencies.
    neurons : float
    unit : float
        A low frequency, where the search begins.
    dimension : int
        See `lattice`.
    """

    def count(highest: float) -> float:
        grid = np.linspace(0.0, highest, _COARSE_GRID)
        lengths = extent(grid)
        return _factor(grid, lengths, dimension) * _integral(grid, lengths * functions(grid)) / (2 * np.pi)

    low, high = 0.0, unit
    for _ in range(60):  # as far as to exceed the number, then halving
        if count(high) > neurons:
            break
        low, high = high, 2 * high
    while high - low > 1e-3 * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if count(middle) > neurons else (middle, high)
    return max(low, 1e-3 * unit)


def _factor(grid: FloatArray, lengths: FloatArray, dimension: int) -> float:
    """The factor 1 + s of the extension whose frequencies fill the grid, the excess included."""
    filled, wanted = _integral(grid, lengths), np.sqrt(_wanted(dimension))
    # with the excess, root^2 = K E becomes root^2 + wanted root, which is what is filled
    root = 0.5 * (np.sqrt(wanted**2 + 4 * filled) - wanted)
    return float(1 + min(wanted / max(root, 1e-300), _LARGEST_SHARE))


def _wanted(dimension: int) -> float:
    return _EXCESS.get(dimension, _EXCESS_BESIDE_OTHERS)


def _integral(grid: FloatArray, values: FloatArray) -> float:
    return float(np.sum(0.5 * (values[1:] + values[:-1]) * np.diff(grid)))
