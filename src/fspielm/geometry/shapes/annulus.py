"""The ring between two circles."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import SupportsFloat, final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import as_name, as_plane_point, as_positive
from fspielm.geometry.curves import Edge, arc
from fspielm.geometry.domain import Spans, round_span, rounding_slack
from fspielm.geometry.plane import PlaneShape


@final
@dataclass(frozen=True, init=False, repr=False)
class Annulus(PlaneShape):
    """The ring between two circles around one center; its boundary parts are ``"inner"`` and ``"outer"``.

    Parameters
    ----------
    center : (number, number)
    inner, outer : number
        The radii, ``0 < inner < outer``.
    name : str
        Put before the names of its boundary parts.

    Examples
    --------
    >>> Annulus((0, 0), 1, 2).contains([[0, 0], [1.5, 0]])
    array([False,  True])
    """

    center: tuple[float, float]
    inner: float
    outer: float
    name: str = ""

    def __init__(
        self, center: Iterable[SupportsFloat], inner: SupportsFloat, outer: SupportsFloat, *, name: str = ""
    ) -> None:
        self._read(
            center=(as_plane_point, center),
            inner=(as_positive, inner),
            outer=(as_positive, outer),
            name=(as_name, name),
        )
        if not self.inner < self.outer:
            raise ProblemError(
                f"Annulus: inner must be less than outer; got inner = {self.inner}, outer = {self.outer}"
            )

    @property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """The square around the outer circle, ``(lower, upper)``."""
        return np.array(self.center) - self.outer, np.array(self.center) + self.outer

    @property
    def measure(self) -> float:
        """Area."""
        return math.pi * (self.outer - self.inner) * (self.outer + self.inner)

    def _contains(self, points: FloatArray, closed: bool) -> BoolArray:
        x, y = (points - self.center).T
        slack = rounding_slack(closed, self.outer, *self.center)
        distance = np.hypot(x, y)
        return np.asarray((distance >= self.inner - slack) & (distance <= self.outer + slack))

    def _spans(self, points: FloatArray, axis: int) -> Spans:
        aside = np.abs(points[:, 1 - axis] - self.center[1 - axis])
        outer, inner = (round_span(self.center[axis], radius, aside) for radius in (self.outer, self.inner))
        return outer.combined("difference", inner, rounding_slack(True, self.outer, *self.center))

    def _edges(self, axes: Sequence[str]) -> tuple[Edge, ...]:
        return (
            Edge("inner", arc(self.center, self.inner, 2 * math.pi, 0.0)),  # clockwise: the ring is on its left
            Edge("outer", arc(self.center, self.outer, 0.0, 2 * math.pi)),
        )
