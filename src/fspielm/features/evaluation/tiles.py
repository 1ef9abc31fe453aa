"""Sums of features at many points by expansions on tiles, which keep the digits of the direct sum.

A sum of features is smooth but for single places, so that on a tile beside those it is a polynomial of modest degree,
to rounding. The direct sum is needed at the nodes of tiles alone, however many points lie on them. Tiles halve until
every function in the sum is seen at their nodes, and until their polynomials are good, at the nodes and at some of the
points. So they crowd where a function is singular; where no more than a few points are left on a tile, those are summed
directly. Functions with different singularities are parts of their own, of which each is summed at the nodes of tiles
that suit it; their polynomials are added up before they are evaluated at the points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.features.basis import Basis
from fspielm.features.evaluation.direct import direct_sum
from fspielm.features.evaluation.expansions import ACCEPTED, Expansions, expand_on
from fspielm.features.evaluation.polynomials import Polynomials, add_up, join
from fspielm.features.evaluation.unseen import Boxes, sum_unseen
from fspielm.features.local import LocalOperator
from fspielm.machine import run_tasks

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
_EPS = float(np.finfo(np.float64).eps)
IntArray: TypeAlias = NDArray[np.int_]
# Points at a time, so that the polynomials at them stay in the cache.
_CHUNK = 2048


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
        for start in range(0, len(self.index), _CHUNK):
            yield partial(self._evaluate, total, slice(start, start + _CHUNK), values)

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
