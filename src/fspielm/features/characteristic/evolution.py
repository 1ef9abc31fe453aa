"""Zeros of a symbol for a problem that evolves, along time or along another axis.

Modes: real frequencies in space, the symbol solved for that in time, which is real for waves and imaginary for
diffusion. They hold what starts in the domain. What comes in through its boundary is held by the same waves, but not
by modes that decay: for those the symbol is also solved for the frequency in space, with a real one in time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.features.characteristic.directions import half_sphere
from fspielm.features.characteristic.frequencies import Frequencies, join
from fspielm.features.characteristic.lattice import ByFrequency, count, spread
from fspielm.features.characteristic.scene import Scene
from fspielm.features.characteristic.steady import Space, steady_frequencies, zeros_in_directions
from fspielm.features.characteristic.symbol import Symbol
from fspielm.features.characteristic.zeros import solve_each

_FEW = 8
# Shares of the neurons for what is driven from the boundary: of diffusion, and of waves that have a lowest frequency.
_DRIVEN_SHARE = 0.4
_EVANESCENT_SHARE = 0.125
# Functions for each real frequency in time, in two and more dimensions of space: the least, and their share.
_LEAST_STEADY = 40
_STEADY_SHARE = 3.0


@final
@dataclass(frozen=True, eq=False)
class Course:
    """The axis along which a solution evolves, and the others.

    Attributes
    ----------
    axis : int
    space : tuple of int
    radius : float
        Largest distance from the center in space.
    duration : float
        Extent along `axis`.
    """

    axis: int
    space: tuple[int, ...]
    radius: float
    duration: float


def course_along(scene: Scene, axis: int) -> Course:
    """The course of a solution that evolves along `axis`."""
    space = tuple(i for i in range(scene.dimension) if i != axis)
    return Course(axis, space, scene.radius(space), float(np.ptp(scene.outline[:, axis])))


def evolving_frequencies(
    symbol: Symbol,
    course: Course,
    neurons: int,
    rng: np.random.Generator,
    reach: tuple[float, ...] | None = None,
) -> Frequencies:
    """Zeros that make at most `neurons` real functions, some of them (if there are such) driven from the boundary.

    With `reach`, the highest real frequency along each axis, they are spread up to there.
    """
    budget = int(_driven_share(symbol, course, rng) * neurons)
    driven = _driven(symbol, course, budget, rng, None if reach is None else reach[course.axis])
    limit = None if reach is None else max(reach[i] for i in course.space)
    modes = _modes(symbol, course, neurons - driven.total, rng, limit)
    return join([modes, driven], symbol.dimension).distinct().first(neurons)


def evolving_neurons(symbol: Symbol, course: Course, limit: float, rng: np.random.Generator) -> int:
    """How many functions wavenumbers up to `limit` make at their natural density, what is driven included."""
    functions, extent = _mode_laws(symbol, course, rng)
    modes = count(limit, extent, functions) * max(int(symbol.orders[:, course.axis].max()), 1)
    return int(np.ceil(modes / (1 - _driven_share(symbol, course, rng))))


def _driven_share(symbol: Symbol, course: Course, rng: np.random.Generator) -> float:
    """The share of the neurons for what is driven from the boundary and is none of the modes."""
    probes = half_sphere(_FEW, len(course.space), rng)
    modes, _ = _solve_for_axis(symbol, course, np.pi / course.radius * probes)
    if not modes.are_real.all():
        return _DRIVEN_SHARE
    slow = zeros_in_directions(symbol, _at(course, 0.5 * np.pi / course.duration), _FEW, 0.0, rng)
    return 0.0 if slow.are_real.all() else _EVANESCENT_SHARE


def _at(course: Course, frequency: float) -> Space:
    """The space of zeros with a given frequency along the course's axis."""
    base = np.zeros(len(course.space) + 1)
    base[course.axis] = frequency
    return Space(course.space, base, course.radius)


def _modes(symbol: Symbol, course: Course, neurons: int, rng: np.random.Generator, limit: float | None) -> Frequencies:
    """Modes of wavenumbers up to `limit`, or as far as the neurons go."""
    dimension = len(course.space)
    functions, extent = _mode_laws(symbol, course, rng)
    branches = max(int(symbol.orders[:, course.axis].max()), 1)
    wavenumbers = spread(extent, functions, neurons / branches, np.pi / course.radius, limit)
    frequencies = [
        k * half_sphere(_mode_directions(k * course.radius, dimension) if k > 0 else 1, dimension, rng)
        for k in wavenumbers
    ]
    return _solve_for_axis(symbol, course, np.concatenate(frequencies))[0]


def _mode_laws(symbol: Symbol, course: Course, rng: np.random.Generator) -> tuple[ByFrequency, ByFrequency]:
    """How many functions the modes of given wavenumbers make, and the extent over which to tell them apart."""
    probes = half_sphere(_FEW, len(course.space), rng)

    def functions(wavenumbers: FloatArray) -> FloatArray:
        return np.array([2.0 * _mode_directions(k * course.radius, len(course.space)) for k in wavenumbers])

    def extent(wavenumbers: FloatArray) -> FloatArray:
        return 2 * course.radius + course.duration * _speeds(symbol, course, wavenumbers, probes)

    return functions, extent


def _driven(symbol: Symbol, course: Course, neurons: int, rng: np.random.Generator, limit: float | None) -> Frequencies:
    """Real frequencies along the axis, with all that grows or decays in space."""
    one = len(course.space) == 1
    each = 4 if one else max(int(_STEADY_SHARE * np.sqrt(neurons)), _LEAST_STEADY)

    def functions(frequencies: FloatArray) -> FloatArray:
        return np.full(len(frequencies), float(each))

    def extent(frequencies: FloatArray) -> FloatArray:
        return np.full(len(frequencies), course.duration)

    if neurons < each:
        return join([], symbol.dimension)
    frequencies = spread(extent, functions, neurons, 2 * np.pi / course.duration, limit)
    parts = [steady_frequencies(symbol, _at(course, frequency), each, rng, waves=False) for frequency in frequencies]
    return join(parts, symbol.dimension).first(neurons)


def _mode_directions(reach: float, dimension: int) -> int:
    """Directions of a half sphere for modes of wavenumber k, given k times the radius; each makes two functions.

    Fewer than for a single wavenumber (see `directions_needed`), as the neighbours help.
    """
    orders = reach + 4.0 * np.cbrt(reach) + 6.0
    return 1 if dimension == 1 else int(np.ceil(orders if dimension == 2 else 0.5 * orders ** (dimension - 1)))


def _solve_for_axis(symbol: Symbol, course: Course, frequencies: FloatArray) -> tuple[Frequencies, NDArray[np.int_]]:
    """Zeros with given frequencies in space ``(n, d - 1)``, and which of those each has."""
    base = np.zeros((len(frequencies), symbol.dimension), dtype=np.complex128)
    base[:, course.space] = frequencies
    along = np.zeros((len(frequencies), symbol.dimension))
    along[:, course.axis] = 1.0
    return solve_each(symbol, base, along, 2 * np.pi / course.duration)


def _speeds(symbol: Symbol, course: Course, wavenumbers: FloatArray, directions: FloatArray) -> FloatArray:
    """The highest group velocity of the waves of each wavenumber, over some directions."""
    frequencies = (wavenumbers[:, None, None] * directions).reshape(-1, directions.shape[1])
    found, rows = _solve_for_axis(symbol, course, frequencies)
    gradient = symbol.gradient(found.W)
    below = gradient[:, course.axis, None]
    simple = np.abs(below) > 0
    velocity = np.where(simple, -gradient[:, course.space] / np.where(simple, below, 1.0), 0.0).real
    fastest = np.zeros(len(wavenumbers))
    np.maximum.at(fastest, rows // len(directions), np.linalg.norm(velocity, axis=1))
    return fastest
