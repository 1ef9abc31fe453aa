"""Triangle meshes put in order: equal vertices merged, holes and other defects refused, facets turned outward."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fspielm.arrays import FloatArray, as_points
from fspielm.errors import ProblemError

IntArray: TypeAlias = NDArray[np.int64]

# Vertices closer than this share of the mesh's size are one: file formats store seven digits, or repeat them.
_SAME = 1e-9
# Less volume than this share of area times size is none.
_FLAT = 1e-12


def read_arrays(vertices: ArrayLike, faces: ArrayLike) -> tuple[FloatArray, IntArray]:
    """Return vertices ``(n, 3)`` and faces ``(m, 3)`` as arrays, or say what is wrong with them."""
    points = as_points(vertices, 3, argument="Surface: vertices")
    if not np.isfinite(points).all():
        raise ProblemError("Surface: vertices must be finite; got infinity or NaN among them")
    index: NDArray[Any] = np.asarray(faces)
    if index.ndim != 2 or index.shape[1] != 3 or index.dtype.kind not in "iu":
        raise ProblemError(
            "Surface: faces must be whole numbers of shape (m, 3), the three vertices of each facet; "
            f"got {index.dtype} of shape {index.shape}"
        )
    if not len(index):
        raise ProblemError("Surface: faces must hold at least four facets; got none")
    if index.min() < 0 or index.max() >= len(points):
        raise ProblemError(
            f"Surface: faces must be indices of the {len(points)} vertices, from 0; got {index.min()} to {index.max()}"
        )
    return points, index.astype(np.int64)


def merged(vertices: FloatArray, faces: IntArray) -> tuple[FloatArray, IntArray]:
    """Vertices at the same place made one; facets that lose a corner by it, and unused vertices, left out."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    places, index = np.unique(vertices, axis=0, return_inverse=True)
    near = cKDTree(places).query_pairs(_SAME * _size(places), output_type="ndarray")
    links = coo_array((np.ones(len(near)), near.T), shape=(len(places), len(places)))
    _, group = connected_components(links, directed=False)
    faces = group[index.reshape(-1)[faces]]
    faces = faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)]
    if not len(faces):
        raise ProblemError("Surface: faces must have three different corners; all of them have fewer")
    _, first = np.unique(group, return_index=True)
    used, renumbered = np.unique(faces, return_inverse=True)
    return places[first][used], renumbered.reshape(-1, 3).astype(np.int64)


def turned_alike(vertices: FloatArray, faces: IntArray) -> tuple[IntArray, IntArray]:
    """Facets of each body turned the same way around, and the body ``(m,)`` that each belongs to.

    Refuses what is not the boundary of a solid: open, branching and one-sided surfaces.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges = np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2)  # three of facet 0, of facet 1, ...
    sides, which, counts = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True, return_counts=True)
    _refuse_branches(vertices, sides[counts > 2])
    _refuse_holes(sides[counts == 1], len(vertices))
    first, second = np.argsort(which.reshape(-1), kind="stable").reshape(-1, 2).T
    opposed = edges[first, 0] != edges[second, 0]  # neighbours turned alike run along their edge in opposite ways
    m = len(faces)
    # Every facet twice, as it is (f) and turned over (f + m), linked to its neighbours as they then must be.
    here, there = np.tile(first // 3, 2), np.tile(second // 3, 2)
    here[len(first) :] += m
    there += m * np.concatenate([~opposed, opposed])
    _, label = connected_components(coo_array((np.ones(len(here)), (here, there)), shape=(2 * m, 2 * m)), False)
    as_is, over = label[:m], label[m:]
    if (as_is == over).any():
        raise ProblemError(
            "Surface: faces must have an inside and an outside; got a surface with one side only, like a Moebius strip"
        )
    turned = faces.copy()
    turned[as_is > over] = turned[as_is > over][:, ::-1]
    return turned, np.unique(np.minimum(as_is, over), return_inverse=True)[1].astype(np.int64)


def turned_outward(vertices: FloatArray, faces: IntArray, body: IntArray) -> IntArray:
    """Facets turned so that each body by itself has a positive volume."""
    corners = vertices[faces] - vertices.mean(axis=0)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    volumes = np.bincount(body, np.sum(corners[:, 0] * normals, axis=1) / 6)
    areas = np.bincount(body, np.linalg.norm(normals, axis=1) / 2)
    if (np.abs(volumes) <= _FLAT * areas * _size(vertices)).any():
        raise ProblemError("Surface: faces must enclose a volume; got a closed surface without any: it is flat")
    outward = faces.copy()
    inward = volumes[body] < 0
    outward[inward] = outward[inward][:, ::-1]
    return outward


def along_a_curve(points: FloatArray) -> IntArray:
    """An order in which points ``(n, 3)`` that follow each other lie near each other (Morton's curve)."""
    lower, extent = points.min(axis=0), max(float(np.ptp(points, axis=0).max()), np.finfo(np.float64).tiny)
    cells = ((points - lower) / extent * 1023).astype(np.int64)
    code = np.zeros(len(points), dtype=np.int64)
    for bit in range(10):
        for axis in range(3):
            code |= ((cells[:, axis] >> bit) & 1) << (3 * bit + axis)
    return np.argsort(code, kind="stable")


def _refuse_branches(vertices: FloatArray, sides: IntArray) -> None:
    if len(sides):
        a, b = (np.array2string(vertices[i], precision=5, separator=", ") for i in sides[0])
        raise ProblemError(
            f"Surface: every edge must join two facets; {len(sides)} of them join more, the first from {a} to {b}: "
            "remove facets inside the solid and doubled ones"
        )


def _refuse_holes(sides: IntArray, n: int) -> None:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if len(sides):
        rim, index = np.unique(sides, return_inverse=True)
        start, end = index.reshape(-1, 2).T
        links = coo_array((np.ones(len(sides)), (start, end)), shape=(len(rim), len(rim)))
        holes = int(connected_components(links, directed=False)[0])
        raise ProblemError(
            f"Surface: faces must close around a solid; got an open surface with {holes} hole{'s' * (holes > 1)} "
            f"({len(sides)} edges have a facet on one side only): fill them, for instance with "
            "trimesh.repair.fill_holes"
        )


def _size(points: FloatArray) -> float:
    return float(np.ptp(points, axis=0).max())
