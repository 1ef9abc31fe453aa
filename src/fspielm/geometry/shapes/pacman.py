"""The disk with a wedge removed, as in the paper's advection-diffusion benchmark."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import SupportsFloat, final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import as_name, as_number, as_plane_point, as_positive
from fspielm.geometry.curves import Edge, arc, segment
from fspielm.geometry.domain import rounding_slack
from fspielm.geometry.plane import PlaneShape


@final
@dataclass(frozen=True, init=False, repr=False)
class Pacman(PlaneShape):
    """A disk whose mouth, a wedge with its tip at the center, opens to the right.

    Its boundary parts are ``"arc"`` and the straight edges of the mouth, ``"upper"`` and ``"lower"``.

    Parameters
    ----------
    center : (number, number)
    radius : number
        Positive.
    mouth : number
        Half the opening angle of the mouth, in radians, between 0 and pi.
    name : str
        Put before the names of the parts: ``"hole.arc"``.
    """

    center: tuple[float, float]
    radius: float
    mouth: float
    name: str

    def __init__(
        self,
        center: Iterable[SupportsFloat] = (0.5, 0.5),
        radius: SupportsFloat = 0.4,
        mouth: SupportsFloat = math.pi / 4,
        *,
        name: str = "",
    ) -> None:
        self._read(mouth=(as_number, mouth))
        if not 0 < self.mouth < math.pi:
            raise ProblemError(
                f"Pacman: mouth is half the opening angle and must lie between 0 and pi radians; got {self.mouth}"
            )
        self._read(center=(as_plane_point, center), radius=(as_positive, radius), name=(as_name, name))

    @property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """The smallest box around the shape, ``(lower, upper)``."""
        # The leftmost point of the circle always belongs to the arc, its top and bottom only for a mouth narrower than
        # a half-plane. The rightmost points are the lips, or the center if the lips are to its left.
        right = max(math.cos(self.mouth), 0.0)
        top = 1.0 if self.mouth <= math.pi / 2 else math.sin(self.mouth)
        center = np.array(self.center)
        return center + self.radius * np.array([-1.0, -top]), center + self.radius * np.array([right, top])

    @property
    def measure(self) -> float:
        """Area."""
        return (math.pi - self.mouth) * self.radius**2

    def _contains(self, points: FloatArray, closed: bool) -> BoolArray:
        x, y = (points - self.center).T
        slack = rounding_slack(closed, self.radius, *self.center)
        distance = np.hypot(x, y)
        # depth inside the mouth: the distance to the nearer edge, or to the center if that is nearest
        gap = self.mouth - np.abs(np.arctan2(y, x))
        depth = distance * np.sin(np.clip(gap, -math.pi / 2, math.pi / 2))
        return np.asarray((distance <= self.radius + slack) & (depth <= slack))

    def _edges(self, axes: Sequence[str]) -> tuple[Edge, ...]:
        x, y = self.center
        across, up = self.radius * math.cos(self.mouth), self.radius * math.sin(self.mouth)
        return (
            Edge("arc", arc(self.center, self.radius, self.mouth, 2 * math.pi - self.mouth)),
            Edge("lower", segment((x + across, y - up), self.center)),
            Edge("upper", segment(self.center, (x + across, y + up))),
        )
