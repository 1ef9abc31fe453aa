"""Triangle meshes put in order, and lines through them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fspielm.arrays import BoolArray, FloatArray, IntArray, as_points, positions_in_runs
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import LONGEST_RULE, Sites, gauss
from fspielm.geometry.curves import MOST_PIECES
from fspielm.numerics.sampling import unit_stream
from fspielm.numerics.tolerances import ITERATIONS, SAME

# ---- Checks and repairs of triangle meshes


def read_arrays(vertices: ArrayLike, faces: ArrayLike) -> tuple[FloatArray, IntArray]:
    """Checked arrays of vertices ``(n, 3)`` and faces ``(m, 3)``."""
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


def merge_vertices(vertices: FloatArray, faces: IntArray) -> tuple[FloatArray, IntArray]:
    """Merge vertices at the same place; drop facets that lose a corner, and unused vertices."""
    from scipy.spatial import cKDTree

    places, index = np.unique(vertices, axis=0, return_inverse=True)
    near = cKDTree(places).query_pairs(SAME * extent_of(places), output_type="ndarray")
    _, group = _linked(near[:, 0], near[:, 1], len(places))
    faces = group[index.reshape(-1)[faces]]
    faces = faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)]
    if not len(faces):
        raise ProblemError("Surface: faces must have three different corners; all of them have fewer")
    _, first = np.unique(group, return_index=True)
    used, renumbered = np.unique(faces, return_inverse=True)
    return places[first][used], renumbered.reshape(-1, 3).astype(np.int64)


def consistently_oriented(vertices: FloatArray, faces: IntArray) -> tuple[IntArray, IntArray]:
    """Facets with a consistent orientation on each body, and the body ``(m,)`` of each facet.

    Refuses surfaces that do not bound a solid: open, branching and one-sided ones.
    """
    edges = np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2)  # three of facet 0, of facet 1, ...
    sides, which, counts = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True, return_counts=True)
    branches, open_sides = sides[counts > 2], sides[counts == 1]
    if len(branches):
        a, b = (np.array2string(vertices[i], precision=5, separator=", ") for i in branches[0])
        raise ProblemError(
            f"Surface: every edge must join two facets; {len(branches)} of them join more, the first from {a} to {b}: "
            "remove facets inside the solid and doubled ones"
        )
    if len(open_sides):
        rim, index = np.unique(open_sides, return_inverse=True)
        holes, _ = _linked(index.reshape(-1)[::2], index.reshape(-1)[1::2], len(rim))
        raise ProblemError(
            f"Surface: faces must close around a solid; got an open surface with {holes} hole{'s' * (holes > 1)} "
            f"({len(open_sides)} edges have a facet on one side only): fill them, for instance with "
            "trimesh.repair.fill_holes"
        )
    first, second = np.argsort(which.reshape(-1), kind="stable").reshape(-1, 2).T
    opposed = edges[first, 0] != edges[second, 0]  # consistent neighbours run along their edge in opposite directions
    m = len(faces)
    # Every facet twice, as it is (f) and turned over (f + m), linked to its neighbours in consistent orientation.
    here, there = np.tile(first // 3, 2), np.tile(second // 3, 2)
    here[len(first) :] += m
    there += m * np.concatenate([~opposed, opposed])
    _, label = _linked(here, there, 2 * m)
    as_is, over = label[:m], label[m:]
    if (as_is == over).any():
        raise ProblemError(
            "Surface: faces must have an inside and an outside; got a surface with one side only, like a Moebius strip"
        )
    turned = faces.copy()
    turned[as_is > over] = turned[as_is > over][:, ::-1]
    return turned, np.unique(np.minimum(as_is, over), return_inverse=True)[1].astype(np.int64)


def morton_order(points: FloatArray) -> IntArray:
    """An order of points ``(n, 3)`` along Morton's curve: neighbours in it lie near each other."""
    lower, extent = points.min(axis=0), max(float(np.ptp(points, axis=0).max()), np.finfo(np.float64).tiny)
    cells = ((points - lower) / extent * 1023).astype(np.int64)
    code = np.zeros(len(points), dtype=np.int64)
    for bit in range(10):
        for axis in range(3):
            code |= ((cells[:, axis] >> bit) & 1) << (3 * bit + axis)
    return np.argsort(code, kind="stable")


def _linked(first: IntArray, second: IntArray, count: int) -> tuple[int, IntArray]:
    """The number of connected groups of `count` things that are linked in pairs, and the group of each."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(first)), (first, second)), shape=(count, count))
    groups, group = connected_components(links, directed=False)
    return int(groups), group


def extent_of(points: FloatArray) -> float:
    """The longest side of the box around points."""
    return float(np.ptp(points, axis=0).max())


# ---- Lines along an axis through a mesh

# The average number of bins per facet beyond which bins are made larger.
_MOST_FILLED = 32


@final
@dataclass(frozen=True, eq=False)
class FacetBins:
    """Facets in a grid of bins across an axis, so that a line along the axis is tested against few facets.

    The facets of bin i are ``members[starts[i]:starts[i + 1]]``. Edges start at the vertex with the lower number, so
    that both facets at an edge have exactly the same numbers.
    """

    axis: int
    across: tuple[int, int]  # the other two axes, in cyclic order
    lower: FloatArray  # (2,): corner of the grid
    cell: FloatArray  # (2,): size of a bin
    per_side: int  # bins along each side of the grid
    starts: IntArray
    members: IntArray
    origins: FloatArray  # (m, 3, 2): start of every facet's edges, across the axis
    ways: FloatArray  # (m, 3, 2): their directions
    signs: FloatArray  # (m, 3): whether the facet runs along the edge in this direction
    ties: FloatArray  # (m, 3): the side assigned to a line that meets the edge
    heights: FloatArray  # (m, 3): coordinate of the corner opposite each edge, along the axis
    shift: FloatArray  # (2,): a negligible step across the axis, for lines that rounding leaves undecided

    def pairs(self, points: FloatArray) -> Iterator[tuple[IntArray, IntArray]]:
        """Indices of points ``(n, 3)`` and facets of their bins, in batches."""
        column = np.clip((points[:, self.across] - self.lower) // self.cell, 0, self.per_side - 1).astype(np.int64)
        bins = column[:, 0] * self.per_side + column[:, 1]
        counts = self.starts[bins + 1] - self.starts[bins]
        portion = np.cumsum(counts) // MOST_PIECES
        for part in np.split(np.arange(len(points)), np.flatnonzero(np.diff(portion)) + 1):
            count = counts[part]
            within = positions_in_runs(count)
            yield np.repeat(part, count), self.members[np.repeat(self.starts[bins[part]], count) + within]

    def crossings(self, points: FloatArray, retries: int = ITERATIONS) -> tuple[IntArray, FloatArray, FloatArray]:
        """Where the lines along the axis through `points` cross the surface, line by line from below.

        A line that meets an edge or a corner is moved by an infinitesimal step, the same for all lines: it crosses
        one of the facets there, or none. Lines with an odd number of crossings, by rounding, are moved by `shift`.

        Returns the index of the point, the coordinate along the axis, and 1 where the facet faces up, -1 elsewhere.
        """
        lines, heights, facings = [], [], []
        for line, facet in self.pairs(points):
            hit, height, facing = self._meet(points[line][:, self.across], facet)
            lines.append(line[hit])
            heights.append(height)
            facings.append(facing)
        line, height, facing = np.concatenate(lines), np.concatenate(heights), np.concatenate(facings)
        odd = np.flatnonzero(np.bincount(line, minlength=len(points)) % 2)
        if odd.size:
            sound = ~np.isin(line, odd)
            line, height, facing = line[sound], height[sound], facing[sound]
            if retries:
                moved = points[odd]
                moved[:, self.across] += self.shift
                again, *rest = self.crossings(moved, retries - 1)
                line, height, facing = (
                    np.concatenate(both) for both in zip((line, height, facing), (odd[again], *rest), strict=True)
                )
        order = np.lexsort((height, line))
        return line[order], height[order], facing[order]

    def intervals(self, points: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
        """The stretches of the lines through `points` that lie inside: line, low end, high end, each ``(k,)``."""
        line, height, _ = self.crossings(points)
        return line[::2], height[::2], height[1::2]

    def _meet(self, across: FloatArray, facet: IntArray) -> tuple[BoolArray, FloatArray, FloatArray]:
        """Which lines cross which facets, with height and facing of the crossings."""
        away = across[:, None, :] - self.origins[facet]
        way = self.ways[facet]
        edge = way[..., 0] * away[..., 1] - way[..., 1] * away[..., 0]
        side = np.where(edge == 0, self.ties[facet], np.sign(edge)) * self.signs[facet]
        hit: BoolArray = (side[:, 0] != 0) & (side[:, 0] == side[:, 1]) & (side[:, 0] == side[:, 2])
        share = np.abs(edge[hit])
        total = share.sum(axis=1)
        corner = self.heights[facet[hit]]
        # a facet parallel to the line, crossed by rounding only, is crossed at its middle
        height = np.where(total > 0, (share * corner).sum(axis=1) / np.where(total > 0, total, 1), corner.mean(axis=1))
        return hit, height, side[hit, 0]


def facet_bins(vertices: FloatArray, faces: IntArray, axis: int, slack: float) -> FacetBins:
    """Sort facets into bins across an axis, also into bins at a distance up to `slack`."""
    across = ((axis + 1) % 3, (axis + 2) % 3)
    flat = vertices[:, across]
    corners = flat[faces]
    least, most = corners.min(axis=1) - slack, corners.max(axis=1) + slack
    lower, extent = least.min(axis=0), np.ptp(np.concatenate([least, most]), axis=0)
    per_side = int(2 * np.sqrt(len(faces)))
    while True:
        cell = extent / per_side
        first, last = (np.clip((bound - lower) // cell, 0, per_side - 1).astype(np.int64) for bound in (least, most))
        spans = last - first + 1
        filled = spans.prod(axis=1)
        if filled.sum() <= _MOST_FILLED * len(faces) or per_side == 1:
            break
        per_side //= 2
    facet = np.repeat(np.arange(len(faces)), filled)
    within = positions_in_runs(filled)
    columns = first[facet, 0] + within // spans[facet, 1]
    bins = columns * per_side + first[facet, 1] + within % spans[facet, 1]
    starts = np.append(0, np.cumsum(np.bincount(bins, minlength=per_side**2)))
    begin, end = faces, np.roll(faces, -1, axis=1)
    origins, targets = flat[np.minimum(begin, end)], flat[np.maximum(begin, end)]
    ways = targets - origins
    return FacetBins(
        axis=axis,
        across=across,
        lower=lower,
        cell=cell,
        per_side=per_side,
        starts=starts,
        members=facet[np.argsort(bins, kind="stable")],
        origins=origins,
        ways=ways,
        signs=np.where(begin < end, 1.0, -1.0),
        # the side of a line that is moved slightly along the first axis, and far less along the second
        ties=np.where(ways[..., 1] != 0, -np.sign(ways[..., 1]), np.sign(ways[..., 0])),
        heights=np.roll(vertices[faces, axis], -2, axis=1),
        shift=1e-11 * extent * np.array([0.7548776662466927, 0.5698402909980532]),
    )


# ---- Facets: areas, normals, sampling and quadrature


@final
@dataclass(frozen=True, eq=False)
class Facets:
    """Oriented triangles, given by corners ``(m, 3, 3)``: facet, corner, coordinate."""

    corners: FloatArray

    def sites(self, facet: IntArray, places: FloatArray) -> Sites:
        """Points of facets ``(n,)`` at barycentric coordinates ``(n, 3)``, with the normals of the facets."""
        return Sites(np.sum(self.corners[facet] * places[:, :, None], axis=1), self.normals[facet])

    def touch(self, points: FloatArray, facet: IntArray, slack: float) -> BoolArray:
        """Whether each point ``(n, 3)`` lies within `slack` of its facet ``(n,)``."""
        height = np.sum(points * self.normals[facet], axis=1) - self._levels[facet]
        near: BoolArray = np.abs(height) <= slack
        index = np.flatnonzero(near)
        away = points[index, None, :] - self.corners[facet[index]]
        near[index] = (np.sum(away * self._rims[facet[index]], axis=2) <= slack).all(axis=1)
        return near

    @cached_property
    def crosses(self) -> FloatArray:
        """Normals ``(m, 3)`` whose length is twice the area of the facet."""
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
        """Position of the plane of each facet along its normal; infinite for a facet without area."""
        levels = np.sum(self.normals * self.centers, axis=1)
        return np.where(self.areas > 0, levels, np.inf)

    @cached_property
    def _rims(self) -> FloatArray:
        """Outward normals ``(m, 3, 3)`` of each facet's edges, in its plane, from the edge at the first corner on."""
        edges = np.roll(self.corners, -1, axis=1) - self.corners
        return _unit(np.cross(edges, self.normals[:, None, :]))


def points_on_facets(areas: FloatArray, unit: FloatArray) -> tuple[IntArray, FloatArray]:
    """Facets ``(n,)`` and barycentric coordinates in them ``(n, 3)``, from points of the unit square ``(n, 2)``.

    The first coordinate selects the facet, and its remainder a place there. Equal areas of the square go to equal areas
    of the facets.
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


def unit_square_points(areas: FloatArray, facet: IntArray, places: FloatArray) -> FloatArray:
    """The inverse of `points_on_facets`: points of the unit square ``(n, 2)``."""
    ends = np.append(0.0, np.cumsum(areas))
    a, b = places[:, 1], places[:, 2]
    least = np.minimum(a, b)
    first = ends[facet] + areas[facet] * np.clip(a + least, 0.0, 1.0)
    return np.column_stack([first / ends[-1], np.clip(b + least, 0.0, 1.0)])


def facet_rule(areas: FloatArray, n: int) -> tuple[IntArray, FloatArray, FloatArray]:
    """Facets, barycentric coordinates and weights of about `n` nodes for integrals over all facets.

    Larger facets have larger Gauss rules. With fewer nodes than facets, the nodes are evenly spread points of equal
    weight.
    """
    if n < len(areas):
        facet, places = points_on_facets(areas, unit_stream(2, np.random.default_rng(0), "low-discrepancy")(n))
        return facet, places, np.full(n, float(areas.sum()) / n)
    wanted = np.clip(np.round(np.sqrt(n * areas / areas.sum())), 1, LONGEST_RULE).astype(np.int64)
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
    """Normalized vectors; zero vectors stay zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0), dtype=np.float64)
