"""Several materials, for integrals and exports: one side of interfaces, and triangles of each region."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.equations import Problem
from fspielm.geometry import BoundaryPart, Domain, Regions, Sites, regions_in

# How far from an interface one of its sides is looked at, relative to the domain's extent.
_HAIR = 1e-12
# How far points of triangles are moved toward the middle of one of theirs.
_TOWARD = 1e-9

_REGION = "region"

# Points and triangles of a shape, with sides of about such a length.
Triangulate = Callable[[Domain, float], tuple[FloatArray, NDArray[np.int64]] | None]


class RegionMesh(NamedTuple):
    """Triangles of all regions: those of two share no points.

    Attributes
    ----------
    points : (n, 2) array
    inner : (n, 2) array
        The same a hair inside of their regions, to evaluate at.
    triangles : (m, 3) array of int
    """

    points: FloatArray
    inner: FloatArray
    triangles: NDArray[np.int64]


def interface_parts(problem: Problem, region: Domain) -> list[BoundaryPart]:
    """The interfaces of a problem, in space where `region` is that alone, a hair on their first side."""
    lower, upper = region.bounding_box
    hair = _HAIR * float(np.max(upper - lower))
    if region is problem.domain:
        return [_beside(replace(line.part, name=line.name), hair) for line in problem.interfaces]
    regions = regions_in(region)
    return [] if regions is None else [_beside(border.part, hair) for border in regions.interfaces]


def _beside(part: BoundaryPart, hair: float) -> BoundaryPart:
    place = part.place

    def beside(unit: FloatArray) -> Sites:
        sites = place(unit)
        assert sites.normals is not None  # every boundary part has them
        return Sites(sites.points - hair * sites.normals, sites.normals)

    return replace(part, place=beside)


def region_column(problem: Problem, points: FloatArray) -> dict[str, FloatArray]:
    """The place of each point's region among their names, under ``region``; empty where the domain is one shape."""
    regions = regions_in(problem.domain)
    if regions is None or _REGION in problem.names:
        return {}
    return {_REGION: regions.region_of(points[:, : regions.dimension]).astype(np.float64)}


def region_mesh(regions: Regions, spacing: float, triangulate: Triangulate) -> RegionMesh | None:
    """Triangles of each region by itself, so that nothing is drawn across interfaces."""
    found: list[RegionMesh] = []
    count = 0
    for shape in regions.shapes.values():
        own = triangulate(shape, spacing)
        if own is None:
            return None
        points, triangles = own
        inner = points.copy()
        corners = triangles.ravel()
        middles = np.repeat(points[triangles].mean(axis=1), 3, axis=0)
        inner[corners] = points[corners] + _TOWARD * (middles - points[corners])
        found.append(RegionMesh(points, inner, triangles + count))
        count += len(points)
    return RegionMesh(*(np.concatenate(each) for each in zip(*found, strict=True)))
