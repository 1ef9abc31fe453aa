"""The ellipse."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import SupportsFloat, final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.geometry.boundary import as_name, as_number, as_plane_point, as_positive
from fspielm.geometry.curves import Edge, PlaneCurve
from fspielm.geometry.domain import Spans, round_span, within_ellipsoid
from fspielm.geometry.plane import PlaneShape


@final
@dataclass(frozen=True, init=False, repr=False)
class Ellipse(PlaneShape):
    """The region within an ellipse; its boundary is one part, ``"ellipse"``.

    Parameters
    ----------
    center : (number, number)
    semi_axes : (number, number)
        Half the extents along x and y before the rotation; positive.
    angle : number
        Counterclockwise rotation about the center, in radians.
    name : str
        Put before the name of its boundary part.

    Examples
    --------
    >>> round(Ellipse((0, 0), (2, 1)).measure, 6)
    6.283185
    """

    center: tuple[float, float]
    semi_axes: tuple[float, float]
    angle: float
    name: str = ""

    def __init__(
        self,
        center: Iterable[SupportsFloat],
        semi_axes: Iterable[SupportsFloat],
        angle: SupportsFloat = 0.0,
        *,
        name: str = "",
    ) -> None:
        self._read(center=(as_plane_point, center), semi_axes=(_as_semi_axes, semi_axes))
        self._read(angle=(as_number, angle), name=(as_name, name))

    @property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """The smallest box around the ellipse, ``(lower, upper)``."""
        (a, b), cos, sin = self.semi_axes, math.cos(self.angle), math.sin(self.angle)
        reach = np.array([math.hypot(a * cos, b * sin), math.hypot(a * sin, b * cos)])
        return np.array(self.center) - reach, np.array(self.center) + reach

    @property
    def measure(self) -> float:
        """Area."""
        return math.pi * self.semi_axes[0] * self.semi_axes[1]

    def _contains(self, points: FloatArray, closed: bool) -> BoolArray:
        return within_ellipsoid(_turn(points - self.center, -self.angle), self.semi_axes, self.center, closed)

    def _spans(self, points: FloatArray, axis: int) -> Spans:
        # direction and base points of the lines in coordinates in which the ellipse is the unit circle
        base = np.zeros_like(points)
        base[:, 1 - axis] = points[:, 1 - axis] - self.center[1 - axis]
        direction, (x, y) = (_turn(v, -self.angle).T / np.array(self.semi_axes)[:, None] for v in (np.eye(2), base))
        along = direction[:, axis]
        speed = np.hypot(*along)
        circle = round_span(0.0, 1.0, np.abs(along[0] * y - along[1] * x) / speed)
        nearest = self.center[axis] - (along[0] * x + along[1] * y) / speed**2
        return Spans(nearest[:, None] + circle.ends / speed)

    def _edges(self, axes: Sequence[str]) -> tuple[Edge, ...]:
        (a, b), center = self.semi_axes, np.array(self.center)

        def point(t: FloatArray) -> FloatArray:
            return np.asarray(center + _turn(np.column_stack([a * np.cos(t), b * np.sin(t)]), self.angle))

        def tangent(t: FloatArray) -> FloatArray:
            return _turn(np.column_stack([-a * np.sin(t), b * np.cos(t)]), self.angle)

        return (Edge("ellipse", PlaneCurve(point, tangent, 0.0, 2 * math.pi)),)


def _as_semi_axes(value: Iterable[SupportsFloat], argument: str) -> tuple[float, ...]:
    return tuple(as_positive(size, f"{argument}[{i}]") for i, size in enumerate(as_plane_point(value, argument)))


def _turn(vectors: FloatArray, angle: float) -> FloatArray:
    cos, sin = math.cos(angle), math.sin(angle)
    x, y = vectors.T
    return np.column_stack([cos * x - sin * y, sin * x + cos * y])
