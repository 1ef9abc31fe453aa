"""Many points in a plane shape: square cells tell where most of them lie, without a look at the boundary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray, SideArray
from fspielm.geometry.contour import Contour
from fspielm.geometry.pieces import cubic

# Cells in all, about; and rings of cells around the shape.
_CELLS = 2**18
_AROUND = 2


@final
@dataclass(frozen=True, eq=False)
class Raster:
    """Square cells over a plane shape and a little more.

    Attributes
    ----------
    lower : (2,) array
        The lower left corner.
    cell : float
        How wide a cell is.
    side : (nx, ny) array
        1 for cells inside of the shape, -1 outside, 0 near the boundary.
    """

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
    shape = tuple((np.ceil((upper - lower) / cell) + _AROUND).astype(int))
    places = ((_along(contour, 0.5 * cell) - lower) / cell).astype(np.intp)
    free = np.ones(shape, dtype=np.bool_)
    for step in np.ndindex(3, 3):  # the boundary strays from these places by less than a cell
        free[tuple((places + step - 1).T)] = False
    # along a row of cells, those between two at the boundary lie on the same side
    begins = free.copy()
    begins[:, 1:] &= ~free[:, :-1]
    inside = decide(lower + cell * (np.argwhere(begins) + 0.5))
    run = np.cumsum(begins).reshape(shape) - 1
    return Raster(lower, cell, np.where(free, np.where(inside[run], 1, -1), 0).astype(np.int8))


def _along(contour: Contour, step: float) -> FloatArray:
    """Points ``(n, 2)`` of a contour, no farther from each other than about `step`."""
    pieces = contour.pieces
    counts = np.ceil(pieces.length / step).astype(np.intp) + 1
    k = np.repeat(np.arange(len(counts)), counts)
    s = (np.arange(len(k)) - np.repeat(np.cumsum(counts) - counts, counts)) / (counts[k] - 1)
    u, v = pieces.length[k] * s, pieces.length[k] * cubic(s, *pieces.slopes[:, k])
    along = pieces.along[k]
    return np.asarray(pieces.start[k] + u[:, None] * along + v[:, None] * np.column_stack([-along[:, 1], along[:, 0]]))
