"""Plane shapes: regions whose boundary is made of named pieces of curves."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import Field, dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import BoolArray, FloatArray, SideArray, as_points
from fspielm.deadline import check_deadline
from fspielm.geometry.boundary import BoundaryPart, join_parts
from fspielm.geometry.box import Box
from fspielm.geometry.corner import Corner, corners_of
from fspielm.geometry.curves import Edge, PlaneCurve, polyline_part
from fspielm.geometry.domain import Domain, default_axes
from fspielm.geometry.hole import Hole, holes_of
from fspielm.geometry.quadrature import Quadrature

if TYPE_CHECKING:
    from fspielm.geometry.contour import Contour
    from fspielm.geometry.raster import Raster

# So many points are worth a raster.
_MANY = 20_000


class PlaneShape(Domain):
    """A plane region, given by the edges of its boundary; all else follows from them.

    A new shape supplies `_edges`. Area and bounding box then come from the exact curves, to rounding, and membership
    from winding numbers about them; a shape that has simpler formulas may override these. Edges of one name are
    joined into one boundary part.
    """

    @abstractmethod
    def _edges(self, axes: Sequence[str]) -> tuple[Edge, ...]:
        """The smooth pieces of the boundary, loop by loop, each beginning where the one before it ends."""

    @property
    def dimension(self) -> int:
        """Two."""
        return 2

    @property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """The smallest box around the shape, ``(lower, upper)``."""
        lower, upper = self._contour.box
        return lower.copy(), upper.copy()

    @property
    def measure(self) -> float:
        """Area."""
        return self._contour.area

    def corners(self, axes: Sequence[str] | None = None) -> tuple[Corner, ...]:
        """The corners of the boundary, in the order of its edges; `axes` names the coordinates.

        Examples
        --------
        >>> from fspielm.geometry import LShape
        >>> [(corner.point, round(corner.opening, 3)) for corner in LShape((0, 0), 1).corners()][0]
        ((0.0, 0.0), 4.712)
        """
        edges = self.edges(axes)
        return corners_of([edge.curve for edge in edges], [edge.name for edge in edges], self._contour.loops)

    def hole_places(self) -> tuple[Hole, ...]:
        """The holes, in the order of the edges around them."""
        return holes_of([edge.curve for edge in self._edges(default_axes(2))], self._contour.loops)

    def __repr__(self) -> str:
        # As a dataclass writes it, without what has its default and without an empty name.
        known: list[tuple[Field[Any], Any]] = []
        if is_dataclass(self):
            known = [(field, getattr(self, field.name)) for field in fields(self)]
        told = [f"{field.name}={value!r}" for field, value in known if value not in ("", field.default)]
        return f"{type(self).__name__}({', '.join(told)})"

    def __getstate__(self) -> dict[str, Any]:
        # Compiled functions and tables are kept as cached properties; they cannot be pickled, and follow from the rest.
        kind = type(self)
        return {k: v for k, v in vars(self).items() if not isinstance(getattr(kind, k, None), cached_property)}

    def contains(self, points: ArrayLike) -> BoolArray:
        """Mask of the points ``(n, 2)`` that lie in the shape, its boundary included."""
        array = as_points(points, 2)
        if len(array) < _MANY or self.is_unbounded or not np.isfinite(array).all():
            return super().contains(array)
        check_deadline()
        return self._raster.contains(array, lambda some: self._contains(some, True))

    def _contains(self, points: FloatArray, closed: bool) -> BoolArray:
        side = self._side_by_winding(points)
        return side >= 0 if closed else side > 0

    def _side_by_winding(self, points: FloatArray) -> SideArray:
        """As `_side`, whatever simpler formulas the shape has."""
        number, on = self._contour.winding.locate(points)
        return np.where(on, 0, np.where(number > 0, 1, -1)).astype(np.int8)

    def edges(self, axes: Sequence[str] | None = None) -> tuple[Edge, ...]:
        """The smooth pieces of the boundary, loop by loop, under the names of the boundary parts they belong to."""
        axes = default_axes(2) if axes is None else axes
        prefix = f"{self.name}." if self.name else ""
        return tuple(replace(edge, name=prefix + edge.name) for edge in self._edges(axes))

    def _boundary(self, axes: Sequence[str]) -> tuple[BoundaryPart, ...]:
        return parts_of(self._edges(axes))

    def _quadrature(self, n: int) -> Quadrature:
        from fspielm.geometry.sections import section_rule  # not needed for a solve

        return section_rule([edge.curve for edge in self._edges(default_axes(2))], n)

    @cached_property
    def _contour(self) -> Contour:
        from fspielm.geometry.contour import contour_of  # much code, which boxes have no use for

        return contour_of([edge.curve for edge in self._edges(default_axes(2))], repr(self))

    @cached_property
    def _raster(self) -> Raster:
        from fspielm.geometry.raster import raster_of

        return raster_of(self._contour, lambda points: self._contains(points, True))


def parts_of(edges: Sequence[Edge]) -> tuple[BoundaryPart, ...]:
    """Boundary parts from edges, those of one name joined into one part."""
    by_name: dict[str, list[Edge]] = {}
    for edge in edges:
        by_name.setdefault(edge.name, []).append(edge)
    return tuple(
        replace(_part(name, [edge.curve for edge in pieces]), sides=tuple(edge.side for edge in pieces))
        for name, pieces in by_name.items()
    )


def _part(name: str, curves: Sequence[PlaneCurve]) -> BoundaryPart:
    if len(curves) > 1 and all(curve.straight for curve in curves):
        return polyline_part(name, curves)
    return join_parts(name, [curve.as_part(name) for curve in curves])


def edges_of(domain: Domain, axes: Sequence[str] | None = None) -> tuple[Edge, ...] | None:
    """The edges of a plane shape or a box of the plane; None for every other domain."""
    axes = default_axes(domain.dimension) if axes is None else axes
    domain = domain._as_one(axes)
    if isinstance(domain, PlaneShape):
        return domain.edges(axes)
    if not isinstance(domain, Box) or domain.dimension != 2:
        return None
    return domain.edges(axes)
