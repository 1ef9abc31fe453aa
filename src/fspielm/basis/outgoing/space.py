"""Functions of open domains in space: layers of sources on ellipsoids, and where to place them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from threading import Lock
from typing import final

import numpy as np
import scipy
from numpy.typing import NDArray

from fspielm.arrays import FloatArray, NumberArray
from fspielm.basis.basis import AT_ONCE, Basis, LinearMap, LocalOperator, localise
from fspielm.basis.outgoing.multipoles import MultipoleBasis, harmonics
from fspielm.basis.outgoing.placement import (
    FEWEST_ORDERS,
    SHARE_OF_GAP,
    Wanted,
    distance_between,
    orders_at,
    orders_of_images,
)
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import Sites
from fspielm.geometry.curves import LOOKS
from fspielm.geometry.exterior import Body
from fspielm.numerics.tolerances import ITERATIONS, PROBES
from fspielm.problem.operator import identity
from fspielm.resources import reserve_waves


@final
@dataclass(frozen=True, eq=False)
class Rings:
    """Sources on rings around an axis, with strengths that are spherical harmonics.

    Attributes
    ----------
    heights : (R,) array
        Positions of the rings along the axis of a unit ball.
    counts : (R,) array of int
        Number of sources on each ring, evenly spaced in azimuth; the first is half a step from zero.
    weights : (N,) array
        Factors of the strengths of all N sources.
    degree, order : int
        The highest degree and order of the harmonics.
    """

    heights: FloatArray
    counts: NDArray[np.int_]
    weights: FloatArray
    degree: int
    order: int

    @cached_property
    def starts(self) -> NDArray[np.int_]:
        """Starts of the functions of each order, cosines and sines of the azimuth separately, and the end."""
        counts = [self.degree + 1 - m for m in range(self.order + 1) for _ in range(2 if m else 1)]
        return np.concatenate([[0], np.cumsum(counts)])

    @property
    def size(self) -> int:
        """Number of functions."""
        return int(self.starts[-1])

    @cached_property
    def _around(self) -> list[FloatArray]:
        """Weighted cosines and sines of the azimuth at the sources of each ring, ``(2 order + 1, n)``."""
        m = np.arange(1, self.order + 1)[:, None]
        found = []
        for weights in np.split(self.weights, np.cumsum(self.counts)[:-1]):
            turns = m * (2 * np.pi * (np.arange(len(weights)) + 0.5) / len(weights))
            both = np.stack([np.cos(turns), np.sin(turns)], axis=1).reshape(-1, len(weights))
            found.append(np.concatenate([np.ones((1, len(weights))), both]) * weights)
        return found

    @cached_property
    def _along(self) -> list[FloatArray]:
        """The harmonics along the meridian at all rings, by order m: ``(degree + 1 - m, R)``."""
        across = np.sqrt(1 - self.heights**2)
        table = harmonics(self.degree, np.column_stack([across, np.zeros(len(across)), self.heights]))
        n = [np.arange(m, self.degree + 1) for m in range(self.order + 1)]
        return [table[n[m] ** 2 + n[m] + m] for m in range(self.order + 1) for _ in range(2 if m else 1)]

    def sums(self, values: NumberArray) -> NumberArray:
        """The functions ``(M, n)`` from the values ``(N, n)`` of all sources."""
        real = np.ascontiguousarray(values).view(np.float64)  # strengths are real
        by_ring = np.split(real, np.cumsum(self.counts)[:-1])
        staged = np.stack([turns @ each for turns, each in zip(self._around, by_ring, strict=True)], axis=1)
        found = np.concatenate([along @ each for along, each in zip(self._along, staged, strict=True)])
        return np.ascontiguousarray(found).view(values.dtype)

    def strengths(self, coefficients: NumberArray) -> NumberArray:
        """Strengths ``(..., N)`` of the sources in sums with `coefficients` ``(..., M)``."""
        parts = [coefficients[..., start:stop] for start, stop in pairwise(self.starts.tolist())]
        staged = np.stack([part @ along for part, along in zip(parts, self._along, strict=True)], axis=-1)
        return np.concatenate([staged[..., ring, :] @ turns for ring, turns in enumerate(self._around)], axis=-1)


@final
class LayerBasis(LinearMap):
    """Fields of sources on surfaces with smooth strengths, together with ordinary multipoles.

    A smooth field needs far fewer functions than sources: their number depends on how fast the field varies along a
    surface, that of the sources on their distance from the domain.

    Parameters
    ----------
    basis : MultipoleBasis
        The sources and the multipoles.
    layers : tuple of Rings or None
        For the centers of the basis in order: the rings of a surface of sources, or None for a single center whose
        multipoles are used directly.
    sizes : (M,) array, optional
        Divisors of the functions; ones by default.
    """

    basis: MultipoleBasis

    def __init__(
        self, basis: MultipoleBasis, layers: tuple[Rings | None, ...], sizes: FloatArray | None = None
    ) -> None:
        self.layers = tuple(layers)
        source_ends, ends, center = [0], [0], 0
        for rings in self.layers:
            count = len(rings.weights) if rings else int(basis.orders[center] + 1) ** 2
            source_ends.append(source_ends[-1] + count)
            ends.append(ends[-1] + (rings.size if rings else count))
            center += len(rings.weights) if rings else 1
        if source_ends[-1] != basis.size:
            raise ProblemError(
                f"layers must be of all {basis.size} functions of the basis; got {source_ends[-1]} of them"
            )
        self._pieces = tuple(zip(self.layers, pairwise(source_ends), pairwise(ends), strict=True))
        super().__init__(basis, ends[-1])
        self.together = 1  # one table for all
        self.sizes = np.ones(self.size) if sizes is None else np.array(sizes, dtype=np.float64)
        self._latest = _Latest()

    def valued(self, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """The sums on the sources; see `Basis.valued`."""
        scaled = coefficients / self.sizes
        parts = [
            scaled[..., first:last] if rings is None else rings.strengths(scaled[..., first:last])
            for rings, _, (first, last) in self._pieces
        ]
        return self.basis, np.concatenate(parts, axis=-1)

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """The sums on the sources; see `Basis.field`."""
        basis, strengths = self.valued(coefficients)
        return basis.field(unknown, strengths)

    def fill(self, operator: LocalOperator, columns: slice, out: NumberArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        out[...] = self._latest.table(operator, self._tabulate)[columns]

    def scaled_at(self, operator: LocalOperator) -> LayerBasis:
        """The same functions, scaled to a root mean square of one where the operator is applied."""
        table = self._latest.table(operator, self._tabulate)
        return LayerBasis(self.basis, self.layers, np.sqrt(np.mean(np.abs(table) ** 2, axis=1)) * self.sizes)

    def _tabulate(self, operator: LocalOperator) -> NumberArray:
        """The operator on all functions, ``(M, n)``, which share the values of the sources."""
        found = np.empty((self.size, len(operator.points)), dtype=self.dtype_under(operator))
        step = max(1, AT_ONCE // self.basis.size)
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
    """Caches the last table; only one thread computes it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: tuple[LocalOperator, NumberArray] | None = None

    def __reduce__(self) -> tuple[type[_Latest], tuple[()]]:
        return _Latest, ()

    def table(self, operator: LocalOperator, make: Callable[[LocalOperator], NumberArray]) -> NumberArray:
        """The table of an operator, from the cache if it was the last."""
        with self._lock:
            known = self._kept
            names = ("orders", "points", "coefficients")
            if known is None or not all(np.array_equal(getattr(known[0], n), getattr(operator, n)) for n in names):
                self._kept = known = operator, make(operator)
            return known[1]


# ---- Placement
# A ball only needs multipoles around its center, regular ones for fields inside. For an ellipsoid, sources lie on a
# confocal ellipsoid inside, or on another one outside. Fields from far away continue into the ellipsoid up to its focal
# conic, and fields inside continue beyond its surface. Along confocal surfaces fields vary as on the surface itself, so
# harmonics of the stretched ball represent their strengths, superexponentially once degrees exceed the wavenumber times
# a semi-axis.

# Depth of sources in an ellipsoid, as a share of the shortest semi-axis, and its factor from one level to the next:
# sources cannot make a field whose wavenumber resonates within their surface.
_DEPTH = 0.75
_SHALLOWER = 0.95
# Largest distance of sources around an ellipsoid, in units of its longest semi-axis.
_FARTHEST = 2.0
# Degrees beyond those of waves that run around inside an object: these may resonate, which no residual shows.
_BEYOND_RESONANCES = 2.0
# Additional digits for objects without losses, which focus waves on each other.
_FOCUSED = 1.0
# Degrees that damped waves mix, for each e-folding between the foci.
_MIXED = 0.2
# Additional e-foldings to which sums over sources are exact.
_EXACT_TO = 3.0
_MOST_SOURCES = 300_000


@final
@dataclass(frozen=True, eq=False)
class Functions:
    """Functions of one object: multipoles around the center of a ball, or sources on a confocal surface."""

    body: Body
    centers: FloatArray  # (N, 3)
    scale: float  # their approximate distance from the object
    degree: int  # the highest, of multipoles or of the strengths of sources
    rings: Rings | None = None  # of sources
    axis: int = 2  # of the rings
    regular: bool = False  # whether multipoles are

    @property
    def size(self) -> int:
        """Number of functions."""
        return (self.degree + 1) ** 2 if self.rings is None else self.rings.size


@final
@dataclass(frozen=True)
class Degrees:
    """The highest degree of the strengths' harmonics, and their highest order around one of the axes."""

    degree: int
    order: int
    axis: int


def layer_on(body: Body, semi_axes: FloatArray, degrees: Degrees, k: complex, foldings: float) -> Functions:
    """Sources on the confocal surface with these `semi_axes`, as many as waves and distances require."""
    axes = np.roll(np.arange(3), 2 - degrees.axis)  # puts the axis of the rings last
    own, other = body.semi_axes[axes], semi_axes[axes]
    along, around = _highest_frequencies(own, other, k, foldings + _EXACT_TO)
    count = degrees.degree + 1 + math.ceil(0.5 * float(along.max()))
    heights, shares = np.polynomial.legendre.leggauss(count)
    grid = -np.cos(np.linspace(0, np.pi, LOOKS))
    counts = 2 * degrees.order + 1 + np.ceil(np.interp(heights, grid, around)).astype(np.int_)
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
    if k.imag:  # makes damped sources as large on the object as closer ones
        weights = weights * np.exp(k.imag * (_distances(own, on_ball * other) - scale))
    placed = np.empty_like(on_ball)
    placed[:, axes] = on_ball
    rings = Rings(heights, counts, weights, degrees.degree, degrees.order)
    return Functions(body, body.placed(placed, semi_axes), scale, degrees.degree, rings, degrees.axis)


def fastest(k: complex, foldings: float, distance: FloatArray | float) -> FloatArray:
    """The frequency along a surface above which waves of wavenumber k lose these e-foldings over a distance from it."""
    lost = foldings / np.asarray(distance) + k.imag
    return np.asarray(np.sqrt(lost**2 + k.real**2 - k.imag**2))


def distance_of(k: complex, foldings: float, frequency: float) -> float:
    """The distance over which waves of a frequency along a surface lose these e-foldings; the inverse of `fastest`."""
    steep = math.sqrt(max(frequency**2 - k.real**2 + k.imag**2, 0.0)) - k.imag
    return foldings / steep if steep > 0 else math.inf


def _highest_frequencies(
    own: FloatArray, other: FloatArray, k: complex, foldings: float
) -> tuple[FloatArray, FloatArray]:
    """The highest frequencies of a source's field at the object, along and around, from pole to pole."""
    azimuth = np.linspace(0, np.pi, LOOKS)
    polar = azimuth[:, None]
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
    return np.stack(np.broadcast_arrays(across * np.cos(turns), across * np.sin(turns), heights), axis=-1)


def _distances(semi_axes: FloatArray, points: FloatArray) -> FloatArray:
    """Distances of points ``(n, 3)`` outside from an ellipsoid with these semi-axes."""
    squares, t = semi_axes**2, np.zeros((len(points), 1))
    for _ in range(ITERATIONS):  # Newton's method, which converges from one side
        # the nearest point of the surface is squares * point / (squares + t)
        terms = squares * points**2 / (squares + t) ** 2
        t = t + (terms.sum(axis=1, keepdims=True) - 1) / (2 * (terms / (squares + t)).sum(axis=1, keepdims=True))
    return np.asarray(np.linalg.norm(points * t / (squares + t), axis=1))


@final
@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """An object, its surroundings and its interior.

    Attributes
    ----------
    body : Body
    others : sequence of Body
    wanted : Wanted
    inside : complex
        The wavenumber inside; zero if no waves enter.
    bends : bool
        Whether a condition mixes values and slopes, which adds the singularities of the normal's length.
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
        """The distance of the nearest object or source."""
        return min([self.source_gap, *(_distance_of_bodies(self.body, other) for other in self.others)])


def place_in(around: Neighbourhood) -> Functions:
    """Place functions in an object, for the field outside."""
    body, wanted = around.body, around.wanted
    if body.is_ball:
        return _multipoles_of_ball(around, regular=False)
    short = float(body.semi_axes.min())
    depth = min(_DEPTH * _SHALLOWER**wanted.level, SHARE_OF_GAP * around.gap / short)
    inner = np.sqrt(body.semi_axes**2 - short**2 * depth * (2 - depth))
    return layer_on(body, inner, _degrees_of_strengths(around), wanted.wavenumber, wanted.foldings)


def place_beside(around: Neighbourhood) -> Functions:
    """Place functions for the field inside of an object, where they are regular."""
    body, wanted = around.body, around.wanted
    if body.is_ball:
        return _multipoles_of_ball(around, regular=True)
    degrees, (short, _, long) = _degrees_of_strengths(around), np.sort(body.semi_axes)
    # as far as the fastest harmonics of their strengths remain above rounding
    distance = distance_of(around.inside, wanted.foldings, degrees.degree / long)
    distance = min(distance, _FARTHEST * long, SHARE_OF_GAP * around.gap)
    outer = np.sqrt(body.semi_axes**2 + distance * (2 * short + distance))
    return layer_on(body, outer, degrees, around.inside, wanted.foldings)


def basis_of(placed: Sequence[Functions], k: complex) -> Basis:
    """The functions of all objects, for the field on one side of them."""
    counts = [len(each.centers) for each in placed]
    orders = np.repeat([0 if each.rings else each.degree for each in placed], counts)
    scales = np.repeat([each.scale for each in placed], counts)
    regular = any(each.regular for each in placed)
    basis = MultipoleBasis(np.concatenate([each.centers for each in placed]), orders, k, scales, regular=regular)
    if not any(each.rings for each in placed):
        return basis
    rims = np.concatenate([each.body.rim[:: len(each.body.rim) // PROBES] for each in placed])
    layers = tuple(each.rings for each in placed)
    return LayerBasis(basis, layers).scaled_at(localise(identity(3), Sites(rims)))


def _multipoles_of_ball(around: Neighbourhood, *, regular: bool) -> Functions:
    body, radius = around.body, float(around.body.semi_axes[0])
    images = orders_of_images(radius, around.gap, around.source_gap, around.wanted)
    degree = math.ceil(max(_degree_of_waves(radius, around), images))
    return Functions(body, body.center[None], radius, degree, regular=regular)


def _degrees_of_strengths(around: Neighbourhood) -> Degrees:
    """The degrees of strengths, around the axis that differs most from the others."""
    order = np.argsort(around.body.semi_axes)
    short, middle, long = around.body.semi_axes[order]
    degree = _degree_along(long, around)
    if long * short < middle**2:  # flat
        return Degrees(degree, degree, int(order[0]))
    return Degrees(degree, min(_degree_along(middle, around), degree), int(order[2]))


def _degree_along(radius: float, around: Neighbourhood) -> int:
    """The degree along an ellipse of the shortest semi-axis and this one."""
    wanted, short, gap = around.wanted, float(around.body.semi_axes.min()), around.gap
    needed = [_degree_of_waves(radius, around)]
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


def _degree_of_waves(radius: float, around: Neighbourhood) -> float:
    """The degree that resolves a plane wave on a ball to the requested digits; the digits if there are no waves."""
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
    return max(float(n[np.argmax(sizes < 10.0**-digits)]), resonances, FEWEST_ORDERS)


def _distance_of_bodies(body: Body, other: Body) -> float:
    """The approximate distance between two objects."""
    if body.is_ball and other.is_ball:
        return float(np.linalg.norm(body.center - other.center) - body.semi_axes[0] - other.semi_axes[0])
    return distance_between(body.rim, other.rim)
