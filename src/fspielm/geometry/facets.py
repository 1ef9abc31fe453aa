"""The triangles of a mesh: their areas and normals, points spread over them, and quadrature."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.geometry.mesh import IntArray
from fspielm.geometry.quadrature import gauss
from fspielm.geometry.sampling import unit_stream
from fspielm.geometry.sites import Sites

_MOST_PER_SIDE = 40


@final
@dataclass(frozen=True, eq=False)
class Facets:
    """Oriented triangles, by their corners ``(m, 3, 3)``: facet, corner, coordinate."""

    corners: FloatArray

    def sites(self, facet: IntArray, places: FloatArray) -> Sites:
        """Points of facets ``(n,)`` by their barycentric coordinates ``(n, 3)``, with the facets' normals."""
        return Sites(np.sum(self.corners[facet] * places[:, :, None], axis=1), self.normals[facet])

    def touch(self, points: FloatArray, facet: IntArray, slack: float) -> BoolArray:
        """Whether each point ``(n, 3)`` lies on its facet ``(n,)``, or no farther from it than `slack`."""
        height = np.sum(points * self.normals[facet], axis=1) - self._levels[facet]
        near: BoolArray = np.abs(height) <= slack
        index = np.flatnonzero(near)
        away = points[index, None, :] - self.corners[facet[index]]
        near[index] = (np.sum(away * self._rims[facet[index]], axis=2) <= slack).all(axis=1)
        return near

    @cached_property
    def crosses(self) -> FloatArray:
        """Normals ``(m, 3)``, twice as long as their facet is large."""
        a, b, c = np.moveaxis(self.corners, 1, 0)
        return np.asarray(np.cross(b - a, c - a), dtype=np.float64)

    @cached_property
    def areas(self) -> FloatArray:
        """Areas ``(m,)``."""
        return np.asarray(0.5 * np.linalg.norm(self.crosses, axis=1), dtype=np.float64)

    @cached_property
    def normals(self) -> FloatArray:
        """Unit normals ``(m, 3)``; zero for a facet without area."""
        return _unit(self.crosses)

    @cached_property
    def centers(self) -> FloatArray:
        """Centers of gravity ``(m, 3)``."""
        return np.asarray(self.corners.mean(axis=1), dtype=np.float64)

    @cached_property
    def _levels(self) -> FloatArray:
        """Where along its normal the plane of each facet lies; nowhere for a facet without area."""
        levels = np.sum(self.normals * self.centers, axis=1)
        return np.where(self.areas > 0, levels, np.inf)

    @cached_property
    def _rims(self) -> FloatArray:
        """Unit vectors ``(m, 3, 3)`` in the plane of each facet that lead out across its edges, from each corner on."""
        edges = np.roll(self.corners, -1, axis=1) - self.corners
        return _unit(np.cross(edges, self.normals[:, None, :]))


def spread(areas: FloatArray, unit: FloatArray) -> tuple[IntArray, FloatArray]:
    """Facets ``(n,)`` and barycentric coordinates in them ``(n, 3)``, from points of the unit square ``(n, 2)``.

    The first coordinate picks the facet and, with the rest of it, a place there: equal areas of the square go to
    equal areas of the facets, and to neighbouring ones if neighbours follow each other.
    """
    ends = np.append(0.0, np.cumsum(areas))
    ends /= ends[-1]
    facet = np.clip(np.searchsorted(ends, unit[:, 0], side="right") - 1, 0, len(areas) - 1)
    width = ends[facet + 1] - ends[facet]
    s = np.clip(np.divide(unit[:, 0] - ends[facet], width, out=np.zeros(len(unit)), where=width > 0), 0.0, 1.0)
    t = unit[:, 1]
    # E. Heitz, "A low-distortion map between triangle and square" (2019): each half of the square, cut along its
    # diagonal, goes to a half of the triangle by a linear map.
    half = 0.5 * np.minimum(s, t)
    a, b = s - half, t - half
    return facet.astype(np.int64), np.column_stack([1 - a - b, a, b])


def gathered(areas: FloatArray, facet: IntArray, places: FloatArray) -> FloatArray:
    """Points of the unit square ``(n, 2)`` that `spread` takes to these places: its inverse."""
    ends = np.append(0.0, np.cumsum(areas))
    a, b = places[:, 1], places[:, 2]
    least = np.minimum(a, b)
    first = ends[facet] + areas[facet] * np.clip(a + least, 0.0, 1.0)
    return np.column_stack([first / ends[-1], np.clip(b + least, 0.0, 1.0)])


def facet_rule(areas: FloatArray, n: int) -> tuple[IntArray, FloatArray, FloatArray]:
    """Facets, barycentric coordinates in them and weights, about `n`, for integrals over all facets.

    Gauss rules on every facet, the larger the more nodes; where there are fewer nodes than facets, evenly spread
    points of equal weight.
    """
    if n < len(areas):
        facet, places = spread(areas, unit_stream(2, np.random.default_rng(0), "low-discrepancy")(n))
        return facet, places, np.full(n, float(areas.sum()) / n)
    wanted = np.clip(np.round(np.sqrt(n * areas / areas.sum())), 1, _MOST_PER_SIDE).astype(np.int64)
    facets, nodes, weights = [], [], []
    for side in np.unique(wanted):
        here = np.flatnonzero((wanted == side) & (areas > 0))
        unit, shares = _conical(int(side))
        facets.append(np.repeat(here, len(unit)))
        nodes.append(np.tile(unit, (len(here), 1)))
        weights.append((areas[here, None] * shares).ravel())
    return np.concatenate(facets), np.concatenate(nodes), np.concatenate(weights)


@lru_cache(maxsize=64)
def _conical(side: int) -> tuple[FloatArray, FloatArray]:
    """Stroud's conical product on a triangle: ``side**2`` nodes, exact for polynomials of degree ``2 side - 1``."""
    from scipy.special import roots_jacobi

    s, radial = roots_jacobi(side, 0.0, 1.0)
    t, across = gauss(side)
    distance, angle = (axis.ravel() for axis in np.meshgrid(0.5 * (1 + s), t, indexing="ij"))
    weights = np.outer(radial / radial.sum(), across).ravel()
    return np.column_stack([1 - distance, distance * (1 - angle), distance * angle]), weights


def _unit(vectors: FloatArray) -> FloatArray:
    """Vectors of length one; zero where there is no direction."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0), dtype=np.float64)
