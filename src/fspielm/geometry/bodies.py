"""Bodies within closed surfaces: which way is out, what is cut out of them, and whether they overlap."""

from __future__ import annotations

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.mesh import IntArray, extent_of
from fspielm.geometry.rays import FacetBins, facet_bins

_UP = 2  # lines along any axis would do
# Less volume than this share of area times size is none.
_FLAT = 1e-12
# Crossings of a line closer than this share of the size may be in either order.
_CLOSE = 1e-9


def turned_outward(vertices: FloatArray, faces: IntArray, body: IntArray) -> IntArray:
    """Facets turned so that each body by itself has a positive volume."""
    corners = vertices[faces] - vertices.mean(axis=0)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    volumes = np.bincount(body, np.sum(corners[:, 0] * normals, axis=1) / 6)
    areas = np.bincount(body, np.linalg.norm(normals, axis=1) / 2)
    if (np.abs(volumes) <= _FLAT * areas * extent_of(vertices)).any():
        raise ProblemError("Surface: faces must enclose a volume; got a closed surface without any: it is flat")
    outward = faces.copy()
    inward = volumes[body] < 0
    outward[inward] = outward[inward][:, ::-1]
    return outward


def hollowed(vertices: FloatArray, faces: IntArray, body: IntArray) -> IntArray:
    """Facets of outward bodies, turned inward for a body inside an odd number of others: it is a cavity of them."""
    _, first = np.unique(body, return_index=True)
    probes = vertices[faces[first]].mean(axis=1)
    depth = np.zeros(len(first), dtype=np.int64)
    for other in range(len(first) if len(first) > 1 else 0):
        line, height, _ = facet_bins(vertices, faces[body == other], _UP, 0.0).crossings(probes)
        above = np.bincount(line[height > probes[line, _UP]], minlength=len(first))
        inside: BoolArray = above % 2 == 1
        inside[other] = False
        depth += inside
    turned = faces.copy()
    cavity = depth[body] % 2 == 1
    turned[cavity] = turned[cavity][:, ::-1]
    return turned


def refuse_overlaps(bins: FacetBins, probes: FloatArray, size: float) -> None:
    """Refuse a surface that crosses itself: along lines through `probes`, it would not face down and up in turn."""
    line, height, facing = bins.crossings(probes)
    depth = -np.cumsum(facing)  # every line ends where it began: outside
    same_line = np.diff(line, append=-1) == 0
    apart = np.diff(height, append=np.inf) > _CLOSE * size
    wrong = np.flatnonzero(same_line & apart & ((depth < 0) | (depth > 1)))
    if wrong.size:
        place = probes[line[wrong[0]]].copy()
        place[bins.axis] = height[wrong[0]]
        raise ProblemError(
            "Surface: faces must not cross each other; they do near "
            f"{np.array2string(place, precision=5, separator=', ')}: unite overlapping bodies into one surface"
        )
