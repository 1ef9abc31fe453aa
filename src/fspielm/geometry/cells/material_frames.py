"""Where the cells of several materials are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fspielm.arrays import BoolArray, FloatArray, as_points
from fspielm.geometry.boundary import BoundaryPart
from fspielm.geometry.cells.frames import Frames
from fspielm.geometry.cells.nearest import nearest_frame
from fspielm.geometry.cells.runs import Materials


@final
@dataclass(frozen=True, eq=False)
class MaterialFrames:
    """The frames of the cells of each material, which follow each other.

    Attributes
    ----------
    parts : tuple of Frames
    rows : (k, m) integer array
        The materials.
    materials : callable
        From points to such rows.
    """

    parts: tuple[Frames, ...]
    rows: NDArray[np.int_]
    materials: Materials

    def __len__(self) -> int:
        return len(self.lower)

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return self.parts[0].dimension

    @cached_property
    def lower(self) -> FloatArray:
        """Lower corners of all frames, ``(C, d)``."""
        return np.concatenate([part.lower for part in self.parts])

    @cached_property
    def upper(self) -> FloatArray:
        """Upper corners."""
        return np.concatenate([part.upper for part in self.parts])

    @cached_property
    def whole(self) -> BoolArray:
        """Which cells are one box of one material."""
        return np.concatenate([part.whole for part in self.parts])

    @property
    def lengths(self) -> FloatArray:
        """Of the sides, ``(C, d)``."""
        return self.upper - self.lower

    def locate(self, points: ArrayLike) -> NDArray[np.intp]:
        """The cell of each point ``(n, d)``, by its material; the nearest one where no cell has that."""
        where = as_points(points, self.dimension)
        # rows as single numbers, among which materials are looked up
        factors = np.random.default_rng(0).integers(1, 2**62, self.rows.shape[1])
        keys, own = self.rows @ factors, self.materials(where) @ factors
        order = np.argsort(keys)
        place = np.minimum(np.searchsorted(keys[order], own), len(keys) - 1)
        which = np.where(keys[order][place] == own, order[place], -1)
        found = np.empty(len(where), dtype=np.intp)
        lost = np.flatnonzero(which < 0)
        found[lost] = nearest_frame(where[lost], self.lower, self.upper)
        start = 0
        for number, part in enumerate(self.parts):
            here = np.flatnonzero(which == number)
            if here.size:
                found[here] = part.locate(where[here]) + start
            start += len(part)
        return found

    @property
    def borders(self) -> tuple[FloatArray, NDArray[np.intp]]:
        """The edges between boxes of different cells of one material; see `Frames.borders`."""
        starts = np.cumsum([0, *(len(part) for part in self.parts[:-1])])
        found = [part.borders for part in self.parts]
        cells = [cells + start for (_, cells), start in zip(found, starts, strict=True)]
        return np.concatenate([ends for ends, _ in found]), np.concatenate(cells)

    def ticks(self, at: FloatArray) -> FloatArray:
        """Where a line along the first coordinate enters and leaves boxes of any material; see `Frames.ticks`."""
        return np.unique(np.concatenate([part.ticks(at) for part in self.parts]))

    def breaks(self, part: BoundaryPart) -> FloatArray:
        """Unit coordinates at which a curve enters another box of any material; its ends among them."""
        return np.unique(np.concatenate([own.breaks(part) for own in self.parts]))
