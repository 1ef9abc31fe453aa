"""Several numbers in a few."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

import numpy as np


@final
@dataclass(frozen=True)
class Spread:
    """How numbers are spread.

    Attributes
    ----------
    count : int
    best, mean, median, worst : float
        Best is the smallest: the numbers are errors, or seconds.
    std : float
        Divided by the number of values and not by one less. The paper does not say which; its numbers allow both, and
        this is what NumPy gives by default.
    """

    count: int
    best: float
    mean: float
    std: float
    median: float
    worst: float

    @property
    def deviation(self) -> float | None:
        """The standard deviation as tables show it: one value has none."""
        return self.std if self.count > 1 else None


def spread(values: Iterable[float | None]) -> Spread | None:
    """The spread of those values that are numbers; None if there are none."""
    numbers = np.array([value for value in values if value is not None and math.isfinite(value)], dtype=float)
    if numbers.size == 0:
        return None
    # in units of the largest, so that squares of hopeless errors do not overflow
    unit = float(np.abs(numbers).max()) or 1.0
    scaled = numbers / unit
    return Spread(
        count=int(numbers.size),
        best=float(numbers.min()),
        mean=unit * float(scaled.mean()),
        std=unit * float(scaled.std()),
        median=unit * float(np.median(scaled)),
        worst=float(numbers.max()),
    )
