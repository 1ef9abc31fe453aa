"""Plane curves cut into nearly straight pieces, and the nearest points on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.geometry.curves import PlaneCurve

# A curve is cut until no piece turns by more than this (radians): such a piece hugs its chord.
_FLAT = 0.3
_FIRST_PIECES = 32
_MOST_PIECES = 20_000
_WITHIN = np.linspace(0.0, 1.0, 5)


@final
@dataclass(frozen=True, eq=False)
class FlatCurve:
    """A curve with the parameters that cut it into nearly straight pieces, found once for many questions."""

    curve: PlaneCurve

    @cached_property
    def cuts(self) -> FloatArray:
        """Ascending parameters, the ends included; two for a straight curve."""
        curve = self.curve
        cuts = np.linspace(curve.t0, curve.t1, 2 if curve.straight else _FIRST_PIECES + 1)
        while len(cuts) < _MOST_PIECES:
            bent = np.flatnonzero(_turns(curve, cuts[:-1], cuts[1:]) > _FLAT)
            if not bent.size:
                break
            cuts = np.insert(cuts, bent + 1, 0.5 * (cuts[bent] + cuts[bent + 1]))
        return cuts

    @cached_property
    def box(self) -> tuple[FloatArray, FloatArray]:
        """A box around the curve, a little too large where it is bent."""
        low, high = boxes(*chords(self.curve, self.cuts[:-1], self.cuts[1:])[:3])
        return low.min(axis=0), high.max(axis=0)

    def nearest(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Parameters of the nearest points of the curve to `points` ``(n, 2)``, and their distances.

        To rounding for points that are nearer to the curve than its center of curvature; else to the nearest piece.
        """
        ends = self.curve.point(self.cuts)
        start, chord = ends[:-1], np.diff(ends, axis=0)
        offsets = points[:, None, :] - start
        along = np.clip(dot(offsets, chord) / dot(chord, chord), 0.0, 1.0)
        gaps = np.linalg.norm(offsets - along[:, :, None] * chord, axis=2)
        piece = np.argmin(gaps, axis=1)
        share = along[np.arange(len(points)), piece]
        t = self.cuts[piece] + share * (self.cuts[piece + 1] - self.cuts[piece])
        low, high = self.cuts[np.maximum(piece - 1, 0)], self.cuts[np.minimum(piece + 2, len(self.cuts) - 1)]
        for _ in range(0 if self.curve.straight else 20):  # Gauss-Newton: fast where the distance is small
            tangent = self.curve.tangent(t)
            step = dot(points - self.curve.point(t), tangent) / dot(tangent, tangent)
            t = np.clip(t + step, low, high)
        return t, np.linalg.norm(self.curve.point(t) - points, axis=1)


def chords(
    curve: PlaneCurve, low: FloatArray, high: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Of each piece: its start, its chord, how far it strays from the chord, and how far its direction does."""
    start = curve.point(low)
    chord = curve.point(high) - start
    angle = _deviation(curve, low, high)
    return start, chord, np.linalg.norm(chord, axis=1) * np.tan(np.minimum(angle, 1.4)), angle


def boxes(start: FloatArray, chord: FloatArray, fat: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Boxes around pieces that stray from their chords by at most `fat`."""
    end, pad = start + chord, fat[:, None]
    return np.minimum(start, end) - pad, np.maximum(start, end) + pad


def _deviation(curve: PlaneCurve, low: FloatArray, high: FloatArray) -> FloatArray:
    """The largest angle between the tangents of each piece and its chord."""
    chord = curve.point(high) - curve.point(low)
    return _largest_angle(curve, low, high, lambda tangents: chord)


def _turns(curve: PlaneCurve, low: FloatArray, high: FloatArray) -> FloatArray:
    """The largest angle between the tangents of each piece and the first of them."""
    return _largest_angle(curve, low, high, lambda tangents: tangents[:, 0])


def _largest_angle(
    curve: PlaneCurve, low: FloatArray, high: FloatArray, reference: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    t = low[:, None] + (high - low)[:, None] * _WITHIN
    tangents = curve.tangent(t.ravel()).reshape(len(low), len(_WITHIN), 2)
    direction = reference(tangents)[:, None, :]
    angles = np.arctan2(np.abs(cross(direction, tangents)), dot(direction, tangents))
    # rounding turns the chord of a segment by a little; that is no bend
    return np.asarray(np.where(angles < 1e-12, 0.0, angles).max(axis=1, initial=0.0), dtype=np.float64)


def dot(u: FloatArray, v: FloatArray) -> FloatArray:
    """Inner products of vectors ``(..., 2)``."""
    return np.asarray(u[..., 0] * v[..., 0] + u[..., 1] * v[..., 1], dtype=np.float64)


def sine(u: FloatArray, v: FloatArray) -> FloatArray:
    """Sines of the angles between lines along the vectors ``(..., 2)``, from 0 to 1."""
    return np.abs(cross(u, v)) / np.sqrt(dot(u, u) * dot(v, v))


def cross(u: FloatArray, v: FloatArray) -> FloatArray:
    """Areas that vectors ``(..., 2)`` span, positive where the second lies to the left of the first."""
    return np.asarray(u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0], dtype=np.float64)
