"""Pieces of plane curves along which x never turns back, and where vertical lines cross them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.geometry.curves import PlaneCurve
from fspielm.geometry.intervals import bisect

_LEVEL = 1e-12  # share of the speed below which a tangent's x counts as zero
_STEEP = 0.3  # share of the speed below which a tangent's x makes a piece steep
_BISECTIONS = 60
_MOST_STEPS = 100


@final
@dataclass(frozen=True, eq=False)
class MonotonePiece:
    """The part of a curve between two parameters, along which x only grows or only falls.

    Attributes
    ----------
    curve : PlaneCurve
    t : (float, float)
        Parameters at the left and the right end: descending where x falls along the curve.
    x : (float, float)
        Abscissae of the two ends.
    straight : bool
        With a constant tangent, so that x is linear in t.
    """

    curve: PlaneCurve
    t: tuple[float, float]
    x: tuple[float, float]
    straight: bool

    def heights(self, x: FloatArray) -> FloatArray:
        """The ordinates ``(n,)`` at which vertical lines at `x`, all between the ends, cross the piece."""
        return self.curve.point(self._parameters(x))[:, 1]

    def bends_upright(self, x: FloatArray) -> BoolArray:
        """Whether the piece is curved and steep where vertical lines cross it: near there y is like a square root."""
        if self.straight:
            return np.zeros(len(x), dtype=np.bool_)
        tangents = self.curve.tangent(self._parameters(x))
        steep: BoolArray = np.abs(tangents[:, 0]) < _STEEP * np.hypot(*tangents.T)
        return steep

    def _parameters(self, x: FloatArray) -> FloatArray:
        """The curve's parameters ``(n,)`` at given abscissae.

        Newton's method, kept inside a bracket that shrinks at every step, so that it always ends.
        """
        left, right = np.full(len(x), self.t[0]), np.full(len(x), self.t[1])
        share = (x - self.x[0]) / (self.x[1] - self.x[0])
        t: FloatArray = left + np.clip(share, 0.0, 1.0) * (right - left)
        active = np.arange(0 if self.straight else len(x))
        tolerance = 4 * np.finfo(np.float64).eps * (abs(self.t[0]) + abs(self.t[1]))
        for _ in range(_MOST_STEPS):
            if not active.size:
                break
            tried = t[active]
            excess = self.curve.point(tried)[:, 0] - x[active]
            beyond = excess > 0
            right[active[beyond]], left[active[~beyond]] = tried[beyond], tried[~beyond]
            with np.errstate(divide="ignore", invalid="ignore"):
                step = tried - excess / self.curve.tangent(tried)[:, 0]
            bounds = np.sort([left[active], right[active]], axis=0)
            bracketed = (step >= bounds[0]) & (step <= bounds[1])
            t[active] = np.where(bracketed, step, bounds.mean(axis=0))
            active = active[np.abs(t[active] - tried) > tolerance]
        return t


def monotone_pieces(curve: PlaneCurve, tolerance: float) -> list[MonotonePiece]:
    """The pieces between the vertical tangents of a curve, without those no wider than `tolerance`."""
    ends = np.array([curve.t0, *([] if curve.straight else _turns(curve)), curve.t1])
    x = curve.point(ends)[:, 0]
    pieces = []
    for i, j in pairwise(range(len(ends))):
        if abs(x[j] - x[i]) > tolerance:
            a, b = (i, j) if x[i] < x[j] else (j, i)
            t_ends, x_ends = (float(ends[a]), float(ends[b])), (float(x[a]), float(x[b]))
            pieces.append(MonotonePiece(curve, t_ends, x_ends, curve.straight))
    return pieces


def _turns(curve: PlaneCurve) -> FloatArray:
    """Parameters, ascending, at which the tangent is vertical and x turns back."""

    def direction(t: FloatArray) -> FloatArray:
        tangents = curve.tangent(t)
        flat = np.abs(tangents[:, 0]) <= _LEVEL * np.hypot(*tangents.T)
        return np.where(flat, 0.0, np.sign(tangents[:, 0]))

    grid = curve.grid()
    signs = direction(grid)
    grid, signs = grid[signs != 0], signs[signs != 0]
    turned = signs[:-1] != signs[1:]
    before = signs[:-1][turned]

    def onward(t: FloatArray) -> BoolArray:
        return np.asarray(np.sign(curve.tangent(t)[:, 0]) == before)

    return bisect(grid[:-1][turned], grid[1:][turned], onward, _BISECTIONS)[0]
