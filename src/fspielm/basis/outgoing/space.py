"""Where functions of open domains in space are placed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from threading import Lock
from typing import Any, final

import numpy as np
import scipy
from numpy.typing import NDArray

from fspielm.arrays import FloatArray, NumberArray
from fspielm.basis.basis import Basis, LocalOperator, localise
from fspielm.basis.outgoing.multipoles import MultipoleBasis, harmonics
from fspielm.basis.outgoing.placement import Wanted, distance_between, orders_at, orders_of_images
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import Sites
from fspielm.geometry.exterior import Body
from fspielm.problem.operator import identity
from fspielm.resources import reserve_waves

# ---- Sources all over closed surfaces, with strengths that are spherical harmonics: few functions made of many

# Values of sources at points that are held at once.
_AT_ONCE = 2**20


@final
@dataclass(frozen=True, eq=False)
class Rings:
    """Sources on rings around an axis, and the harmonics of degrees and orders up to some that their strengths are.

    Attributes
    ----------
    heights : (R,) array
        Of the rings on a unit ball, along its axis.
    counts : (R,) array of int
        How many sources each has, at equal distances of the azimuth, the first half of one from zero.
    weights : (N,) array
        What the strengths of all N sources are multiplied with.
    degree, order : int
        The highest ones.
    """

    heights: FloatArray
    counts: NDArray[np.int_]
    weights: FloatArray
    degree: int
    order: int

    @cached_property
    def starts(self) -> NDArray[np.int_]:
        """Where the functions of each order begin, cosines and sines of the azimuth apart, and where the last end."""
        counts = [self.degree + 1 - m for m in range(self.order + 1) for _ in range(2 if m else 1)]
        return np.concatenate([[0], np.cumsum(counts)])

    @property
    def size(self) -> int:
        """Number of functions."""
        return int(self.starts[-1])

    @cached_property
    def _around(self) -> list[FloatArray]:
        """Cosines and sines of the azimuth at the sources of each ring, ``(2 order + 1, n)``."""
        m = np.arange(1, self.order + 1)[:, None]
        found = []
        for weights in np.split(self.weights, np.cumsum(self.counts)[:-1]):
            turns = m * (2 * np.pi * (np.arange(len(weights)) + 0.5) / len(weights))
            both = np.stack([np.cos(turns), np.sin(turns)], axis=1).reshape(-1, len(weights))
            found.append(np.concatenate([np.ones((1, len(weights))), both]) * weights)
        return found

    @cached_property
    def _along(self) -> list[FloatArray]:
        """What remains of harmonics from pole to pole, at all rings, by order: ``(degree + 1 - m, R)``."""
        across = np.sqrt(1 - self.heights**2)
        table = harmonics(self.degree, np.column_stack([across, np.zeros(len(across)), self.heights]))
        n = [np.arange(m, self.degree + 1) for m in range(self.order + 1)]
        return [table[n[m] ** 2 + n[m] + m] for m in range(self.order + 1) for _ in range(2 if m else 1)]

    def sums(self, values: NumberArray) -> NumberArray:
        """The functions, from the values ``(N, n)`` of all sources: ``(M, n)``."""
        # as real numbers, which strengths are
        real = np.ascontiguousarray(values).view(np.float64)
        by_ring = np.split(real, np.cumsum(self.counts)[:-1])
        staged = np.stack([turns @ each for turns, each in zip(self._around, by_ring, strict=True)], axis=1)
        found = np.concatenate([along @ each for along, each in zip(self._along, staged, strict=True)])
        return np.ascontiguousarray(found).view(values.dtype)

    def strengths(self, coefficients: NumberArray) -> NumberArray:
        """Those of the sources in sums with `coefficients` ``(..., M)``: ``(..., N)``."""
        parts = [coefficients[..., start:stop] for start, stop in pairwise(self.starts.tolist())]
        staged = np.stack([part @ along for part, along in zip(parts, self._along, strict=True)], axis=-1)
        return np.concatenate([staged[..., ring, :] @ turns for ring, turns in enumerate(self._around)], axis=-1)


@final
class LayerBasis(Basis):
    """Fields of sources on surfaces, the strengths of which are smooth; and multipoles beside them, as they are.

    Far fewer functions than sources hold a field that is smooth: their number is set by how fast it varies along a
    surface, that of the sources by how close they are.

    Parameters
    ----------
    basis : MultipoleBasis
        The sources, and the multipoles.
    layers : tuple of Rings or None
        What is made of all functions of the basis, center by center: of the sources of a surface together, or None for
        a single center whose multipoles are functions themselves.
    sizes : (M,) array, optional
        What functions are divided by; ones by default.
    """

    dimension = 3

    def __init__(
        self, basis: MultipoleBasis, layers: tuple[Rings | None, ...], sizes: FloatArray | None = None
    ) -> None:
        self.basis, self.layers = basis, tuple(layers)
        own, made, center = [0], [0], 0
        for rings in self.layers:
            count = len(rings.weights) if rings else int(basis.orders[center] + 1) ** 2
            own.append(own[-1] + count)
            made.append(made[-1] + (rings.size if rings else count))
            center += len(rings.weights) if rings else 1
        if own[-1] != basis.size:
            raise ProblemError(f"layers must be of all {basis.size} functions of the basis; got {own[-1]} of them")
        self._pieces = tuple(zip(self.layers, pairwise(own), pairwise(made), strict=True))
        self._size = made[-1]
        self.sizes = np.ones(self._size) if sizes is None else np.array(sizes, dtype=np.float64)
        self._latest = _Latest()

    @property
    def size(self) -> int:
        """Number of functions."""
        return self._size

    @property
    def dtype(self) -> np.dtype[Any]:
        """That of the sources."""
        return self.basis.dtype

    @property
    def sources(self) -> FloatArray:
        """Those of all."""
        return self.basis.sources

    @property
    def reach(self) -> FloatArray:
        """The wavenumber, along all axes."""
        return self.basis.reach

    def valued(self, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """Sums as those of sources; see `Basis.valued`."""
        each = coefficients / self.sizes
        parts = [
            each[..., first:last] if rings is None else rings.strengths(each[..., first:last])
            for rings, _, (first, last) in self._pieces
        ]
        return self.basis, np.concatenate(parts, axis=-1)

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """The sums as those of sources; see `Basis.field`."""
        basis, strengths = self.valued(coefficients)
        return basis.field(unknown, strengths)

    def fill(self, operator: LocalOperator, columns: slice, out: NumberArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        out[...] = self._all(operator)[columns]

    def scaled_at(self, operator: LocalOperator) -> LayerBasis:
        """The same functions, of size one where the operator is applied, on the average."""
        each = np.sqrt(np.mean(np.abs(self._all(operator)) ** 2, axis=1))
        return LayerBasis(self.basis, self.layers, each * self.sizes)

    def _all(self, operator: LocalOperator) -> NumberArray:
        """The operator on all functions, which are made together: ``(M, n)``."""
        return self._latest.table(operator, self._make)

    def _make(self, operator: LocalOperator) -> NumberArray:
        found = np.empty((self.size, len(operator.points)), dtype=self.dtype_under(operator))
        step = max(1, _AT_ONCE // self.basis.size)
        for begin in range(0, len(operator.points), step):
            here = operator.select(slice(begin, begin + step))
            for rings, (start, stop), (first, last) in self._pieces:
                values = np.empty((stop - start, len(here.points)), dtype=found.dtype)
                self.basis.write(here, slice(start, stop), values)
                found[first:last, begin : begin + step] = values if rings is None else rings.sums(values)
        found /= self.sizes[:, None]
        return found


@final
class _Latest:
    """The last table that was made: once, whoever asks first, and until another one is asked for."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: tuple[LocalOperator, NumberArray] | None = None

    def __reduce__(self) -> tuple[type[_Latest], tuple[()]]:
        return _Latest, ()

    def table(self, operator: LocalOperator, make: Callable[[LocalOperator], NumberArray]) -> NumberArray:
        """That of an operator."""
        with self._lock:
            if self._kept is None or not _are_same(self._kept[0], operator):
                self._kept = operator, make(operator)
            return self._kept[1]


def _are_same(one: LocalOperator, other: LocalOperator) -> bool:
    return one is other or all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in ("orders", "points", "coefficients")
    )


# ---- Where functions of open domains in space are placed: multipoles in balls, sources in and around ellipsoids
# In a ball multipoles around its center are all that is needed, regular ones for fields inside. In an ellipsoid sources
# lie on a confocal one, and around it on another: fields that come from far away continue into it up to its focal
# conic, as they do in the plane, and those inside of it beyond its surface. Along confocal surfaces they vary as on the
# surface itself, so that harmonics of the stretched ball hold their strengths: superexponentially, once degrees exceed
# the wavenumber times a semi-axis.

# Depth of sources in an ellipsoid, as a share of the shortest semi-axis, and from a round to the next: they make no
# field outside with a wavenumber that resonates within the surface that they are on.
_DEPTH = 0.75
_SHALLOWER = 0.95
# The same from the distance of what is close by outside.
_OF_GAP = 0.8
# Farthest that sources are around an ellipsoid, in units of its longest semi-axis.
_FARTHEST = 2.0
_FEWEST = 6.0
# Degrees beyond those that waves inside go around an object with: such a wave may resonate, which no residual tells.
_BEYOND_RESONANCES = 2.0
# Digits more for what objects without losses focus on each other.
_FOCUSED = 1.0
# Degrees that damped waves mix, for each folding between the foci.
_MIXED = 0.2
# Places on an object at which functions have size one.
_LOOKS = 300
# Foldings beyond those aimed at that sums over sources are exact to.
_EXACT_TO = 3.0
_MOST_SOURCES = 300_000
# Places along and around a surface at which speeds are looked at.
_LOOKS_AT_SPEED = (65, 33)
# Steps of Newton's method for distances, which converges from one side.
_STEPS = 30


@final
@dataclass(frozen=True, eq=False)
class Layer:
    """Sources on one surface.

    Attributes
    ----------
    centers : (N, 3) array
    scale : float
        Their distance from the object, about.
    rings : Rings
    """

    centers: FloatArray
    scale: float
    rings: Rings


@final
@dataclass(frozen=True)
class Degrees:
    """The harmonics of strengths: of a degree, and of an order around one of the axes."""

    degree: int
    order: int
    axis: int


def layer_on(body: Body, semi_axes: FloatArray, degrees: Degrees, k: complex, foldings: float) -> Layer:
    """Sources on the surface of other `semi_axes`, as many as waves and distances ask for."""
    axes = np.roll(np.arange(3), 2 - degrees.axis)  # the axis of the rings last
    own, other = body.semi_axes[axes], semi_axes[axes]
    along, around = _speeds(own, other, k, foldings + _EXACT_TO)
    count = degrees.degree + 1 + math.ceil(0.5 * float(along.max()))
    heights, shares = np.polynomial.legendre.leggauss(count)
    looks = -np.cos(np.linspace(0, np.pi, _LOOKS_AT_SPEED[0]))
    counts = 2 * degrees.order + 1 + np.ceil(np.interp(heights, looks, around)).astype(np.int_)
    if counts.sum() > _MOST_SOURCES:
        given = ", ".join(f"{length:.3g}" for length in body.semi_axes)
        raise ProblemError(
            f"Exterior: an ellipsoid of semi-axes {given} asks for {counts.sum()} sources, more than {_MOST_SOURCES}; "
            "it is too flat, or too close to others, for so many digits: ask for fewer with tol=, or state a thicker "
            "one, or one further away"
        )
    turns = 2 * np.pi * np.concatenate([(np.arange(each) + 0.5) / each for each in counts])
    on_ball = _on_ball(np.repeat(heights, counts), turns)
    scale = float(np.median(np.linalg.norm(on_ball * (own - other), axis=1)))
    weights = np.repeat(0.5 * shares / counts, counts)
    if k.imag:  # as large on the object as others that are closer to it
        weights = weights * np.exp(k.imag * (_distances(own, on_ball * other) - scale))
    placed = np.empty_like(on_ball)
    placed[:, axes] = on_ball
    return Layer(body.placed(placed, semi_axes), scale, Rings(heights, counts, weights, degrees.degree, degrees.order))


def fastest(k: complex, foldings: float, distance: FloatArray | float) -> FloatArray:
    """The frequency along a surface beyond which waves of wavenumber k have lost so much at a distance from it."""
    lost = foldings / np.asarray(distance) + k.imag
    return np.asarray(np.sqrt(lost**2 + k.real**2 - k.imag**2))


def distance_of(k: complex, foldings: float, frequency: float) -> float:
    """The distance at which waves of a frequency along a surface have lost so much; the inverse of `fastest`."""
    steep = math.sqrt(max(frequency**2 - k.real**2 + k.imag**2, 0.0)) - k.imag
    return foldings / steep if steep > 0 else math.inf


def _speeds(own: FloatArray, other: FloatArray, k: complex, foldings: float) -> tuple[FloatArray, FloatArray]:
    """The highest frequencies of what a source is at the object, along and around, from pole to pole."""
    polar, azimuth = np.linspace(0, np.pi, _LOOKS_AT_SPEED[0])[:, None], np.linspace(0, np.pi, _LOOKS_AT_SPEED[1])
    on_ball = _on_ball(-np.cos(polar), azimuth)
    highest = fastest(k, foldings, np.linalg.norm(on_ball * (own - other), axis=-1))
    ahead = np.stack(
        np.broadcast_arrays(np.cos(polar) * np.cos(azimuth), np.cos(polar) * np.sin(azimuth), np.sin(polar)), axis=-1
    )
    aside = np.stack(
        np.broadcast_arrays(-np.sin(polar) * np.sin(azimuth), np.sin(polar) * np.cos(azimuth), 0.0), axis=-1
    )
    along, around = (np.linalg.norm(way * other, axis=-1) * highest for way in (ahead, aside))
    return along.max(axis=1), around.max(axis=1)


def _on_ball(heights: FloatArray, turns: FloatArray) -> FloatArray:
    across = np.sqrt(1 - heights**2)
    each = np.broadcast_arrays(across * np.cos(turns), across * np.sin(turns), heights)
    return np.stack(each, axis=-1)


def _distances(semi_axes: FloatArray, points: FloatArray) -> FloatArray:
    """From an ellipsoid of these semi-axes to points ``(n, 3)`` outside."""
    squares, t = semi_axes**2, np.zeros((len(points), 1))
    for _ in range(_STEPS):
        # the nearest place is squares * point / (squares + t), where it lies on the surface
        each = squares * points**2 / (squares + t) ** 2
        t = t + (each.sum(axis=1, keepdims=True) - 1) / (2 * (each / (squares + t)).sum(axis=1, keepdims=True))
    return np.asarray(np.linalg.norm(points * t / (squares + t), axis=1))


@final
@dataclass(frozen=True, eq=False)
class Around:
    """Multipoles around the center of a ball, up to a degree; those that leave it, or regular ones."""

    body: Body
    degree: int
    regular: bool

    @property
    def functions(self) -> int:
        """How many there are."""
        return (self.degree + 1) ** 2


@final
@dataclass(frozen=True, eq=False)
class Along:
    """Sources on a confocal surface of an ellipsoid, on rings around one of its axes."""

    body: Body
    layer: Layer
    axis: int
    regular = False

    @property
    def degree(self) -> int:
        """The highest."""
        return self.layer.rings.degree

    @property
    def functions(self) -> int:
        """How many there are."""
        return self.layer.rings.size


@final
@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """What is around an object, and in it.

    Attributes
    ----------
    body : Body
    others : sequence of Body
    wanted : Wanted
    inside : complex
        The wavenumber of waves that it lets through; zero if it lets none.
    bends : bool
        Whether a condition holds for values and slopes together: then it has the singularities of the normal's length.
    """

    body: Body
    others: Sequence[Body]
    wanted: Wanted
    inside: complex = 0.0
    bends: bool = False

    @cached_property
    def source_gap(self) -> float:
        """The distance of the nearest source outside."""
        body, nearby = self.body, self.wanted.nearby
        if body.is_ball and len(nearby):
            return float(np.linalg.norm(nearby - body.center, axis=1).min() - body.semi_axes[0])
        return distance_between(body.rim, nearby)

    @cached_property
    def gap(self) -> float:
        """The distance of what is nearest."""
        return min([self.source_gap, *(_between(self.body, other) for other in self.others)])


def place_in(around: Neighbourhood) -> Around | Along:
    """Functions in an object, for the field outside."""
    body, wanted = around.body, around.wanted
    if body.is_ball:
        return _around_center(around, regular=False)
    short = float(body.semi_axes.min())
    depth = min(_DEPTH * _SHALLOWER**wanted.level, _OF_GAP * around.gap / short)
    inner = np.sqrt(body.semi_axes**2 - short**2 * depth * (2 - depth))
    degrees = _degrees(around)
    return Along(body, layer_on(body, inner, degrees, wanted.wavenumber, wanted.foldings), degrees.axis)


def place_beside(around: Neighbourhood) -> Around | Along:
    """Functions for the field inside of an object, which are regular there."""
    body, wanted = around.body, around.wanted
    if body.is_ball:
        return _around_center(around, regular=True)
    degrees, (short, _, long) = _degrees(around), np.sort(body.semi_axes)
    # so far that the fastest harmonics of their strengths are told from rounding still
    distance = distance_of(around.inside, wanted.foldings, degrees.degree / long)
    distance = min(distance, _FARTHEST * long, _OF_GAP * around.gap)
    outer = np.sqrt(body.semi_axes**2 + distance * (2 * short + distance))
    return Along(body, layer_on(body, outer, degrees, around.inside, wanted.foldings), degrees.axis)


def basis_of(placed: Sequence[Around | Along], k: complex) -> Basis:
    """The functions of all objects, on one side of them."""
    centers = [each.layer.centers if isinstance(each, Along) else each.body.center[None] for each in placed]
    counts = [len(each) for each in centers]
    orders = np.repeat([0 if isinstance(each, Along) else each.degree for each in placed], counts)
    scales = np.repeat([e.layer.scale if isinstance(e, Along) else e.body.semi_axes[0] for e in placed], counts)
    basis = MultipoleBasis(np.concatenate(centers), orders, k, scales, regular=any(each.regular for each in placed))
    if not any(isinstance(each, Along) for each in placed):
        return basis
    layers = tuple(each.layer.rings if isinstance(each, Along) else None for each in placed)
    rims = np.concatenate([each.body.rim[:: len(each.body.rim) // _LOOKS] for each in placed])
    return LayerBasis(basis, layers).scaled_at(localise(identity(3), Sites(rims)))


def _around_center(around: Neighbourhood, *, regular: bool) -> Around:
    body, radius = around.body, float(around.body.semi_axes[0])
    images = orders_of_images(radius, around.gap, around.source_gap, around.wanted)
    return Around(body, math.ceil(max(_of_waves(radius, around), images)), regular)


def _degrees(around: Neighbourhood) -> Degrees:
    """Those of strengths, around the axis that differs most from the others."""
    order = np.argsort(around.body.semi_axes)
    short, middle, long = around.body.semi_axes[order]
    degree = _along(long, around)
    if long * short < middle**2:  # flat
        return Degrees(degree, degree, int(order[0]))
    return Degrees(degree, min(_along(middle, around), degree), int(order[2]))


def _along(radius: float, around: Neighbourhood) -> int:
    """The degrees along an ellipse of the shortest semi-axis and this one."""
    wanted, short, gap = around.wanted, float(around.body.semi_axes.min()), around.gap
    needed = [_of_waves(radius, around)]
    focal = math.sqrt(radius**2 - short**2)
    if math.isfinite(gap):
        shift = gap * (2 * short + gap)
        rate = math.log((math.sqrt(radius**2 + shift) + math.sqrt(short**2 + shift)) / (radius + short))
        needed.append(orders_at(rate, radius, wanted))
    if focal and (around.bends or around.inside.imag):
        slowly = orders_at(math.log((radius + short) / focal), radius, wanted)
        mixed = math.inf if around.bends else needed[0] + _MIXED * around.inside.imag * focal
        needed.append(min(slowly, mixed))
    return math.ceil(max(needed))


def _of_waves(radius: float, around: Neighbourhood) -> float:
    """The degree beyond which a ball sees nothing of a plane wave, to the digits aimed at; theirs without waves."""
    wanted = around.wanted
    digits, ka = wanted.foldings / math.log(10), wanted.wavenumber * radius
    if around.others and around.inside and not around.inside.imag:
        digits += _FOCUSED
    resonances = around.inside.real * radius + _BEYOND_RESONANCES
    if not ka:
        return max(digits, resonances)
    reserve_waves(ka / math.pi, ka**2, 2)
    n = np.arange(math.ceil(ka), math.ceil(1.5 * ka + 3 * digits) + 1)
    sizes = np.sqrt(2 * n + 1) * np.abs(scipy.special.spherical_jn(n, ka))
    return max(float(n[np.argmax(sizes < 10.0**-digits)]), resonances, _FEWEST)


def _between(body: Body, other: Body) -> float:
    """The distance of two objects, about."""
    if body.is_ball and other.is_ball:
        return float(np.linalg.norm(body.center - other.center) - body.semi_axes[0] - other.semi_axes[0])
    return distance_between(body.rim, other.rim)
