"""Where the cells of a tiling are, without the domain that they tile."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fspielm.arrays import BoolArray, FloatArray, as_points
from fspielm.geometry.boundary import BoundaryPart
from fspielm.geometry.cells.nearest import nearest_frame
from fspielm.geometry.cells.outline import sorted_parts
from fspielm.geometry.cells.seams import seams_of
from fspielm.geometry.cells.tree import Tree


@final
@dataclass(frozen=True, eq=False)
class Frames:
    """The frames of C cells, and the tree of boxes whose leaves belong to them: plain numbers.

    Attributes
    ----------
    lower, upper : (C, d) arrays
        Bounding boxes of the cells' pieces.
    whole : (C,) array of bool
        Which cells are one box, all of it in the domain.
    tree : Tree
    owner : (leaves,) array of int
        The cell that each leaf belongs to; -1 where there is none.
    slack : float
        How far rounding may carry a point off.
    """

    lower: FloatArray
    upper: FloatArray
    whole: BoolArray
    tree: Tree
    owner: NDArray[np.intp]
    slack: float

    def __post_init__(self) -> None:
        count = len(self.lower)
        shapes = (self.lower.shape, self.upper.shape, self.whole.shape, self.owner.shape)
        if shapes != ((count, self.dimension), (count, self.dimension), (count,), self.tree.leaves.shape):
            raise ValueError(f"frames, owners and leaves that do not fit: {shapes}")
        if not np.array_equal(np.unique(self.owner[self.owner >= 0]), np.arange(count)):
            raise ValueError(f"leaves of other cells than the {count} there are")

    def __len__(self) -> int:
        return len(self.lower)

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return self.tree.dimension

    @property
    def lengths(self) -> FloatArray:
        """Of the sides, ``(C, d)``."""
        return self.upper - self.lower

    def locate(self, points: ArrayLike) -> NDArray[np.intp]:
        """The cell of each point ``(n, d)``; that with the nearest frame for a point that is in no cell's."""
        where = as_points(points, self.dimension)
        leaf = self.tree.find(where)
        found = self.owner[leaf]
        held = (where >= (self.lower - self.slack)[found]) & (where <= (self.upper + self.slack)[found])
        strayed = np.flatnonzero((found < 0) | ~held.all(axis=1))
        strayed = strayed[np.argsort(leaf[strayed], kind="stable")]
        # those of a leaf are close to one another, and to few cells
        for some in np.split(strayed, np.flatnonzero(np.diff(leaf[strayed])) + 1):
            found[some] = nearest_frame(where[some], self.lower, self.upper)
        return found

    @property
    def boxes(self) -> tuple[FloatArray, FloatArray, BoolArray]:
        """The boxes of all cells, ``(n, d)`` each, and which of them lie in the domain as a whole."""
        held = self.owner >= 0
        leaves = self.tree.leaves[held]
        return self.tree.lower[leaves], self.tree.upper[leaves], self.whole[self.owner[held]]

    @cached_property
    def borders(self) -> tuple[FloatArray, NDArray[np.intp]]:
        """The edges between boxes of different cells.

        Returns
        -------
        ends : (n, 2, d) array
            In one dimension both ends are the same.
        cells : (n, 2) array of int
            On both sides.
        """
        ends, cells = [], []
        for seam in seams_of(self.tree)[0]:
            both = self.owner[[seam.below, seam.above]]
            if both[0] != both[1] and both.min() >= 0:
                edge = np.full((2, self.dimension), seam.at)
                if self.dimension == 2:
                    edge[:, 1 - seam.axis] = seam.low, seam.high
                ends.append(edge)
                cells.append(both)
        return np.array(ends).reshape(-1, 2, self.dimension), np.array(cells, dtype=np.intp).reshape(-1, 2)

    def ticks(self, at: FloatArray) -> FloatArray:
        """Where a line along the first coordinate, through a point ``(d,)``, enters and leaves boxes of cells."""
        held = slice(1, self.dimension)
        leaves = self.tree.leaves[self.owner >= 0]
        met = np.all((self.tree.lower[leaves, held] <= at[held]) & (at[held] <= self.tree.upper[leaves, held]), axis=1)
        return np.unique(np.concatenate([self.tree.lower[leaves[met], 0], self.tree.upper[leaves[met], 0]]))

    def breaks(self, part: BoundaryPart) -> FloatArray:
        """Unit coordinates at which a curve enters another box, or is not smooth; its ends among them."""
        arcs = sorted_parts((part,), self.tree, self.slack)
        return np.unique(np.concatenate([arcs.start, arcs.end]))
