"""Which zeros of a symbol a domain needs: waves, exponentials, and modes of problems that evolve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.basis.exact.symbol import DIGITS, Frequencies, Symbol, join, solve_along, solve_each
from fspielm.geometry.curves import LOOKS
from fspielm.geometry.domain import Domain
from fspielm.geometry.time import Time
from fspielm.numerics.sampling import half_sphere, tangents
from fspielm.numerics.tolerances import CLOSE, ITERATIONS, PROBES, SAME
from fspielm.resources import reserve_memory

# Points on each boundary part: between them a function of a thousand e-foldings across grows by a few percent.
_OUTLINE = 1000


@final
@dataclass(frozen=True, eq=False)
class Scene:
    """Center and outline of a domain.

    Attributes
    ----------
    center : (d,) array
        The middle of the bounding box.
    outline : (n, d) array
        Points of the boundary relative to the center, dense enough to include all extreme points.
    """

    center: FloatArray
    outline: FloatArray

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return len(self.center)

    def radius(self, axes: tuple[int, ...]) -> float:
        """The largest distance from the center along some of the axes."""
        return float(np.linalg.norm(self.outline[:, axes], axis=1).max())

    def peaks(self, W: ComplexArray) -> FloatArray:
        """The largest ``log |exp(i w x)|`` on the domain, relative to its value at the center; shape ``(M,)``."""
        return np.asarray(np.max(-(W.imag @ self.outline.T), axis=1))


def scene_of(domain: Domain) -> Scene:
    """The center and outline of a domain; with time, from the lateral boundary at both ends of time."""
    lower, upper = domain.bounding_box
    center = 0.5 * (lower + upper)
    if isinstance(domain, Time):
        return Scene(center, np.stack([lower, upper]) - center)
    rng = np.random.default_rng(0)
    points = np.concatenate([part.sample(_OUTLINE, rng, "clustered").points for part in domain.boundary()])
    if domain.time is not None:
        ends = (domain.time.start, domain.time.end)
        points = np.concatenate([np.column_stack([points[:, :-1], np.full(len(points), t)]) for t in ends])
    return Scene(center, points - center)


# ---- Real frequencies as dense as those of a Fourier extension
# Frequencies up to K + d represent a function of frequencies up to K on an interval of length E if they are the
# harmonics of a period (1 + s) E, where ``s d E`` is about twice the wanted number of e-foldings: a window that decays
# in the rest of the period has a spectrum of width d. The number is least if s equals d / K.

ByFrequency: TypeAlias = Callable[[FloatArray], FloatArray]

# ``s d E`` for twelve digits in one dimension, and in more, where frequencies in other directions help.
_EXCESS = 36.0
_EXCESS_IN_MANY_DIMENSIONS = 22.0
# The largest s: for slow functions a wider band helps more than a denser one.
_LARGEST_SHARE = 1.2


def excess(band: float, extent: float, dimension: int = 1) -> float:
    """How far frequencies must exceed a function's band to represent it on an interval of length `extent`."""
    wanted = _excess_wanted(dimension)
    return float(max(np.sqrt(wanted * band / extent), wanted / _LARGEST_SHARE / extent))


def _spaced_frequencies(
    extent: ByFrequency, limit: float, rng: np.random.Generator, density: float = 1.0, dimension: int = 1
) -> FloatArray:
    """Frequencies up to `limit` (the excess included), dense enough to represent functions on their `extent`.

    The `density` is relative to that of an extension; `dimension` is that of the vectors whose lengths these are. The
    first frequency is a random share, between a quarter and a half, of a step from zero. Two draws then have no
    functions in common, and one shows what the other misses.
    """
    grid = np.linspace(0.0, limit, PROBES)
    lengths = extent(grid)
    factor = _extension_factor(grid, lengths, dimension)
    steps = 0.5 * (lengths[1:] + lengths[:-1]) * np.diff(grid) * density * factor / (2 * np.pi)
    index = np.concatenate([[0.0], np.cumsum(steps)])
    count = max(int(np.ceil(index[-1])), 1)
    places = np.arange(count) + rng.uniform(0.25, 0.5)
    return np.asarray(np.interp(places * (index[-1] / count), index, grid))


def _limit_for(extent: ByFrequency, functions: ByFrequency, neurons: float, unit: float, dimension: int = 1) -> float:
    """The limit at which `_spaced_frequencies` make `neurons` functions; the search starts at `unit`."""

    def count(highest: float) -> float:
        grid = np.linspace(0.0, highest, LOOKS)
        lengths = extent(grid)
        return _extension_factor(grid, lengths, dimension) * _integral(grid, lengths * functions(grid)) / (2 * np.pi)

    low, high = 0.0, unit
    for _ in range(60):  # doubling until the number is exceeded, then bisection
        if count(high) > neurons:
            break
        low, high = high, 2 * high
    while high - low > 1e-3 * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if count(middle) > neurons else (middle, high)
    return max(low, 1e-3 * unit)


def _extension_factor(grid: FloatArray, lengths: FloatArray, dimension: int) -> float:
    """The factor 1 + s of the extension whose frequencies, including the excess, fill the grid."""
    filled, wanted = _integral(grid, lengths), np.sqrt(_excess_wanted(dimension))
    # with root^2 = K E, the excess adds wanted * root, and the sum is what is filled
    root = 0.5 * (np.sqrt(wanted**2 + 4 * filled) - wanted)
    return float(1 + min(wanted / max(root, 1e-300), _LARGEST_SHARE))


def _excess_wanted(dimension: int) -> float:
    return _EXCESS if dimension == 1 else _EXCESS_IN_MANY_DIMENSIONS


def _integral(grid: FloatArray, values: FloatArray) -> float:
    return float(np.sum(0.5 * (values[1:] + values[:-1]) * np.diff(grid)))


# ---- Waves of a symbol by kind
# The kind of a wave is its rank among the wavenumbers along its direction. Elastic waves, for example, are of two
# kinds, pressure and shear, each with its own wavenumber and number of functions.


@final
@dataclass(frozen=True, eq=False)
class Sheet:
    """The waves of one kind along some directions."""

    waves: Frequencies
    wavenumber: float  # the largest

    @property
    def multiplicity(self) -> int:
        """Number of functions of each frequency."""
        return int(self.waves.powers.max(initial=0)) + 1


def _sheets_of(waves: Frequencies, axes: tuple[int, ...]) -> list[Sheet]:
    """The kinds of the waves, those of the smallest wavenumbers first."""
    ranks, lengths = _ranks_of(waves, axes), _lengths_of(waves, axes)
    return [
        Sheet(waves.select(ranks == rank), float(lengths[ranks == rank].max()))
        for rank in range(int(ranks.max(initial=-1)) + 1)
    ]


def _ranks_of(waves: Frequencies, axes: tuple[int, ...]) -> NDArray[np.int_]:
    """The kind of each wave: the number of smaller wavenumbers along its direction."""
    lengths = _lengths_of(waves, axes)
    _, direction = np.unique(np.round(waves.along, DIGITS) + 0.0, axis=0, return_inverse=True)
    direction = direction.reshape(-1)
    order = np.lexsort([lengths, direction])
    ranks, rank = np.zeros(len(waves), dtype=np.int_), 0
    for previous, current in pairwise(order):
        if direction[previous] != direction[current]:
            rank = 0
        elif lengths[current] > (1 + CLOSE) * lengths[previous]:
            rank += 1
        ranks[current] = rank
    return ranks


def _lengths_of(waves: Frequencies, axes: tuple[int, ...]) -> FloatArray:
    """The wavenumber of each wave; the modulus if it decays."""
    W = waves.W.real if waves.are_paired else np.abs(waves.W)
    return np.asarray(np.linalg.norm(W[:, axes], axis=1))


def longest(sheets: Sequence[Sheet]) -> float:
    """The largest wavenumber; zero if there are no waves."""
    return max((sheet.wavenumber for sheet in sheets), default=0.0)


# ---- Zeros for a problem without evolution: waves in all directions, and exponentials
# With ``w = q tangent + z direction`` the symbol is solved for z. At q = 0 real roots are plane waves (Helmholtz) and
# others are exponentials without oscillation (the modified equation). At higher q the functions oscillate along the
# tangent and decay across it: all functions of Laplace's equation, and evanescent waves of Helmholtz'.

_PROBES = 24
# Rings of exponentials: e-foldings from the center to the boundary of the first, and the ratio from one to the next.
_FIRST_RING = 0.6
_RING_RATIO = 1.7
# Factor of the number of directions of a ring.
_DENSITY = 3.0
# Ratio of successive trial values of the reach of the last ring.
_STEP = 1.05


@final
@dataclass(frozen=True, eq=False)
class Space:
    """The axes along which directions are taken, and the fixed frequencies along the others."""

    axes: tuple[int, ...]
    base: FloatArray  # (d,): the fixed frequencies; zero along `axes`
    radius: float  # largest distance from the center of the domain along `axes`

    def embed(self, vectors: FloatArray) -> FloatArray:
        """Vectors ``(n, len(axes))`` along the axes in all coordinates."""
        whole = np.zeros((len(vectors), len(self.base)))
        whole[:, self.axes] = vectors
        return whole

    @property
    def signs(self) -> tuple[float, ...]:
        """Signs of tangential frequencies: both if another frequency is fixed, whose sign conjugation would change."""
        return (1.0, -1.0) if self.base.any() else (1.0,)


def directions_needed(reach: float, dimension: int, beyond: float = 0.0) -> int:
    """Number of plane waves of wavenumber k that represent all solutions in a ball of radius R; `reach` is k R.

    In a disk, angular orders up to k R have full size and higher ones decay over a width of about the cube root of k R;
    each order has two functions. In a ball, orders up to n have (n + 1)^2 functions. `beyond` adds orders for other
    functions.
    """
    orders = reach + 6.0 * np.cbrt(reach) + 10.0 + beyond
    return int(np.ceil({1: 2.0, 2: 2.0 * orders}.get(dimension, orders ** (dimension - 1))))


def find_sheets(symbol: Symbol, space: Space) -> list[Sheet]:
    """The kinds of waves among the zeros, those of the smallest wavenumbers first."""
    found = _zeros_in_directions(symbol, space, _PROBES, 0.0, np.random.default_rng(0))
    return _sheets_of(found.select(found.are_waves), space.axes)


def waves_needed(sheets: Sequence[Sheet], space: Space, beyond: float = 0.0) -> list[int]:
    """Number of waves of each kind that represent all solutions; see `directions_needed`.

    One (a constant) if the only wavenumber is zero.
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
    """Zeros that make at most `neurons` real functions: as many waves as needed, then rings of exponentials.

    Without `waves`, only the latter.
    """
    if len(space.axes) == 1:
        found = _zeros_in_directions(symbol, space, 1, 0.0, rng).distinct()
        return (found if waves else found.select(~found.are_real)).first(neurons)
    probes = _zeros_in_directions(symbol, space, _PROBES, 0.0, rng)
    sheets = _sheets_of(probes.select(probes.are_waves), space.axes)
    parts = _waves_of_each_kind(symbol, space, sheets, neurons, rng) if waves else []
    left = neurons - sum(part.total for part in parts)
    for ring, directions in _rings(symbol, space, sheets, left, rng):
        found = _zeros_in_directions(symbol, space, directions, ring.frequency, rng)
        # with complex coefficients, the waves that are left out decay
        parts.append(found.select(~found.are_waves if waves else ~found.are_real))
    return join(parts, symbol.dimension, symbol.is_real).distinct().first(neurons)


def _waves_of_each_kind(
    symbol: Symbol, space: Space, sheets: Sequence[Sheet], neurons: int, rng: np.random.Generator
) -> list[Frequencies]:
    """Waves of each kind, as many as are needed, within the number of neurons."""
    wanted = waves_needed(sheets, space)
    share = min(neurons / max(sum(wanted), 1), 1.0)
    parts = []
    for rank, (sheet, number) in enumerate(zip(sheets, wanted, strict=True)):
        allowed = min(number, neurons) if len(sheets) == 1 else int(number * share)
        directions = max(int(allowed * _PROBES / sheet.waves.distinct().total), 1)
        found = _zeros_in_directions(symbol, space, directions, 0.0, rng)
        found = found.select(found.are_waves)
        if len(sheets) > 1:
            found = found.select(_ranks_of(found, space.axes) == rank)
        parts.append(found.distinct())
    return parts


def highest_ring(symbol: Symbol, space: Space, neurons: int) -> float:
    """The tangential frequency of the last ring of exponentials among `neurons` functions; zero without rings."""
    rng = np.random.default_rng(0)
    sheets = find_sheets(symbol, space)
    waves = sum(waves_needed(sheets, space)) if sheets else 1
    rings = _rings(symbol, space, sheets, neurons - waves, rng)
    return max((ring.frequency for ring, _ in rings), default=0.0)


@final
@dataclass(frozen=True)
class _Ring:
    """Exponentials of one tangential frequency."""

    frequency: float
    growth: float  # e-foldings from the center of the domain to its boundary
    functions: float  # number of real functions for each direction


def _rings(
    symbol: Symbol, space: Space, sheets: Sequence[Sheet], neurons: int, rng: np.random.Generator
) -> list[tuple[_Ring, int]]:
    """As many rings as `neurons` allow, each with its number of directions."""
    steps = [0.0, *(_FIRST_RING * _RING_RATIO ** np.arange(ITERATIONS)).tolist()]
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
            # the innermost alone if not even the first few fit
            best = best or [(ring, 1) for ring, _ in chosen[:1]]
            break
        best = chosen
        reach *= _STEP
    # another ring does not fit, so the remaining neurons make these denser
    spare = neurons / max(sum(ring.functions * directions for ring, directions in best), 1.0)
    return [(ring, int(directions * spare)) for ring, directions in best]


def _frequencies_of(step: float, wavenumbers: Sequence[float]) -> list[float]:
    """Tangential frequencies one step beyond each kind of waves, unless that reaches the next kind."""
    if not step:
        return [0.0]
    above = (*wavenumbers[1:], np.inf)
    each = (float(np.hypot(wavenumber, step)) for wavenumber in wavenumbers)
    return [frequency for frequency, next_kind in zip(each, above, strict=True) if frequency < next_kind]


def _probe_ring(symbol: Symbol, space: Space, frequency: float, rng: np.random.Generator) -> _Ring:
    found = _zeros_in_directions(symbol, space, _PROBES, frequency, rng)
    found = found.select(~found.are_waves).distinct()
    growth = space.radius * float(np.linalg.norm(found.W.imag, axis=1).max(initial=0.0))
    return _Ring(frequency, growth, found.total / _PROBES)


def _directions_of(ring: _Ring, reach: float, dimension: int) -> int:
    """Number of directions of a ring among others up to `reach`: widths scale as a square root of the growth."""
    across = _DENSITY * np.cbrt(0.2 * reach) * np.sqrt(0.2 * ring.growth) + 3.0
    return int(np.ceil(0.5 * across ** (dimension - 1)))


def _zeros_in_directions(
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


# ---- Zeros for a problem that evolves along time or another axis
# Modes have real frequencies in space; the symbol is solved for the one in time, which is real for waves and imaginary
# for diffusion. Modes represent initial states. Waves also represent what enters through the boundary, but modes that
# decay do not; for these problems the symbol is also solved for driven functions, with a real frequency in time and a
# complex one in space.

# Shares of the neurons for driven functions: of diffusion, and of waves with a lowest frequency.
_DRIVEN_SHARE = 0.4
_EVANESCENT_SHARE = 0.125
# Driven functions for each real frequency in time, in two and more dimensions of space: angular orders, and their
# growth with the root of the wavenumber.
_LEAST_ORDERS = 9.0
_ORDERS = 1.5
_BYTES_PER_ZERO = 200.0  # for each dimension of space


@final
@dataclass(frozen=True, eq=False)
class Evolution:
    """The axis along which a solution evolves, and the others."""

    axis: int
    space: tuple[int, ...]
    radius: float  # largest distance from the center in space
    duration: float  # extent along `axis`


def evolution_along(scene: Scene, axis: int) -> Evolution:
    """The evolution of a solution along `axis`."""
    space = tuple(i for i in range(scene.dimension) if i != axis)
    return Evolution(axis, space, scene.radius(space), float(np.ptp(scene.outline[:, axis])))


def evolving_frequencies(
    symbol: Symbol,
    evolution: Evolution,
    neurons: int,
    rng: np.random.Generator,
    reach: tuple[float, ...] | None = None,
) -> Frequencies:
    """Zeros that make at most `neurons` real functions: modes, and driven functions where needed.

    They are spread up to `reach`, the highest real frequency along each axis, if given.
    """
    if reach is None:
        budget = int(_driven_share(symbol, evolution, rng) * neurons)
        limit, each = 0.0, 0
        if budget:  # as many for each frequency as waves of the highest modes need
            highest = _modes_within(symbol, evolution, neurons - budget, rng)
            each = min(_functions_per_frequency(highest * evolution.radius, len(evolution.space)), budget)
            limit = _limit_for(_constant(evolution.duration), _constant(each), budget, _lowest_frequency(evolution))
        driven = _driven(symbol, evolution, rng, limit, each)
        limit = _modes_within(symbol, evolution, neurons - driven.total, rng)
        modes = _modes(symbol, evolution, rng, limit, np.full(len(evolution.space), limit))
        return join([modes, driven], symbol.dimension).distinct().first(neurons)
    density = neurons / functions_needed(symbol, evolution, reach)
    return _reaching(symbol, evolution, rng, reach, density).first(neurons)


def functions_needed(symbol: Symbol, evolution: Evolution, reach: tuple[float, ...]) -> int:
    """Number of real functions for solutions with frequencies up to `reach`, to about twelve digits."""
    return _reaching(symbol, evolution, np.random.default_rng(0), reach).total


def highest_speed(symbol: Symbol, evolution: Evolution, wavenumber: float) -> float:
    """The highest group velocity of waves of a wavenumber."""
    directions = half_sphere(_PROBES, len(evolution.space), np.random.default_rng(0))
    return float(_highest_speeds(symbol, evolution, np.array([wavenumber]), directions)[0])


def _reaching(
    symbol: Symbol, evolution: Evolution, rng: np.random.Generator, reach: tuple[float, ...], density: float = 1.0
) -> Frequencies:
    """Modes and driven functions up to the frequencies of `reach`; a density of one is what is needed."""
    ends = np.maximum([reach[i] for i in evolution.space], np.pi / evolution.radius)
    limit = float(np.linalg.norm(ends))
    parts = [_modes(symbol, evolution, rng, limit, ends, density)]
    if _driven_share(symbol, evolution, rng):
        each = _functions_per_frequency(limit * evolution.radius, len(evolution.space))
        parts.append(
            _driven(symbol, evolution, rng, max(reach[evolution.axis], _lowest_frequency(evolution)), each, density)
        )
    return join(parts, symbol.dimension).distinct()


def _driven_share(symbol: Symbol, evolution: Evolution, rng: np.random.Generator) -> float:
    """The share of the neurons for functions that are driven from the boundary."""
    probes = half_sphere(_PROBES, len(evolution.space), rng)
    modes, _ = _solve_for_axis(symbol, evolution, np.pi / evolution.radius * probes)
    if not modes.are_real.all():
        return _DRIVEN_SHARE
    signs = (1.0,) if symbol.is_real else (1.0, -1.0)
    lowest = 0.5 * np.pi / evolution.duration
    slow = [_zeros_in_directions(symbol, _space_at(evolution, sign * lowest), _PROBES, 0.0, rng) for sign in signs]
    return 0.0 if all(found.are_real.all() for found in slow) else _EVANESCENT_SHARE


def _space_at(evolution: Evolution, frequency: float) -> Space:
    """The space of zeros with this frequency along the axis of evolution."""
    base = np.zeros(len(evolution.space) + 1)
    base[evolution.axis] = frequency
    return Space(evolution.space, base, evolution.radius)


def _lowest_frequency(evolution: Evolution) -> float:
    """The frequency of one period along the axis."""
    return 2 * np.pi / evolution.duration


def _mode_extent(symbol: Symbol, evolution: Evolution, rng: np.random.Generator) -> ByFrequency:
    """The length on which modes must be distinguished: the domain, and the distance that waves travel through it."""
    probes = half_sphere(_PROBES, len(evolution.space), rng)

    def extent(wavenumbers: FloatArray) -> FloatArray:
        return 2 * evolution.radius + evolution.duration * _highest_speeds(symbol, evolution, wavenumbers, probes)

    return extent


def _modes_within(symbol: Symbol, evolution: Evolution, neurons: int, rng: np.random.Generator) -> float:
    """The highest wavenumber of as many modes as `neurons` allow."""
    dimension = len(evolution.space)
    branches = max(int(symbol.orders[:, evolution.axis].max()), 1)

    def functions(wavenumbers: FloatArray) -> FloatArray:
        return 2.0 * branches * _mode_directions(wavenumbers * evolution.radius, dimension)

    return _limit_for(_mode_extent(symbol, evolution, rng), functions, neurons, np.pi / evolution.radius, dimension)


def _modes(
    symbol: Symbol, evolution: Evolution, rng: np.random.Generator, limit: float, ends: FloatArray, density: float = 1.0
) -> Frequencies:
    """Modes of wavenumbers up to `limit`, along each axis of space up to its end."""
    dimension = len(evolution.space)
    wavenumbers = _spaced_frequencies(_mode_extent(symbol, evolution, rng), limit, rng, density, dimension)
    counts = _mode_directions(wavenumbers * evolution.radius, dimension)
    reserve_memory(_BYTES_PER_ZERO * dimension * float(counts.sum()), "finding functions that satisfy the equation")
    vectors = np.concatenate(
        [k * half_sphere(int(count), dimension, rng) for k, count in zip(wavenumbers, counts, strict=True)]
    )
    inside = vectors[np.all(np.abs(vectors) <= (1 + SAME) * ends, axis=1)]
    if not symbol.is_real:  # opposite directions are not conjugate
        inside = np.concatenate([inside, -inside])
    return _solve_for_axis(symbol, evolution, inside)[0]


def _functions_per_frequency(reach: float, dimension: int) -> int:
    """Number of driven functions for each frequency along the axis; `reach` is the wavenumber times the radius."""
    orders = _LEAST_ORDERS + _ORDERS * np.sqrt(reach)
    return 4 if dimension == 1 else int(np.ceil(4 * orders ** (dimension - 1)))


def _driven(
    symbol: Symbol, evolution: Evolution, rng: np.random.Generator, limit: float, each: int, density: float = 1.0
) -> Frequencies:
    """Driven functions: real frequencies along the axis up to `limit`, each with `each` functions in space."""
    if not each:
        return join([], symbol.dimension, symbol.is_real)
    frequencies = _spaced_frequencies(_constant(evolution.duration), limit, rng, density)
    if not symbol.is_real:  # opposite frequencies are not conjugate
        frequencies = np.concatenate([frequencies, -frequencies])
        each = -(-each // 2)
    spaces = [_space_at(evolution, frequency) for frequency in frequencies]
    parts = [steady_frequencies(symbol, space, each, rng, waves=False) for space in spaces]
    return join(parts, symbol.dimension, symbol.is_real)


def _constant(value: float) -> ByFrequency:
    return lambda frequencies: np.full(len(frequencies), float(value))


def _mode_directions(reach: FloatArray, dimension: int) -> FloatArray:
    """Number of directions in a half sphere for modes, given wavenumbers times the radius; each has two functions.

    Fewer than for a single wavenumber (see `directions_needed`), because neighbouring wavenumbers help.
    """
    orders = reach + 6.0 * np.cbrt(reach) + 4.0
    return np.ceil({1: np.ones_like(reach), 2: orders}.get(dimension, 0.5 * orders ** (dimension - 1)))


def _solve_for_axis(
    symbol: Symbol, evolution: Evolution, frequencies: FloatArray
) -> tuple[Frequencies, NDArray[np.int_]]:
    """Zeros with given frequencies in space ``(n, d - 1)``, and the index of the frequency of each."""
    base = np.zeros((len(frequencies), symbol.dimension), dtype=np.complex128)
    base[:, evolution.space] = frequencies
    along = np.zeros((len(frequencies), symbol.dimension))
    along[:, evolution.axis] = 1.0
    return solve_each(symbol, base, along, 2 * np.pi / evolution.duration)


def _highest_speeds(
    symbol: Symbol, evolution: Evolution, wavenumbers: FloatArray, directions: FloatArray
) -> FloatArray:
    """The highest group velocity of the waves of each wavenumber over some directions."""
    frequencies = (wavenumbers[:, None, None] * directions).reshape(-1, directions.shape[1])
    found, rows = _solve_for_axis(symbol, evolution, frequencies)
    gradient = symbol.gradient(found.W)
    below = gradient[:, evolution.axis, None]
    simple = np.abs(below) > 0
    velocity = np.where(simple, -gradient[:, evolution.space] / np.where(simple, below, 1.0), 0.0).real
    fastest = np.zeros(len(wavenumbers))
    np.maximum.at(fastest, rows // len(directions), np.linalg.norm(velocity, axis=1))
    return fastest
