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
from fspielm.geometry.domain import Spans, round_span, rounding_slack
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
        a, b = as_plane_point(semi_axes, "Ellipse: semi_axes")
        object.__setattr__(self, "center", as_plane_point(center, "Ellipse: center"))
        object.__setattr__(
            self, "semi_axes", (as_positive(a, "Ellipse: semi_axes[0]"), as_positive(b, "Ellipse: semi_axes[1]"))
        )
        object.__setattr__(self, "angle", as_number(angle, "Ellipse: angle"))
        object.__setattr__(self, "name", as_name(name, "Ellipse: name"))

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
        a, b = self.semi_axes
        x, y = _turn(points - self.center, -self.angle).T
        level = np.hypot(x / a, y / b)  # one on the ellipse
        # growth of the level across the ellipse, which converts a slack in length to one in level
        growth = np.divide(np.hypot(x / a**2, y / b**2), level, out=np.zeros_like(level), where=level > 0)
        return np.asarray(level <= 1.0 + rounding_slack(closed, a, b, *self.center) * growth)

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


def _turn(vectors: FloatArray, angle: float) -> FloatArray:
    cos, sin = math.cos(angle), math.sin(angle)
    x, y = vectors.T
    return np.column_stack([cos * x - sin * y, sin * x + cos * y])
