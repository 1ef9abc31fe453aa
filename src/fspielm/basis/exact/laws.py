"""Which zeros of a symbol serve a domain: waves, exponentials, and what evolves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.basis.exact.symbol import Frequencies, Symbol, join, solve_along, solve_each
from fspielm.geometry.domain import Domain
from fspielm.geometry.time import Time
from fspielm.numerics.sampling import half_sphere, tangents
from fspielm.resources import reserve_memory

# ---- What the laws of characteristic frequencies need to know about a domain

# Points on the boundary: between them a function of a thousand e-foldings across grows by a few percent.
_OUTLINE = 1000


@final
@dataclass(frozen=True, eq=False)
class Scene:
    """Size and outline of a domain.

    Attributes
    ----------
    center : (d,) array
        The middle of the bounding box.
    outline : (n, d) array
        Points of the boundary relative to the center, all extreme ones among them, up to the spacing.
    """

    center: FloatArray
    outline: FloatArray

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return len(self.center)

    def radius(self, axes: tuple[int, ...]) -> float:
        """The largest distance from the center, along some of the axes."""
        return float(np.linalg.norm(self.outline[:, axes], axis=1).max())

    def peaks(self, W: ComplexArray) -> FloatArray:
        """The largest ``log |exp(i w x)|`` on the domain, relative to its value in the center; shape ``(M,)``."""
        return np.asarray(np.max(-(W.imag @ self.outline.T), axis=1))


def scene_of(domain: Domain) -> Scene:
    """Look at a domain; with time, its lateral boundary at all times has every extreme point."""
    lower, upper = domain.bounding_box
    center = 0.5 * (lower + upper)
    rng = np.random.default_rng(0)  # only looks: the same for the same domain
    parts = domain.boundary()
    if isinstance(domain, Time):
        return Scene(center, np.stack([lower, upper]) - center)
    if domain.time is None:
        outline = [part.sample(_OUTLINE, rng, "clustered").points for part in parts]
        return Scene(center, np.concatenate(outline) - center)
    points = np.concatenate([part.sample(_OUTLINE, rng, "clustered").points for part in parts])
    ends = [np.column_stack([points[:, :-1], np.full(len(points), t)]) for t in (domain.time.start, domain.time.end)]
    return Scene(center, np.concatenate(ends) - center)


# ---- Real frequencies of every size, as dense as those of a Fourier extension
# A function of frequencies up to K on an interval of length E is held by frequencies up to K + d, spaced as the
# multiples of a period (1 + s) E is, where ``s d E`` is about twice the number of e-foldings wanted: a window that
# falls off in the rest of the period has a spectrum as wide as d. Fewest are needed where s and d / K are the same.

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


# ---- Waves of a symbol by their kind: along every direction, the shortest frequency, the next one, and so on
# Elastic waves are of two kinds, of pressure and of shear, each with a wavenumber of its own, and so many functions.

# Wavenumbers that differ by less than this share are one; directions, by less than so many digits.
_SAME = 1e-6
_DIGITS = 9


@final
@dataclass(frozen=True, eq=False)
class Sheet:
    """The waves of one kind, among some that were looked at.

    Attributes
    ----------
    waves : Frequencies
    wavenumber : float
        The largest.
    """

    waves: Frequencies
    wavenumber: float

    @property
    def multiplicity(self) -> int:
        """How many functions there are to each of the frequencies."""
        return int(self.waves.powers.max(initial=0)) + 1


def sheets_of(waves: Frequencies, axes: tuple[int, ...]) -> list[Sheet]:
    """The kinds of waves along some directions, those of the smallest wavenumbers first."""
    ranks, lengths = ranks_of(waves, axes), lengths_of(waves, axes)
    return [
        Sheet(waves.select(ranks == rank), float(lengths[ranks == rank].max()))
        for rank in range(int(ranks.max(initial=-1)) + 1)
    ]


def ranks_of(waves: Frequencies, axes: tuple[int, ...]) -> NDArray[np.int_]:
    """Of which kind each is: the number of smaller wavenumbers along its direction."""
    lengths = lengths_of(waves, axes)
    _, direction = np.unique(np.round(waves.along, _DIGITS) + 0.0, axis=0, return_inverse=True)
    direction = direction.reshape(-1)
    order = np.lexsort([lengths, direction])
    ranks, rank = np.zeros(len(waves), dtype=np.int_), 0
    for before, now in pairwise(order):
        if direction[before] != direction[now]:
            rank = 0
        elif lengths[now] > (1 + _SAME) * lengths[before]:
            rank += 1
        ranks[now] = rank
    return ranks


def lengths_of(waves: Frequencies, axes: tuple[int, ...]) -> FloatArray:
    """The wavenumber of each; of those that decay, the modulus."""
    W = waves.W.real if waves.are_paired else np.abs(waves.W)
    return np.asarray(np.linalg.norm(W[:, axes], axis=1))


def longest(sheets: Sequence[Sheet]) -> float:
    """The largest wavenumber of all; zero if there is none."""
    return max((sheet.wavenumber for sheet in sheets), default=0.0)


# ---- Zeros of a symbol for a problem without evolution: waves in all directions, and exponentials along them
# With ``w = q tangent + z direction`` the symbol is solved for z. At q = 0 real roots are plane waves (Helmholtz),
# others exponentials without oscillation (the modified equation). At higher q the roots are functions that oscillate
# along the tangent and fall off across it: all there is for Laplace's equation, and evanescent waves for Helmholtz'.

_PROBES = 24
# Rings of exponentials: e-foldings from the center to the boundary of the first, and the ratio from one to the next.
_FIRST_RING = 0.6
_RING_RATIO = 1.7
_MOST_RINGS = 24
# Directions of a ring, grown with the reach of the last.
_DENSITY = 3.0
# How finely that reach is searched for.
_STEP = 1.05


@final
@dataclass(frozen=True, eq=False)
class Space:
    """The axes along which directions are taken, and what the frequencies are along the others.

    Attributes
    ----------
    axes : tuple of int
    base : (d,) array
        Zero along `axes`.
    radius : float
        Largest distance from the center of the domain along `axes`.
    """

    axes: tuple[int, ...]
    base: FloatArray
    radius: float

    def embed(self, vectors: FloatArray) -> FloatArray:
        """Vectors along the axes ``(n, len(axes))`` in all coordinates."""
        whole = np.zeros((len(vectors), len(self.base)))
        whole[:, self.axes] = vectors
        return whole

    @property
    def signs(self) -> tuple[float, ...]:
        """Both signs of a tangential frequency count where another frequency is fixed, which the conjugate turns."""
        return (1.0, -1.0) if self.base.any() else (1.0,)


def directions_needed(reach: float, dimension: int, beyond: float = 0.0) -> int:
    """How many plane waves of wavenumber k hold all solutions in a ball of radius R; `reach` is k R.

    In a disk, angular orders up to k R are of full size, the higher ones fall off within a width of about the
    cube root of k R; each order is two functions. In a ball, orders up to n are (n + 1)^2 functions. Orders `beyond`
    are those of other functions to be counted with them.
    """
    orders = reach + 6.0 * np.cbrt(reach) + 10.0 + beyond
    return int(np.ceil({1: 2.0, 2: 2.0 * orders}.get(dimension, orders ** (dimension - 1))))


def find_sheets(symbol: Symbol, space: Space) -> list[Sheet]:
    """The kinds of waves among the zeros, those of the smallest wavenumbers first."""
    found = zeros_in_directions(symbol, space, _PROBES, 0.0, np.random.default_rng(0))  # only looks
    return sheets_of(found.select(found.are_waves), space.axes)


def waves_needed(sheets: Sequence[Sheet], space: Space, beyond: float = 0.0) -> list[int]:
    """How many waves of each kind hold all solutions; see `directions_needed`.

    A symbol that has no other real zero than zero is met by a constant there.
    """
    return [
        sheet.multiplicity * directions_needed(sheet.wavenumber * space.radius, len(space.axes), beyond)
        if sheet.wavenumber > 0
        else 1
        for sheet in sheets
    ]


def steady_frequencies(
    symbol: Symbol, space: Space, neurons: int, rng: np.random.Generator, *, waves: bool = True
) -> Frequencies:
    """Zeros that make at most `neurons` real functions: waves as far as they are needed, then rings of exponentials.

    Without `waves`, only the latter.
    """
    if len(space.axes) == 1:
        found = zeros_in_directions(symbol, space, 1, 0.0, rng).distinct()
        return (found if waves else found.select(~found.are_real)).first(neurons)
    probes = zeros_in_directions(symbol, space, _PROBES, 0.0, rng)
    sheets = sheets_of(probes.select(probes.are_waves), space.axes)
    parts = _running(symbol, space, sheets, neurons, rng) if waves else []
    left = neurons - sum(part.total for part in parts)
    for ring, directions in _rings(symbol, space, sheets, left, rng):
        found = zeros_in_directions(symbol, space, directions, ring.frequency, rng)
        # the waves that are left out decay, where coefficients are complex
        parts.append(found.select(~found.are_waves if waves else ~found.are_real))
    return join(parts, symbol.dimension, symbol.is_real).distinct().first(neurons)


def _running(
    symbol: Symbol, space: Space, sheets: Sequence[Sheet], neurons: int, rng: np.random.Generator
) -> list[Frequencies]:
    """Waves of each kind, as many as are needed, or as there may be."""
    wanted = waves_needed(sheets, space)
    share = min(neurons / max(sum(wanted), 1), 1.0)
    parts = []
    for rank, (sheet, number) in enumerate(zip(sheets, wanted, strict=True)):
        allowed = min(number, neurons) if len(sheets) == 1 else int(number * share)
        found = zeros_in_directions(symbol, space, _share(allowed, sheet.waves), 0.0, rng)
        found = found.select(found.are_waves)
        if len(sheets) > 1:
            found = found.select(ranks_of(found, space.axes) == rank)
        parts.append(found.distinct())
    return parts


def highest_ring(symbol: Symbol, space: Space, neurons: int) -> float:
    """The tangential frequency of the last ring of exponentials among so many functions; zero without any."""
    rng = np.random.default_rng(0)  # only looks
    sheets = find_sheets(symbol, space)
    waves = sum(waves_needed(sheets, space)) if sheets else 1
    rings = _rings(symbol, space, sheets, neurons - waves, rng)
    return max((ring.frequency for ring, _ in rings), default=0.0)


@final
@dataclass(frozen=True)
class _Ring:
    """Exponentials of one tangential frequency.

    Attributes
    ----------
    frequency : float
    growth : float
        Their e-foldings from the center of the domain to its boundary.
    functions : float
        How many real ones each direction makes.
    """

    frequency: float
    growth: float
    functions: float


def _rings(
    symbol: Symbol, space: Space, sheets: Sequence[Sheet], neurons: int, rng: np.random.Generator
) -> list[tuple[_Ring, int]]:
    """As many rings as `neurons` allow, each with its number of directions."""
    steps = [0.0, *(_FIRST_RING * _RING_RATIO ** np.arange(_MOST_RINGS)).tolist()]
    wavenumbers = [sheet.wavenumber for sheet in sheets] or [0.0]
    rings: list[_Ring] = []
    probed = 0
    best: list[tuple[_Ring, int]] = []
    reach = _FIRST_RING
    while reach < steps[-1]:
        while steps[probed] <= reach:
            frequencies = _frequencies_of(steps[probed] / space.radius, wavenumbers)
            rings += [_probe_ring(symbol, space, frequency, rng) for frequency in frequencies]
            probed += 1
        chosen = [(ring, _directions_of(ring, reach, len(space.axes))) for ring in rings if ring.functions > 0]
        if sum(ring.functions * directions for ring, directions in chosen) > neurons:
            # the innermost alone, where not even the first few fit
            best = best or [(ring, 1) for ring, _ in chosen[:1]]
            break
        best = chosen
        reach *= _STEP
    # the next ring would have been too many: what is left makes these denser
    spare = neurons / max(sum(ring.functions * directions for ring, directions in best), 1.0)
    return [(ring, int(directions * spare)) for ring, directions in best]


def _frequencies_of(step: float, wavenumbers: Sequence[float]) -> list[float]:
    """Tangential frequencies a step beyond each kind of waves, unless the next kind is reached with it."""
    if not step:
        return [0.0]
    above = (*wavenumbers[1:], np.inf)
    each = (float(np.hypot(wavenumber, step)) for wavenumber in wavenumbers)
    return [frequency for frequency, next_kind in zip(each, above, strict=True) if frequency < next_kind]


def _probe_ring(symbol: Symbol, space: Space, frequency: float, rng: np.random.Generator) -> _Ring:
    found = zeros_in_directions(symbol, space, _PROBES, frequency, rng)
    found = found.select(~found.are_waves).distinct()
    growth = space.radius * float(np.linalg.norm(found.W.imag, axis=1).max(initial=0.0))
    return _Ring(frequency, growth, found.total / _PROBES)


def _directions_of(ring: _Ring, reach: float, dimension: int) -> int:
    """How many directions a ring needs beside others up to `reach`: its functions are as narrow as a square root."""
    across = _DENSITY * np.cbrt(0.2 * reach) * np.sqrt(0.2 * ring.growth) + 3.0
    return int(np.ceil(0.5 * across ** (dimension - 1)))


def _share(wanted: int, probes: Frequencies) -> int:
    """How many directions make so many functions."""
    return max(int(wanted * _PROBES / probes.distinct().total), 1)


def zeros_in_directions(
    symbol: Symbol, space: Space, n: int, frequency: float, rng: np.random.Generator
) -> Frequencies:
    """All zeros along `n` directions of a half sphere, with a tangential frequency."""
    directions = half_sphere(n, len(space.axes), rng)
    along = space.embed(directions)
    across = space.embed(tangents(directions, rng)) if frequency else np.zeros_like(along)
    found = []
    signs = space.signs if symbol.is_real else (1.0, -1.0)
    for sign in signs if frequency else (1.0,):
        base = (space.base + sign * frequency * across).astype(np.complex128)
        found.append(solve_along(symbol, base, along, 1 / space.radius))
    return join(found, symbol.dimension, symbol.is_real)


# ---- Zeros of a symbol for a problem that evolves, along time or along another axis
# Modes: real frequencies in space, the symbol solved for that in time, which is real for waves and imaginary for
# diffusion. They hold what starts in the domain. What comes in through its boundary is held by the same waves, but not
# by modes that decay: for those the symbol is also solved for the frequency in space, with a real one in time.

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
