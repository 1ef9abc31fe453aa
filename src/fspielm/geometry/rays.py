"""Lines along an axis through a triangle mesh: where they cross it, and which points lie on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.geometry.mesh import IntArray

# Bins along each side, and how many of them facets may fill on average, before bins are made larger.
_MOST_BINS = 1024
_MOST_FILLED = 32
_MOST_PAIRS = 200_000  # of points and facets looked at together
_RETRIES = 3


@final
@dataclass(frozen=True, eq=False)
class FacetBins:
    """Facets in a grid of bins across an axis, so that a line along the axis has few of them to look at.

    Attributes
    ----------
    axis : int
    across : (int, int)
        The other two axes, in cyclic order.
    lower, cell : (2,) arrays
        Corner of the grid, and size of a bin.
    starts, members : arrays
        The facets of bin i are ``members[starts[i]:starts[i + 1]]``.
    per_side : int
        Bins along each side of the grid.
    origins, ways : (m, 3, 2) arrays
        Start and direction, across the axis, of every facet's edges, from the vertex of the lower number: both
        facets at an edge see exactly the same numbers.
    signs, ties : (m, 3) arrays
        Whether the facet runs along the edge that way; and the side on which a line lies that meets the edge.
    heights : (m, 3) array
        Of each edge's opposite corner, along the axis.
    shift : (2,) array
        A step across, far below what matters, for lines that rounding leaves undecided.
    """

    axis: int
    across: tuple[int, int]
    lower: FloatArray
    cell: FloatArray
    per_side: int
    starts: IntArray
    members: IntArray
    origins: FloatArray
    ways: FloatArray
    signs: FloatArray
    ties: FloatArray
    heights: FloatArray
    shift: FloatArray

    def pairs(self, points: FloatArray) -> Iterator[tuple[IntArray, IntArray]]:
        """Every point ``(n, 3)`` with the facets of its bin, as indices; so many at a time that memory suffices."""
        column = np.clip((points[:, self.across] - self.lower) // self.cell, 0, self.per_side - 1).astype(np.int64)
        bins = column[:, 0] * self.per_side + column[:, 1]
        counts = self.starts[bins + 1] - self.starts[bins]
        portion = np.cumsum(counts) // _MOST_PAIRS
        for part in np.split(np.arange(len(points)), np.flatnonzero(np.diff(portion)) + 1):
            count = counts[part]
            within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
            yield np.repeat(part, count), self.members[np.repeat(self.starts[bins[part]], count) + within]

    def crossings(self, points: FloatArray, retries: int = _RETRIES) -> tuple[IntArray, FloatArray, FloatArray]:
        """Where the lines along the axis through `points` cross the surface, line by line from below.

        A line that meets an edge or a corner crosses as one would that is moved by an infinitesimal step, the same
        for all lines: it crosses one of the facets there, or none. An odd number of crossings, which rounding may
        leave at a corner, is undone by a small step.

        Returns
        -------
        line, height, facing : (k,) arrays
            Index of the point, coordinate along the axis, and 1 where the facet faces up, -1 where it faces down.
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
        """Which lines cross which facets, and of those that do, height and facing."""
        away = across[:, None, :] - self.origins[facet]
        way = self.ways[facet]
        edge = way[..., 0] * away[..., 1] - way[..., 1] * away[..., 0]
        side = np.where(edge == 0, self.ties[facet], np.sign(edge)) * self.signs[facet]
        hit: BoolArray = (side[:, 0] != 0) & (side[:, 0] == side[:, 1]) & (side[:, 0] == side[:, 2])
        share = np.abs(edge[hit])
        total = share.sum(axis=1)
        corner = self.heights[facet[hit]]
        # a facet seen from its side, and met by rounding alone, is met at its middle
        height = np.where(total > 0, (share * corner).sum(axis=1) / np.where(total > 0, total, 1), corner.mean(axis=1))
        return hit, height, side[hit, 0]


def facet_bins(vertices: FloatArray, faces: IntArray, axis: int, slack: float) -> FacetBins:
    """Sort facets into bins across an axis; a facet is also in bins that are no more than `slack` away."""
    across = ((axis + 1) % 3, (axis + 2) % 3)
    flat = vertices[:, across]
    corners = flat[faces]
    least, most = corners.min(axis=1) - slack, corners.max(axis=1) + slack
    lower, extent = least.min(axis=0), np.ptp(np.concatenate([least, most]), axis=0)
    per_side = int(np.clip(2 * np.sqrt(len(faces)), 1, _MOST_BINS))
    while True:
        cell = extent / per_side
        first, last = (np.clip((bound - lower) // cell, 0, per_side - 1).astype(np.int64) for bound in (least, most))
        spans = last - first + 1
        filled = spans.prod(axis=1)
        if filled.sum() <= _MOST_FILLED * len(faces) or per_side == 1:
            break
        per_side //= 2
    facet = np.repeat(np.arange(len(faces)), filled)
    within = np.arange(filled.sum()) - np.repeat(np.cumsum(filled) - filled, filled)
    columns = first[facet, 0] + within // spans[facet, 1]
    bins = columns * per_side + first[facet, 1] + within % spans[facet, 1]
    starts = np.append(0, np.cumsum(np.bincount(bins, minlength=per_side**2)))
    begin, end = faces, np.roll(faces, -1, axis=1)
    origins, targets = flat[np.minimum(begin, end)], flat[np.maximum(begin, end)]
    ways = targets - origins
    return FacetBins(
        axis,
        across,
        lower,
        cell,
        per_side,
        starts,
        facet[np.argsort(bins, kind="stable")],
        origins,
        ways,
        np.where(begin < end, 1.0, -1.0),
        # the side on which a line lies that is moved a little along the first axis, and far less along the second
        np.where(ways[..., 1] != 0, -np.sign(ways[..., 1]), np.sign(ways[..., 0])),
        np.roll(vertices[faces, axis], -2, axis=1),
        1e-11 * extent * np.array([0.7548776662466927, 0.5698402909980532]),
    )
