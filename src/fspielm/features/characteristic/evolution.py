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
from fspielm.deadline import reserve_memory
from fspielm.features.characteristic.directions import half_sphere
from fspielm.features.characteristic.frequencies import Frequencies, join
from fspielm.features.characteristic.lattice import ByFrequency, lattice, limit_for
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
# The same where it is known how far the frequencies reach: angular orders, and their growth with the wavenumber.
_LEAST_ORDERS = 9.0
_ORDERS = 1.5
_ROUNDING = 1e-9
_EACH_ZERO = 200.0  # bytes that it takes to find one, for each dimension of space


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
    if reach is None:
        budget = int(_driven_share(symbol, course, rng) * neurons)
        driven = _driven(symbol, course, rng, *_driven_within(course, budget))
        limit = _modes_within(symbol, course, neurons - driven.total, rng)
        modes = _modes(symbol, course, rng, limit, np.full(len(course.space), limit))
        return join([modes, driven], symbol.dimension).distinct().first(neurons)
    density = neurons / functions_needed(symbol, course, reach)
    return _reaching(symbol, course, rng, reach, density).first(neurons)


def functions_needed(symbol: Symbol, course: Course, reach: tuple[float, ...]) -> int:
    """How many real functions hold what evolves with frequencies up to `reach`, to about twelve digits."""
    return _reaching(symbol, course, np.random.default_rng(0), reach).total  # only counts


def highest_speed(symbol: Symbol, course: Course, wavenumber: float) -> float:
    """The highest group velocity of waves of a wavenumber."""
    directions = half_sphere(_FEW, len(course.space), np.random.default_rng(0))  # only looks
    return float(_speeds(symbol, course, np.array([wavenumber]), directions)[0])


def _reaching(
    symbol: Symbol, course: Course, rng: np.random.Generator, reach: tuple[float, ...], density: float = 1.0
) -> Frequencies:
    """Modes and what is driven, up to the frequencies of `reach`, so much denser than needed."""
    ends = np.maximum([reach[i] for i in course.space], np.pi / course.radius)
    limit = float(np.linalg.norm(ends))
    parts = [_modes(symbol, course, rng, limit, ends, density)]
    if _driven_share(symbol, course, rng):
        each = _steady_functions(limit * course.radius, len(course.space))
        parts.append(_driven(symbol, course, rng, max(reach[course.axis], _least(course)), each, density))
    return join(parts, symbol.dimension).distinct()


def _driven_share(symbol: Symbol, course: Course, rng: np.random.Generator) -> float:
    """The share of the neurons for what is driven from the boundary and is none of the modes."""
    probes = half_sphere(_FEW, len(course.space), rng)
    modes, _ = _solve_for_axis(symbol, course, np.pi / course.radius * probes)
    if not modes.are_real.all():
        return _DRIVEN_SHARE
    signs = (1.0,) if symbol.is_real else (1.0, -1.0)
    slow = [
        zeros_in_directions(symbol, _at(course, sign * 0.5 * np.pi / course.duration), _FEW, 0.0, rng) for sign in signs
    ]
    return 0.0 if all(found.are_real.all() for found in slow) else _EVANESCENT_SHARE


def _at(course: Course, frequency: float) -> Space:
    """The space of zeros with a given frequency along the course's axis."""
    base = np.zeros(len(course.space) + 1)
    base[course.axis] = frequency
    return Space(course.space, base, course.radius)


def _least(course: Course) -> float:
    """The frequency along the axis of one period."""
    return 2 * np.pi / course.duration


def _mode_extent(symbol: Symbol, course: Course, rng: np.random.Generator) -> ByFrequency:
    """What modes have to be told apart on: the domain, and as much as passes through it."""
    probes = half_sphere(_FEW, len(course.space), rng)

    def extent(wavenumbers: FloatArray) -> FloatArray:
        return 2 * course.radius + course.duration * _speeds(symbol, course, wavenumbers, probes)

    return extent


def _modes_within(symbol: Symbol, course: Course, neurons: int, rng: np.random.Generator) -> float:
    """The highest wavenumber of as many modes."""
    dimension = len(course.space)
    branches = max(int(symbol.orders[:, course.axis].max()), 1)

    def functions(wavenumbers: FloatArray) -> FloatArray:
        return 2.0 * branches * _mode_directions(wavenumbers * course.radius, dimension)

    return limit_for(_mode_extent(symbol, course, rng), functions, neurons, np.pi / course.radius, dimension)


def _modes(
    symbol: Symbol, course: Course, rng: np.random.Generator, limit: float, ends: FloatArray, density: float = 1.0
) -> Frequencies:
    """Modes of wavenumbers up to `limit`, along each axis of space up to its end."""
    dimension = len(course.space)
    wavenumbers = lattice(_mode_extent(symbol, course, rng), limit, rng, density, dimension)
    counts = _mode_directions(wavenumbers * course.radius, dimension)
    reserve_memory(_EACH_ZERO * dimension * float(counts.sum()), "finding functions that satisfy the equation")
    every = np.concatenate(
        [k * half_sphere(int(count), dimension, rng) for k, count in zip(wavenumbers, counts, strict=True)]
    )
    inside = every[np.all(np.abs(every) <= (1 + _ROUNDING) * ends, axis=1)]
    if not symbol.is_real:  # opposite directions are no pairs
        inside = np.concatenate([inside, -inside])
    return _solve_for_axis(symbol, course, inside)[0]


def _driven_within(course: Course, neurons: int) -> tuple[float, int]:
    """How far along the axis of evolution so many driven functions go, and how many each frequency has."""
    each = 4 if len(course.space) == 1 else max(int(_STEADY_SHARE * np.sqrt(neurons)), _LEAST_STEADY)
    if neurons < each:
        return 0.0, 0
    extent, functions = _constant(course.duration), _constant(each)
    return limit_for(extent, functions, neurons, _least(course)), each


def _steady_functions(reach: float, dimension: int) -> int:
    """Functions for each real frequency along the axis, given the highest wavenumber times the radius."""
    orders = _LEAST_ORDERS + _ORDERS * np.sqrt(reach)
    return 4 if dimension == 1 else int(np.ceil(4 * orders ** (dimension - 1)))


def _driven(
    symbol: Symbol, course: Course, rng: np.random.Generator, limit: float, each: int, density: float = 1.0
) -> Frequencies:
    """Real frequencies along the axis up to `limit`, each with so many functions that grow or decay in space."""
    if not each:
        return join([], symbol.dimension, symbol.is_real)
    frequencies = lattice(_constant(course.duration), limit, rng, density)
    if not symbol.is_real:  # opposite frequencies are no pairs
        frequencies = np.concatenate([frequencies, -frequencies])
        each = -(-each // 2)
    parts = [steady_frequencies(symbol, _at(course, frequency), each, rng, waves=False) for frequency in frequencies]
    return join(parts, symbol.dimension, symbol.is_real)


def _constant(value: float) -> ByFrequency:
    return lambda frequencies: np.full(len(frequencies), float(value))


def _mode_directions(reach: FloatArray, dimension: int) -> FloatArray:
    """Directions of a half sphere for modes of wavenumbers k, given k times the radius; each makes two functions.

    Fewer than for a single wavenumber (see `directions_needed`), as the neighbours help.
    """
    orders = reach + 6.0 * np.cbrt(reach) + 4.0
    return np.ceil({1: np.ones_like(reach), 2: orders}.get(dimension, 0.5 * orders ** (dimension - 1)))


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
