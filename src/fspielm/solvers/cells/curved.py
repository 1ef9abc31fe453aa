"""Cells that are not too large for the curves that cut them, and for narrow gaps between curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from fspielm.arrays import FloatArray
from fspielm.geometry import BoundaryPart, Domain
from fspielm.geometry.cells import Cover, Stretch

# Points along what of a curve is in one cell.
_LOOKS = 32
# And along a whole one.
_LOOKS_ALONG = 256
# Cells are no longer than so many radii of curves in them; nor than so many times the distance over which solutions
# vary in a gap, the root of its width times the radius.
_RADII = 1.5
_GAPS = 1.3
# Curves face one another where the cosine of the angle between their normals is below this.
_FACING = -0.5
_MOST_HALVINGS = 6
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class _Curves:
    """Points on all curves that cut cells: their cells and materials, the curves' numbers, normals and radii."""

    points: FloatArray
    normals: FloatArray
    radii: FloatArray
    cells: NDArray[np.intp]
    curves: NDArray[np.intp]
    materials: NDArray[np.intp]


def toward_curved(tiling: Cover, most: int) -> Cover:
    """Cells halved along their longer sides as long as they are too large for the curves in them, to about `most`."""
    for _ in range(_MOST_HALVINGS if tiling.domain.dimension == 2 else 0):
        curves = _sampled(tiling)
        if curves is None:
            return tiling
        limit = np.full(len(tiling.cells), np.inf)
        np.minimum.at(limit, curves.cells, np.minimum(_RADII * curves.radii, _GAPS * _necks(curves)))
        sides = np.array([cell.upper - cell.lower for cell in tiling.cells])
        wanted = {
            int(cell): tuple(np.flatnonzero(sides[cell] > 0.7 * sides[cell].max()).tolist())
            for cell in np.flatnonzero(sides.max(axis=1) > limit)
        }
        if not wanted or len(tiling.cells) + sum(2 ** len(axes) - 1 for axes in wanted.values()) > most:
            return tiling
        tiling = tiling.halve(wanted)
    return tiling


def _sampled(tiling: Cover) -> _Curves | None:
    known: dict[int, int] = {}
    found = []
    for part, stretch in tiling.rims():
        number = known.setdefault(id(part), len(known))
        found.append(_look(part, stretch, number, int(tiling.materials[stretch.cell]), _LOOKS))
    return _joined(found) if found else None


def _look(part: BoundaryPart, stretch: Stretch, number: int, material: int, looks: int) -> _Curves:
    """Points along a stretch of a part that has a number."""
    unit = stretch.start + (stretch.end - stretch.start) * (np.arange(looks) + 0.5) / looks
    sites = part.place(unit[:, None])
    assert sites.normals is not None  # every boundary part has them
    length = part.measure * (stretch.end - stretch.start) / looks
    turns = np.linalg.norm(np.diff(sites.normals, axis=0), axis=1)
    smooth = np.diff(np.searchsorted(part.breaks, unit)) == 0  # a corner is no bend
    turned = float(turns[smooth].max(initial=0.0))
    radius = length / turned if turned > 1e-9 else np.inf
    same = np.ones(looks, dtype=np.intp)
    return _Curves(
        sites.points, sites.normals, np.full(looks, radius), stretch.cell * same, number * same, material * same
    )


def _joined(curves: Sequence[_Curves]) -> _Curves:
    return _Curves(*(np.concatenate([getattr(each, field.name) for each in curves]) for field in fields(_Curves)))


def narrowest_gap(domain: Domain) -> float:
    """The least width between two curves of a plane boundary that face each other, at least one of them bent.

    Infinite where there is none. Curves that meet at a corner are no gap.
    """
    if domain.dimension != 2 or domain.time is not None:
        return np.inf
    found = [
        _look(part, Stretch(0, 0.0, 1.0), number, 0, _LOOKS_ALONG) for number, part in enumerate(domain.boundary())
    ]
    curves = _joined(found)
    widths, radii = _faced(curves)
    widths = np.where(np.isfinite(radii), widths, np.inf).reshape(len(found), -1)
    before, middle, after = widths[:, :-2], widths[:, 1:-1], widths[:, 2:]
    least = middle[(middle <= before) & (middle <= after) & np.isfinite(before + after)]
    return float(least.min(initial=np.inf))


def _necks(curves: _Curves) -> FloatArray:
    """At each point, the distance over which a solution varies in the gap to the curve that it faces, if any."""
    widths, radii = _faced(curves)
    return np.where(widths > 0, np.sqrt(np.maximum(widths, _TINY) * radii), np.inf)


def _faced(curves: _Curves) -> tuple[FloatArray, FloatArray]:
    """How far each point is from the nearest one of a curve that it faces, and the smaller of both radii.

    Infinite where it faces none.
    """
    widths, radii = np.full(len(curves.points), np.inf), np.full(len(curves.points), np.inf)
    for curve in np.unique(curves.curves):
        own = np.flatnonzero(curves.curves == curve)
        others = np.flatnonzero((curves.curves != curve) & (curves.materials == curves.materials[own[0]]))
        if not len(others):
            continue
        width, nearest = cKDTree(curves.points[others]).query(curves.points[own])
        there = others[nearest]
        facing = np.sum(curves.normals[own] * curves.normals[there], axis=1) < _FACING
        # with the domain between them
        facing &= np.sum(curves.normals[own] * (curves.points[there] - curves.points[own]), axis=1) < _FACING * width
        widths[own] = np.where(facing, width, np.inf)
        radii[own] = np.where(facing, np.minimum(curves.radii[own], curves.radii[there]), np.inf)
    return widths, radii
