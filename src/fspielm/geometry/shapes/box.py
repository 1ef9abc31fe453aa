"""Boxes with faces along the axes, in any dimension, and the interval as their one-dimensional case."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import SupportsFloat, final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import (
    BoundaryPart,
    Quadrature,
    Sites,
    as_name,
    as_number,
    as_vector,
    gauss,
    nodes_per_axis,
    tensor,
)
from fspielm.geometry.curves import Edge, segment
from fspielm.geometry.domain import Corner, Domain, Spans, corners_of, default_axes, one_span, rounding_slack


@final
@dataclass(frozen=True, init=False, repr=False)
class Box(Domain):
    """The box between two opposite corners.

    Its boundary parts are its faces: ``"x-"`` where x is least, ``"x+"`` where x is greatest, and so on. In one
    dimension they are single points of measure 1.

    Parameters
    ----------
    lower, upper : sequence of numbers
        The corners with the least and the greatest coordinates, one number per axis.
    name : str
        Put before the names of the parts: ``"hole.x-"``.

    Examples
    --------
    >>> Box((0, 0), (2, 1)).measure
    2.0
    >>> [part.name for part in Box((0, 0), (2, 1)).boundary()]
    ['x-', 'x+', 'y-', 'y+']
    """

    lower: tuple[float, ...]
    upper: tuple[float, ...]
    name: str

    def __init__(self, lower: Iterable[SupportsFloat], upper: Iterable[SupportsFloat], *, name: str = "") -> None:
        low, high = as_vector(lower, "Box: lower"), as_vector(upper, "Box: upper")
        if len(low) != len(high) or not low:
            raise ProblemError(
                "Box: lower and upper must have the same number of coordinates, at least one; "
                f"got {len(low)} and {len(high)}"
            )
        for axis, (a, b) in enumerate(zip(low, high, strict=True)):
            _check_extent(a, b, f"Box: upper must be greater than lower along axis {axis}")
        object.__setattr__(self, "lower", low)
        object.__setattr__(self, "upper", high)
        object.__setattr__(self, "name", as_name(name, "Box: name"))

    def __repr__(self) -> str:
        if self.dimension == 1:
            return f"Interval({self.lower[0]}, {self.upper[0]}{self._name_argument})"
        return f"Box({self.lower}, {self.upper}{self._name_argument})"

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return len(self.lower)

    @property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """The box itself: ``(lower, upper)`` as arrays."""
        return np.array(self.lower), np.array(self.upper)

    @property
    def measure(self) -> float:
        """Length, area or volume."""
        return math.prod(self._extents)

    @property
    def _extents(self) -> tuple[float, ...]:
        return tuple(b - a for a, b in zip(self.lower, self.upper, strict=True))

    def edges(self, axes: Sequence[str] | None = None) -> tuple[Edge, ...]:
        """The four sides of a box in the plane, with the names of its faces; none for other boxes."""
        if self.dimension != 2:
            return ()
        axes = default_axes(2) if axes is None else axes
        (left, bottom), (right, top) = self.lower, self.upper
        corners = [(left, bottom), (right, bottom), (right, top), (left, top), (left, bottom)]
        prefix = f"{self.name}." if self.name else ""
        names = [f"{axes[1]}-", f"{axes[0]}+", f"{axes[1]}+", f"{axes[0]}-"]
        return tuple(Edge(prefix + n, segment(*ends)) for n, ends in zip(names, pairwise(corners), strict=True))

    def corners(self, axes: Sequence[str] | None = None) -> tuple[Corner, ...]:
        """The four corners of a box in the plane; none for other boxes."""
        edges = self.edges(axes)
        return corners_of(
            [edge.curve for edge in edges], [edge.name for edge in edges], [range(len(edges))] if edges else []
        )

    def _contains(self, points: FloatArray, closed: bool) -> BoolArray:
        inside = np.ones(len(points), dtype=np.bool_)
        for axis, (lower, upper) in enumerate(zip(self.lower, self.upper, strict=True)):
            slack, along = rounding_slack(closed, lower, upper), points[:, axis]
            inside &= (along >= lower - slack) & (along <= upper + slack)
        return inside

    def _chord_ends(self, points: FloatArray, axis: int) -> tuple[FloatArray, FloatArray]:
        return np.full(len(points), self.lower[axis]), np.full(len(points), self.upper[axis])

    def _spans(self, points: FloatArray, axis: int) -> Spans:
        within = points.copy()
        within[:, axis] = self.lower[axis]
        return one_span(self.lower[axis], self.upper[axis], self._contains(within, True))

    def _quadrature(self, n: int) -> Quadrature:
        lower, upper = self.bounding_box
        unit, weights = tensor(*[gauss(nodes_per_axis(n, self.dimension))] * self.dimension)
        return Quadrature(lower + (upper - lower) * unit, weights)

    def _boundary(self, axes: Sequence[str]) -> tuple[BoundaryPart, ...]:
        return tuple(self._face(axis, side, f"{name}{side}") for axis, name in enumerate(axes) for side in ("-", "+"))

    def _face(self, axis: int, side: str, name: str) -> BoundaryPart:
        others = [i for i in range(self.dimension) if i != axis]
        lower, upper = self.bounding_box
        fixed = lower[axis] if side == "-" else upper[axis]
        outward = np.zeros(self.dimension)
        outward[axis] = -1.0 if side == "-" else 1.0

        def place(unit: FloatArray) -> Sites:
            points = np.empty((len(unit), self.dimension))
            # a copied coordinate puts points exactly on the face
            points[:, axis] = fixed
            points[:, others] = lower[others] + (upper - lower)[others] * unit
            return Sites(points, np.tile(outward, (len(unit), 1)))

        measure = math.prod(self._extents[i] for i in others)
        return BoundaryPart(name, float(measure), len(others), place)


def Interval(  # noqa: N802 (reads as a shape beside Box, Disk)
    a: SupportsFloat, b: SupportsFloat, *, name: str = ""
) -> Box:
    """Build the interval from `a` to `b`: a one-dimensional `Box` whose faces are its two end points.

    Parameters
    ----------
    a, b : number
        The ends, ``a < b``.
    name : str
        Put before the names of the parts: ``"left.x-"``.

    Examples
    --------
    >>> Interval(0, 1)
    Interval(0.0, 1.0)
    """
    low, high = as_number(a, "Interval: a"), as_number(b, "Interval: b")
    _check_extent(low, high, "Interval: b must be greater than a")
    return Box((low,), (high,), name=as_name(name, "Interval: name"))


def _check_extent(low: float, high: float, requirement: str) -> None:
    if not low < high:
        remedy = "it is empty" if low == high else "swap the two"
        raise ProblemError(f"{requirement}; got {low} to {high}: {remedy}")
    if not math.isfinite(high - low):
        raise ProblemError(f"{requirement} by a finite amount; got {low} to {high}")
