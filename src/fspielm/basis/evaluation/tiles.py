"""Evaluate sums at many points by Chebyshev expansions on tiles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.basis.basis import AT_ONCE, MOST_GROWTH, TANH, Basis, ExponentialBasis, LocalOperator, RidgeBasis
from fspielm.basis.evaluation.direct import CHUNK_POINTS, direct_sum, split_leaves
from fspielm.basis.singular.outgoing import Outgoing, SourceBasis
from fspielm.basis.singular.singular import Angle, CornerFunction, Power, SingularBasis, Wave
from fspielm.basis.singular.tabulated import TabulatedBasis
from fspielm.numerics.roots import Polynomials, add_up, join, lobatto, to_coefficients, unit_places
from fspielm.numerics.sampling import kronecker
from fspielm.numerics.tolerances import BISECTIONS, ROUNDED
from fspielm.resources import run_tasks

# ---- Functions that change too fast for the nodes
# The coefficients of an expansion may fall to rounding although a bump lies between the nodes. Waves that the nodes
# resolve cannot add up to such a bump, and how fast they change is known before anything is summed.

# The largest phase along half a box that each node resolves. In the middle, where nodes are farthest apart, that leaves
# at least three of them per wave.
_PHASE_PER_NODE = 0.6


@final
@dataclass(frozen=True, eq=False)
class Boxes:
    """T boxes with ends `lower` and `upper` ``(T, d)``."""

    lower: FloatArray
    upper: FloatArray

    @property
    def middle(self) -> FloatArray:
        """The middles, ``(T, d)``."""
        return 0.5 * (self.lower + self.upper)

    @property
    def half(self) -> FloatArray:
        """Half the widths, ``(T, d)``."""
        return 0.5 * (self.upper - self.lower)

    def distances(self, centers: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Distances ``(T, M)`` of the nearest and the farthest point of each box from the `centers` ``(M, d)``."""
        apart, half = np.abs(self.middle[:, None] - centers), self.half[:, None]
        return np.linalg.norm(np.maximum(apart - half, 0.0), axis=2), np.linalg.norm(apart + half, axis=2)


def sum_unresolved(
    basis: Basis,
    fields: FloatArray,
    operators: Sequence[tuple[NDArray[np.int_], FloatArray]],
    boxes: Boxes,
    count: int,
) -> FloatArray:
    """Bound on the part of the sums that `count` nodes along each axis may not resolve, ``(R F, T, d)``.

    It adds the sizes of all functions on a box that change too fast for the nodes along an axis, or whose singularity
    is nearer than half the length of the box.
    """
    total = np.zeros((len(operators) * len(fields), *boxes.lower.shape))
    for leaf, its_fields in split_leaves(basis, fields):
        strengths = np.concatenate([np.abs(its_fields) * _strength(leaf, *operator) for operator in operators])
        step = max(1, AT_ONCE // max(leaf.size, 1))
        for start in range(0, len(boxes.lower), step):
            chunk = slice(start, start + step)
            sizes, fast = _sizes_and_fast_axes(
                leaf, Boxes(boxes.lower[chunk], boxes.upper[chunk]), _PHASE_PER_NODE * count
            )
            # not a matrix product, whose last digit depends on threads
            total[:, chunk] += np.einsum("rm,tma->rta", strengths, sizes[:, :, None] * fast)
    return total


def _strength(leaf: Basis, orders: NDArray[np.int_], coefficients: FloatArray) -> FloatArray:
    """Approximate size of an operator on functions of size one, ``(M,)``."""
    if leaf.frequencies is None:
        return np.full(leaf.size, np.abs(coefficients).sum())
    powers = np.prod((1j * leaf.frequencies[:, None, :]) ** orders, axis=2)
    # waves have a symbol; for other functions assume that terms do not cancel
    return np.asarray(np.abs(powers @ coefficients) if leaf.oscillates else np.abs(powers) @ np.abs(coefficients))


def _sizes_and_fast_axes(leaf: Basis, boxes: Boxes, most: float) -> tuple[FloatArray, BoolArray]:
    """The sizes ``(T, M)`` of functions on boxes, and the axes ``(T, M, d)`` along which they change too fast."""
    if isinstance(leaf, RidgeBasis | ExponentialBasis):
        return _largest_values(leaf, boxes), np.abs(leaf.W) * boxes.half[:, None] > most
    if isinstance(leaf, SourceBasis):
        rate = np.full(leaf.size, np.sqrt(abs(leaf.ratio)))
        near, _ = boxes.distances(leaf.points)
        sizes = _bounded_exp(rate * (leaf.clearances - near)) if leaf.ratio < 0 else np.ones(near.shape)
        return sizes, _near_or_fast(boxes, near, rate, most)
    if isinstance(leaf, TabulatedBasis):
        return _around_corner(leaf.exact, boxes, most)
    if isinstance(leaf, SingularBasis):
        return _around_corner(leaf, boxes, most)
    return np.zeros((len(boxes.lower), leaf.size)), np.zeros((len(boxes.lower), leaf.size, leaf.dimension), dtype=bool)


def _largest_values(leaf: RidgeBasis | ExponentialBasis, boxes: Boxes) -> FloatArray:
    """The largest values on boxes; for tanh, the largest difference from a constant."""
    place = boxes.middle - leaf.origin
    if isinstance(leaf, ExponentialBasis):
        rates = leaf.W.imag.T
        return _bounded_exp(-(place @ rates) + boxes.half @ np.abs(rates) - leaf.peaks)
    if leaf.activation is not TANH:
        return np.ones((len(place), leaf.size))
    nearest = np.maximum(np.abs(place @ leaf.W.T + leaf.b) - boxes.half @ np.abs(leaf.W.T), 0.0)
    return np.minimum(1.0, 4.0 * _bounded_exp(-2.0 * nearest))


def _around_corner(leaf: SingularBasis, boxes: Boxes, most: float) -> tuple[FloatArray, BoolArray]:
    near, far = (distance / leaf.scale for distance in boxes.distances(np.array([leaf.corner])))
    sizes, fast = [], []
    for function in leaf.functions:
        rate = getattr(function, "wavenumber", 0.0)
        size = np.ones(near.shape)
        if getattr(function, "modified", False):
            size = _bounded_exp(rate * (1.0 - near if isinstance(function, Outgoing) else far - 1.0))
        nearest = near * leaf.scale if _is_singular(function) else np.full(near.shape, np.inf)
        parts = 1 if function.is_real else 2
        sizes += [size] * parts
        fast += [_near_or_fast(boxes, nearest, np.array([rate / leaf.scale]), most)] * parts
    return np.concatenate(sizes, axis=1), np.concatenate(fast, axis=1)


def _near_or_fast(boxes: Boxes, near: FloatArray, rate: FloatArray, most: float) -> BoolArray:
    half = boxes.half[:, None]
    return np.asarray((half > near[:, :, None]) | (half * rate[:, None] > most))


def _is_singular(function: CornerFunction) -> bool:
    if isinstance(function, Power):
        return function.logarithm or function.exponent < 0 or function.exponent % 1 != 0
    if isinstance(function, Wave):
        return function.logarithm or function.order % 1 != 0
    return isinstance(function, Angle | Outgoing)


def _bounded_exp(exponent: FloatArray) -> FloatArray:
    return np.asarray(np.exp(np.minimum(exponent, MOST_GROWTH)))


# ---- Chebyshev expansions on boxes, with a test of convergence

# An expansion has converged if this many last coefficients along every axis are at the level of rounding.
_TAIL = 4
# The level of rounding, in units of the rounding of a sum.
ACCEPTED = 4.0
_EPS = float(np.finfo(np.float64).eps)


@final
@dataclass(frozen=True, eq=False)
class Expansions:
    """R functions on T boxes."""

    lower: FloatArray  # (T, d): lower corners of the boxes
    upper: FloatArray  # (T, d)
    coefficients: FloatArray  # (T, R, p, ..., p)
    failed: BoolArray  # (T, d): the axes along which the coefficients have not fallen to rounding

    @property
    def converged(self) -> NDArray[np.int_]:
        """The boxes on which the expansions equal the functions to rounding."""
        return np.flatnonzero(~self.failed.any(axis=1))

    def on(self, t: int) -> Polynomials:
        """The expansions on box t."""
        return Polynomials(self.lower[t], self.upper[t], self.coefficients[t])


def expand_on(
    function: Callable[[FloatArray], FloatArray],
    lower: FloatArray,
    upper: FloatArray,
    count: int,
    rounding: FloatArray,
) -> Expansions:
    """Expand functions on boxes from their values at `count` nodes along each axis.

    Parameters
    ----------
    function : callable
        From points ``(n, d)`` to values ``(R, n)``.
    lower, upper : (T, d) arrays
    count : int
    rounding : (R, T) array
        Approximate error of the values on each box.
    """
    boxes, dimension = lower.shape
    unit = lobatto(count)
    # both ends are exactly those of the box: a jump that cuts off a corner shows there
    places = 0.5 * (1 - unit) * lower[:, :, None] + 0.5 * (1 + unit) * upper[:, :, None]
    values = function(_products(places)).reshape(-1, boxes, count**dimension).swapaxes(0, 1)
    # far from zero the nodes are rounded; expand from where they really are, unless they may coincide
    coarse = upper - lower < ROUNDED * np.maximum(np.abs(lower), np.abs(upper))
    units = np.where(coarse[:, :, None], unit, unit_places(places, lower, upper))
    accepted = ACCEPTED * rounding.T
    with np.errstate(all="ignore"):
        coefficients = to_coefficients(values.reshape(*values.shape[:2], *[count] * dimension), units)
        last = [np.moveaxis(coefficients, 2 + axis, -1)[..., -_TAIL:] for axis in range(dimension)]
        largest = [np.abs(each).reshape(*accepted.shape, -1).max(axis=2) for each in last]
        failed = np.stack([~np.all(each <= accepted, axis=1) for each in largest], axis=1)
        # interpolation rounds relative to the largest value, which may lie outside of the domain
        failed |= ~np.all(_EPS * np.abs(values).max(axis=2) <= accepted, axis=1)[:, None]
    return Expansions(lower, upper, coefficients, failed)


def _products(places: FloatArray) -> FloatArray:
    """All points ``(T p^d, d)`` of grids with these coordinates ``(T, d, p)``."""
    boxes, dimension, count = places.shape
    points = np.empty((boxes, *[count] * dimension, dimension))
    for axis in range(dimension):
        shape: list[Any] = [boxes, *[1] * dimension]
        shape[1 + axis] = count
        points[..., axis] = places[:, axis].reshape(shape)
    return points.reshape(-1, dimension)


# ---- Sums at many points, with the digits of the direct sum
# A sum of features is smooth except at single points, so on a tile away from those it is a polynomial of modest degree,
# to rounding. Only the nodes of the tiles need direct sums, however many points lie on them. Tiles are halved until
# their nodes resolve every function in the sum, and until their polynomials agree with the sum at some of the points.
# Tiles therefore crowd at singularities; if only a few points remain on a tile, they are summed directly. Functions
# with different singularities form separate parts, each with tiles that suit it; their polynomials are added up before
# they are evaluated at the points.

IntArray: TypeAlias = NDArray[np.int_]
# Nodes along each axis, by the number of axes. With 24 a tile may be as large as its distance from a singularity.
NODES = {1: 32, 2: 24, 3: 16}
# A tile is expanded if it has this many points per node: all failures together cost less than half of the direct sum.
_POINTS_PER_NODE = 4
# Points of a tile at which to measure the rounding of the sum and to check its polynomial.
_SPOTS = 16
# Rank of the spot whose rounding is taken: a single spot at a singularity would excuse everything on its tile.
_RANK = 13
# Accepted difference at the spots in units of the rounding; interpolation magnifies rounding by less.
_MOST_DIFFERENCE = 64.0


@final
@dataclass(frozen=True, eq=False)
class _Tile:
    """Some of the points, and the polynomials that are known on their bounding box."""

    index: IntArray  # (n,): the indices of the points
    places: FloatArray  # (a, n): their coordinates along the axes on which points differ
    missing: tuple[int, ...]  # the parts of the sum whose polynomials are not yet known
    known: tuple[Polynomials, ...] = ()  # the polynomials of all other parts, on boxes that contain this one

    @cached_property
    def ends(self) -> tuple[FloatArray, FloatArray]:
        """The ends of the box."""
        return self.places.min(axis=1), self.places.max(axis=1)

    def with_part(self, part: int, polynomials: Polynomials) -> _Tile:
        """The same tile with the polynomials of another part."""
        missing = tuple(other for other in self.missing if other != part)
        return replace(self, missing=missing, known=join(self.known, polynomials))

    def halves(self, axes: BoolArray) -> list[_Tile]:
        """The nonempty halves along every axis in the mask `axes` ``(a,)``."""
        lower, upper = self.ends
        tiles = [self]
        for axis in np.flatnonzero(axes).tolist():
            middle = 0.5 * (lower[axis] + upper[axis])
            below = [tile.places[axis] < middle for tile in tiles]
            tiles = [tile._select(side) for tile, low in zip(tiles, below, strict=True) for side in (low, ~low)]
        return [tile for tile in tiles if len(tile.index)]

    def tasks(self, values: FloatArray) -> Iterator[Callable[[], None]]:
        """Tasks that each write ``values[:, index]`` of all known polynomials for some of the points."""
        total = add_up(self.known, *self.ends)
        for start in range(0, len(self.index), CHUNK_POINTS):
            yield partial(self._evaluate, total, slice(start, start + CHUNK_POINTS), values)

    def _evaluate(self, total: Polynomials, chunk: slice, values: FloatArray) -> None:
        values[:, self.index[chunk]] = total.at(self.places[:, chunk])

    def _select(self, chosen: BoolArray) -> _Tile:
        side = np.flatnonzero(chosen)
        return replace(self, index=self.index.take(side), places=self.places.take(side, axis=1))


@final
@dataclass(frozen=True, eq=False)
class Sums:
    """R operators with constant coefficients on F sums of features."""

    basis: Basis
    fields: FloatArray  # (F, M): coefficients of the features
    operators: Sequence[tuple[IntArray, FloatArray]]  # the terms of each operator, as in `LocalOperator`
    threads: int

    def __call__(self, points: FloatArray) -> FloatArray:
        """Values ``(R F, n)`` by the direct sum; they may be infinite outside of the domain."""
        each = [LocalOperator(points, orders, coefficients) for orders, coefficients in self.operators]
        return np.concatenate([direct_sum(self.basis, self.fields, local, threads=self.threads) for local in each])


@final
@dataclass(frozen=True, eq=False)
class Cloud:
    """All `points` ``(n, d)``."""

    points: FloatArray

    @cached_property
    def ends(self) -> tuple[FloatArray, FloatArray]:
        """The ends of their bounding box."""
        columns = np.ascontiguousarray(self.points.T)
        return columns.min(axis=1), columns.max(axis=1)

    @cached_property
    def axes(self) -> IntArray:
        """The axes along which they differ."""
        lower, upper = self.ends
        return np.flatnonzero(upper > lower)

    @property
    def relative_extent(self) -> float:
        """Their extent relative to their distance from zero, at most one."""
        lower, upper = self.ends
        return min(1.0, float((upper - lower).max() / max(np.abs(lower).max(), np.abs(upper).max())))

    @property
    def fewest(self) -> int:
        """The fewest points for which a tile is expanded."""
        return int(_POINTS_PER_NODE * NODES[len(self.axes)] ** len(self.axes))

    @property
    def suits_tiles(self) -> bool:
        """Whether there are enough points for a tile."""
        return len(self.points) > 0 and len(self.axes) in NODES and len(self.points) >= self.fewest

    def embed(self, places: FloatArray) -> FloatArray:
        """Points ``(m, d)`` with these coordinates ``(m, a)`` along the axes, and the common ones otherwise."""
        full = np.tile(self.points[0], (len(places), 1))
        full[:, self.axes] = places
        return full


def sum_on_tiles(parts: Sequence[Sums], cloud: Cloud) -> FloatArray:
    """Values ``(R F, n)`` of the sum of all parts, to a few times the rounding of the direct sum.

    Each part gets polynomials on tiles as large as suit it; once all parts have them on a tile, their sum is evaluated
    at its points. The bits do not depend on the number of threads.
    """
    points, threads = cloud.points, parts[0].threads
    values = np.zeros((len(parts[0].operators) * len(parts[0].fields), len(points)))
    places = np.ascontiguousarray(points.T[cloud.axes])
    pending, few = [_Tile(np.arange(len(points)), places, tuple(range(len(parts))))], []
    for _ in range(BISECTIONS):  # tiles that are still unresolved after these contain a jump
        few += [tile for tile in pending if len(tile.index) < cloud.fewest]
        tiles = [tile for tile in pending if len(tile.index) >= cloud.fewest]
        if not tiles:
            pending = []
            break
        failed = np.zeros((len(tiles), len(cloud.axes)), dtype=bool)
        for part, sums in enumerate(parts):
            _expand_part(part, sums, cloud, tiles, failed)
        run_tasks([task for tile in tiles if not tile.missing for task in tile.tasks(values)], threads)
        pending = [half for tile, axes in zip(tiles, failed, strict=True) if tile.missing for half in tile.halves(axes)]
    rest = [*few, *pending]
    run_tasks([task for tile in rest if tile.known for task in tile.tasks(values)], threads)
    for part, sums in enumerate(parts):
        chosen = [tile.index for tile in rest if part in tile.missing]
        if chosen:
            values[:, np.concatenate(chosen)] += sums(points[np.concatenate(chosen)])
    return values


def _expand_part(part: int, sums: Sums, cloud: Cloud, tiles: list[_Tile], failed: BoolArray) -> None:
    """Add the polynomials of a part to the `tiles` that lack them; mark the axes along which that fails."""
    which = np.array([t for t, tile in enumerate(tiles) if part in tile.missing], dtype=np.int_)
    if not len(which):
        return
    lacking = [tiles[t] for t in which]
    spots = _sample_spots(sums, cloud, lacking)
    ends = (cloud.embed(ends) for ends in _ends(lacking))
    total = sum_unresolved(sums.basis, sums.fields, sums.operators, Boxes(*ends), NODES[len(cloud.axes)])
    # the axes along which the nodes on a tile may not resolve the sum
    unresolved = np.any(total[:, :, cloud.axes] > ACCEPTED * spots.rounding[:, :, None], axis=0)
    failed[which] |= unresolved
    resolved = np.flatnonzero(~unresolved.any(axis=1))
    if not len(resolved):
        return
    expansions = _expand(sums, cloud, [lacking[t] for t in resolved], spots.select(resolved))
    failed[which[resolved]] |= expansions.failed
    for t in expansions.converged:
        tiles[which[resolved[t]]] = lacking[resolved[t]].with_part(part, expansions.on(t))


@final
@dataclass(frozen=True, eq=False)
class Spots:
    """Some points of each of T tiles."""

    places: FloatArray  # (T, a, s): coordinates along the axes on which points differ
    values: FloatArray  # (R F, T, s): by the direct sum
    rounding: FloatArray  # (R F, T): approximate error of the direct sum on each tile

    def select(self, tiles: IntArray) -> Spots:
        """The spots of some tiles."""
        return Spots(self.places[tiles], self.values[:, tiles], self.rounding[:, tiles])


def _sample_spots(sums: Sums, cloud: Cloud, tiles: Sequence[_Tile]) -> Spots:
    """Sum at some points of each tile; the change between neighbouring floating-point numbers shows the error.

    Far from zero these numbers lie far apart. The sum changes more there, but it is not less accurate if features
    measure x from nearby; hence the factor `relative_extent`.
    """
    shares = kronecker(_SPOTS, 1)[:, 0]  # even on every tile, and not aligned with any grid
    picked = [(shares * len(tile.index)).astype(np.int_) for tile in tiles]
    points = cloud.points[np.concatenate([tile.index[pick] for tile, pick in zip(tiles, picked, strict=True)])]
    values = sums(points)
    moved = np.abs(sums(np.nextafter(points, np.inf)) - values)
    noise = (cloud.relative_extent * moved + _EPS * np.abs(values)).reshape(-1, len(tiles), _SPOTS)
    places = np.stack([tile.places[:, pick] for tile, pick in zip(tiles, picked, strict=True)])
    return Spots(places, values.reshape(noise.shape), np.sort(noise, axis=2)[:, :, _RANK - 1])


def _expand(sums: Sums, cloud: Cloud, tiles: Sequence[_Tile], spots: Spots) -> Expansions:
    """Expand the sums on each tile from their values at its nodes; mark those that disagree at the spots."""
    count = NODES[len(cloud.axes)]
    expansions = expand_on(lambda places: sums(cloud.embed(places)), *_ends(tiles), count, spots.rounding)
    for t in expansions.converged:
        difference = np.abs(expansions.on(t).at(spots.places[t]) - spots.values[:, t])
        expansions.failed[t] = not np.all(difference <= _MOST_DIFFERENCE * spots.rounding[:, t, None])  # along all axes
    return expansions


def _ends(tiles: Sequence[_Tile]) -> tuple[FloatArray, FloatArray]:
    """The ends of the bounding box of each tile's points, ``(T, a)``."""
    lower, upper = zip(*(tile.ends for tile in tiles), strict=True)
    return np.stack(lower), np.stack(upper)
