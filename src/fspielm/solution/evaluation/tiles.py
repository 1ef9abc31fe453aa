"""Sums of features at many points by expansions on tiles, which keep the digits of the direct sum.

A sum of features is smooth but for single places, so that on a tile beside those it is a polynomial of modest degree,
to rounding. The direct sum is needed at the nodes of tiles alone, however many points lie on them. Tiles halve until
their polynomials are good, and so crowd where a function is singular; where no more than a few points are left on a
tile, those are summed directly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.features import Basis, LocalOperator
from fspielm.machine import run_tasks
from fspielm.solution.evaluation.direct import direct_sum
from fspielm.solution.evaluation.expansions import Expansions, expand_on

IntArray: TypeAlias = NDArray[np.int_]

# Nodes along each axis, by the number of axes. With 24 a tile may be as large as its distance from a singularity.
NODES = {1: 32, 2: 24, 3: 16}
# A tile is tried if it has so many times more points than nodes: all failures together cost less than half of the
# direct sum.
_MORE_POINTS = 4
# Tiles that halve so often and are not resolved yet hold a jump.
_MOST_LEVELS = 40
# Places on a tile at which to see how much the sum is rounded.
_SPOTS = 16
_EPS = float(np.finfo(np.float64).eps)


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


@final
@dataclass(frozen=True, eq=False)
class Tile:
    """Some of the points: their `index` ``(n,)``, and their `places` ``(a, n)`` along the axes on which all differ."""

    index: IntArray
    places: FloatArray

    def halves(self, axis: int, middle: float) -> list[Tile]:
        """The points on either side, sides without any left out."""
        below = self.places[axis] < middle
        sides = (np.flatnonzero(side) for side in (below, ~below))
        return [Tile(self.index.take(side), self.places.take(side, axis=1)) for side in sides if len(side)]


def sum_on_tiles(sums: Sums, cloud: Cloud) -> FloatArray:
    """Values ``(R F, n)`` of `sums`, apart from the direct ones by a few times the rounding of those.

    The bits do not depend on the number of threads.
    """
    points = cloud.points
    values = np.empty((len(sums.operators) * len(sums.fields), len(points)))
    pending, few = [Tile(np.arange(len(points)), np.ascontiguousarray(points.T[cloud.axes]))], []
    for _ in range(_MOST_LEVELS):
        few += [tile for tile in pending if len(tile.index) < cloud.fewest]
        tiles = [tile for tile in pending if len(tile.index) >= cloud.fewest]
        pending = []
        if not tiles:
            break
        expansions = _expand(sums, cloud, tiles)
        run_tasks(
            [
                task
                for t in expansions.converged
                for task in expansions.tasks(t, tiles[t].index, tiles[t].places, values)
            ],
            sums.threads,
        )
        pending = [part for t in expansions.others for part in _split(tiles[t], expansions, t)]
    rest = [tile.index for tile in (*few, *pending)]
    if rest:
        chosen = np.concatenate(rest)
        values[:, chosen] = sums(points[chosen])
    return values


def _expand(sums: Sums, cloud: Cloud, tiles: Sequence[Tile]) -> Expansions:
    """The functions on each tile, from their values at its nodes."""
    lower = np.stack([tile.places.min(axis=1) for tile in tiles])
    upper = np.stack([tile.places.max(axis=1) for tile in tiles])
    rounding = _rounding(sums, cloud, tiles)
    return expand_on(lambda places: sums(cloud.beside(places)), lower, upper, NODES[len(cloud.axes)], rounding)


def _rounding(sums: Sums, cloud: Cloud, tiles: Sequence[Tile]) -> FloatArray:
    """About how far the direct sum is off on each tile, ``(R F, T)``: so far it moves between neighbouring numbers.

    Far from zero those lie far apart; that much more it moves, but is not off where features count from nearby.
    """
    picked = [tile.index[:: len(tile.index) // _SPOTS][:_SPOTS] for tile in tiles]
    spots = cloud.points[np.concatenate(picked)]
    values = sums(spots)
    moved = np.abs(sums(np.nextafter(spots, np.inf)) - values)
    noise = cloud.closeness * moved + _EPS * np.abs(values)
    return np.asarray(np.sqrt(np.mean(noise.reshape(-1, len(tiles), _SPOTS) ** 2, axis=2)))


def _split(tile: Tile, expansions: Expansions, t: int) -> list[Tile]:
    """Halves along every axis on which the expansion has failed."""
    parts = [tile]
    for axis in np.flatnonzero(expansions.failed[t]).tolist():
        middle = 0.5 * (expansions.lower[t, axis] + expansions.upper[t, axis])
        parts = [half for part in parts for half in part.halves(axis, middle)]
    return parts
