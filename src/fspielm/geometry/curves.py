"""Oriented pieces of plane curves: exact points and normals, and a walk along them at constant speed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import final

import numpy as np

from fspielm.arrays import FloatArray, times
from fspielm.errors import ProblemError
from fspielm.geometry.antiderivative import Antiderivative, antiderivative
from fspielm.geometry.boundary import BoundaryPart
from fspielm.geometry.sites import Sites


@final
@dataclass(frozen=True, eq=False)
class PlaneCurve:
    """A smooth piece of a plane curve, ``gamma(t)`` for t from `t0` to `t1`, with the interior on its left.

    Attributes
    ----------
    point, tangent : callable
        ``gamma`` and its derivative: map parameters ``(n,)`` to ``(n, 2)``; the tangent never vanishes.
    t0, t1 : float
        The parameter's range, ``t0 < t1``.
    constant_speed : float or None
        ``|gamma'|`` where it does not depend on t; arc length then is a product, not a quadrature.
    straight : bool
        Whether the curve is a straight segment at constant speed, which much is simpler for.
    """

    point: Callable[[FloatArray], FloatArray]
    tangent: Callable[[FloatArray], FloatArray]
    t0: float
    t1: float
    constant_speed: float | None = None
    straight: bool = False

    def __post_init__(self) -> None:
        if not self.t0 < self.t1:
            raise ProblemError(f"PlaneCurve: t1 must be greater than t0; got t0 = {self.t0}, t1 = {self.t1}")

    @property
    def length(self) -> float:
        """Arc length."""
        if self.constant_speed is not None:
            return self.constant_speed * (self.t1 - self.t0)
        return self._arc_length.total

    def parameter(self, s: FloatArray) -> FloatArray:
        """Return the parameters t ``(n,)`` at the fractions `s` of the arc length, ``0 <= s <= 1``."""
        if self.constant_speed is not None:
            return self.t0 + (self.t1 - self.t0) * s
        return self._arc_length.inverse(s * self._arc_length.total)

    def normals(self, t: FloatArray) -> FloatArray:
        """Return the unit normals ``(n, 2)`` to the right of the curve: outward."""
        tangents = self.tangent(t)
        speeds = np.hypot(tangents[:, 0], tangents[:, 1])
        return np.column_stack([tangents[:, 1], -tangents[:, 0]]) / speeds[:, None]

    def grid(self) -> FloatArray:
        """Parameters from `t0` to `t1`, dense enough to see every bend."""
        if self.constant_speed is not None:  # a segment or an arc
            return np.linspace(self.t0, self.t1, 65)
        # as dense as the arc length needed them
        edges = self._arc_length.edges
        return np.interp(np.arange(16 * len(edges) - 15) / 16, np.arange(len(edges)), edges)

    def clip(self, t0: float, t1: float) -> PlaneCurve:
        """Return the piece between two parameters of this curve."""
        if not self.t0 <= t0 < t1 <= self.t1:
            raise ProblemError(f"PlaneCurve.clip: t0 < t1 must lie between {self.t0} and {self.t1}; got {t0} and {t1}")
        return replace(self, t0=t0, t1=t1)

    def reversed(self) -> PlaneCurve:
        """Return the curve walked the other way, its parameter negated."""
        point, tangent = self.point, self.tangent
        return replace(self, point=lambda t: point(-t), tangent=lambda t: -tangent(-t), t0=-self.t1, t1=-self.t0)

    @property
    def ends(self) -> FloatArray:
        """The first and the last point ``(2, 2)``."""
        return self.point(np.array([self.t0, self.t1]))

    def mapped(self, matrix: FloatArray, offset: FloatArray, factor: float) -> PlaneCurve:
        """Return the image under ``x -> matrix x + offset``, a rotation that stretches by `factor`."""
        point, tangent = self.point, self.tangent
        return replace(
            self,
            point=lambda t: times(matrix, point(t)) + offset,
            tangent=lambda t: times(matrix, tangent(t)),
            constant_speed=None if self.constant_speed is None else factor * self.constant_speed,
        )

    def as_part(self, name: str) -> BoundaryPart:
        """Return the curve as a boundary part: equal steps of its unit coordinate are equal arc lengths."""

        def place(unit: FloatArray) -> Sites:
            t = self.parameter(unit[:, 0])
            return Sites(self.point(t), self.normals(t))

        return BoundaryPart(name, self.length, 1, place)

    @cached_property
    def _arc_length(self) -> Antiderivative:
        def speed(t: FloatArray) -> FloatArray:
            tangents = self.tangent(t)
            return np.hypot(tangents[:, 0], tangents[:, 1])

        return antiderivative(speed, self.t0, self.t1, what="the speed |gamma'| of a PlaneCurve")


@final
@dataclass(frozen=True, eq=False)
class Edge:
    """A smooth piece of a plane boundary, with the interior on its left, and the name of the part it belongs to.

    It may be a `side`: then it has a name of its own within that part.
    """

    name: str
    curve: PlaneCurve
    side: str = ""


def polyline_part(name: str, segments: Sequence[PlaneCurve]) -> BoundaryPart:
    """Join straight curves into one boundary part; many of them are placed as fast as one."""
    ends = np.array([curve.ends for curve in segments])
    lengths = np.array([curve.length for curve in segments])
    normals = np.concatenate([curve.normals(np.array([curve.t0])) for curve in segments])
    breaks = np.append(0.0, np.cumsum(lengths) / lengths.sum())
    breaks[-1] = 1.0

    def place(unit: FloatArray) -> Sites:
        which = np.clip(np.searchsorted(breaks, unit[:, 0], side="right") - 1, 0, len(lengths) - 1)
        share = (unit[:, 0] - breaks[which]) / (breaks[which + 1] - breaks[which])
        s = np.clip(share, 0.0, 1.0)[:, None]
        return Sites((1.0 - s) * ends[which, 0] + s * ends[which, 1], normals[which])

    return BoundaryPart(name, float(lengths.sum()), 1, place, tuple(breaks.tolist()))


def segment(start: tuple[float, float], end: tuple[float, float]) -> PlaneCurve:
    """Build the straight segment from `start` to `end`, parameter 0 to 1.

    Parameters
    ----------
    start, end : (float, float)
        Two different points.

    Returns
    -------
    PlaneCurve
    """
    a, b = np.array(start, dtype=np.float64), np.array(end, dtype=np.float64)
    if np.array_equal(a, b):
        raise ProblemError(f"segment: start and end must differ; got {tuple(start)} twice")

    def point(t: FloatArray) -> FloatArray:
        # Weighted ends rather than a + t (b - a): both ends are then met exactly.
        return (1.0 - t)[:, None] * a + t[:, None] * b

    def tangent(t: FloatArray) -> FloatArray:
        return np.tile(b - a, (len(t), 1))

    return PlaneCurve(point, tangent, 0.0, 1.0, constant_speed=math.dist(start, end), straight=True)


def arc(center: tuple[float, float], radius: float, angle0: float, angle1: float) -> PlaneCurve:
    """Build the circular arc from `angle0` to `angle1`, in radians from the x axis.

    Parameters
    ----------
    center : (float, float)
    radius : float
    angle0, angle1 : float
        Counterclockwise if ``angle0 < angle1``, and then the normals point away from the center; clockwise
        otherwise (the rim of a hole), and then they point to it.

    Returns
    -------
    PlaneCurve
        Its parameter is the angle, negated on a clockwise arc so that it ascends.
    """
    if angle0 == angle1:
        raise ProblemError(f"arc: angle0 and angle1 must differ; got {angle0} twice")
    turn = math.copysign(1.0, angle1 - angle0)
    middle = np.array(center, dtype=np.float64)

    def point(t: FloatArray) -> FloatArray:
        return middle + radius * np.column_stack([np.cos(t), turn * np.sin(t)])

    def tangent(t: FloatArray) -> FloatArray:
        return radius * np.column_stack([-np.sin(t), turn * np.cos(t)])

    return PlaneCurve(point, tangent, turn * angle0, turn * angle1, constant_speed=float(radius))
