"""Which modes are wanted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray

# Of a real value, an imaginary part that is rounding.
_REAL = 1e-7
# How far beyond the ends of an interval modes are looked for: of its length, and in units of their errors.
_BEYOND, _ERRORS = 1e-3, 2.0


@final
@dataclass(frozen=True)
class Wish:
    """So many modes from the lowest on, or all in an interval.

    Attributes
    ----------
    count : int or None
    interval : (float, float) or None
    unit : float
        About how far the first values are from each other: errors are relative to it where values are less.
    """

    count: int | None
    interval: tuple[float, float] | None
    unit: float

    def margin(self, tol: float) -> float:
        """How far beyond the ends of the interval to look, for values with relative errors up to a tolerance."""
        if self.interval is None:
            return math.inf
        lower, upper = self.interval
        return max(_BEYOND * (upper - lower), _ERRORS * tol * max(abs(lower), abs(upper), self.unit))

    def looked(self, tol: float) -> tuple[float, float] | None:
        """The interval with its margin: a value at an end may be seen on either side of it."""
        if self.interval is None:
            return None
        return self.interval[0] - self.margin(tol), self.interval[1] + self.margin(tol)


@final
@dataclass(frozen=True)
class Window:
    """Modes around a shift: so many of the closest, or all within an interval around it.

    Attributes
    ----------
    shift : float
    count : int or None
    lower, upper : float
        Between which values are wanted.
    direction : int
        Where a number is wanted: of those above the shift, or below it; on either side, if it is zero.
    """

    shift: float
    count: int | None = None
    lower: float = -np.inf
    upper: float = np.inf
    direction: int = 0

    def needed(self, mu: NDArray[np.complex128]) -> int:
        """How many of the closest have to be known for the wanted ones to be, by their distances, the closest first."""
        if self.count is not None:
            return self.count
        return int(np.count_nonzero(np.abs(mu) <= max(self.upper - self.shift, self.shift - self.lower)))

    def pick(self, mu: NDArray[np.complex128]) -> NDArray[np.intp]:
        """The wanted ones, in the order of their values."""
        values = self.shift + mu
        if self.count is not None:
            chosen = np.arange(min(self.count, len(mu)))
        else:
            real = np.abs(mu.imag) <= _REAL * np.maximum(np.abs(mu), np.abs(values))
            chosen = np.flatnonzero(real & (values.real >= self.lower) & (values.real <= self.upper))
        keys = (self.direction or 1) * values.real if self.count is None or self.direction else np.abs(values)
        return np.asarray(chosen[np.argsort(keys[chosen], kind="stable")], dtype=np.intp)

    def behind(self, mu: NDArray[np.complex128]) -> NDArray[np.float64]:
        """Values of those on the side of the shift where there should be none."""
        if not self.direction:
            return np.empty(0)
        values = self.shift + mu[self.direction * mu.real < 0].real
        return np.asarray(values)


def widest_gap(places: FloatArray, low: float, high: float) -> float:
    """The middle of the widest gap between two ends."""
    known = np.sort([low, high, *places[(places > low) & (places < high)]])
    place = int(np.argmax(np.diff(known)))
    return float(0.5 * (known[place] + known[place + 1]))
