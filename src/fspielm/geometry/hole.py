"""Holes of plane domains: a place inside, and how far it is from the rim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.deadline import check_deadline
from fspielm.geometry.curves import PlaneCurve

_PER_CURVE = 64
_CANDIDATES = 40


@final
@dataclass(frozen=True)
class Hole:
    """A hole of a plane domain.

    Attributes
    ----------
    center : (float, float)
        A point in it, as far from its rim as any, roughly.
    radius : float
        The distance from there to the rim.
    clearance : float
        The distance from the rim to the rest of the boundary.
    """

    center: tuple[float, float]
    radius: float
    clearance: float


def holes_of(curves: Sequence[PlaneCurve], loops: Sequence[Sequence[int]]) -> tuple[Hole, ...]:
    """The holes that closed loops of curves with the domain on their left go around."""
    rims = [np.concatenate([_points(curves[index]) for index in loop]) for loop in loops]
    return tuple(_hole(rim, [other for other in rims if other is not rim]) for rim in rims if _signed_area(rim) < 0)


def _points(curve: PlaneCurve) -> FloatArray:
    return curve.point(np.linspace(curve.t0, curve.t1, _PER_CURVE // 8 if curve.straight else _PER_CURVE)[:-1])


def _signed_area(rim: FloatArray) -> float:
    x, y = (rim - rim.mean(axis=0)).T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


def _hole(rim: FloatArray, others: Sequence[FloatArray]) -> Hole:
    lower, upper = rim.min(axis=0), rim.max(axis=0)
    axes = [np.linspace(a, b, _CANDIDATES + 2)[1:-1] for a, b in zip(lower, upper, strict=True)]
    candidates = np.concatenate([[rim.mean(axis=0)], np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)])
    candidates = candidates[_within(candidates, rim)]
    distances = _distances(candidates, rim)
    best = int(np.argmax(distances * np.where(np.arange(len(distances)) == 0, 1.001, 1.0)))  # ties go to the middle
    clearance = min(min(float(_distances(a, b).min()) for a, b in ((rim, other), (other, rim))) for other in others)
    return Hole((float(candidates[best, 0]), float(candidates[best, 1])), float(distances[best]), clearance)


def _within(points: FloatArray, rim: FloatArray) -> BoolArray:
    """Membership in a polygon, by the crossings of a ray to the right."""
    (x0, y0), (x1, y1) = rim.T, np.roll(rim, -1, axis=0).T
    x, y = points[:, :1], points[:, 1:]
    level = (y0 > y) != (y1 > y)
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = x < x0 + (y - y0) * (x1 - x0) / (y1 - y0)
    inside: BoolArray = np.sum(level & crossing, axis=1) % 2 == 1
    return inside


def _distances(points: FloatArray, rim: FloatArray) -> FloatArray:
    """Distance of each point from the nearest side of the polygon."""
    check_deadline()
    start, way = rim, np.roll(rim, -1, axis=0) - rim
    apart = points[:, None] - start
    share = np.clip(np.sum(apart * way, axis=2) / np.maximum(np.sum(way**2, axis=1), 1e-300), 0.0, 1.0)
    return np.asarray(np.linalg.norm(apart - share[:, :, None] * way, axis=2).min(axis=1))
