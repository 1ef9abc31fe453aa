"""Curves on which a function of the plane is zero."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray
from fspielm.expr.functions import Field
from fspielm.geometry.combination import SIDE_PROBES, cuts_between, split
from fspielm.geometry.crossings import Resolution
from fspielm.geometry.curves import LOOKS, MOST_PIECES, PlaneCurve, nearest_on_chords
from fspielm.geometry.domain import SURFACE_POINTS, Domain
from fspielm.geometry.plane import edges_of
from fspielm.geometry.shapes.box import Box
from fspielm.numerics.roots import bisect
from fspielm.numerics.sampling import kronecker
from fspielm.numerics.tolerances import CLOSE, ITERATIONS, ROUNDED, STEP

# ---- Places where a function changes its sign

# Points on all lines through the box.
_ON_LINES = 2**15


@dataclass(frozen=True, eq=False)
class Extent:
    """The box of the coordinates."""

    coordinates: tuple[sp.Symbol, ...]
    lower: FloatArray
    upper: FloatArray

    @cached_property
    def probes(self) -> FloatArray:
        """Arbitrary points, spread over the box."""
        return self.place(kronecker(LOOKS, len(self.coordinates)))

    def place(self, unit: FloatArray) -> FloatArray:
        """Points of the box, from points of the unit cube."""
        return self.lower + (self.upper - self.lower) * unit


def find_border(side: Field, extent: Extent) -> tuple[FloatArray, FloatArray] | None:
    """Pairs of neighbouring points ``(k, d)`` with a zero of `side` between them; None if none was found.

    We bracket them on many lines through the box. If all signs are equal, as around a small hole, Newton steps lead to
    a zero, which may lie outside of the box.
    """
    before, after = _brackets(side, extent)
    return bisect_signs(side, before, after) if len(before) else _descend(side, extent)


def _brackets(side: Field, extent: Extent) -> tuple[FloatArray, FloatArray]:
    """Neighbouring points on the lines with different signs."""
    start, end = _lines(len(extent.coordinates))
    along = np.linspace(0.0, 1.0, _ON_LINES // len(start))[:, None, None]
    places = extent.place(start + (end - start) * along)
    values = side(places.reshape(-1, places.shape[-1])).reshape(places.shape[:-1])
    known = ~np.isnan(values)
    changed = ((values[:-1] < 0) != (values[1:] < 0)) & known[:-1] & known[1:]
    before, after = places[:-1][changed], places[1:][changed]
    # more changes of sign belong to a wave, which behaves alike at all of them
    chosen = np.linspace(0, len(before) - 1, min(len(before), SURFACE_POINTS)).astype(int)
    return before[chosen], after[chosen]


def _lines(dimension: int) -> tuple[FloatArray, FloatArray]:
    """The ends of lines through the unit cube."""
    axes = np.repeat(np.eye(dimension, dtype=bool), LOOKS if dimension > 1 else 1, axis=0)
    across = kronecker(len(axes), dimension)
    corners = np.array([(0, *rest) for rest in product((0, 1), repeat=dimension - 1)], dtype=float)
    starts, ends = np.where(axes, 0.0, across), np.where(axes, 1.0, across)
    return np.concatenate([starts, corners]), np.concatenate([ends, 1.0 - corners])


def bisect_signs(side: Field, before: FloatArray, after: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Pairs of points with a change of sign between them, brought together."""
    negative = side(before) < 0
    return bisect(before, after, lambda middle: ((side(middle) < 0) == negative)[:, None])


def _descend(side: Field, extent: Extent) -> tuple[FloatArray, FloatArray] | None:
    """Newton steps along the gradient, in the coordinates of the unit cube."""
    dimension = len(extent.coordinates)
    nudges = STEP * np.eye(dimension)
    unit = kronecker(LOOKS, dimension)
    step = np.full_like(unit, np.inf)
    with np.errstate(all="ignore"):
        for _ in range(ITERATIONS):
            value = side(extent.place(unit))
            slopes = np.stack(
                [(side(extent.place(unit + n)) - side(extent.place(unit - n))) / (2 * STEP) for n in nudges], axis=1
            )
            step = -value[:, None] * slopes / np.sum(slopes**2, axis=1, keepdims=True)
            step = np.where(value[:, None] == 0.0, 0.0, step)
            unit = unit + step / np.maximum(1.0, np.linalg.norm(step, axis=1, keepdims=True))
    found = np.linalg.norm(step, axis=1) <= ROUNDED * np.maximum(1.0, np.abs(unit).max(axis=1))
    if not found.any():
        return None
    offset = ROUNDED * np.maximum(1.0, np.abs(unit[found]))
    return extent.place(unit[found] - offset), extent.place(unit[found] + offset)


# ---- Zero level curves of a function of the plane

Level = Callable[[FloatArray], FloatArray]

# The longest step, relative to the box; the largest turn in a step (radians).
_LONGEST = 0.02
_LARGEST_TURN = 0.1
_NEWTON_STEPS = 30
# A point nearer to a step of a curve than this share of the step lies on the curve: twice the height of an arc that
# turns by as much.
_NEAR_STEP = _LARGEST_TURN / 4


def level_curves(level: Level, gradient: Level, starts: FloatArray, domain: Domain) -> tuple[PlaneCurve, ...]:
    """The parts of the zero curves of a function that lie in a domain of two coordinates.

    `starts` ``(k, 2)`` are close to the curves, at least one to each. The function is negative on their left.
    """
    lower, upper = domain.bounding_box
    size = float(np.max(upper - lower))
    found: list[PlaneCurve] = []
    walked = np.empty((0, 2, 2))
    for start in _corrected(level, gradient, starts):
        if not np.isfinite(start).all() or np.any(start < lower - size) or np.any(start > upper + size):
            continue
        steps = walked[:, 1] - walked[:, 0]
        _, gaps = nearest_on_chords(start[None], walked[:, 0], steps)
        # it lies on a known curve, and not on the other side of a thin slab, which is walked along in the other sense
        alike = steps @ _along(gradient, start[None])[0] > 0
        if np.any(alike & (gaps[0] < _NEAR_STEP * np.linalg.norm(steps, axis=1))):
            continue
        way, closed = _walk(level, gradient, start, lower, upper, 1.0)
        if not closed:
            way = np.concatenate([_walk(level, gradient, start, lower, upper, -1.0)[0][:0:-1], way])
        if len(way) > 3:
            found.append(_curve(level, gradient, way, closed))
            walked = np.concatenate([walked, np.stack([way[:-1], way[1:]], axis=1)])
    return tuple(piece for curve in found for piece in curve_within(curve, domain))


def _corrected(level: Level, gradient: Level, points: FloatArray) -> FloatArray:
    """Points moved onto the curve, along the gradient."""
    for _ in range(_NEWTON_STEPS):
        slope = gradient(points)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = level(points)[:, None] * slope / np.sum(slope**2, axis=1)[:, None]
        step = np.where(np.isfinite(step), step, 0.0)
        points = points - step
        if np.abs(step).max(initial=0.0) <= 4 * np.finfo(np.float64).eps * np.abs(points).max(initial=0.0):
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
    """Points of the curve from `start` on, until it leaves the box or closes; whether it has closed."""
    size = float(np.max(upper - lower))
    step = _LONGEST * size
    points = [start]
    first = heading = sense * _along(gradient, start[None])[0]
    while len(points) < MOST_PIECES and step > CLOSE * size:
        ahead = points[-1] + step * heading
        there = _corrected(level, gradient, ahead[None])[0]
        new = sense * _along(gradient, there[None])[0]
        # halve a step that turns too far or whose correction is too long
        turned = not np.isfinite(new).all() or new @ heading < np.cos(_LARGEST_TURN)
        if turned or np.linalg.norm(there - ahead) > 0.5 * step:
            step /= 2
            continue
        gap = np.linalg.norm(there - start)
        passed = (start - points[-1]) @ (there - start) > 0
        if len(points) > 2 and new @ first > 0 and (gap < 0.75 * step or (passed and gap < step)):
            between = [there] if not passed and gap > 0.25 * step else []  # the last step is no longer than others
            return np.array([*points, *between, start]), True
        points.append(there)
        heading = new
        if np.any(there < lower) or np.any(there > upper):
            break
        step = min(1.5 * step, _LONGEST * size)
    return np.array(points), False


def _curve(level: Level, gradient: Level, way: FloatArray, closed: bool) -> PlaneCurve:
    """A smooth curve through points: a spline with every point moved onto the zero level."""
    from scipy.interpolate import CubicSpline  # rarely needed, slow to import

    lengths = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(way, axis=0), axis=1)))
    spline = CubicSpline(lengths, way, bc_type="periodic" if closed else "not-a-knot")
    speed = spline.derivative()

    def point(t: FloatArray) -> FloatArray:
        return _corrected(level, gradient, np.asarray(spline(t)))

    def tangent(t: FloatArray) -> FloatArray:
        return np.asarray(_along(gradient, point(t)) * np.linalg.norm(speed(t), axis=1)[:, None])

    return PlaneCurve(point, tangent, 0.0, float(lengths[-1]))


def curve_within(curve: PlaneCurve, domain: Domain) -> tuple[PlaneCurve, ...]:
    """The pieces of a curve that lie inside a domain, not along its boundary."""
    lower, upper = domain.bounding_box
    edges = edges_of(domain) or edges_of(Box(lower.tolist(), upper.tolist())) or ()
    resolution = Resolution.of(lower, upper)
    cuts = cuts_between(([curve], [edge.curve for edge in edges]), resolution)[0][0]
    pieces = split(curve, cuts, resolution)
    return tuple(p for p in pieces if domain._contains(p.point(p.t0 + (p.t1 - p.t0) * SIDE_PROBES), False).sum() >= 2)
