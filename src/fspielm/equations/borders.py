"""Where a function of the coordinates changes its sign: places on the border of a region, found by numbers alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray
from fspielm.expressions import Field
from fspielm.geometry import kronecker

_PROBES = 12
# Lines through the box along each axis and from corner to corner, and how many places to look at on each and in all.
_LINES = 16
_DIAGONALS = 8
_FEWEST_ON_LINE, _MOST_ON_LINE, _ON_LINES = 256, 4096, 2**15
# Many more changes of sign than these are those of a wave, which behaves alike at all of them.
_MOST_BRACKETS = 2048
# Brackets are halved until no number is left between their ends.
_HALVINGS = 60
_STEPS = 60
# A step this short, relative to the extent, has arrived; and the places beside it that are looked at.
_ARRIVED = 1e-12


@dataclass(frozen=True, eq=False)
class Extent:
    """The box that the coordinates run through."""

    coordinates: tuple[sp.Symbol, ...]
    lower: FloatArray
    upper: FloatArray

    @cached_property
    def probes(self) -> FloatArray:
        """Places of no meaning, spread over the box."""
        return self.place(kronecker(_PROBES, len(self.coordinates)))

    def place(self, unit: FloatArray) -> FloatArray:
        """The points of the box that points of the unit cube stand for."""
        return self.lower + (self.upper - self.lower) * unit


def find_border(side: Field, extent: Extent) -> tuple[FloatArray, FloatArray] | None:
    """Pairs of neighbouring places ``(k, d)`` with a zero of `side` between them; None where none was found.

    They are bracketed on many lines through the box. Where the signs are all the same, as around a small hole, Newton
    steps lead to one, maybe outside of the box.
    """
    before, after = _brackets(side, extent)
    return bisect_signs(side, before, after) if len(before) else _descend(side, extent)


def _brackets(side: Field, extent: Extent) -> tuple[FloatArray, FloatArray]:
    """Neighbouring places on the lines where the signs differ."""
    start, end = _lines(len(extent.coordinates))
    number = int(np.clip(_ON_LINES // len(start), _FEWEST_ON_LINE, _MOST_ON_LINE))
    along = np.linspace(0.0, 1.0, number)[:, None, None]
    places = extent.place(start + (end - start) * along)
    values = side(places.reshape(-1, places.shape[-1])).reshape(places.shape[:-1])
    known = ~np.isnan(values)
    changed = ((values[:-1] < 0) != (values[1:] < 0)) & known[:-1] & known[1:]
    before, after = places[:-1][changed], places[1:][changed]
    chosen = np.linspace(0, len(before) - 1, min(len(before), _MOST_BRACKETS)).astype(int)
    return before[chosen], after[chosen]


def _lines(dimension: int) -> tuple[FloatArray, FloatArray]:
    """Both ends of lines through the unit cube."""
    axes = np.repeat(np.eye(dimension, dtype=bool), _LINES if dimension > 1 else 1, axis=0)
    across = kronecker(len(axes), dimension)
    corners = np.array([(0, *rest) for rest in islice(product((0, 1), repeat=dimension - 1), _DIAGONALS)], dtype=float)
    starts, ends = np.where(axes, 0.0, across), np.where(axes, 1.0, across)
    return np.concatenate([starts, corners]), np.concatenate([ends, 1.0 - corners])


def bisect_signs(side: Field, before: FloatArray, after: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Pairs of places between which the sign changes, brought together."""
    negative = side(before) < 0
    for _ in range(_HALVINGS):
        middle = before + 0.5 * (after - before)
        same = ((side(middle) < 0) == negative)[:, None]
        before, after = np.where(same, middle, before), np.where(same, after, middle)
    return before, after


def _descend(side: Field, extent: Extent) -> tuple[FloatArray, FloatArray] | None:
    """Newton steps along the slope, in the coordinates of the unit cube."""
    dimension = len(extent.coordinates)
    nudges = 1e-6 * np.eye(dimension)
    unit = kronecker(_PROBES, dimension)
    step = np.full_like(unit, np.inf)
    with np.errstate(all="ignore"):
        for _ in range(_STEPS):
            value = side(extent.place(unit))
            slopes = np.stack(
                [(side(extent.place(unit + n)) - side(extent.place(unit - n))) / 2e-6 for n in nudges], axis=1
            )
            step = -value[:, None] * slopes / np.sum(slopes**2, axis=1, keepdims=True)
            step = np.where(value[:, None] == 0.0, 0.0, step)
            unit = unit + step / np.maximum(1.0, np.linalg.norm(step, axis=1, keepdims=True))
    arrived = np.linalg.norm(step, axis=1) <= _ARRIVED * np.maximum(1.0, np.abs(unit).max(axis=1))
    if not arrived.any():
        return None
    beside = _ARRIVED * np.maximum(1.0, np.abs(unit[arrived]))
    return extent.place(unit[arrived] - beside), extent.place(unit[arrived] + beside)
