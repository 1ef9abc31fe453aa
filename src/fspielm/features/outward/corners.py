"""Sources along the sides of an object, and toward its corners."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.deadline import check_deadline
from fspielm.geometry import Corner, PlaneCurve

# Depth below a side: of the largest disk that touches it from inside, in radians of the wave, and of the gap outside.
_OF_WALL = 0.5
_RADIANS = 3.5
_OF_GAP = 0.8
# A source may be closer than that to another side, but not much.
_CLEAR = 0.8
# In units of their spacing, how close to each other sources may be.
_APART = 0.6
# Sources to a depth: so many foldings of what their spacing leaves.
_FOLDINGS_PER = 2 * math.pi
# Of poles toward a corner: how fast they crowd, and the farthest one, in units of the depth beside it.
_CROWDING = 3.0
_SHARP, _DENSEST = 1.5, 0.45
_FARTHEST = 2.2
_OF_SIDE = 0.4
# Below a side, depth falls toward its ends down to this share of what it is; so much farther poles reach.
_SHALLOWEST = 0.35
_OVERLAP = 1.5
# In units of the farthest one: poles that are closer to the corner need not be looked at.
_CLOSE = 0.1
# Their number for the digits that are wanted: (digits - some)^2.
_DIGITS_FREE = 2.7
_FEWEST_POLES = 12
# Points along a side that its wall is told by.
_PER_SIDE = 80
# The same for their density.
_FINE = 4000


@final
@dataclass(frozen=True, eq=False)
class Inside:
    """Points ``(n, 2)`` in an object, how deep they are ``(n,)``, and the depth below each of its sides.

    And how many functions there are to a depth, along the boundary.
    """

    points: FloatArray
    depths: FloatArray
    strengths: FloatArray
    by_side: tuple[float, ...] = ()


def along_sides(loop: Sequence[PlaneCurve], k: float, gap: float, foldings: float, share: float) -> Inside:
    """Sources below all sides: as deep as walls and wavelengths allow, times a share of that."""
    # denser toward the ends, where the next side is close
    unit = 0.5 - 0.5 * np.cos(np.pi * (np.arange(_PER_SIDE) + 0.5) / _PER_SIDE)
    places = [curve.parameter(unit) for curve in loop]
    rim = np.concatenate([curve.point(t) for curve, t in zip(loop, places, strict=True)])
    ratio = max(foldings / _FOLDINGS_PER, 1.0)
    points, deep, by_side = [], [], []
    for curve, t in zip(loop, places, strict=True):
        walls = np.minimum(_OF_WALL * _touching(curve.point(t), curve.normals(t), rim), curve.length)
        deepest = share * min(float(np.median(walls)), _OF_GAP * gap, _RADIANS / k if k else math.inf)
        found, depths = _below(curve, deepest, (unit, walls), ratio)
        points.append(found)
        deep.append(depths)
        by_side.append(deepest)
    found, depths = np.concatenate(points), np.concatenate(deep)
    kept = (_clearance(found, loop) >= _CLEAR * depths) & _is_inside(found, loop)
    found, depths = found[kept], depths[kept]
    kept = _first_of_pairs(found, _APART * depths / ratio)
    return Inside(found[kept], depths[kept], np.full(int(kept.sum()), ratio), tuple(by_side))


def _below(
    curve: PlaneCurve, deepest: float, walls: tuple[FloatArray, FloatArray], ratio: float
) -> tuple[FloatArray, FloatArray]:
    """Sources below one side, `ratio` of them to a depth, up to where poles toward its ends take over."""
    fine = (np.arange(_FINE) + 0.5) / _FINE
    depth = np.minimum(np.interp(fine, *walls), deepest)
    number = np.cumsum(ratio * curve.length / (_FINE * depth))
    at = np.interp(np.arange(0.5, number[-1]), number, fine)
    depth = np.interp(at, fine, depth)
    at, depth = at[depth >= _SHALLOWEST * deepest], depth[depth >= _SHALLOWEST * deepest]
    t = curve.parameter(at)
    return curve.point(t) + depth[:, None] * curve.normals(t), depth


def toward_corners(loop: Sequence[PlaneCurve], corners: Sequence[Corner], sides: Inside, digits: float) -> Inside:
    """Poles that crowd exponentially toward every corner."""
    number = max((digits - _DIGITS_FREE) ** 2, _FEWEST_POLES)
    points, depths, strengths = [np.empty((0, 2))], [np.empty(0)], [np.empty(0)]
    starts = np.array([curve.ends[0] for curve in loop])
    for corner in corners:
        after = int(np.argmin(np.hypot(*(starts - corner.point).T)))
        beside = (after - 1, after)
        # away from the middle of the domain, into the object
        away = corner.start + 0.5 * corner.opening + math.pi
        half = math.pi - 0.5 * corner.opening
        # between sides that are close to each other they are denser
        crowding = _CROWDING * min(max(_SHARP * math.tan(half), _DENSEST), 1.0) if half < 0.5 * math.pi else _CROWDING
        count = math.ceil(number * (_CROWDING / crowding) ** 2)
        # as far as where sources below the sides end, for which walls are too thin
        least = max(_FARTHEST, _OVERLAP * _SHALLOWEST / (_OF_WALL * math.tan(0.5 * half)) if half < 1.0 else 0.0)
        farthest = min(
            least * max(sides.by_side[side] for side in beside), *(_OF_SIDE * loop[s].length for s in beside)
        )
        index = np.arange(1, count + 1)
        distances = farthest * np.exp(-crowding * (np.sqrt(count) - np.sqrt(index)))
        found = np.array(corner.point) + distances[:, None] * np.array([math.cos(away), math.sin(away)])
        kept = _is_inside(found, loop) | (distances < _CLOSE * farthest)
        points.append(found[kept])
        # from the sides, of an object that is sharp
        sine = math.sin(min(half, 0.5 * math.pi))
        depths.append(distances[kept] * sine)
        # three functions each, seen from two sides
        strengths.append((3 * np.sqrt(index) / crowding * sine)[kept])
    return Inside(np.concatenate(points), np.concatenate(depths), np.concatenate(strengths))


def _touching(points: FloatArray, normals: FloatArray, rim: FloatArray) -> FloatArray:
    """Radii of the disks that touch the boundary from inside at `points`, and no other point of its `rim`."""
    check_deadline()
    apart = rim[None, :, :] - points[:, None, :]
    ahead = np.einsum("ijk,ik->ij", apart, normals)
    with np.errstate(divide="ignore", invalid="ignore"):
        radii = np.sum(apart**2, axis=2) / (2 * ahead)
    return np.asarray(np.where(ahead > 1e-12, radii, np.inf).min(axis=1))


def _first_of_pairs(points: FloatArray, apart: FloatArray) -> BoolArray:
    """Without points that are closer to an earlier one than they should be, as below two sides at their corner."""
    from scipy.spatial import cKDTree  # imported here: it takes long, and few need it

    kept = np.ones(len(points), dtype=np.bool_)
    for one, other in sorted(cKDTree(points).query_pairs(float(apart.max()))):
        if kept[one] and math.dist(points[one], points[other]) < apart[other]:
            kept[other] = False
    return kept


def _clearance(points: FloatArray, loop: Sequence[PlaneCurve]) -> FloatArray:
    """Distances from the boundary."""
    from scipy.spatial import cKDTree  # imported here: it takes long, and few need it

    unit = np.linspace(0.0, 1.0, 40 * _PER_SIDE)
    rim = np.concatenate([curve.point(curve.parameter(unit)) for curve in loop])
    return np.asarray(cKDTree(rim).query(points)[0], dtype=np.float64)


def _is_inside(points: FloatArray, loop: Sequence[PlaneCurve]) -> BoolArray:
    """Whether points lie on the right of the loop, by the crossings of a ray; those close to its sides aside."""
    unit = np.linspace(0.0, 1.0, 4 * _PER_SIDE + 1)[:-1]
    rim = np.concatenate([curve.point(curve.parameter(unit[:1] if curve.straight else unit)) for curve in loop])
    (x0, y0), (x1, y1) = rim.T, np.roll(rim, -1, axis=0).T
    x, y = points[:, :1], points[:, 1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        crossed = ((y0 > y) != (y1 > y)) & (x < x0 + (y - y0) * (x1 - x0) / (y1 - y0))
    within = np.asarray(np.sum(crossed, axis=1) % 2 == 1)
    # on the right of the loop, whichever way it goes around
    goes_around = float(np.sum(x0 * y1 - x1 * y0)) > 0
    return ~within if goes_around else within
