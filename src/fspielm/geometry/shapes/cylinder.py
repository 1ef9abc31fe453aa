"""The circular cylinder along an axis."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import SupportsFloat, final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import (
    BoundaryPart,
    Quadrature,
    Sites,
    as_name,
    as_positive,
    as_space_point,
    gauss,
    midpoint_rule,
    nodes_per_axis,
    tensor,
)
from fspielm.geometry.domain import Domain, Spans, one_span, round_span, rounding_slack


@final
@dataclass(frozen=True, init=False, repr=False)
class Cylinder(Domain):
    """The solid circular cylinder; its boundary parts are ``"side"``, ``"bottom"`` and ``"top"``.

    Parameters
    ----------
    center : (number, number, number)
        The middle of the solid.
    radius, height : number
        Positive.
    axis : "x", "y", "z" or 0, 1, 2
        Direction of its axis; the bottom is where this coordinate is least.
    name : str, optional
        Put before the names of the parts: ``"bore.side"``.

    Examples
    --------
    >>> Cylinder((0, 0, 0), radius=1, height=4, axis="x").bounding_box[0]
    array([-2., -1., -1.])
    """

    center: tuple[float, float, float]
    radius: float
    height: float
    axis: str
    name: str = ""

    dimension = 3

    def __init__(
        self,
        center: Iterable[SupportsFloat],
        radius: SupportsFloat,
        height: SupportsFloat,
        axis: str | int = "z",
        *,
        name: str = "",
    ) -> None:
        self._read(center=(as_space_point, center), radius=(as_positive, radius), height=(as_positive, height))
        self._read(axis=(_as_axis, axis), name=(as_name, name))

    @property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """The smallest box around the cylinder, ``(lower, upper)``."""
        reach = np.full(3, self.radius)
        reach[self._along] = 0.5 * self.height
        return np.array(self.center) - reach, np.array(self.center) + reach

    @property
    def measure(self) -> float:
        """Volume."""
        return math.pi * self.radius**2 * self.height

    @property
    def _along(self) -> int:
        return "xyz".index(self.axis)

    def _contains(self, points: FloatArray, closed: bool) -> BoolArray:
        local = points - self.center
        along, across = local[:, self._along], np.delete(local, self._along, axis=1)
        end, rim = (rounding_slack(closed, size, *self.center) for size in (self.height, self.radius))
        return np.asarray((np.abs(along) <= 0.5 * self.height + end) & (np.hypot(*across.T) <= self.radius + rim))

    def _spans(self, points: FloatArray, axis: int) -> Spans:
        nearest = points.copy()
        nearest[:, axis] = self.center[axis]
        met = self._contains(nearest, True)
        if axis == self._along:
            return one_span(self.center[axis] - 0.5 * self.height, self.center[axis] + 0.5 * self.height, met)
        other = 3 - axis - self._along
        ends = round_span(self.center[axis], self.radius, np.abs(points[:, other] - self.center[other])).ends
        return Spans(np.where(met[:, None], ends, np.inf))

    def _boundary(self, axes: Sequence[str]) -> tuple[BoundaryPart, ...]:
        def side(unit: FloatArray) -> Sites:
            ring = _ring(unit[:, 0])
            points = self._join(self.radius * ring, self.height * (unit[:, 1] - 0.5))
            return Sites(self._moved(points), self._join(ring, np.zeros(len(unit))))

        girth = 2 * math.pi * self.radius
        return (
            BoundaryPart("side", girth * self.height, 2, side, endless=1),
            self._cap("bottom", -1.0),
            self._cap("top", 1.0),
        )

    def _cap(self, name: str, sign: float) -> BoundaryPart:
        outward = self._join(np.zeros((1, 2)), np.array([sign]))

        def place(unit: FloatArray) -> Sites:
            # equal steps of the squared radius are equal areas
            across = self.radius * np.sqrt(unit[:, 1:]) * _ring(unit[:, 0])
            points = self._moved(self._join(across, np.full(len(unit), 0.5 * sign * self.height)))
            return Sites(points, np.tile(outward, (len(unit), 1)))

        return BoundaryPart(name, math.pi * self.radius**2, 2, place, endless=1)

    def _quadrature(self, n: int) -> Quadrature:
        m = nodes_per_axis(n, 3)
        # averaged over angles, a smooth function is smooth in the squared radius
        unit, weights = tensor(gauss(m // 2 + 1), midpoint_rule(2 * m), gauss(m))
        across = self.radius * np.sqrt(unit[:, :1]) * _ring(unit[:, 1])
        return Quadrature(self._moved(self._join(across, self.height * (unit[:, 2] - 0.5))), weights)

    def _join(self, across: FloatArray, along: FloatArray) -> FloatArray:
        """Vectors ``(n, 3)`` from components across the axis ``(n, 2)`` and along it ``(n,)``."""
        return np.insert(across, self._along, along, axis=1)

    def _moved(self, points: FloatArray) -> FloatArray:
        return np.asarray(points + self.center, dtype=np.float64)


def _ring(share: FloatArray) -> FloatArray:
    """Unit vectors in the plane ``(n, 2)`` at shares of a full turn."""
    angle = 2 * math.pi * share
    return np.column_stack([np.cos(angle), np.sin(angle)])


def _as_axis(axis: object, argument: str) -> str:
    if isinstance(axis, str) and axis in ("x", "y", "z"):
        return axis
    if isinstance(axis, int | np.integer) and not isinstance(axis, bool) and 0 <= axis <= 2:
        return "xyz"[int(axis)]
    raise ProblemError(f'{argument} must be "x", "y", "z" or its index 0, 1, 2; got {axis!r}')
