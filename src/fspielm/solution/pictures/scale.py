"""The range of values that colours or an axis stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.solution.pictures.style import LOGARITHMIC_COLOURS, PHASE_COLOURS, POSITIVE_COLOURS, SIGNED_COLOURS

if TYPE_CHECKING:
    from matplotlib.colors import Normalize

_MOST_DECADES = 6


@dataclass(frozen=True)
class Scale:
    """From `low` to `high`, in the colour map `colours`; with ticks of its own where it has some."""

    low: float
    high: float
    colours: str
    logarithmic: bool = False
    ticks: Mapping[float, str] = field(default_factory=dict)

    @property
    def norm(self) -> Normalize:
        """As matplotlib wants it."""
        from matplotlib.colors import LogNorm, Normalize

        kind = LogNorm if self.logarithmic else Normalize
        return kind(self.low, self.high, clip=True)


def scale_for(values: FloatArray, *, logarithmic: bool) -> Scale:
    """The scale that shows all of `values`: in decades, or about zero where the sign changes."""
    if logarithmic:
        return Scale(*error_range(values), LOGARITHMIC_COLOURS, True)
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    largest = max(-low, high)
    if low < 0 < high:
        return Scale(-largest, largest, SIGNED_COLOURS)
    if low == high:  # a constant still needs a range to be drawn in
        low, high = (low - 0.5 * abs(low), high + 0.5 * abs(high)) if low else (-1.0, 1.0)
    return Scale(low, high, POSITIVE_COLOURS)


def phase_scale() -> Scale:
    """One turn."""
    halves = {-1.0: r"$-\pi$", -0.5: r"$-\pi/2$", 0.0: "$0$", 0.5: r"$\pi/2$", 1.0: r"$\pi$"}
    return Scale(-np.pi, np.pi, PHASE_COLOURS, ticks={np.pi * turn: label for turn, label in halves.items()})


def error_range(error: FloatArray) -> tuple[float, float]:
    """Limits of a logarithmic scale in whole decades, without the chance zeros of an error.

    The error of an oscillating function crosses zero all the time: the smallest percent is left out.
    """
    positive = error[np.isfinite(error) & (error > 0)]
    if positive.size == 0:
        return 1e-17, 1e-15
    top = int(np.ceil(np.log10(positive.max())))
    bottom = int(np.floor(np.log10(np.quantile(positive, 0.01))))
    return 10.0 ** max(min(bottom, top - 2), top - _MOST_DECADES), 10.0**top
