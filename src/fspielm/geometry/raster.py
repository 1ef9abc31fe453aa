"""Many points in a plane shape: square cells tell where most of them lie, without a look at the boundary."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fspielm.arrays import BoolArray, FloatArray, SideArray
from fspielm.geometry.contour import Contour
from fspielm.geometry.pieces import cubic

# Cells in all, about; and rings of cells around the shape.
_CELLS = 2**18
_AROUND = 2


class Raster(NamedTuple):
    """Square cells ``(nx, ny)`` over a plane shape: 1 inside of it, -1 outside, 0 near the boundary."""

    lower: FloatArray
    cell: float
    side: SideArray

    def contains(self, points: FloatArray, decide: Callable[[FloatArray], BoolArray]) -> BoolArray:
        """Mask of the points ``(n, 2)`` that lie in the shape; `decide` is asked about those near the boundary."""
        first, second = (
            np.clip((points[:, axis] - self.lower[axis]) / self.cell, 0, count - 1).astype(np.intp)
            for axis, count in enumerate(self.side.shape)
        )
        side = self.side.ravel().take(first * self.side.shape[1] + second)
        held: BoolArray = side > 0
        near = np.flatnonzero(side == 0)
        held[near] = decide(points[near])
        return held


def raster_of(contour: Contour, decide: Callable[[FloatArray], BoolArray]) -> Raster:
    """The raster of the shape within a contour; `decide` tells which points, far from the contour, lie in it."""
    lower, upper = contour.box
    cell = float(np.sqrt(np.prod(upper - lower) / _CELLS))
    lower = lower - _AROUND * cell
    free = np.ones((np.ceil((upper - lower) / cell) + _AROUND).astype(int), dtype=np.bool_)
    # points of the boundary, half a cell apart along the chords of its pieces: it strays from them by less than a cell
    pieces = contour.pieces
    counts = np.ceil(2 * pieces.length / cell).astype(np.intp) + 1
    k = np.repeat(np.arange(len(counts)), counts)
    s = (np.arange(len(k)) - np.repeat(np.cumsum(counts) - counts, counts)) / (counts[k] - 1)
    u, v = pieces.length[k] * s, pieces.length[k] * cubic(s, *pieces.slopes[:, k])
    (x, y), (ex, ey) = pieces.start[k].T, pieces.along[k].T
    places = ((np.column_stack([x + u * ex - v * ey, y + u * ey + v * ex]) - lower) / cell).astype(np.intp)
    for step in np.ndindex(3, 3):
        free[tuple((places + step - 1).T)] = False
    # along a row of cells, those between two at the boundary lie on the same side
    begins = free & ~np.pad(free, ((0, 0), (1, 0)))[:, :-1]
    inside = decide(lower + cell * (np.argwhere(begins) + 0.5))
    run = np.cumsum(begins).reshape(free.shape) - 1
    return Raster(lower, cell, np.where(free, np.where(inside[run], 1, -1), 0).astype(np.int8))
