"""Where, along a part of a plane boundary, one condition gives way to another, or the data of one jump."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, NumberArray, spread_out
from fspielm.equations.beside import SAME_PLACE, is_closed
from fspielm.equations.once import once
from fspielm.equations.relations import Relation
from fspielm.geometry import bisect

_SAMPLES = 400
_BISECTIONS = 50
# Farther than rounding is allowed for, in units of the part.
_ROOM = 1e-6
# Of the steepest places of the data, so many are looked at; data that jump at more than so many are noise.
_STEEPEST = 32
_MOST_JUMPS = 8
# What data may differ by over next to no distance, in units of their size.
_JUMP = 1e-6
# A step is that of a continuous function if halving its interval halves it, up to this share, so many times in a row.
_IN_PROPORTION = 0.01
_TIMES = 2


@once
def mask_borders(constraint: Relation) -> FloatArray:
    """Unit coordinates ``(n,)`` at which a condition begins or ends to hold within its part."""
    part = constraint.part
    if part is None or part.parameters != 1 or constraint.mask is None:
        return np.empty(0)

    def held(units: FloatArray) -> BoolArray:
        return constraint.holds(part.place((units % 1.0)[:, None]).points)

    # from beyond the last to beyond the first: a closed part goes on there, any other ends
    units = np.arange(-0.5, _SAMPLES + 1) / _SAMPLES
    if not is_closed(part):
        units = np.clip(units, SAME_PLACE, 1.0 - SAME_PLACE)
    there = held(units)
    changes = there[:-1] != there[1:]
    before = there[:-1][changes]
    _, borders = bisect(units[:-1][changes], units[1:][changes], lambda here: held(here) == before, _BISECTIONS)
    return _sharpened(constraint, borders) % 1.0


def _sharpened(constraint: Relation, borders: FloatArray) -> FloatArray:
    """Borders of a mask without the room that it leaves for rounding, where they are beside the others."""
    part, sharp = constraint.part, constraint.region.sharp
    if sharp is None or not borders.size:
        return borders
    assert part is not None

    def held(units: FloatArray) -> BoolArray:
        return sharp(part.place((units % 1.0)[:, None]).points)

    low, high = borders - _ROOM, borders + _ROOM
    before = held(low)
    _, exact = bisect(low, high, lambda here: held(here) == before, _BISECTIONS)
    return np.where(before != held(high), exact, borders)


@once
def value_jumps(constraint: Relation) -> FloatArray:
    """Unit coordinates ``(n,)`` within the smooth pieces of its part at which the data of a condition jump.

    A step is followed to rounding, unless it shrinks in proportion before: whatever is steep but continuous does, or
    has vanished by then. None where there are many: such data are rough all over.
    """
    part = constraint.part
    if part is None or part.parameters != 1 or constraint.value.constant is not None:
        return np.empty(0)

    def values(units: FloatArray) -> NumberArray:
        sites = part.place(units[:, None])
        held = constraint.holds(sites.points)
        here = sites.select(held)
        return spread_out(constraint.value(here.points, here.normals), held)

    edges = _edges(part.breaks)
    asked = values(np.concatenate(edges))
    pieces = np.split(asked, np.cumsum([len(piece) for piece in edges])[:-1])
    # data may be huge right at the ends of a piece
    smallest = _JUMP * max(float(np.nanmax(np.abs(piece[1:-1]), initial=0.0)) for piece in pieces)
    cells = _Cells(
        *(np.concatenate([piece[:-1] for piece in those]) for those in (edges, pieces)),
        *(np.concatenate([piece[1:] for piece in those]) for those in (edges, pieces)),
    )
    steepest = np.argsort(-cells.steps, kind="stable")[:_STEEPEST]
    cells = cells.select(steepest[cells.steps[steepest] > smallest])
    found = np.empty(0)
    while len(cells.low) and len(found) <= _MOST_JUMPS:
        jumps = _follow(cells, values, smallest)
        found = np.union1d(found, jumps.high)
        cells = _beside(cells, jumps, smallest)  # there may be another one close by
    return found if len(found) <= _MOST_JUMPS else np.empty(0)


class _Cells(NamedTuple):
    """Intervals of a part's unit coordinate, with the data at their ends."""

    low: FloatArray
    at_low: NumberArray
    high: FloatArray
    at_high: NumberArray

    @property
    def steps(self) -> FloatArray:
        """What the data differ by; nothing where they are not known."""
        return _gaps(self.at_low, self.at_high)

    def select(self, those: NDArray[np.intp] | BoolArray) -> _Cells:
        return _Cells(*(entries[those] for entries in self))


def _follow(cells: _Cells, values: Callable[[FloatArray], NumberArray], smallest: float) -> _Cells:
    """The cells whose step lasts, shrunk about it to rounding: a value is asked once for each cell and halving."""
    proportional = np.zeros(len(cells.low), dtype=np.intp)
    for _ in range(_BISECTIONS):
        middle = 0.5 * (cells.low + cells.high)
        if not np.any((cells.low < middle) & (middle < cells.high)):
            break
        at_middle, before = values(middle), cells.steps
        above = _gaps(at_middle, cells.at_high) > _gaps(cells.at_low, at_middle)
        cells = _Cells(
            np.where(above, middle, cells.low),
            np.where(above, at_middle, cells.at_low),
            np.where(above, cells.high, middle),
            np.where(above, cells.at_high, at_middle),
        )
        # of a step c + s h, the c that remains
        remains = np.abs(2.0 * cells.steps - before)
        proportional = np.where(remains <= _IN_PROPORTION * cells.steps, proportional + 1, 0)
        lasts = (cells.steps > smallest) & (proportional < _TIMES)
        cells, proportional = cells.select(lasts), proportional[lasts]
    return cells


def _beside(cells: _Cells, jumps: _Cells, smallest: float) -> _Cells:
    """What is left of the cells on either side of the jump found in each, if there is a step left."""
    holds = (cells.low[:, None] <= jumps.low) & (jumps.high <= cells.high[:, None])
    outer = cells.select(np.argmax(holds, axis=0) if len(jumps.low) else np.empty(0, dtype=np.intp))
    left = _Cells(outer.low, outer.at_low, jumps.low, jumps.at_low)
    right = _Cells(jumps.high, jumps.at_high, outer.high, outer.at_high)
    both = _Cells(*(np.concatenate(pair) for pair in zip(left, right, strict=True)))
    return both.select(both.steps > smallest)


def _gaps(one: NumberArray, other: NumberArray) -> FloatArray:
    gaps = np.abs(other - one)
    return np.asarray(np.where(np.isfinite(gaps), gaps, 0.0))


def _edges(breaks: tuple[float, ...]) -> list[FloatArray]:
    """Places that cover each smooth piece of a part but for a hair at either end."""
    edges = []
    for begin, end in pairwise(breaks):
        hair = 1e-9 * (end - begin)
        edges.append(np.linspace(begin + hair, end - hair, max(16, int(_SAMPLES * (end - begin)))))
    return edges
