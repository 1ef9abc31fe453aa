"""Where the everyday problems are posed: outlines, holes and materials as numbers, and the points of comparison.

These numbers are frozen: `docs/everyday.csv` compares versions of the library on exactly these problems.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Corner = tuple[float, float]
# A name, a center and a radius.
Round = tuple[str, Corner, float]

POINTS = 2000
# Points keep this distance from circles, so that it is clear on which side they lie.
_CLEAR = 1e-6


@dataclass(frozen=True)
class Place:
    """A polygon less disks, with disks of other materials in it.

    Attributes
    ----------
    corners : tuple of pairs
        Counter-clockwise.
    sides : tuple of str
        The name of the side from each corner to the next one.
    holes, inclusions : tuple of (str, center, radius)
    strong : tuple of int
        Corners at which the solution is least smooth.
    """

    corners: tuple[Corner, ...]
    sides: tuple[str, ...]
    holes: tuple[Round, ...] = ()
    inclusions: tuple[Round, ...] = ()
    strong: tuple[int, ...] = ()

    @property
    def box(self) -> tuple[Corner, Corner] | None:
        """The lower and the upper corner of a box without holes and inclusions."""
        return (self.corners[0], self.corners[2]) if set(self.sides) == set(SIDES) and not self.rounds else None

    @property
    def rounds(self) -> tuple[Round, ...]:
        """All disks."""
        return self.holes + self.inclusions

    def contains(self, points: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether points are inside, and not within rounding of a circle."""
        x, y = points.T
        inside = np.zeros(len(points), dtype=bool)
        for (x0, y0), (x1, y1) in zip(self.corners, (*self.corners[1:], self.corners[0]), strict=True):
            if y0 != y1:
                inside ^= ((y0 > y) != (y1 > y)) & (x < x0 + (y - y0) * (x1 - x0) / (y1 - y0))
        for name, center, radius in self.rounds:
            distance = np.hypot(x - center[0], y - center[1]) - radius
            inside &= distance > _CLEAR if (name, center, radius) in self.holes else np.abs(distance) > _CLEAR
        return inside

    def points(self) -> NDArray[np.float64]:
        """The points of comparison ``(POINTS, 2)``."""
        return halton(self.contains, np.min(self.corners, axis=0), np.max(self.corners, axis=0))


def halton(
    contains: Callable[[NDArray[np.float64]], NDArray[np.bool_]], low: NDArray[np.float64], high: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The first points of Halton's sequence, stretched over a box, that lie inside."""
    count = 2 * POINTS
    while True:
        points = low + (high - low) * np.stack([_radical_inverse(count, base) for base in (2, 3)], axis=1)
        inside = points[contains(points)]
        if len(inside) >= POINTS:
            return inside[:POINTS]
        count *= 2


def _radical_inverse(count: int, base: int) -> NDArray[np.float64]:
    """The digits of 1, 2, ..., count behind the point, in reverse."""
    rest, value, share = np.arange(1, count + 1), np.zeros(count), 1.0
    while rest.any():
        share /= base
        value += share * (rest % base)
        rest //= base
    return value


SIDES = ("y-", "x+", "y+", "x-")


def box(width: float, height: float, strong: tuple[int, ...] = (), **rounds: tuple[Round, ...]) -> Place:
    """A box from the origin, with the names of sides that `fs.Box` has."""
    return Place(((0.0, 0.0), (width, 0.0), (width, height), (0.0, height)), SIDES, strong=strong, **rounds)


SQUARE = box(1.0, 1.0)
PLATE = Place(
    ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (0.0, -1.0)),
    ("outline",) * 6,
    holes=(("hole", (-0.5, 0.5), 0.25),),
    strong=(0,),
)
BRACKET = Place(
    ((0.0, 0.0), (2.0, 0.0), (2.0, 0.8), (0.8, 0.8), (0.8, 2.0), (0.0, 2.0)),
    ("outline",) * 6,
    holes=(("hot", (0.4, 1.6), 0.2), ("cold", (1.6, 0.4), 0.2)),
    strong=(3,),
)
INCLUSION = box(1.0, 1.0, inclusions=(("core", (0.45, 0.55), 0.25),))
CONVECTION = box(2.5, 1.0, holes=(("warm", (0.8, 0.45), 0.15),))
# Floor, boot, tailgate, rear window, roof, windscreen, bonnet, firewall; metres.
CABIN = Place(
    ((0.4, 0.0), (2.3, 0.0), (2.7, 0.3), (2.5, 0.75), (1.9, 1.1), (0.9, 1.1), (0.3, 0.65), (0.0, 0.35)),
    ("floor", "boot", "tailgate", "rear window", "roof", "windscreen", "bonnet", "firewall"),
)
NONLINEAR = box(1.0, 1.0, holes=(("hole", (0.4, 0.55), 0.2),))
STOKES = box(3.0, 1.0, holes=(("disk", (0.8, 0.45), 0.15),), strong=(1, 2))
CANTILEVER = box(4.0, 1.0, holes=(("hole", (1.5, 0.5), 0.25),), strong=(0, 3))
LAYER = box(1.0, 1.0, holes=(("hole", (0.6, 0.55), 0.2),))
ELASTIC_L = Place(
    ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (2.0, 1.0), (2.0, 2.0), (0.0, 2.0)),
    ("foot", "side", "belly", "end", "top", "back"),
    strong=(0, 1, 2),
)
HOLES = box(
    1.25,
    1.0,
    holes=tuple(
        (f"hole {index}", center, radius)
        for index, (*center, radius) in enumerate(
            (
                (0.107, 0.112, 0.051),
                (0.389, 0.141, 0.063),
                (0.618, 0.108, 0.075),
                (0.884, 0.135, 0.056),
                (1.121, 0.119, 0.068),
                (0.133, 0.368, 0.072),
                (0.361, 0.389, 0.053),
                (0.642, 0.363, 0.061),
                (0.868, 0.381, 0.077),
                (1.139, 0.372, 0.058),
                (0.119, 0.631, 0.066),
                (0.382, 0.612, 0.078),
                (0.611, 0.638, 0.054),
                (0.891, 0.621, 0.069),
                (1.118, 0.643, 0.073),
                (0.128, 0.879, 0.059),
                (0.367, 0.868, 0.067),
                (0.633, 0.888, 0.074),
                (0.872, 0.862, 0.052),
                (1.131, 0.874, 0.064),
            )
        )
    ),
)
BENDING = box(1.5, 1.0)
CONTRAST = box(
    1.0,
    1.0,
    inclusions=(("first", (0.3, 0.3), 0.15), ("second", (0.7, 0.35), 0.12), ("third", (0.5, 0.75), 0.16)),
)
HOLED = Place(((0.0, 0.1), (0.5, 0.0), (1.0, 0.2), (0.9, 0.6), (1.0, 0.9), (0.4, 1.0), (0.1, 0.7)), ("outline",) * 7)
# Polygonal holes of the medium above.
TRIANGLE = ((0.25, 0.25), (0.45, 0.3), (0.35, 0.5))
QUADRANGLE = ((0.6, 0.55), (0.8, 0.6), (0.75, 0.8), (0.6, 0.75))
STAR_CENTER = (0.5, 0.5)


def star_radius(angle: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of the star with five arms."""
    return 0.45 * (1 + np.cos(5 * angle) / 5)


def star_points() -> NDArray[np.float64]:
    """Points of comparison in the star."""

    def contains(points: NDArray[np.float64]) -> NDArray[np.bool_]:
        x, y = (points - STAR_CENTER).T
        return np.hypot(x, y) < star_radius(np.arctan2(y, x)) - _CLEAR

    return halton(contains, np.zeros(2), np.ones(2))


def holed_points() -> NDArray[np.float64]:
    """Points of comparison in the polygon with two polygonal holes."""

    def contains(points: NDArray[np.float64]) -> NDArray[np.bool_]:
        holes = [Place(hole, ("",) * len(hole)).contains(points) for hole in (TRIANGLE, QUADRANGLE)]
        return HOLED.contains(points) & ~holes[0] & ~holes[1]

    return halton(contains, np.zeros(2), np.ones(2))
