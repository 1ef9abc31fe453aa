"""Sources along the sides of an object, and toward its corners."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
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
_FARTHEST = 2.2
_OF_SIDE = 0.4
# Their number for the digits that are wanted: (digits - some)^2.
_DIGITS_FREE = 1.2
_FEWEST_POLES = 12
# Points along a side that its wall is told by.
_PER_SIDE = 80


@final
@dataclass(frozen=True, eq=False)
class Inside:
    """Points ``(n, 2)`` in an object, how deep they are ``(n,)``, and the depth below each of its sides."""

    points: FloatArray
    depths: FloatArray
    by_side: tuple[float, ...] = ()


def along_sides(loop: Sequence[PlaneCurve], k: float, gap: float, foldings: float, share: float) -> Inside:
    """Sources below all sides: as deep as walls and wavelengths allow, times a share of that."""
    unit = (np.arange(_PER_SIDE) + 0.5) / _PER_SIDE
    places = [curve.parameter(unit) for curve in loop]
    rims = [curve.point(t) for curve, t in zip(loop, places, strict=True)]
    rim = np.concatenate(rims)
    normals = [curve.normals(t) for curve, t in zip(loop, places, strict=True)]
    depths = []
    for on, inward in zip(rims, normals, strict=True):
        wall = float(np.median(_touching(on, inward, rim)))
        depths.append(share * min(_OF_WALL * wall, _OF_GAP * gap, _RADIANS / k if k else math.inf))
    ratio = max(foldings / _FOLDINGS_PER, 1.0)
    points, deep = [], []
    for curve, depth in zip(loop, depths, strict=True):
        count = math.ceil(curve.length * ratio / depth)
        t = curve.parameter((np.arange(count) + 0.5) / count)
        points.append(curve.point(t) + depth * curve.normals(t))
        deep.append(np.full(count, depth))
    found, depth_of = np.concatenate(points), np.concatenate(deep)
    kept = _clearance(found, loop) >= _CLEAR * depth_of
    found, depth_of = found[kept], depth_of[kept]
    kept = _first_of_pairs(found, _APART * depth_of / ratio)
    return Inside(found[kept], depth_of[kept], tuple(depths))


def toward_corners(loop: Sequence[PlaneCurve], corners: Sequence[Corner], sides: Inside, digits: float) -> Inside:
    """Poles that crowd exponentially toward every corner."""
    count = max(math.ceil((digits - _DIGITS_FREE) ** 2), _FEWEST_POLES)
    points, depths = [np.empty((0, 2))], [np.empty(0)]
    starts = np.array([curve.ends[0] for curve in loop])
    for corner in corners:
        after = int(np.argmin(np.hypot(*(starts - corner.point).T)))
        beside = (after - 1, after)
        # away from the middle of the domain, into the object
        away = corner.start + 0.5 * corner.opening + math.pi
        farthest = min(_FARTHEST * sides.by_side[side] for side in beside)
        farthest = min(farthest, _OF_SIDE * min(loop[side].length for side in beside))
        steps = np.sqrt(count) - np.sqrt(np.arange(1, count + 1))
        distances = farthest * np.exp(-_CROWDING * steps)
        points.append(np.array(corner.point) + distances[:, None] * np.array([math.cos(away), math.sin(away)]))
        # from the sides, of an object that is sharp
        half = math.pi - 0.5 * corner.opening
        depths.append(distances * math.sin(min(half, 0.5 * math.pi)))
    return Inside(np.concatenate(points), np.concatenate(depths))


def _touching(points: FloatArray, normals: FloatArray, rim: FloatArray) -> FloatArray:
    """Radii of the disks that touch the boundary from inside at `points`, and no other point of its `rim`."""
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
