"""What of a domain is made of one material."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.geometry.boundary import BoundaryPart
from fspielm.geometry.cells.arcs import Arcs, arcs_of, join_arcs, place
from fspielm.geometry.cells.runs import Materials, Row
from fspielm.geometry.domain import Domain
from fspielm.geometry.quadrature import gauss
from fspielm.geometry.sites import Sites

# Nodes along an arc for the area beside it.
_NODES = 24


@final
@dataclass(frozen=True, eq=False)
class Piece(Domain):
    """What of a domain has a material.

    Attributes
    ----------
    whole : Domain
    materials : callable
    row : tuple of int
        The material.
    parts : tuple of BoundaryPart
        All that bounds it, with normals that point out of it.
    slack : float
        How far rounding may carry a point off.
    """

    whole: Domain
    materials: Materials
    row: Row
    parts: tuple[BoundaryPart, ...]
    slack: float

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return self.whole.dimension

    @cached_property
    def _arcs(self) -> Arcs:
        return join_arcs([arcs_of(part, n, self.slack) for n, part in enumerate(self.parts)], self.dimension)

    @cached_property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """Around the ends of arcs, which turn nowhere else; on the whole's where that is as close as rounding."""
        ends = np.concatenate([self._arcs.first, self._arcs.last])
        lower, upper = self.whole.bounding_box
        low, high = ends.min(axis=0), ends.max(axis=0)
        return np.where(low <= lower + self.slack, lower, low), np.where(high >= upper - self.slack, upper, high)

    @cached_property
    def measure(self) -> float:
        """Length or area, by Green's theorem."""
        arcs, flat = self._arcs, self.dimension == 2
        shares, weights = gauss(_NODES if flat else 1)
        unit = arcs.start[:, None] + (arcs.end - arcs.start)[:, None] * shares
        sites = place(self.parts, np.repeat(arcs.part, len(shares)), unit.ravel())
        assert sites.normals is not None  # every boundary part has them
        lower, _ = self.bounding_box
        flow = ((sites.points[:, 0] - lower[0]) * sites.normals[:, 0]).reshape(unit.shape) @ weights
        measures = np.array([part.measure for part in self.parts])
        return float(np.sum(flow * ((arcs.end - arcs.start) * measures[arcs.part] if flat else 1.0)))

    def _contains(self, points: FloatArray, closed: bool) -> BoolArray:
        held = self.whole._contains(points, closed)
        held[held] = np.all(self.materials(points[held]) == self.row, axis=1)
        return held

    def _boundary(self, axes: Sequence[str]) -> tuple[BoundaryPart, ...]:
        return self.parts

    def __repr__(self) -> str:
        return f"a material in {self.whole!r}"


def time_faces(domain: Domain) -> Iterator[BoundaryPart]:
    """The start and the end of time, which are no part of the boundary of a domain with time."""
    if domain.time is None or domain.dimension != 2:
        return
    lower, upper = domain.bounding_box
    for name, at, normal in (("start", lower[1], -1.0), ("end", upper[1], 1.0)):

        def place(unit: FloatArray, at: float = at, normal: float = normal) -> Sites:
            along = lower[0] + (upper[0] - lower[0]) * unit[:, 0]
            normals = np.tile([0.0, normal], (len(unit), 1))
            return Sites(np.column_stack([along, np.full(len(unit), at)]), normals)

        yield BoundaryPart(name, float(upper[0] - lower[0]), 1, place)
