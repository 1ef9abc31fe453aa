"""Smooth closed curves, continued into what they go around."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.geometry import PlaneCurve

# Points along the curve, at first and at most: a curve that needs more has corners, nearly.
_FEWEST, _MOST = 64, 4096
# Of Fourier coefficients: what counts as rounding, and what the last ones must have come down to.
_ROUNDING = 1e-15
_RESOLVED = 1e-12
# Depths that are tried, in radians of the parameter.
_DEPTHS = np.concatenate([np.geomspace(1e-3, 0.1, 20)[:-1], np.arange(0.1, 1.0, 0.02)])


@final
@dataclass(frozen=True, eq=False)
class Continuation:
    """``z(s) = sum_m coefficients_m exp(i m s)`` for s from 0 to 2 pi, with the outside on its left.

    Attributes
    ----------
    modes, coefficients : (M,) arrays
    deepest : float
        How far below zero the imaginary part of s may go before z' has a zero.
    speed, fastest : float
        ``|z'|`` along the curve: root mean square, and largest.
    """

    modes: FloatArray
    coefficients: ComplexArray
    deepest: float
    speed: float
    fastest: float

    def at_depth(self, depth: float, count: int) -> tuple[FloatArray, FloatArray]:
        """So many points ``(n, 2)`` of the continued curve, evenly in s, and their distances from z(s)."""
        s = 2 * np.pi * np.arange(count) / count
        inside, on = (_sum(self.modes, self.coefficients, s, t) for t in (depth, 0.0))
        return np.column_stack([inside.real, inside.imag]), np.abs(inside - on)


def continue_inward(curve: PlaneCurve) -> Continuation | None:
    """The curve as a Fourier series; None where that does not converge fast, as beside a corner."""
    count = _FEWEST
    while True:
        points = curve.point(curve.t0 + (curve.t1 - curve.t0) * np.arange(count) / count)
        series = np.fft.fft(points[:, 0] + 1j * points[:, 1]) / count
        modes = np.fft.fftfreq(count, 1 / count)
        sizes = np.abs(series) * np.maximum(np.abs(modes), 1.0)
        largest = float(sizes[1:].max())
        if sizes[np.abs(modes) > 0.4 * count].max() <= _RESOLVED * largest:
            break
        count *= 2
        if count > _MOST:
            return None
    # what is rounding would grow like the rest
    last = np.abs(modes)[sizes > _ROUNDING * largest].max()
    kept = (np.abs(modes) <= last) & (sizes > _ROUNDING * largest)
    kept[0] = True
    modes, series = modes[kept], series[kept]
    s = 2 * np.pi * np.arange(4 * count) / (4 * count)
    speeds = np.abs(_sum(modes, 1j * modes * series, s, 0.0))
    deepest = _first_singularity(modes, series, s)
    return Continuation(modes, series, deepest, float(np.sqrt(np.mean(speeds**2))), float(speeds.max()))


def _first_singularity(modes: FloatArray, series: ComplexArray, s: FloatArray) -> float:
    """How deep the first zero of z' lies: from there on, z' turns another number of times."""
    before, turns = 0.0, _turns(_sum(modes, 1j * modes * series, s, 0.0))
    for depth in _DEPTHS:
        if _turns(_sum(modes, 1j * modes * series, s, float(depth))) != turns:
            return 0.5 * (before + float(depth))
        before = float(depth)
    return before


def _turns(values: ComplexArray) -> int:
    steps = np.angle(np.roll(values, -1) / values)
    return round(float(steps.sum()) / (2 * np.pi))


def _sum(modes: FloatArray, series: ComplexArray, s: FloatArray, depth: float) -> ComplexArray:
    """``sum_m series_m exp(i m (s - i depth))``."""
    return np.asarray(np.exp(1j * np.outer(s, modes)) @ (series * np.exp(modes * depth)))
