"""The ellipsoid."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import SupportsFloat, final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.geometry.boundary import BoundaryPart, Quadrature, Sites, as_name, as_positive, as_space_point
from fspielm.geometry.domain import Domain, Spans, round_span, within_ellipsoid
from fspielm.geometry.shapes.ball import Ball
from fspielm.numerics.roots import Antiderivative, antiderivative, newton_between


@final
@dataclass(frozen=True, init=False, repr=False)
class Ellipsoid(Domain):
    """The solid within an ellipsoid along the axes; its boundary is one part, ``"ellipsoid"``.

    Two equal semi-axes make a spheroid. `Domain.rotated` turns it.

    Parameters
    ----------
    center : (number, number, number)
    semi_axes : (number, number, number)
        Half the extents along x, y and z; positive.
    name : str, optional
        Put before the name of the part: ``"lens.ellipsoid"``.

    Examples
    --------
    >>> Ellipsoid((0, 0, 0), (1, 1, 2)).bounding_box[0]
    array([-1., -1., -2.])
    """

    center: tuple[float, float, float]
    semi_axes: tuple[float, float, float]
    name: str = ""

    dimension = 3

    def __init__(self, center: Iterable[SupportsFloat], semi_axes: Iterable[SupportsFloat], *, name: str = "") -> None:
        self._read(center=(as_space_point, center), semi_axes=(_as_semi_axes, semi_axes), name=(as_name, name))

    @property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """The smallest box around the ellipsoid, ``(lower, upper)``."""
        return np.array(self.center) - self.semi_axes, np.array(self.center) + self.semi_axes

    @property
    def measure(self) -> float:
        """Volume."""
        return 4 / 3 * math.pi * math.prod(self.semi_axes)

    def _contains(self, points: FloatArray, closed: bool) -> BoolArray:
        return within_ellipsoid(points - self.center, self.semi_axes, self.center, closed)

    def _spans(self, points: FloatArray, axis: int) -> Spans:
        on_ball = np.delete((points - self.center) / self.semi_axes, axis, axis=1)
        ends = round_span(0.0, 1.0, np.linalg.norm(on_ball, axis=1)).ends
        return Spans(self.center[axis] + self.semi_axes[axis] * ends)

    def _boundary(self, axes: Sequence[str]) -> tuple[BoundaryPart, ...]:
        size = max(self.semi_axes)
        shape = tuple(axis / size for axis in self.semi_axes)

        def place(unit: FloatArray) -> Sites:
            on_ball = _directions(shape, unit)
            normals = on_ball / self.semi_axes
            normals /= np.linalg.norm(normals, axis=1, keepdims=True)
            return Sites(np.asarray(self.center + self.semi_axes * on_ball), normals)

        return (BoundaryPart("ellipsoid", size**2 * _area_below(shape).total, 2, place, endless=2),)

    def _quadrature(self, n: int) -> Quadrature:
        rule = Ball((0, 0, 0), 1)._quadrature(n)
        return Quadrature(np.asarray(self.center + self.semi_axes * rule.points), rule.weights)


def _as_semi_axes(value: Iterable[SupportsFloat], argument: str) -> tuple[float, ...]:
    return tuple(as_positive(size, f"{argument}[{i}]") for i, size in enumerate(as_space_point(value, argument)))


# ---- The distribution of area
# Points of the unit sphere at height h and angle p are stretched by the semi-axes. This stretches an area dh dp by
# ``a b c sqrt(A(h) cos(p)^2 + B(h) sin(p)^2)``, whose integral over the angle is elliptic.


def _directions(semi_axes: tuple[float, ...], unit: FloatArray) -> FloatArray:
    """Points of the unit sphere, from shares of the area up to an angle and of the area below a height."""
    from scipy.special import ellipe, ellipeinc

    below = _area_below(semi_axes)
    height = below.inverse(unit[:, 1] * below.total)
    first, second = _squares(semi_axes, height)
    m = 1 - second / first
    wanted = 4 * ellipe(m) * unit[:, 0]
    angle = newton_between(
        np.zeros(len(unit)),
        np.full(len(unit), 2 * np.pi),
        2 * np.pi * unit[:, 0],
        lambda p, which: ellipeinc(p, m[which]) - wanted[which],
        lambda p, which: np.sqrt(1 - m[which] * np.sin(p) ** 2),
        still=4 * float(np.spacing(np.pi)),
    )
    across = np.sqrt((1 - height) * (1 + height))
    return np.column_stack([across * np.cos(angle), across * np.sin(angle), height])


@lru_cache(maxsize=64)
def _area_below(semi_axes: tuple[float, ...]) -> Antiderivative:
    """The area below a height of the unit sphere."""
    from scipy.special import ellipe

    def around(height: FloatArray) -> FloatArray:
        first, second = _squares(semi_axes, height)
        return np.asarray(math.prod(semi_axes) * 4 * np.sqrt(first) * ellipe(1 - second / first))

    return antiderivative(around, -1.0, 1.0, what="Ellipsoid: its area")


def _squares(semi_axes: tuple[float, ...], height: FloatArray) -> tuple[FloatArray, FloatArray]:
    a, b, c = semi_axes
    across = (1 - height) * (1 + height)
    return across / a**2 + height**2 / c**2, across / b**2 + height**2 / c**2
