"""Plane domains cut into triangles, for pictures and files: the solver needs none."""

from __future__ import annotations

from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.geometry.contour import contour_of
from fspielm.geometry.curves import PlaneCurve
from fspielm.geometry.domain import Domain
from fspielm.geometry.plane import edges_of

IntArray: TypeAlias = NDArray[np.int64]

# Points inside keep this distance from those on the boundary, in units of the spacing: then no circle over a piece of
# the boundary holds one of them, and the piece is an edge of the triangulation.
_CLEAR = 0.75
# A curved edge has at least so many pieces.
_LEAST_PIECES = 8
# Pieces that a thin place keeps from being edges are halved so many times.
_MOST_ROUNDS = 12
# Triangles of three points on a straight piece of the boundary, in units of the spacing squared.
_NO_AREA = 1e-9


def triangulate(domain: Domain, spacing: float) -> tuple[FloatArray, IntArray] | None:
    """Triangles that fill a plane domain, their outer vertices exactly on its boundary, all corners among them.

    Parameters
    ----------
    domain : Domain
        A plane shape, or a box of the plane.
    spacing : float
        About how long the edges are to be; shorter where the domain is thin.

    Returns
    -------
    (points, triangles) or None
        Arrays ``(n, 2)`` and ``(m, 3)``, the latter indices counterclockwise; None for a domain without known edges.
    """
    edges = edges_of(domain)
    if edges is None:
        return None
    curves = [edge.curve for edge in edges]
    loops = [[curves[number] for number in loop] for loop in contour_of(curves, repr(domain)).loops]
    cuts = [[_cuts(curve, spacing) for curve in loop] for loop in loops]
    inside = _inside(domain, loops, cuts, spacing)
    for _ in range(_MOST_ROUNDS):
        rim, pieces = _rim(loops, cuts)
        points = np.concatenate([rim, inside])
        triangles = _delaunay(points)
        missing = _missing(pieces, triangles)
        if not missing.any():
            break
        cuts = _halved(cuts, missing)
    corners = points[triangles]
    area = _areas(corners)
    kept = (np.abs(area) > _NO_AREA * spacing**2) & domain.contains(corners.mean(axis=1))
    triangles, area = triangles[kept], area[kept]
    triangles[area < 0] = triangles[area < 0][:, ::-1]
    used, numbered = np.unique(triangles, return_inverse=True)
    return points[used], numbered.reshape(-1, 3).astype(np.int64)


def _cuts(curve: PlaneCurve, spacing: float) -> FloatArray:
    """Parameters that cut a curve into pieces of about equal length, its ends included."""
    pieces = max(int(np.ceil(curve.length / spacing)), 1 if curve.straight else _LEAST_PIECES)
    return curve.parameter(np.linspace(0.0, 1.0, pieces + 1))


def _rim(loops: list[list[PlaneCurve]], cuts: list[list[FloatArray]]) -> tuple[FloatArray, IntArray]:
    """Points of the boundary ``(n, 2)``, and the pairs of them ``(n, 2)`` that are neighbours."""
    points: list[FloatArray] = []
    pairs: list[IntArray] = []
    count = 0
    for loop, loop_cuts in zip(loops, cuts, strict=True):
        # every curve without its end, where the next one begins
        points += [curve.point(t[:-1]) for curve, t in zip(loop, loop_cuts, strict=True)]
        total = sum(len(t) - 1 for t in loop_cuts)
        index = np.arange(count, count + total, dtype=np.int64)
        pairs.append(np.column_stack([index, np.roll(index, -1)]))
        count += total
    return np.concatenate(points), np.concatenate(pairs)


def _inside(domain: Domain, loops: list[list[PlaneCurve]], cuts: list[list[FloatArray]], spacing: float) -> FloatArray:
    """Points of a regular grid inside, away from the boundary."""
    lower, upper = domain.bounding_box
    counts = np.maximum(np.round((upper - lower) / spacing).astype(int), 1)
    axes = [np.linspace(a, b, n + 1)[1:-1] for a, b, n in zip(lower, upper, counts, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    points = points[domain.contains(points)]
    from scipy.spatial import cKDTree

    rim, _ = _rim(loops, cuts)
    distance, _ = cKDTree(rim).query(points)
    return np.asarray(points[distance > _CLEAR * spacing])


def _delaunay(points: FloatArray) -> IntArray:
    from scipy.spatial import Delaunay

    # about the origin and of size one: far from it, or tiny, the library would see all points in one place
    middle, size = points.mean(axis=0), np.ptp(points, axis=0).max()
    return np.asarray(Delaunay((points - middle) / size).simplices, dtype=np.int64)


def _missing(pieces: IntArray, triangles: IntArray) -> NDArray[np.bool_]:
    """Mask of the pieces of the boundary that are no edges of triangles."""
    count = int(triangles.max()) + 1 + len(pieces)
    sides = np.sort(np.concatenate([triangles[:, pair] for pair in ([0, 1], [1, 2], [2, 0])]), axis=1)
    wanted = np.sort(pieces, axis=1)
    return ~np.isin(wanted[:, 0] * count + wanted[:, 1], sides[:, 0] * count + sides[:, 1])


def _halved(cuts: list[list[FloatArray]], missing: NDArray[np.bool_]) -> list[list[FloatArray]]:
    """The cuts with one more in the middle of every missing piece."""
    lengths = [len(t) - 1 for loop in cuts for t in loop]
    ends = np.cumsum([0, *lengths])
    flags = iter([missing[a:b] for a, b in pairwise(ends)])
    return [[np.sort(np.append(t, 0.5 * (t[:-1] + t[1:])[next(flags)])) for t in loop] for loop in cuts]


def _areas(corners: FloatArray) -> FloatArray:
    """Signed areas of triangles ``(m, 3, 2)``."""
    (x1, y1), (x2, y2) = (corners[:, 1] - corners[:, 0]).T, (corners[:, 2] - corners[:, 0]).T
    return np.asarray(0.5 * (x1 * y2 - x2 * y1))
