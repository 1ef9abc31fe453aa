"""Where, along a part of a plane boundary, one condition gives way to another, or the data of one jump."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.equations.constraints import Constraint

_SAMPLES = 400
_BISECTIONS = 50
# Farther than rounding is allowed for, in units of the part.
_ROOM = 1e-6
# Of the steepest places of the data, so many are looked at; data that jump at more than so many are noise.
_STEEPEST = 32
_MOST_JUMPS = 8
# What data may differ by over next to no distance, in units of their size.
_JUMP = 1e-6


def mask_borders(constraint: Constraint) -> FloatArray:
    """Unit coordinates ``(n,)`` at which a condition begins or ends to hold within its part."""
    part = constraint.part
    if part is None or part.parameters != 1 or constraint.mask is None:
        return np.empty(0)

    def held(units: FloatArray) -> BoolArray:
        return constraint.holds(part.place((units % 1.0)[:, None]).points)

    # from beyond the last to beyond the first: a closed part goes on there
    units = np.arange(-0.5, _SAMPLES + 1) / _SAMPLES
    there = held(units)
    changes = there[:-1] != there[1:]
    low, high, before = units[:-1][changes], units[1:][changes], there[:-1][changes]
    return _sharpened(constraint, _bisect(low, high, lambda low, middle, high: held(middle) == before)) % 1.0


def _sharpened(constraint: Constraint, borders: FloatArray) -> FloatArray:
    """Borders of a mask without the room that it leaves for rounding, where they are beside the others."""
    part, sharp = constraint.part, constraint.region.sharp
    if sharp is None or not borders.size:
        return borders
    assert part is not None

    def held(units: FloatArray) -> BoolArray:
        return sharp(part.place((units % 1.0)[:, None]).points)

    low, high = borders - _ROOM, borders + _ROOM
    before = held(low)
    exact = _bisect(low, high, lambda low, middle, high: held(middle) == before)
    return np.where(before != held(high), exact, borders)


def value_jumps(constraint: Constraint) -> FloatArray:
    """Unit coordinates ``(n,)`` within the smooth pieces of its part at which the data of a condition jump.

    A step is followed to rounding: whatever is steep but continuous has vanished by then. None where there are many:
    such data are rough all over.
    """
    part = constraint.part
    if part is None or part.parameters != 1 or constraint.value.constant is not None:
        return np.empty(0)

    def values(units: FloatArray) -> FloatArray:
        sites = part.place(units[:, None])
        found = np.full(len(sites), np.nan)
        held = constraint.holds(sites.points)
        if held.any():
            here = sites.select(held)
            found[held] = constraint.value(here.points, here.normals)
        return found

    def steps(low: FloatArray, high: FloatArray) -> FloatArray:
        gaps = np.abs(values(high) - values(low))
        return np.asarray(np.where(np.isfinite(gaps), gaps, 0.0))

    low, high = _cells(part.breaks)
    scale = float(np.nanmax(np.abs(values(0.5 * (low + high))), initial=0.0))
    gaps = steps(low, high)
    steep = np.argsort(-gaps, kind="stable")[:_STEEPEST]
    steep = steep[gaps[steep] > _JUMP * scale]
    low, high = low[steep], high[steep]
    found = _bisect(low, high, lambda low, middle, high: steps(middle, high) > steps(low, middle))
    nearest = np.spacing(1.0) * 64
    jumped = steps(np.maximum(found - nearest, low), np.minimum(found + nearest, high)) > _JUMP * scale
    found = np.unique(found[jumped])
    return found if len(found) <= _MOST_JUMPS else np.empty(0)


def _cells(breaks: tuple[float, ...]) -> tuple[FloatArray, FloatArray]:
    """Intervals that cover the smooth pieces of a part but for a hair at either end of each."""
    low, high = [], []
    for begin, end in pairwise(breaks):
        hair = 1e-9 * (end - begin)
        edges = np.linspace(begin + hair, end - hair, max(16, int(_SAMPLES * (end - begin))))
        low.append(edges[:-1])
        high.append(edges[1:])
    return np.concatenate(low), np.concatenate(high)


def _bisect(
    low: FloatArray, high: FloatArray, is_above: Callable[[FloatArray, FloatArray, FloatArray], BoolArray]
) -> FloatArray:
    """Where, in each interval, something happens that `is_above` tells to be above its middle."""
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        above = is_above(low, middle, high)
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return high
