"""A tile: some points, and the polynomials that are known on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.features.evaluation.polynomials import Polynomials, add_up, join

IntArray: TypeAlias = NDArray[np.int_]

# Points at a time, so that the polynomials at them stay in the cache.
_CHUNK = 2048


@final
@dataclass(frozen=True, eq=False)
class Tile:
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

    def learn(self, part: int, polynomials: Polynomials) -> Tile:
        """The same with the polynomials of another part."""
        missing = tuple(other for other in self.missing if other != part)
        return replace(self, missing=missing, known=join(self.known, polynomials))

    def halves(self, axes: BoolArray) -> list[Tile]:
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

    def _select(self, chosen: BoolArray) -> Tile:
        side = np.flatnonzero(chosen)
        return replace(self, index=self.index.take(side), places=self.places.take(side, axis=1))
