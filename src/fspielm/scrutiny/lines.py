"""Lines across boxes of parameters, and what a function does along them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.scrutiny.charts import Boxes

# Points on a line to begin with, and steps of a search from there: as many as leave no number between.
_ON_LINE = 17
_STEPS = 90
_HALVINGS = 50
_GOLDEN = 0.5 * (np.sqrt(5.0) - 1.0)

Values = Callable[[FloatArray], FloatArray]


@final
@dataclass(frozen=True, eq=False)
class Line:
    """One line across each box, along one of its parameters.

    Attributes
    ----------
    boxes : Boxes
    through : (n, p) array
        A point of each.
    axes : (n,) array of int
    """

    boxes: Boxes
    through: FloatArray
    axes: NDArray[np.intp]

    @property
    def ends(self) -> tuple[FloatArray, FloatArray]:
        """Of the parameter along the line."""
        rows = np.arange(len(self.axes))
        return self.boxes.lower[rows, self.axes], self.boxes.upper[rows, self.axes]

    def moved(self, along: FloatArray) -> FloatArray:
        """The points of the lines at these values of the parameter, ``(n, p)``."""
        unit = self.through.copy()
        unit[np.arange(len(self.axes)), self.axes] = along
        return unit

    def peaks(self, values: Values) -> FloatArray:
        """Where a function is largest along each line, if it has one peak there: golden sections."""
        low, high = self.ends
        places = np.linspace(low, high, _ON_LINE)
        sampled = np.stack([values(self.moved(one)) for one in places])
        best, rows = np.argmax(sampled, axis=0), np.arange(len(low))
        low, high = places[np.maximum(best - 1, 0), rows], places[np.minimum(best + 1, _ON_LINE - 1), rows]
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        at_left, at_right = values(self.moved(left)), values(self.moved(right))
        for _ in range(_STEPS):
            rises = at_left < at_right
            low, high = np.where(rises, left, low), np.where(rises, high, right)
            fresh = np.where(rises, low + _GOLDEN * (high - low), high - _GOLDEN * (high - low))
            at_fresh = values(self.moved(fresh))
            left, right = np.where(rises, right, fresh), np.where(rises, fresh, left)
            at_left, at_right = np.where(rises, at_right, at_fresh), np.where(rises, at_fresh, at_left)
        return np.asarray(0.5 * (low + high))

    def crossings(self, values: Values, level: float, start: FloatArray, end: FloatArray) -> Crossings:
        """Where a function passes a level between two points of each line: the first time, of many points between."""
        places = np.linspace(start, end, _ON_LINE)
        masks = np.stack([values(self.moved(one)) < level for one in places])
        changes = masks[:-1] != masks[1:]
        first, rows = np.argmax(changes, axis=0), np.arange(len(start))
        left, right, before = places[first, rows], places[first + 1, rows], masks[first, rows]
        for _ in range(_HALVINGS):
            middle = 0.5 * (left + right)
            same = (values(self.moved(middle)) < level) == before
            left, right = np.where(same, middle, left), np.where(same, right, middle)
        return Crossings(left, changes.any(axis=0))

    def excursions(self, values: Values, level: float) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Between which points of each line a function that is on one side of a level at both ends is on the other.

        It may be so on a stretch that none of many points of the line meets: there it has a peak, or a dip.
        """
        signs = np.where(values(self.moved(self.ends[0])) < level, 1.0, -1.0)
        return self.tops(lambda unit: signs * (values(unit) - level), 0.0)

    def stretches(self, values: Values, levels: tuple[float, float]) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Between which points of each line a function is between two levels; and whether it is, at any.

        Where it leaves the line between the levels, up to the end of the line.
        """
        low, high = self.ends
        rises = values(self.moved(low)) < values(self.moved(high))
        lower, upper = (self.crossings(values, level, low, high) for level in levels)
        start = np.where(lower.found, lower.places, np.where(rises, low, high))
        end = np.where(upper.found, upper.places, np.where(rises, high, low))
        between = values(self.moved(0.5 * (start + end)))
        return start, end, lower.found | upper.found | ((between > levels[0]) & (between < levels[1]))

    def tops(self, values: Values, level: float) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Between which points of each line a function with one peak is above a level; and whether it is, at any."""
        peaks = self.peaks(values)
        sides = [self.crossings(values, level, peaks, end) for end in self.ends]
        start, end = (np.where(side.found, side.places, end) for side, end in zip(sides, self.ends, strict=True))
        return start, end, values(self.moved(peaks)) >= level


@final
@dataclass(frozen=True, eq=False)
class Crossings:
    """Where a function passes a level along lines, and on which it does."""

    places: FloatArray
    found: BoolArray
