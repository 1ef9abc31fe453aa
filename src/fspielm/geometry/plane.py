"""Plane shapes: regions whose boundary is made of named pieces of curves."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.geometry.antiderivative import antiderivative
from fspielm.geometry.boundary import BoundaryPart, join_parts
from fspielm.geometry.box import Box
from fspielm.geometry.curves import PlaneCurve, segment
from fspielm.geometry.domain import Domain, default_axes


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

    @property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """The smallest box around the shape, ``(lower, upper)``."""
        reaches = [reach_of(edge.curve) for edge in self.edges()]
        return np.min([low for low, _ in reaches], axis=0), np.max([high for _, high in reaches], axis=0)

    @property
    def measure(self) -> float:
        """Area, by Green's theorem."""
        curves = [edge.curve for edge in self.edges()]
        middle = curves[0].point(np.array([curves[0].t0]))
        return math.fsum(swept_area(curve, middle) for curve in curves)

    @abstractmethod
    def _edges(self, axes: Sequence[str]) -> tuple[Edge, ...]:
        """The smooth pieces of the boundary, loop by loop, each beginning where the one before it ends."""

    def edges(self, axes: Sequence[str] | None = None) -> tuple[Edge, ...]:
        """The smooth pieces of the boundary, loop by loop, under the names of the boundary parts they belong to."""
        axes = default_axes(2) if axes is None else axes
        prefix = f"{self.name}." if self.name else ""
        return tuple(replace(edge, name=prefix + edge.name) for edge in self._edges(axes))

    def _boundary(self, axes: Sequence[str]) -> tuple[BoundaryPart, ...]:
        return parts_of(self._edges(axes))


def parts_of(edges: Sequence[Edge]) -> tuple[BoundaryPart, ...]:
    """Boundary parts from edges, those of one name joined into one part."""
    curves: dict[str, list[PlaneCurve]] = {}
    for edge in edges:
        curves.setdefault(edge.name, []).append(edge.curve)
    return tuple(join_parts(name, [curve.as_part(name) for curve in pieces]) for name, pieces in curves.items())


def edges_of(domain: Domain, axes: Sequence[str] | None = None) -> tuple[Edge, ...] | None:
    """The edges of a plane shape or a box of the plane; None for every other domain."""
    axes = default_axes(domain.dimension) if axes is None else axes
    if isinstance(domain, PlaneShape):
        return domain.edges(axes)
    if not isinstance(domain, Box) or domain.dimension != 2:
        return None
    (left, bottom), (right, top) = domain.lower, domain.upper
    corners = [(left, bottom), (right, bottom), (right, top), (left, top), (left, bottom)]
    prefix = f"{domain.name}." if domain.name else ""
    names = [f"{axes[1]}-", f"{axes[0]}+", f"{axes[1]}+", f"{axes[0]}-"]
    return tuple(Edge(prefix + n, segment(*ends)) for n, ends in zip(names, pairwise(corners), strict=True))


def swept_area(curve: PlaneCurve, middle: FloatArray) -> float:
    """The area that the line from `middle` to a point sweeps as the point walks along the curve."""

    def rate(t: FloatArray) -> FloatArray:
        (x, y), (dx, dy) = (curve.point(t) - middle).T, curve.tangent(t).T
        return np.asarray(0.5 * (x * dy - y * dx), dtype=np.float64)

    return antiderivative(rate, curve.t0, curve.t1, what="the outline").total


def reach_of(curve: PlaneCurve) -> tuple[FloatArray, FloatArray]:
    """The smallest box around a curve."""
    grid = np.linspace(curve.t0, curve.t1, 513)
    slopes, found = curve.tangent(grid), [curve.point(grid)]
    for axis in range(2):
        turns = slopes[:-1, axis] * slopes[1:, axis] < 0
        low, high, rising = grid[:-1][turns], grid[1:][turns], slopes[:-1, axis][turns] > 0
        for _ in range(52):
            middle = 0.5 * (low + high)
            before = (curve.tangent(middle)[:, axis] > 0) == rising
            low, high = np.where(before, middle, low), np.where(before, high, middle)
        found.append(curve.point(low))
    points = np.concatenate(found)
    return points.min(axis=0), points.max(axis=0)
