"""Curves on which a function of the plane is zero, walked along from points on them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.geometry.box import Box
from fspielm.geometry.crossings import Resolution
from fspielm.geometry.curves import PlaneCurve
from fspielm.geometry.domain import Domain
from fspielm.geometry.overlay import cuts_between, separated
from fspielm.geometry.plane import edges_of

Level = Callable[[FloatArray], FloatArray]

# Steps, in units of the box; a step turns by no more than this (radians), and there are no more than so many.
_LONGEST, _SHORTEST = 0.02, 1e-7
_TURN = 0.1
_MOST_STEPS = 20_000
_NEWTON = 6
_ARRIVED = 1e-15
# A place nearer to a way than this share of a step lies on it.
_ON_WAY = 0.03
# Where along a piece it is looked at whether it lies in the domain.
_LOOKS = np.array([0.27, 0.5, 0.81])


def level_curves(level: Level, gradient: Level, starts: FloatArray, domain: Domain) -> tuple[PlaneCurve, ...]:
    """The curves through `starts` ``(k, 2)``, as far as they lie in a domain of two coordinates.

    Parameters
    ----------
    level, gradient : callable
        From points ``(n, 2)`` to the values ``(n,)`` and slopes ``(n, 2)`` of the function.
    starts : (k, 2) array
        Close to the curves, on every one of them.
    domain : Domain

    Returns
    -------
    tuple of PlaneCurve
        With the side where the function is negative on their left.
    """
    lower, upper = domain.bounding_box
    size = float(np.max(upper - lower))
    found: list[PlaneCurve] = []
    walked = np.empty((0, 2, 2))
    for start in _corrected(level, gradient, starts):
        if not np.isfinite(start).all() or np.any(start < lower - size) or np.any(start > upper + size):
            continue
        if _lies_on(start, walked):
            continue
        way, closed = _walk(level, gradient, start, lower, upper, 1.0)
        if not closed:
            way = np.concatenate([_walk(level, gradient, start, lower, upper, -1.0)[0][:0:-1], way])
        if len(way) > 3:
            found.append(_curve(level, gradient, way, closed))
            walked = np.concatenate([walked, np.stack([way[:-1], way[1:]], axis=1)])
    return tuple(piece for curve in found for piece in curve_within(curve, domain))


def _corrected(level: Level, gradient: Level, points: FloatArray) -> FloatArray:
    """Points moved onto the curve, along the slope."""
    for _ in range(_NEWTON):
        slope = gradient(points)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = level(points)[:, None] * slope / np.sum(slope**2, axis=1)[:, None]
        step = np.where(np.isfinite(step), step, 0.0)
        points = points - step
        if np.abs(step).max(initial=0.0) <= _ARRIVED * np.abs(points).max(initial=0.0):
            break
    return points


def _along(gradient: Level, points: FloatArray) -> FloatArray:
    """Unit vectors along the curve, with the negative side on the left."""
    slope = gradient(points)
    turned = np.column_stack([-slope[:, 1], slope[:, 0]])
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(turned / np.linalg.norm(turned, axis=1)[:, None])


def _walk(
    level: Level, gradient: Level, start: FloatArray, lower: FloatArray, upper: FloatArray, sense: float
) -> tuple[FloatArray, bool]:
    """Points of the curve from a first one on, until it leaves the box or comes back; whether it has come back."""
    size = float(np.max(upper - lower))
    step = _LONGEST * size
    points = [start]
    heading = sense * _along(gradient, start[None])[0]
    while len(points) < _MOST_STEPS and step > _SHORTEST * size:
        ahead = points[-1] + step * heading
        there = _corrected(level, gradient, ahead[None])[0]
        new = sense * _along(gradient, there[None])[0]
        # a step that turns too far, or that is drawn to another place, is taken again, shorter
        if not np.isfinite(new).all() or new @ heading < np.cos(_TURN) or np.linalg.norm(there - ahead) > 0.5 * step:
            step /= 2
            continue
        if len(points) > 2 and np.linalg.norm(there - start) < 0.75 * step:
            return np.array([*points, start]), True
        if len(points) > 2 and (start - points[-1]) @ (there - start) > 0 and np.linalg.norm(there - start) < step:
            return np.array([*points, start]), True
        points.append(there)
        heading = new
        if np.any(there < lower) or np.any(there > upper):
            break
        step = min(1.5 * step, _LONGEST * size)
    return np.array(points), False


def _lies_on(point: FloatArray, steps: FloatArray) -> bool:
    """Whether a point of a curve lies on one of some steps ``(n, 2, 2)`` along curves."""
    begin, way = steps[:, 0], steps[:, 1] - steps[:, 0]
    squares = np.sum(way**2, axis=1)
    share = np.clip(np.sum((point - begin) * way, axis=1) / squares, 0.0, 1.0)
    apart = point - begin - share[:, None] * way
    return bool(np.any(np.sum(apart**2, axis=1) < _ON_WAY**2 * squares))


def _curve(level: Level, gradient: Level, way: FloatArray, closed: bool) -> PlaneCurve:
    """A smooth curve through points: a spline, each point of it moved onto the level."""
    from scipy.interpolate import CubicSpline  # seldom needed, slow to import

    lengths = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(way, axis=0), axis=1)))
    spline = CubicSpline(lengths, way, bc_type="periodic" if closed else "not-a-knot")
    speed = spline.derivative()

    def point(t: FloatArray) -> FloatArray:
        return _corrected(level, gradient, np.asarray(spline(t)))

    def tangent(t: FloatArray) -> FloatArray:
        return np.asarray(_along(gradient, point(t)) * np.linalg.norm(speed(t), axis=1)[:, None])

    return PlaneCurve(point, tangent, 0.0, float(lengths[-1]))


def curve_within(curve: PlaneCurve, domain: Domain) -> tuple[PlaneCurve, ...]:
    """The pieces of a curve that lie inside of a domain, not along its boundary."""
    lower, upper = domain.bounding_box
    edges = edges_of(domain) or edges_of(Box(lower.tolist(), upper.tolist())) or ()
    resolution = Resolution.of(lower, upper)
    cuts = cuts_between(([curve], [edge.curve for edge in edges]), resolution)[0][0]
    pieces = [curve.clip(low, high) for low, high in pairwise(separated(curve, cuts, resolution))]
    return tuple(p for p in pieces if domain._contains(p.point(p.t0 + (p.t1 - p.t0) * _LOOKS), False).sum() >= 2)
