"""Where a function of the coordinates changes its sign: places on the border of a region, found by numbers alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray
from fspielm.expressions import Field
from fspielm.geometry import kronecker

_PROBES = 12
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

    They are bracketed between places of the box where the signs differ. Where the signs are all the same, as around a
    small hole, Newton steps lead to one, maybe outside of the box.
    """
    signs = np.sign(side(extent.probes))
    changes = [(i, j) for i, j in combinations(range(_PROBES), 2) if signs[i] * signs[j] < 0]
    if changes:
        first, second = np.array(changes).T
        return _bisect(side, extent.probes[first], extent.probes[second])
    return _descend(side, extent)


def _bisect(side: Field, before: FloatArray, after: FloatArray) -> tuple[FloatArray, FloatArray]:
    sign = np.sign(side(before))
    for _ in range(_HALVINGS):
        middle = before + 0.5 * (after - before)
        same = (np.sign(side(middle)) == sign)[:, None]
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
