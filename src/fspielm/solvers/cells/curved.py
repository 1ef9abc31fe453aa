"""Cells that are not too large for the curves that cut them, and for narrow gaps between curves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from fspielm.arrays import FloatArray
from fspielm.geometry.cells import Cover

# Points along what of a curve is in one cell.
_LOOKS = 32
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
    found = []
    known: dict[int, int] = {}
    for part, stretch in tiling.rims():
        unit = stretch.start + (stretch.end - stretch.start) * np.linspace(0, 1, _LOOKS)
        sites = part.place(unit[:, None])
        assert sites.normals is not None  # every boundary part has them
        length = part.measure * (stretch.end - stretch.start) / (_LOOKS - 1)
        turned = np.linalg.norm(np.diff(sites.normals, axis=0), axis=1).max()
        radius = length / turned if turned > 1e-9 else np.inf
        same = np.ones(_LOOKS, dtype=np.intp)
        number = known.setdefault(id(part), len(known))
        material = int(tiling.materials[stretch.cell])
        own = sites.points, sites.normals, radius * same, stretch.cell * same, number * same, material * same
        found.append(own)
    return _Curves(*(np.concatenate(each) for each in zip(*found, strict=True))) if found else None


def _necks(curves: _Curves) -> FloatArray:
    """At each point, the distance over which a solution varies in the gap to the curve that it faces, if any."""
    found = np.full(len(curves.points), np.inf)
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
        radius = np.where(facing, np.minimum(curves.radii[own], curves.radii[there]), np.inf)
        found[own] = np.where(width > 0, np.sqrt(np.maximum(width, _TINY) * radius), np.inf)
    return found
