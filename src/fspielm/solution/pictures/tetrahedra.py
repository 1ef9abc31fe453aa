"""Surfaces on which values on a grid of points reach a level, by marching tetrahedra."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np

from fspielm.arrays import FloatArray

# A cell is cut into six tetrahedra around its diagonal; the corners of each, as steps along the three axes.
_TETRAHEDRA = [
    np.cumsum([np.zeros(3, dtype=int), *(np.eye(3, dtype=int)[axis] for axis in order)], axis=0)
    for order in permutations(range(3))
]


def level_surface(values: FloatArray, axes: tuple[FloatArray, FloatArray, FloatArray], level: float) -> FloatArray:
    """Triangles ``(n, 3, 3)``, by triangle, corner and coordinate, on which the values are `level`.

    Parameters
    ----------
    values : (nx, ny, nz) array
        NaN where there is none: cells with such a corner are left out.
    axes : tuple of (nx,), (ny,) and (nz,) arrays
    level : float

    References
    ----------
    A. Doi and A. Koide, An efficient method of triangulating equi-valued surfaces by using tetrahedral cells, 1991.
    """
    places = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    cells = tuple(n - 1 for n in values.shape)
    surfaces = []
    for corners in _TETRAHEDRA:
        index = [tuple(slice(s, s + n) for s, n in zip(corner, cells, strict=True)) for corner in corners]
        heights = np.stack([values[i].ravel() for i in index], axis=1) - level
        points = np.stack([places[i].reshape(-1, 3) for i in index], axis=1)
        known = np.isfinite(heights).all(axis=1)
        surfaces += _cut(heights[known], points[known])
    return np.concatenate(surfaces)


def _cut(heights: FloatArray, points: FloatArray) -> list[FloatArray]:
    """The triangles in which tetrahedra, ``(n, 4)`` heights at ``(n, 4, 3)`` points, meet height zero."""
    above = heights > 0
    surfaces = []
    for pattern in product((False, True), repeat=4):
        high, low = ([corner for corner in range(4) if pattern[corner] is side] for side in (True, False))
        chosen = np.all(above == pattern, axis=1)
        if not len(high) or not len(low) or not chosen.any():
            continue
        h, p = heights[chosen], points[chosen]
        crossings = [[_crossing(h, p, i, j) for j in low] for i in high]
        if len(high) == len(low):
            (a, b), (c, d) = crossings
            surfaces += [np.stack([a, b, d], axis=1), np.stack([a, d, c], axis=1)]
        else:
            surfaces.append(np.stack([point for row in crossings for point in row], axis=1))
    return surfaces


def _crossing(heights: FloatArray, points: FloatArray, i: int, j: int) -> FloatArray:
    """Where the edge from corner i to corner j has height zero."""
    share = heights[:, i] / (heights[:, i] - heights[:, j])
    return np.asarray(points[:, i] + share[:, None] * (points[:, j] - points[:, i]))
