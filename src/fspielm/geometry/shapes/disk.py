"""The disk."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import SupportsFloat, final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.geometry.boundary import as_name, as_plane_point, as_positive
from fspielm.geometry.curves import Edge, arc
from fspielm.geometry.domain import Spans, round_span, rounding_slack
from fspielm.geometry.plane import PlaneShape


@final
@dataclass(frozen=True, init=False, repr=False)
class Disk(PlaneShape):
    """The disk around a center; its boundary is one part, ``"circle"``.

    Parameters
    ----------
    center : (number, number)
    radius : number
        Positive.
    name : str
        Put before the name of the part: ``"hole.circle"``.
    """

    center: tuple[float, float]
    radius: float
    name: str

    def __init__(self, center: Iterable[SupportsFloat], radius: SupportsFloat, *, name: str = "") -> None:
        self._read(center=(as_plane_point, center), radius=(as_positive, radius), name=(as_name, name))

    @property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """The square around the disk, ``(lower, upper)``."""
        return np.array(self.center) - self.radius, np.array(self.center) + self.radius

    @property
    def measure(self) -> float:
        """Area."""
        return math.pi * self.radius**2

    def _contains(self, points: FloatArray, closed: bool) -> BoolArray:
        x, y = (points - self.center).T
        return np.asarray(np.hypot(x, y) <= self.radius + rounding_slack(closed, self.radius, *self.center))

    def _spans(self, points: FloatArray, axis: int) -> Spans:
        return round_span(self.center[axis], self.radius, np.abs(points[:, 1 - axis] - self.center[1 - axis]))

    def _edges(self, axes: Sequence[str]) -> tuple[Edge, ...]:
        return (Edge("circle", arc(self.center, self.radius, 0.0, 2 * math.pi)),)
