"""Union, intersection and difference in the plane, with edges cut at their intersections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

from fspielm.arrays import FloatArray, SideArray
from fspielm.geometry.combination import Combination
from fspielm.geometry.crossings import Resolution
from fspielm.geometry.domain import Domain
from fspielm.geometry.overlay import Piece, overlay
from fspielm.geometry.part_names import tell_apart
from fspielm.geometry.plane import Edge, PlaneShape, edges_of


@final
@dataclass(frozen=True, repr=False)
class PlaneCombination(Combination, PlaneShape):
    """A `Combination` of two plane shapes (or plane boxes): itself a plane shape, with exact edges, area and box."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self._pieces:
            raise self._nothing_left()
        if self.operation == "difference" and self._removes_nothing:
            raise self._outside()

    @property
    def _removes_nothing(self) -> bool:
        """Whether all edges of the first operand, and none of the second, bound the difference."""
        kept = {piece.edge for piece in self._pieces if piece.operand == 0}
        return all(piece.operand == 0 for piece in self._pieces) and len(kept) == len(_edges_of(self.first, None))

    def _edges(self, axes: Sequence[str]) -> tuple[Edge, ...]:
        own = [_edges_of(operand, axes) for operand in (self.first, self.second)]
        edges = [own[piece.operand][piece.edge] for piece in self._pieces]
        told_apart = tell_apart([(piece.operand, edge.name) for piece, edge in zip(self._pieces, edges, strict=True)])
        return tuple(
            Edge(told_apart[piece.operand, edge.name], piece.curve, edge.side)
            for piece, edge in zip(self._pieces, edges, strict=True)
        )

    @cached_property
    def _pieces(self) -> list[Piece]:
        first, second = ([edge.curve for edge in _edges_of(d, None)] for d in (self.first, self.second))
        return overlay((first, second), self._inside, lambda p: self.first._contains(p, False), self._resolution)

    @cached_property
    def _resolution(self) -> Resolution:
        return Resolution.of(*self._whole_box)

    def _settle(self, points: FloatArray) -> SideArray:
        return self._side_by_winding(points)  # by winding numbers: slower, and never in doubt


def _edges_of(domain: Domain, axes: Sequence[str] | None) -> tuple[Edge, ...]:
    edges = edges_of(domain, axes)
    assert edges is not None  # `combine` has made sure
    return edges
