"""Open domains in space, and the ellipsoids that their objects are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.ball import Ball
from fspielm.geometry.domain import Domain
from fspielm.geometry.ellipsoid import Ellipsoid
from fspielm.geometry.exterior import Exterior
from fspielm.geometry.nesting import Lie
from fspielm.geometry.sampling import kronecker
from fspielm.geometry.sites import Sites
from fspielm.geometry.transform import Transformed

# Points on an object that tell distances.
_ON_OBJECT = 2048

_BALL = Ball((0, 0, 0), 1).boundary()[0]


@final
@dataclass(frozen=True, eq=False)
class Body:
    """An ellipsoid, or a ball, anywhere in space.

    Attributes
    ----------
    center : (3,) array
    semi_axes : (3,) array
    turn : (3, 3) array
        Its columns are the directions of the semi-axes.
    """

    center: FloatArray
    semi_axes: FloatArray
    turn: FloatArray

    @property
    def is_ball(self) -> bool:
        """Whether all semi-axes are the same."""
        return bool(np.ptp(self.semi_axes) <= 1e-12 * self.semi_axes.max())

    def placed(self, on_ball: FloatArray, semi_axes: FloatArray) -> FloatArray:
        """Points of the unit ball, stretched by other semi-axes in the directions of its own."""
        return np.asarray(self.center + (on_ball * semi_axes) @ self.turn.T)

    def sites(self, unit: FloatArray) -> Sites:
        """Places on its surface, from shares of an azimuth and of a height, with normals into it.

        Those of a ball that is stretched: they crowd at the ends of long axes, as fields vary there.
        """
        return self._above(_BALL.place(unit).points)

    def sites_along(self, axis: int, unit: FloatArray) -> Sites:
        """The same around one of its axes, from shares of an azimuth and of the angle with it: more at its ends."""
        height = 0.5 - 0.5 * np.cos(np.pi * unit[:, 1])
        on_ball = _BALL.place(np.column_stack([unit[:, 0], height])).points
        return self._above(np.roll(on_ball, axis - 2, axis=1))

    def _above(self, on_ball: FloatArray) -> Sites:
        """What is on its surface where places are on the unit ball."""
        into = -on_ball / self.semi_axes
        into /= np.linalg.norm(into, axis=1, keepdims=True)
        return Sites(self.placed(on_ball, self.semi_axes), into @ self.turn.T)

    @cached_property
    def rim(self) -> FloatArray:
        """Points all over its surface."""
        return self.sites(kronecker(_ON_OBJECT, 2)).points


def body_of(shape: Domain) -> Body | None:
    """The ellipsoid that a shape is; None of any other."""
    if isinstance(shape, Ball):
        return Body(np.array(shape.center), np.full(3, shape.radius), np.eye(3))
    if isinstance(shape, Ellipsoid):
        return Body(np.array(shape.center), np.array(shape.semi_axes), np.eye(3))
    inner = body_of(shape.shape) if isinstance(shape, Transformed) else None
    if inner is None:
        return None
    assert isinstance(shape, Transformed)
    return Body(
        shape._forward(inner.center[None])[0], shape._factor * inner.semi_axes, shape._rows @ inner.turn / shape._factor
    )


@final
class SpaceExterior(Exterior):
    """An `Exterior` of space."""

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        """The objects as ellipsoids."""
        return tuple(body for body in map(body_of, self.shapes) if body is not None)

    def _check_shape(self, shape: Any) -> None:
        super()._check_shape(shape)
        if body_of(shape) is None:
            raise ProblemError(
                "Exterior: in space objects are fs.Ball and fs.Ellipsoid, moved and turned as you like, for fields "
                f"around others, and at edges, are not known; got {shape!r}: name an ellipsoid close to it"
            )

    def _lie(self, one: Domain, other: Domain) -> Lie:
        first, second = body_of(one), body_of(other)
        if first is None or second is None or not (first.is_ball and second.is_ball):
            return super()._lie(one, other)
        apart, a, b = float(np.linalg.norm(first.center - second.center)), first.semi_axes[0], second.semi_axes[0]
        if apart > (1 + 1e-9) * (a + b):
            return "apart"
        if apart >= (1 - 1e-9) * abs(b - a):
            return "across"
        return "within" if a < b else "around"
