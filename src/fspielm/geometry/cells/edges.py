"""Where the boundary meets the edges of boxes."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.geometry.cells.arcs import Arcs
from fspielm.geometry.cells.seams import Seam

# Ends of arcs on a line, and stretches of it that are boundary.
_Mark = tuple[list[float], list[tuple[float, float]]]
# Stretches of an edge between arcs shorter than this, relative to the edge's ends, are rounding.
_SHORT = 2.0**-46


@final
class EdgeMarks:
    """By leaf, what of the arcs in it lies on the lines along its edges.

    Parameters
    ----------
    arcs : Arcs
        Sorted into leaves.
    leaf : (m,) array of int
        The leaf of each.
    """

    def __init__(self, arcs: Arcs, leaf: NDArray[np.intp]) -> None:
        self._by_leaf: defaultdict[int, dict[tuple[int, float], _Mark]] = defaultdict(dict)
        rows = zip(leaf.tolist(), arcs.first.tolist(), arcs.last.tolist(), strict=True)
        for where, first, last in rows:
            marks = self._by_leaf[where]
            for axis in range(len(first)):
                for point in (first, last):
                    marks.setdefault((axis, point[axis]), ([], []))[0].append(point[axis - 1])
                if first[axis] == last[axis]:
                    low, high = sorted((first[axis - 1], last[axis - 1]))
                    marks[axis, first[axis]][1].append((low, high))

    def meets(self, seam: Seam) -> bool:
        """Whether the boundary of a domain on the line is at a seam."""
        return bool(self._on(seam))

    def free(self, seam: Seam) -> list[tuple[float, float]]:
        """The stretches of a seam between places where the boundary meets it, ascending; not those that are in it."""
        marks = self._on(seam)
        if not marks:
            return [(seam.low, seam.high)]
        taken = [stretch for _, found in marks for stretch in found]
        return [(a, b) for a, b in self.between(seam) if not any(low <= 0.5 * (a + b) <= high for low, high in taken)]

    def between(self, seam: Seam) -> list[tuple[float, float]]:
        """All stretches of a seam between places where the boundary meets it, ascending."""
        ends = {end for found, _ in self._on(seam) for end in found if seam.low < end < seam.high}
        every = pairwise(sorted({seam.low, seam.high} | ends))
        return [(a, b) for a, b in every if not ends or b - a > _SHORT * max(abs(a), abs(b))]

    def _on(self, seam: Seam) -> list[_Mark]:
        """What lies on the line along a seam, in either leaf."""
        found = []
        for leaf in (seam.below, seam.above):
            mark = self._by_leaf[leaf].get((seam.axis, seam.at)) if leaf in self._by_leaf else None
            if mark is not None:
                found.append(mark)
        return found
