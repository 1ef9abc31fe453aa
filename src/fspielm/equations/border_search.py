"""Places on every border of a level function, by enclosures: no closed curve is too small, no slab too thin.

A curve on which a function is zero leaves the box through an edge, or is closed and has a place where the slope along
any direction is zero too. Both are sought among intervals and boxes, halved as long as enclosures allow a zero.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import sympy as sp

from fspielm.arrays import BoolArray, FloatArray
from fspielm.equations.borders import Extent
from fspielm.expressions import Enclosure, Field, Intervals, enclose

# Intervals along each axis to begin with, by their number.
_FIRST = {1: 256, 2: 32}
# What is shorter than this, relative to the extent, is a point; and no more intervals or boxes at once are looked at.
_POINT = 1e-12
_MOST = 2**15
# Boxes of this share of the extent in which the sign changes are places on a border, and so are smaller ones, which may
# hold another, as long as they are few.
_SMALL, _FINER, _FEW = 1 / 500, 1 / 32, 256
# A direction that hardly any border runs along.
_ASLANT = sp.Rational(7310, 10000)

_CORNERS = np.array([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)])

Ends = tuple[FloatArray, FloatArray]


def bracket_all(level: sp.Expr, side: Field, extent: Extent) -> Ends | None:
    """Pairs of places ``(k, d)`` with a zero of `side` between them, on every border; None where nothing encloses it.

    `extent` has one coordinate or two.
    """
    coordinates = extent.coordinates
    slopes = [enclose([level, sp.Derivative(level, coordinate)], coordinates) for coordinate in coordinates]
    along = [enclosure for enclosure in slopes if enclosure is not None]
    if len(along) < len(coordinates):
        return None
    if len(coordinates) == 1:
        return _on_line(along[0], side, extent.lower, extent.upper)
    aslant = sp.Derivative(level, coordinates[0]) + _ASLANT * sp.Derivative(level, coordinates[1])
    both = enclose([level, aslant], coordinates)
    found = [] if both is None else [_inside(both, side, extent)]
    for axis, enclosure in enumerate(along):
        for end in (extent.lower, extent.upper):
            lower, upper = extent.lower.copy(), extent.upper.copy()
            lower[1 - axis] = upper[1 - axis] = end[1 - axis]
            found.append(_on_line(enclosure, side, lower, upper))
    return np.concatenate([before for before, _ in found]), np.concatenate([after for _, after in found])


def _on_line(enclosure: Enclosure, side: Field, lower: FloatArray, upper: FloatArray) -> Ends:
    """Zeros along a line, each between two places; the second enclosure is that of the slope along it."""
    share = np.linspace(0.0, 1.0, _FIRST[1] + 1)[:, None]
    places = lower + share * (upper - lower)
    before, after = places[:-1], places[1:]
    length = float(np.max(upper - lower))
    found: list[Ends] = []
    while len(before):
        value, slope = enclosure(np.minimum(before, after), np.maximum(before, after))
        before, after, falls = before[(may := _may_vanish(value))], after[may], ~_may_vanish(slope)[may]
        changes = _is_negative(side, before) != _is_negative(side, after)
        short = np.max(np.abs(after - before), axis=1) <= _POINT * length
        found.append((before[changes & (falls | short)], after[changes & (falls | short)]))
        left = ~(falls | short)
        before, after = before[left], after[left]
        if len(before) > _MOST:  # it is zero all along
            break
        middle = 0.5 * (before + after)
        before, after = np.concatenate([before, middle]), np.concatenate([middle, after])
    return np.concatenate([one for one, _ in found]), np.concatenate([other for _, other in found])


def _inside(enclosure: Enclosure, side: Field, extent: Extent) -> Ends:
    """Places on curves where the slope aslant vanishes too: closed ones have some."""
    unit = np.stack(np.meshgrid(*[np.arange(_FIRST[2]) / _FIRST[2]] * 2, indexing="ij"), axis=-1).reshape(-1, 2)
    lower, sides = extent.place(unit), (extent.upper - extent.lower) / _FIRST[2]
    size = float(np.max(extent.upper - extent.lower))
    before, after = [np.empty((0, 2))], [np.empty((0, 2))]
    wanted = _SMALL * size  # so large are the boxes that are looked at next
    while len(lower) and sides.max() > _POINT * size:
        value, slope = enclosure(lower, lower + sides)
        lower = lower[_may_vanish(value) & _may_vanish(slope)]
        if sides.max() <= wanted and (wanted == _SMALL * size or len(lower) <= _FEW):
            wanted *= _FINER
            ends = [lower + sides * corner for corner in _CORNERS]
            signs = [_is_negative(side, end) for end in ends]
            for end, sign in zip(ends[1:], signs[1:], strict=True):
                before.append(ends[0][sign != signs[0]])
                after.append(end[sign != signs[0]])
        if len(lower) > _MOST:  # along a whole curve the slope is zero, which other lines have found
            break
        sides = sides / 2
        lower = np.concatenate([lower + sides * corner for corner in _CORNERS])
    return np.concatenate(before), np.concatenate(after)


def _may_vanish(values: Intervals) -> BoolArray:
    return np.asarray((values.lower <= 0) & (values.upper >= 0))


def _is_negative(side: Callable[[FloatArray], FloatArray], points: FloatArray) -> BoolArray:
    return np.asarray(side(points).real < 0)
