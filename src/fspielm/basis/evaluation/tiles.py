"""Sums at many points by expansions on tiles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.basis.basis import MOST_GROWTH, TANH, Basis, ExponentialBasis, LocalOperator, RidgeBasis
from fspielm.basis.evaluation.direct import direct_sum, split_leaves
from fspielm.basis.singular.outgoing import Outgoing, SourceBasis
from fspielm.basis.singular.singular import Angle, CornerFunction, Power, SingularBasis, Wave
from fspielm.basis.singular.tabulated import TabulatedBasis
from fspielm.numerics.chebyshev import Polynomials, add_up, join, lobatto, to_coefficients, unit_places
from fspielm.resources import run_tasks

# ---- What values at nodes cannot show: functions that change faster than from node to node
# Polynomials may come down to rounding because a bump lies between the nodes. Waves of which each is seen at the nodes
# cannot add up to one there, and how fast they change is known before anything is summed.

# The largest phase along half a box that nodes show, for each of them: in the middle, where they are farthest apart,
# that leaves three of them and more to a wave.
_PHASE = 0.6
# Boxes at a time, so that memory stays bounded.
_CHUNK = 128


@final
@dataclass(frozen=True, eq=False)
class Boxes:
    """T boxes with the ends `lower` and `upper` ``(T, d)``."""

    lower: FloatArray
    upper: FloatArray

    @property
    def middle(self) -> FloatArray:
        """Shape ``(T, d)``."""
        return 0.5 * (self.lower + self.upper)

    @property
    def half(self) -> FloatArray:
        """Half of the widths, ``(T, d)``."""
        return 0.5 * (self.upper - self.lower)

    def distances(self, centers: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Of the nearest and of the farthest place on each box from each of the `centers` ``(M, d)``: ``(T, M)``."""
        apart, half = np.abs(self.middle[:, None] - centers), self.half[:, None]
        return np.linalg.norm(np.maximum(apart - half, 0.0), axis=2), np.linalg.norm(apart + half, axis=2)


def sum_unseen(
    basis: Basis,
    fields: FloatArray,
    operators: Sequence[tuple[NDArray[np.int_], FloatArray]],
    boxes: Boxes,
    count: int,
) -> FloatArray:
    """How much of the sums `count` nodes along each axis might not show, ``(R F, T, d)``.

    The sizes of all functions on a box are added that change too fast for the nodes along an axis, or are singular
    nearer by than half of the box is long.
    """
    total = np.zeros((len(operators) * len(fields), *boxes.lower.shape))
    for leaf, its_fields in split_leaves(basis, fields):
        strengths = np.concatenate([np.abs(its_fields) * _strength(leaf, *operator) for operator in operators])
        for start in range(0, len(boxes.lower), _CHUNK):
            chunk = slice(start, start + _CHUNK)
            sizes, fast = _fast(leaf, Boxes(boxes.lower[chunk], boxes.upper[chunk]), _PHASE * count)
            # not by a product of matrices, whose last digit depends on threads
            total[:, chunk] += np.einsum("rm,tma->rta", strengths, sizes[:, :, None] * fast)
    return total


def _strength(leaf: Basis, orders: NDArray[np.int_], coefficients: FloatArray) -> FloatArray:
    """About how large an operator makes functions of size one, ``(M,)``."""
    if leaf.frequencies is None:
        return np.full(leaf.size, np.abs(coefficients).sum())
    powers = np.prod((1j * leaf.frequencies[:, None, :]) ** orders, axis=2)
    # waves have a symbol; terms of other functions do not cancel
    return np.asarray(np.abs(powers @ coefficients) if leaf.oscillates else np.abs(powers) @ np.abs(coefficients))


def _fast(leaf: Basis, boxes: Boxes, most: float) -> tuple[FloatArray, BoolArray]:
    """The sizes ``(T, M)`` of functions on boxes, and along which axes ``(T, M, d)`` they change too fast."""
    if isinstance(leaf, RidgeBasis | ExponentialBasis):
        return _sizes(leaf, boxes), np.abs(leaf.W) * boxes.half[:, None] > most
    if isinstance(leaf, SourceBasis):
        rate = np.full(leaf.size, np.sqrt(abs(leaf.ratio)))
        near, _ = boxes.distances(leaf.points)
        sizes = _exponential(rate * (leaf.clearances - near)) if leaf.ratio < 0 else np.ones(near.shape)
        return sizes, _near_or_fast(boxes, near, rate, most)
    if isinstance(leaf, TabulatedBasis):
        return _around_corner(leaf.exact, boxes, most)
    if isinstance(leaf, SingularBasis):
        return _around_corner(leaf, boxes, most)
    return np.zeros((len(boxes.lower), leaf.size)), np.zeros((len(boxes.lower), leaf.size, leaf.dimension), dtype=bool)


def _sizes(leaf: RidgeBasis | ExponentialBasis, boxes: Boxes) -> FloatArray:
    """The largest values on boxes; of tanh, the largest difference from a constant."""
    place = boxes.middle - leaf.origin
    if isinstance(leaf, ExponentialBasis):
        rates = leaf.W.imag.T
        return _exponential(-(place @ rates) + boxes.half @ np.abs(rates) - leaf.peaks)
    if leaf.activation is not TANH:
        return np.ones((len(place), leaf.size))
    nearest = np.maximum(np.abs(place @ leaf.W.T + leaf.b) - boxes.half @ np.abs(leaf.W.T), 0.0)
    return np.minimum(1.0, 4.0 * _exponential(-2.0 * nearest))


def _around_corner(leaf: SingularBasis, boxes: Boxes, most: float) -> tuple[FloatArray, BoolArray]:
    near, far = (distance / leaf.scale for distance in boxes.distances(np.array([leaf.corner])))
    sizes, fast = [], []
    for function in leaf.functions:
        rate = getattr(function, "wavenumber", 0.0)
        size = np.ones(near.shape)
        if getattr(function, "modified", False):
            size = _exponential(rate * (1.0 - near if isinstance(function, Outgoing) else far - 1.0))
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


def _exponential(exponent: FloatArray) -> FloatArray:
    return np.asarray(np.exp(np.minimum(exponent, MOST_GROWTH)))


# ---- Functions on boxes as sums of Chebyshev's polynomials, with the judgement whether they are that

# An expansion has converged where so many last coefficients along every axis are down in the rounding: those that
# follow are smaller by as many steps.
_TAIL = 4
# What counts as rounding, in units of how much a sum is rounded.
ACCEPTED = 4.0
# Between ends with fewer floating-point numbers than these, nodes fall together.
_COARSE = 1e4
_EPS = float(np.finfo(np.float64).eps)


@final
@dataclass(frozen=True, eq=False)
class Expansions:
    """R functions on T boxes.

    Attributes
    ----------
    lower, upper : (T, d) arrays
        The ends of the boxes.
    coefficients : (T, R, p, ..., p) array
    failed : (T, d) array
        Along which axes the coefficients have not come down to rounding.
    """

    lower: FloatArray
    upper: FloatArray
    coefficients: FloatArray
    failed: BoolArray

    @property
    def converged(self) -> NDArray[np.int_]:
        """The boxes on which the expansions are the functions, to rounding."""
        return np.flatnonzero(~self.failed.any(axis=1))

    @property
    def others(self) -> NDArray[np.int_]:
        """All other boxes."""
        return np.flatnonzero(self.failed.any(axis=1))

    def on(self, t: int) -> Polynomials:
        """Those of box t."""
        return Polynomials(self.lower[t], self.upper[t], self.coefficients[t])


def expand_on(
    function: Callable[[FloatArray], FloatArray],
    lower: FloatArray,
    upper: FloatArray,
    count: int,
    rounding: FloatArray,
) -> Expansions:
    """Expand functions on boxes, from `count` nodes along each axis.

    Parameters
    ----------
    function : callable
        From points ``(n, d)`` to values ``(R, n)``.
    lower, upper : (T, d) arrays
    count : int
    rounding : (R, T) array
        About how far values of the functions are off on each box.
    """
    boxes, dimension = lower.shape
    unit = lobatto(count)
    # with both ends exactly those of the box: a jump that cuts off a corner of it shows there
    places = 0.5 * (1 - unit) * lower[:, :, None] + 0.5 * (1 + unit) * upper[:, :, None]
    values = function(_products(places)).reshape(-1, boxes, count**dimension).swapaxes(0, 1)
    # far from zero nodes are rounded off their places; those that they have are the right ones to expand from
    coarse = upper - lower < _COARSE * np.spacing(np.maximum(np.abs(lower), np.abs(upper)))
    units = np.where(coarse[:, :, None], unit, unit_places(places, lower, upper))
    accepted = ACCEPTED * rounding.T
    with np.errstate(all="ignore"):
        coefficients = to_coefficients(values.reshape(*values.shape[:2], *[count] * dimension), units)
        failed = np.stack([~_comes_down(coefficients, axis, accepted) for axis in range(dimension)], axis=1)
        # interpolation rounds in units of the largest value, which may lie outside of the domain
        failed |= ~np.all(_EPS * np.abs(values).max(axis=2) <= accepted, axis=1)[:, None]
    return Expansions(lower, upper, coefficients, failed)


def _products(places: FloatArray) -> FloatArray:
    """All points ``(T p^d, d)`` with these coordinates ``(T, d, p)``."""
    boxes, dimension, count = places.shape
    points = np.empty((boxes, *[count] * dimension, dimension))
    for axis in range(dimension):
        shape: list[Any] = [boxes, *[1] * dimension]
        shape[1 + axis] = count
        points[..., axis] = places[:, axis].reshape(shape)
    return points.reshape(-1, dimension)


def _comes_down(coefficients: FloatArray, axis: int, accepted: FloatArray) -> BoolArray:
    last = np.moveaxis(coefficients, 2 + axis, -1)[..., -_TAIL:]
    return np.asarray(np.all(np.abs(last).reshape(*accepted.shape, -1).max(axis=2) <= accepted, axis=1))


# ---- Sums of features at many points by expansions on tiles, which keep the digits of the direct sum
# A sum of features is smooth but for single places, so that on a tile beside those it is a polynomial of modest degree,
# to rounding. The direct sum is needed at the nodes of tiles alone, however many points lie on them. Tiles halve until
# every function in the sum is seen at their nodes, and until their polynomials are good, at the nodes and at some of
# the points. So they crowd where a function is singular; where no more than a few points are left on a tile, those are
# summed directly. Functions with different singularities are parts of their own, of which each is summed at the nodes
# of tiles that suit it; their polynomials are added up before they are evaluated at the points.

# Nodes along each axis, by the number of axes. With 24 a tile may be as large as its distance from a singularity.
NODES = {1: 32, 2: 24, 3: 16}
# A tile is tried if it has so many times more points than nodes: all failures together cost less than half of the
# direct sum.
_MORE_POINTS = 4
# Tiles that halve so often and are not resolved yet hold a jump.
_MOST_LEVELS = 40
# Points of a tile at which to see how much the sum is rounded, and whether its polynomial has the same values.
_SPOTS = 16
_MOST_SPOTS = 13
# How far those may be apart, in units of how much the sum is rounded: interpolation magnifies that, but not so much.
_APART = 64.0
_GOLDEN = 0.5 * (5**0.5 - 1)
IntArray: TypeAlias = NDArray[np.int_]
# Points at a time, so that the polynomials at them stay in the cache.
_CHUNK_TILES = 2048


@final
@dataclass(frozen=True, eq=False)
class _Tile:
    """Some of the points, and what is known of the sums on the box that they lie in.

    Attributes
    ----------
    index : (n,) integer array
        Which of the points.
    places : (a, n) array
        Where they are along the axes on which all differ.
    missing : tuple of int
        The parts of the sum whose polynomials are not known.
    known : tuple of Polynomials
        Those of all other parts, on boxes that hold this one.
    """

    index: IntArray
    places: FloatArray
    missing: tuple[int, ...]
    known: tuple[Polynomials, ...] = ()

    @cached_property
    def ends(self) -> tuple[FloatArray, FloatArray]:
        """Of the box."""
        return self.places.min(axis=1), self.places.max(axis=1)

    def learn(self, part: int, polynomials: Polynomials) -> _Tile:
        """The same with the polynomials of another part."""
        missing = tuple(other for other in self.missing if other != part)
        return replace(self, missing=missing, known=join(self.known, polynomials))

    def halves(self, axes: BoolArray) -> list[_Tile]:
        """Halves along every one of the `axes` ``(a,)`` chosen, those without points left out."""
        lower, upper = self.ends
        tiles = [self]
        for axis in np.flatnonzero(axes).tolist():
            middle = 0.5 * (lower[axis] + upper[axis])
            below = [tile.places[axis] < middle for tile in tiles]
            tiles = [tile._select(side) for tile, low in zip(tiles, below, strict=True) for side in (low, ~low)]
        return [tile for tile in tiles if len(tile.index)]

    def tasks(self, values: FloatArray) -> Iterator[Callable[[], None]]:
        """Each writes ``values[:, index]`` of the sum of all that is known, for some of the points."""
        total = add_up(self.known, *self.ends)
        for start in range(0, len(self.index), _CHUNK_TILES):
            yield partial(self._evaluate, total, slice(start, start + _CHUNK_TILES), values)

    def _evaluate(self, total: Polynomials, chunk: slice, values: FloatArray) -> None:
        values[:, self.index[chunk]] = total.at(self.places[:, chunk])

    def _select(self, chosen: BoolArray) -> _Tile:
        side = np.flatnonzero(chosen)
        return replace(self, index=self.index.take(side), places=self.places.take(side, axis=1))


@final
@dataclass(frozen=True, eq=False)
class Sums:
    """What to evaluate: R operators with constant coefficients on F sums of features.

    Attributes
    ----------
    basis : Basis
    fields : (F, M) array
        Coefficients of the features.
    operators : sequence of (orders, coefficients)
        The terms of each operator, as in `LocalOperator`.
    threads : int
    """

    basis: Basis
    fields: FloatArray
    operators: Sequence[tuple[IntArray, FloatArray]]
    threads: int

    def __call__(self, points: FloatArray) -> FloatArray:
        """Values ``(R F, n)`` by the direct sum; outside of a domain they may be infinite."""
        each = [LocalOperator(points, orders, coefficients) for orders, coefficients in self.operators]
        return np.concatenate([direct_sum(self.basis, self.fields, local, threads=self.threads) for local in each])


@final
@dataclass(frozen=True, eq=False)
class Cloud:
    """All `points` ``(n, d)``."""

    points: FloatArray

    @cached_property
    def ends(self) -> tuple[FloatArray, FloatArray]:
        """Of the box that they lie in."""
        columns = np.ascontiguousarray(self.points.T)
        return columns.min(axis=1), columns.max(axis=1)

    @cached_property
    def axes(self) -> IntArray:
        """Along which they differ."""
        lower, upper = self.ends
        return np.flatnonzero(upper > lower)

    @property
    def closeness(self) -> float:
        """Their extent, in units of how far they are from zero."""
        lower, upper = self.ends
        return min(1.0, float((upper - lower).max() / max(np.abs(lower).max(), np.abs(upper).max())))

    @property
    def fewest(self) -> int:
        """How many points make a tile."""
        return int(_MORE_POINTS * NODES[len(self.axes)] ** len(self.axes))

    @property
    def suits_tiles(self) -> bool:
        """Whether there are points enough for a single tile."""
        return len(self.points) > 0 and len(self.axes) in NODES and len(self.points) >= self.fewest

    def beside(self, places: FloatArray) -> FloatArray:
        """Points ``(m, d)`` with these coordinates ``(m, a)`` along the axes, and those that all share."""
        full = np.tile(self.points[0], (len(places), 1))
        full[:, self.axes] = places
        return full


def sum_on_tiles(parts: Sequence[Sums], cloud: Cloud) -> FloatArray:
    """Values ``(R F, n)`` of all parts together, apart from the direct ones by a few times the rounding of those.

    Each part has polynomials on tiles as large as suit it; where all parts have them, their sum is evaluated at the
    points. The bits do not depend on the number of threads.
    """
    points, threads = cloud.points, parts[0].threads
    values = np.zeros((len(parts[0].operators) * len(parts[0].fields), len(points)))
    places = np.ascontiguousarray(points.T[cloud.axes])
    pending, few = [_Tile(np.arange(len(points)), places, tuple(range(len(parts))))], []
    for _ in range(_MOST_LEVELS):
        few += [tile for tile in pending if len(tile.index) < cloud.fewest]
        tiles = [tile for tile in pending if len(tile.index) >= cloud.fewest]
        if not tiles:
            pending = []
            break
        failed = np.zeros((len(tiles), len(cloud.axes)), dtype=bool)
        for part, sums in enumerate(parts):
            _learn(part, sums, cloud, tiles, failed)
        run_tasks([task for tile in tiles if not tile.missing for task in tile.tasks(values)], threads)
        pending = [half for tile, axes in zip(tiles, failed, strict=True) if tile.missing for half in tile.halves(axes)]
    rest = [*few, *pending]
    run_tasks([task for tile in rest if tile.known for task in tile.tasks(values)], threads)
    for part, sums in enumerate(parts):
        chosen = [tile.index for tile in rest if part in tile.missing]
        if chosen:
            values[:, np.concatenate(chosen)] += sums(points[np.concatenate(chosen)])
    return values


def _learn(part: int, sums: Sums, cloud: Cloud, tiles: list[_Tile], failed: BoolArray) -> None:
    """Put the polynomials of a part into the `tiles` that miss them; add the axes along which that has failed."""
    which = np.array([t for t, tile in enumerate(tiles) if part in tile.missing], dtype=np.int_)
    if not len(which):
        return
    those = [tiles[t] for t in which]
    spots = _look(sums, cloud, those)
    unseen = _unseen(sums, cloud, those, spots)
    failed[which] |= unseen
    seen = np.flatnonzero(~unseen.any(axis=1))
    if not len(seen):
        return
    expansions = _expand(sums, cloud, [those[t] for t in seen], spots.select(seen))
    failed[which[seen]] |= expansions.failed
    for t in expansions.converged:
        tiles[which[seen[t]]] = those[seen[t]].learn(part, expansions.on(t))


@final
@dataclass(frozen=True, eq=False)
class Spots:
    """Some points of each of T tiles.

    Attributes
    ----------
    places : (T, a, s) array
        Along the axes on which points differ.
    values : (R F, T, s) array
        By the direct sum.
    rounding : (R F, T) array
        About how far that is off on each tile.
    """

    places: FloatArray
    values: FloatArray
    rounding: FloatArray

    def select(self, tiles: IntArray) -> Spots:
        """Those of some of the tiles."""
        return Spots(self.places[tiles], self.values[:, tiles], self.rounding[:, tiles])


def _look(sums: Sums, cloud: Cloud, tiles: Sequence[_Tile]) -> Spots:
    """Sum at some points of each tile; how far it is off is how far it moves between neighbouring numbers.

    Far from zero those lie far apart; that much more it moves, but is not off where features count from nearby.
    """
    # multiples of the golden ratio are even on every tile, and in step with no grid
    shares = np.arange(1, _SPOTS + 1) * _GOLDEN % 1
    picked = [(shares * len(tile.index)).astype(np.int_) for tile in tiles]
    points = cloud.points[np.concatenate([tile.index[pick] for tile, pick in zip(tiles, picked, strict=True)])]
    values = sums(points)
    moved = np.abs(sums(np.nextafter(points, np.inf)) - values)
    noise = (cloud.closeness * moved + _EPS * np.abs(values)).reshape(-1, len(tiles), _SPOTS)
    places = np.stack([tile.places[:, pick] for tile, pick in zip(tiles, picked, strict=True)])
    # that of most: a single point at a singular place would excuse everything on its tile
    most = np.sort(noise, axis=2)[:, :, _MOST_SPOTS - 1]
    return Spots(places, values.reshape(noise.shape), most)


def _unseen(sums: Sums, cloud: Cloud, tiles: Sequence[_Tile], spots: Spots) -> BoolArray:
    """Along which axes ``(T, a)`` nodes on a tile might not show all that is summed."""
    lower, upper = (cloud.beside(ends) for ends in _ends(tiles))
    total = sum_unseen(sums.basis, sums.fields, sums.operators, Boxes(lower, upper), NODES[len(cloud.axes)])
    return np.asarray(np.any(total[:, :, cloud.axes] > ACCEPTED * spots.rounding[:, :, None], axis=0))


def _expand(sums: Sums, cloud: Cloud, tiles: Sequence[_Tile], spots: Spots) -> Expansions:
    """The functions on each tile, from their values at its nodes; failed where they are not those at the spots."""
    count = NODES[len(cloud.axes)]
    expansions = expand_on(lambda places: sums(cloud.beside(places)), *_ends(tiles), count, spots.rounding)
    for t in expansions.converged:
        apart = np.abs(expansions.on(t).at(spots.places[t]) - spots.values[:, t])
        # none of the axes is to blame more than others
        expansions.failed[t] = not np.all(apart <= _APART * spots.rounding[:, t, None])
    return expansions


def _ends(tiles: Sequence[_Tile]) -> tuple[FloatArray, FloatArray]:
    """Of the boxes that the points of each tile lie in, ``(T, a)``."""
    lower, upper = zip(*(tile.ends for tile in tiles), strict=True)
    return np.stack(lower), np.stack(upper)
