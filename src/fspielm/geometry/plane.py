"""Plane shapes: regions whose boundary is made of named pieces of curves."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from fspielm.geometry.boundary import BoundaryPart, join_parts
from fspielm.geometry.curves import PlaneCurve
from fspielm.geometry.domain import Domain, default_axes
from fspielm.geometry.quadrature import Quadrature
from fspielm.geometry.sections import section_rule


@final
@dataclass(frozen=True, eq=False)
class Edge:
    """A smooth piece of a plane boundary, with the interior on its left, and the name of the part it belongs to."""

    name: str
    curve: PlaneCurve


class PlaneShape(Domain):
    """A plane region; its boundary parts are its edges, those of one name joined."""

    @property
    def dimension(self) -> int:
        """Two."""
        return 2

    @abstractmethod
    def _edges(self, axes: Sequence[str]) -> tuple[Edge, ...]:
        """The smooth pieces of the boundary, loop by loop, each beginning where the one before it ends."""

    def _boundary(self, axes: Sequence[str]) -> tuple[BoundaryPart, ...]:
        return parts_of(self._edges(axes))

    def _quadrature(self, n: int) -> Quadrature:
        return section_rule([edge.curve for edge in self._edges(default_axes(2))], n)


def parts_of(edges: Sequence[Edge]) -> tuple[BoundaryPart, ...]:
    """Boundary parts from edges, those of one name joined into one part."""
    curves: dict[str, list[PlaneCurve]] = {}
    for edge in edges:
        curves.setdefault(edge.name, []).append(edge.curve)
    return tuple(join_parts(name, [curve.as_part(name) for curve in pieces]) for name, pieces in curves.items())
