"""The ball."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import SupportsFloat, final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
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
from fspielm.geometry.domain import Domain, Spans, round_span, rounding_slack


@final
@dataclass(frozen=True, init=False, repr=False)
class Ball(Domain):
    """The ball around a center; its boundary is one part, ``"sphere"``.

    Parameters
    ----------
    center : (number, number, number)
    radius : number
        Positive.
    name : str, optional
        Put before the name of the part: ``"core.sphere"``.

    Examples
    --------
    >>> Ball((0, 0, 0), 2)
    Ball(center=(0.0, 0.0, 0.0), radius=2.0)
    """

    center: tuple[float, float, float]
    radius: float
    name: str = ""

    dimension = 3

    def __init__(self, center: Iterable[SupportsFloat], radius: SupportsFloat, *, name: str = "") -> None:
        self._read(center=(as_space_point, center), radius=(as_positive, radius), name=(as_name, name))

    @property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """The cube around the ball, ``(lower, upper)``."""
        return np.array(self.center) - self.radius, np.array(self.center) + self.radius

    @property
    def measure(self) -> float:
        """Volume."""
        return 4 / 3 * math.pi * self.radius**3

    def _contains(self, points: FloatArray, closed: bool) -> BoolArray:
        slack = rounding_slack(closed, self.radius, *self.center)
        return np.asarray(np.linalg.norm(points - self.center, axis=1) <= self.radius + slack)

    def _spans(self, points: FloatArray, axis: int) -> Spans:
        aside = np.linalg.norm(np.delete(points - self.center, axis, axis=1), axis=1)
        return round_span(self.center[axis], self.radius, aside)

    def _boundary(self, axes: Sequence[str]) -> tuple[BoundaryPart, ...]:
        def place(unit: FloatArray) -> Sites:
            outward = _directions(unit)
            return Sites(self.center + self.radius * outward, outward)

        return (BoundaryPart("sphere", 4 * math.pi * self.radius**2, 2, place, endless=2),)

    def _quadrature(self, n: int) -> Quadrature:
        from scipy.special import roots_jacobi

        m = nodes_per_axis(n, 3)
        # averaged over directions, a smooth function is smooth in r^2; r^2 dr is sqrt(r^2) d(r^2) / 2
        square, radial = roots_jacobi(m // 2 + 1, 0.0, 0.5)
        unit, weights = tensor((0.5 * (1 + square), radial), midpoint_rule(2 * m), gauss(m))
        return Quadrature(self.center + self.radius * np.sqrt(unit[:, :1]) * _directions(unit[:, 1:]), weights)


def _directions(unit: FloatArray) -> FloatArray:
    """Unit vectors from an azimuth and a height: equal heights of a sphere have equal areas (Archimedes)."""
    azimuth, share = 2 * math.pi * unit[:, 0], unit[:, 1]
    across = 2 * np.sqrt(share * (1 - share))
    return np.column_stack([across * np.cos(azimuth), across * np.sin(azimuth), 2 * share - 1])
