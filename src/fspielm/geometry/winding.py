"""On which side of a plane boundary points lie: winding numbers about the exact curves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.geometry.curves import PlaneCurve
from fspielm.geometry.pieces import Pieces, cubic

Index = NDArray[np.intp]

_MOST_PAIRS = 1_000_000  # of a point and a piece, held in memory at once
_MOST_STEPS = 30


@final
@dataclass(frozen=True, eq=False)
class Winding:
    """Winding numbers of closed boundaries about points.

    The closed curve equals the closed polygon of its pieces' chords plus, for each piece, the loop that runs along
    the piece and back along its chord. The polygon's winding number is found by a ray to the right; that of a loop
    is not zero only between chord and piece, where a cubic decides, or the exact curve where that is in doubt.

    Attributes
    ----------
    curves : sequence of PlaneCurve
    pieces : Pieces
        Of these curves; closed loops.
    slack : float
        Points nearer to a curve than this count as lying on it.
    """

    curves: Sequence[PlaneCurve]
    pieces: Pieces
    slack: float

    def locate(self, points: FloatArray) -> tuple[NDArray[np.int64], BoolArray]:
        """Winding numbers about points ``(n, 2)``, and which of the points lie on the boundary."""
        number = np.zeros(len(points), dtype=np.int64)
        on = np.zeros(len(points), dtype=np.bool_)
        for which, k in self._pairs(points):
            self._add(points, which, k, number, on)
        return number, on

    def _add(self, points: FloatArray, which: Index, k: Index, number: NDArray[np.int64], on: BoolArray) -> None:
        """Add what pieces `k` contribute to the points `which`."""
        pieces, (ex, ey) = self.pieces, self._along
        x, y = points[which, 0], points[which, 1]
        x0, y0, y1 = self._x0[k], self._y0[k], self._y1[k]
        v = ex[k] * (y - y0) - ey[k] * (x - x0)
        # A point level with an end counts as just above it; so does one on a level chord.
        left = (v > 0) | ((v == 0) & (ex[k] > 0))
        turns = ((y0 <= y) & (y < y1) & left).astype(np.int64) - ((y1 <= y) & (y < y0) & ~left)
        near = np.flatnonzero(np.abs(v) <= self._reach[k])
        u = ex[k[near]] * (x - x0)[near] + ey[k[near]] * (y - y0)[near]
        close = (u >= -self.slack) & (u <= pieces.length[k[near]] + self.slack)
        near, u = near[close], u[close]
        gap, touches = self._gap(k[near], u, v[near])
        within = (u >= 0) & (u <= pieces.length[k[near]])
        turns[near] += np.where(within, (gap > 0).astype(np.int64) - left[near], 0)
        on[which[near[touches]]] = True
        number += np.bincount(which, weights=turns, minlength=len(points)).astype(np.int64)

    def _gap(self, k: Index, u: FloatArray, v: FloatArray) -> tuple[FloatArray, BoolArray]:
        """How far to the left of pieces `k` the points with these chord coordinates are, and which are on them."""
        pieces = self.pieces
        length, (first, last) = pieces.length[k], pieces.slopes[:, k]
        gap = v - length * cubic(np.clip(u / length, 0.0, 1.0), first, last)
        slope = np.zeros_like(gap)
        doubtful = (np.abs(gap) <= pieces.doubt[k] + 2 * self.slack) & (pieces.doubt[k] > 0)
        for number in np.unique(pieces.curve[k[doubtful]]):
            here = np.flatnonzero(doubtful & (pieces.curve[k] == number))
            exact, slope[here] = self._solve(self.curves[number], k[here], u[here])
            gap[here] = v[here] - exact
        beyond = np.maximum(np.maximum(-u, u - length), 0.0)
        return gap, np.hypot(beyond, gap / np.hypot(1.0, slope)) <= self.slack

    def _solve(self, curve: PlaneCurve, k: Index, u: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Find v and dv/du where the exact curve has the chord coordinate `u`, by Newton's method."""
        pieces, (ex, ey) = self.pieces, (self._along[0][k], self._along[1][k])
        length, t0, t1 = pieces.length[k], pieces.t0[k], pieces.t1[k]
        u = np.clip(u, 0.0, length)
        s = u / length
        linear = t0 + (t1 - t0) * s
        mean = (t1 - t0) / length
        t = np.clip(linear + length * cubic(s, pieces.rates[0, k] - mean, pieces.rates[1, k] - mean), t0, t1)
        v, slope = np.empty_like(u), np.empty_like(u)
        active = np.arange(len(u))
        for _ in range(_MOST_STEPS):
            off = curve.point(t[active]) - pieces.start[k[active]]
            tangent = curve.tangent(t[active])
            cos, sin = ex[active], ey[active]
            forward = cos * tangent[:, 0] + sin * tangent[:, 1]
            slope[active] = (cos * tangent[:, 1] - sin * tangent[:, 0]) / forward
            missing = u[active] - (cos * off[:, 0] + sin * off[:, 1])
            # A straight line covers what is missing; its error is quadratic.
            v[active] = cos * off[:, 1] - sin * off[:, 0] + slope[active] * missing
            t[active] = np.clip(t[active] + missing / forward, t0[active], t1[active])
            active = active[missing**2 > 0.01 * self.slack * length[active]]
            if len(active) == 0:
                break
        return v, slope

    def _pairs(self, points: FloatArray) -> Iterator[tuple[Index, Index]]:
        """Points and pieces, as indices, such that the piece is not far above, below or left of the point."""
        first, pieces, low, high, height = self._bands
        x, y = points[:, 0], points[:, 1]
        reachable = np.flatnonzero((y >= low) & (y <= high) & (x >= self._left) & (x <= self._right))
        band = np.minimum(((y[reachable] - low) / height).astype(np.intp), len(first) - 2)
        count = first[band + 1] - first[band]
        total = np.cumsum(count)
        begin = 0
        while begin < len(reachable):
            done = total[begin - 1] if begin else 0
            end = max(begin + 1, int(np.searchsorted(total, done + _MOST_PAIRS, side="right")))
            counts = count[begin:end]
            offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
            k = pieces[np.repeat(first[band[begin:end]], counts) + offsets]
            which = np.repeat(reachable[begin:end], counts)
            begin = end
            relevant = (y[which] >= self._low[k]) & (y[which] <= self._high[k]) & (x[which] <= self._farthest[k])
            yield which[relevant], k[relevant]

    @cached_property
    def _bands(self) -> tuple[Index, Index, float, float, float]:
        """Level bands of equal height, and the pieces that reach into each: ``pieces[first[b] : first[b + 1]]``."""
        low, high = float(self._low.min()), float(self._high.max())
        # As many bands as pieces and more, but no more than each piece reaching into some eight on average.
        most = 8 * len(self._low) * (high - low) / float(np.sum(self._high - self._low))
        bands = int(np.clip(most, 1, 4 * len(self._low)))
        height = (high - low) / bands
        begin = np.clip(((self._low - low) / height).astype(np.intp) - 1, 0, bands - 1)
        end = np.clip(((self._high - low) / height).astype(np.intp) + 1, 0, bands - 1)
        counts = end - begin + 1
        piece = np.repeat(np.arange(len(counts)), counts)
        band = np.repeat(begin, counts) + np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        order = np.argsort(band, kind="stable")
        first = np.searchsorted(band[order], np.arange(bands + 1))
        return first, piece[order], low, high, height

    # Contiguous columns of what is looked up for every pair of a point and a piece.

    @cached_property
    def _along(self) -> tuple[FloatArray, FloatArray]:
        return self.pieces.along[:, 0].copy(), self.pieces.along[:, 1].copy()

    @cached_property
    def _x0(self) -> FloatArray:
        return self.pieces.start[:, 0].copy()

    @cached_property
    def _y0(self) -> FloatArray:
        return self.pieces.start[:, 1].copy()

    @cached_property
    def _y1(self) -> FloatArray:
        return self.pieces.end[:, 1].copy()

    @cached_property
    def _reach(self) -> FloatArray:
        return self.pieces.bulge + 2 * self.slack

    @cached_property
    def _low(self) -> FloatArray:
        return np.minimum(self._y0, self._y1) - self._reach

    @cached_property
    def _high(self) -> FloatArray:
        return np.maximum(self._y0, self._y1) + self._reach

    @cached_property
    def _farthest(self) -> FloatArray:
        return np.maximum(self._x0, self.pieces.end[:, 0]) + self._reach

    @cached_property
    def _left(self) -> float:
        return float(np.min(np.minimum(self._x0, self.pieces.end[:, 0]) - self._reach))

    @cached_property
    def _right(self) -> float:
        return float(self._farthest.max())
