"""Domains moved, scaled and rotated."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, SupportsFloat, final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray, SideArray, apply_matrix
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import BoundaryPart, Quadrature, Sites, as_number, as_positive, as_vector
from fspielm.geometry.curves import Edge
from fspielm.geometry.domain import Domain, Spans, rounding_slack
from fspielm.geometry.plane import PlaneShape, edges_of, plane_edges

Matrix = tuple[tuple[float, ...], ...]

_DIRECTIONS = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


@dataclass(frozen=True, repr=False)
class Transformed(Domain):
    """A domain under ``x -> matrix x + offset``, where the matrix is a rotation times a positive factor.

    Made by `Domain.moved`, `Domain.scaled` and `Domain.rotated`, which combine into one map. The boundary parts keep
    their names: ``"x-"`` of a rotated box is the face that was ``"x-"`` before, whatever its direction now.

    Attributes
    ----------
    shape : Domain
        The original domain, without time.
    matrix : tuple of rows
    offset : tuple of float
    """

    shape: Domain
    matrix: Matrix
    offset: tuple[float, ...]

    def __repr__(self) -> str:
        return f"Transformed({self.shape!r}, matrix={self.matrix}, offset={self.offset})"

    @property
    def dimension(self) -> int:
        """Dimension of the shape."""
        return self.shape.dimension

    @property
    def may_be_in_pieces(self) -> bool:
        """Whether the shape may be."""
        return self.shape.may_be_in_pieces

    @property
    def measure(self) -> float:
        """Measure of the shape, times the factor to the power of the dimension."""
        return self.shape.measure * self._factor**self.dimension

    @cached_property
    def _rows(self) -> FloatArray:
        return np.array(self.matrix)

    @cached_property
    def _factor(self) -> float:
        return float(np.linalg.norm(self._rows[0]))

    def _forward(self, points: FloatArray) -> FloatArray:
        return np.asarray(apply_matrix(self._rows, points) + np.array(self.offset))

    def _back(self, points: FloatArray) -> FloatArray:
        return apply_matrix(self._rows.T / self._factor**2, points - np.array(self.offset))

    def _contains(self, points: FloatArray, closed: bool) -> BoolArray:
        inside = self.shape._contains(self._back(points), closed)
        for nudge in self._nudges:
            nudged = self.shape._contains(self._back(points) + nudge, closed)
            inside = inside | nudged if closed else inside & nudged
        return inside

    def _side(self, points: FloatArray) -> SideArray:
        return super()._side(points) if len(self._nudges) else self.shape._side(self._back(points))

    def _chord_ends(self, points: FloatArray, axis: int) -> tuple[FloatArray, FloatArray]:
        return self._chord_ends_by_spans(points, axis)

    def _spans(self, points: FloatArray, axis: int) -> Spans | None:
        factor = self._rows[0, 0]
        if factor <= 0 or np.any(self._rows != factor * np.eye(self.dimension)):
            return None  # lines along an axis are not along an axis of the rotated shape
        spans = self.shape._spans(self._back(points), axis)
        return None if spans is None else Spans(factor * spans.ends + self.offset[axis])

    @cached_property
    def _nudges(self) -> FloatArray:
        """Steps ``(n, d)`` of the size of rounding, if that exceeds the slack of the shape itself."""
        here, there = (float(np.max(np.abs(d.bounding_box))) for d in (self.shape, self))
        if there <= 8 * here * self._factor:
            return np.empty((0, self.dimension))
        length = rounding_slack(True, there / self._factor)
        return length * np.concatenate([np.eye(self.dimension), -np.eye(self.dimension)])


@final
@dataclass(frozen=True, repr=False)
class PlaneTransformed(Transformed, PlaneShape):
    """A `Transformed` plane shape (or plane box): a plane shape with exact edges and bounding box."""

    def _spans(self, points: FloatArray, axis: int) -> Spans | None:
        # of a rotated shape by its edges
        return Transformed._spans(self, points, axis) or PlaneShape._spans(self, points, axis)

    def _edges(self, axes: Sequence[str]) -> tuple[Edge, ...]:
        offset = np.array(self.offset)
        edges = plane_edges(self.shape, axes)
        return tuple(replace(e, curve=e.curve.mapped(self._rows, offset, self._factor)) for e in edges)


@final
@dataclass(frozen=True, repr=False)
class SpaceTransformed(Transformed):
    """A `Transformed` domain on the line or in space."""

    @property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """``(lower, upper)``: a box around the transformed box of the shape, too large for a rotated ball."""
        corners = self._forward(np.array(list(product(*np.transpose(self.shape.bounding_box)))))
        return corners.min(axis=0), corners.max(axis=0)

    def _boundary(self, axes: Sequence[str]) -> tuple[BoundaryPart, ...]:
        return tuple(map(self._moved_part, self.shape.boundary(axes)))

    def _quadrature(self, n: int) -> Quadrature:
        rule = self.shape.quadrature(n)
        return replace(rule, points=self._forward(rule.points))

    def _moved_part(self, part: BoundaryPart) -> BoundaryPart:
        def place(unit: FloatArray) -> Sites:
            sites = part.place(unit)
            return Sites(self._forward(sites.points), apply_matrix(self._rows / self._factor, sites.outward))

        mask = part.keep
        return replace(
            part,
            measure=part.measure * self._factor**part.parameters,
            place=place,
            keep=None if mask is None else lambda points: mask(self._back(points)),
        )


def transform(domain: Domain, matrix: FloatArray, offset: FloatArray) -> Transformed:
    """The domain under ``x -> matrix x + offset``; combined with earlier transformations into one.

    The matrix ``(d, d)`` is a rotation times a positive factor.
    """
    if domain.time is not None:
        raise ProblemError(
            "a domain is moved, scaled and rotated in space, then multiplied by Time, as in "
            f"shape.moved(offset) * Time(0, 1); {domain!r} has its time already"
        )
    if isinstance(domain, Transformed):
        offset = apply_matrix(matrix, np.array([domain.offset]))[0] + offset
        matrix = apply_matrix(matrix, domain._rows.T).T
        domain = domain.shape
    kind = SpaceTransformed if edges_of(domain) is None else PlaneTransformed
    return kind(domain, tuple(tuple(row) for row in matrix.tolist()), tuple(offset.tolist()))


def moved(domain: Domain, offset: Iterable[SupportsFloat]) -> Transformed:
    """The domain translated; see `Domain.moved`."""
    return transform(domain, np.eye(domain.dimension), _space_vector(offset, domain, "moved: offset"))


def scaled(domain: Domain, factor: SupportsFloat, center: Iterable[SupportsFloat] | None) -> Transformed:
    """The domain scaled; see `Domain.scaled`."""
    return _about(domain, as_positive(factor, "scaled: factor") * np.eye(domain.dimension), center, "scaled: center")


def rotated(
    domain: Domain,
    angle: SupportsFloat,
    axis: str | Iterable[SupportsFloat] | None,
    center: Iterable[SupportsFloat] | None,
) -> Transformed:
    """The domain rotated; see `Domain.rotated`."""
    turn = as_number(angle, "rotated: angle")
    if domain.dimension == 2 and axis is None:
        matrix = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    elif domain.dimension == 2:
        raise ProblemError("rotated: axis is for domains of three dimensions; in the plane there is only one")
    elif domain.dimension == 3:
        direction: Any = _DIRECTIONS[axis] if isinstance(axis, str) and axis in _DIRECTIONS else axis
        matrix = _rotation(turn, _space_vector((0, 0, 1) if direction is None else direction, domain, "rotated: axis"))
    else:
        raise ProblemError(f"rotated: a domain of dimension {domain.dimension} cannot be rotated, only of 2 or 3")
    return _about(domain, matrix, center, "rotated: center")


def _rotation(angle: float, axis: FloatArray) -> FloatArray:
    """The rotation by an angle about an axis through the origin, by Rodrigues' formula."""
    length = float(np.linalg.norm(axis))
    if length == 0.0:
        raise ProblemError("rotated: axis must not be zero")
    x, y, z = axis / length
    across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + math.sin(angle) * across + (1.0 - math.cos(angle)) * (across @ across))


def _about(domain: Domain, matrix: FloatArray, center: Iterable[SupportsFloat] | None, argument: str) -> Transformed:
    """Transform so that the center stays fixed, by default the middle of the bounding box."""
    fixed = np.mean(domain.bounding_box, axis=0) if center is None else _space_vector(center, domain, argument)
    return transform(domain, matrix, fixed - apply_matrix(matrix, fixed[None])[0])


def _space_vector(value: Iterable[SupportsFloat], domain: Domain, argument: str) -> FloatArray:
    entries = as_vector(value, argument)
    if len(entries) != domain.dimension:
        raise ProblemError(
            f"{argument} must have {domain.dimension} coordinates, as {domain!r} has; got {len(entries)}: {entries}"
        )
    return np.array(entries)
