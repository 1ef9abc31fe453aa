"""Stretches of a boundary part, cut where a mask changes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.geometry.boundary import BoundaryPart, Mask
from fspielm.geometry.cells.cell import Stretch
from fspielm.geometry.intervals import bisect

# Places along a part at which masks are looked at; no fewer than some in each cell.
_LOOKS, _FEWEST = 2048, 16
# How far from its ends a stretch is looked at, relative to its length: a mask may be either there.
_INSET = 1e-9
_BISECTIONS = 60


def masked(part: BoundaryPart, stretches: Sequence[Stretch], masks: Sequence[Mask]) -> tuple[Stretch, ...]:
    """What of the stretches is where all masks hold."""

    def held(unit: FloatArray) -> BoolArray:
        points = part.place(unit[:, None] if part.parameters else np.empty((len(unit), 0))).points
        every: BoolArray = np.logical_and.reduce([mask(points) for mask in masks])
        return every

    if not masks or not stretches:
        return tuple(stretches)
    if part.parameters == 0:
        return tuple(stretches) if held(np.zeros(1))[0] else ()
    grids = []
    for each in stretches:
        length = each.end - each.start
        count = max(_FEWEST, int(np.ceil(_LOOKS * length)))
        grids.append(each.start + length * np.linspace(_INSET, 1.0 - _INSET, count))
    unit, ends = np.concatenate(grids), np.cumsum([len(grid) for grid in grids])
    kept = held(unit)
    changing = kept[:-1] != kept[1:]
    changing[ends[:-1] - 1] = False
    at_low = kept[:-1][changing]
    places, _ = bisect(unit[:-1][changing], unit[1:][changing], lambda s: held(s) == at_low, _BISECTIONS)
    where = np.flatnonzero(changing)
    found: list[Stretch] = []
    for each, first, last in zip(stretches, ends - [len(grid) for grid in grids], ends, strict=True):
        here = (where >= first) & (where < last)
        cuts = [each.start, *places[here].tolist(), each.end]
        inside = bool(kept[first])
        for low, high in pairwise(cuts):
            found += [Stretch(each.cell, low, high)] * inside
            inside = not inside
    return tuple(found)
