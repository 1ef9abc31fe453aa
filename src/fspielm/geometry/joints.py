"""Joints of plane boundaries: where smooth curves meet without a corner, but bend differently."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.geometry.curves import PlaneCurve

# A step along a curve by which it is seen to bend, of its length; bends that differ by less, over the length, do not.
_STEP, _SAME = 1e-4, 1e-3
# A change of direction that counts as none, in radians, and a distance, of a curve's length.
_SMOOTH, _CLOSE = 1e-6, 1e-9


@final
@dataclass(frozen=True)
class Joint:
    """A place where a boundary is smooth, but no analytic curve: its curvature jumps.

    Attributes
    ----------
    point : (float, float)
    away : float
        Direction of the outward normal there, in radians from the x axis.
    length : float
        Of the shorter of both curves.
    """

    point: tuple[float, float]
    away: float
    length: float


def joints_of(curves: Sequence[PlaneCurve]) -> tuple[Joint, ...]:
    """The joints of curves that make closed loops, with the interior on their left."""
    found = []
    starts = np.array([curve.ends[0] for curve in curves])
    for before in curves:
        after = curves[int(np.argmin(np.hypot(*(starts - before.ends[1]).T)))]
        if after is before or math.dist(after.ends[0], before.ends[1]) > _CLOSE * before.length:
            continue
        length = min(before.length, after.length)
        old, new = _direction(before, 1.0), _direction(after, 0.0)
        if abs(_turn(old, new)) < _SMOOTH and abs(_bend(before, 1.0) - _bend(after, 0.0)) * length > _SAME:
            x, y = after.ends[0]
            found.append(Joint((float(x), float(y)), new - 0.5 * math.pi, length))
    return tuple(found)


def _direction(curve: PlaneCurve, share: float) -> float:
    x, y = curve.tangent(curve.parameter(np.array([share])))[0]
    return math.atan2(y, x)


def _turn(old: float, new: float) -> float:
    return math.remainder(new - old, 2 * math.pi)


def _bend(curve: PlaneCurve, share: float) -> float:
    """Curvature at an end."""
    near = abs(share - _STEP)
    turned = _turn(_direction(curve, share), _direction(curve, near))
    return turned / ((near - share) * curve.length)
