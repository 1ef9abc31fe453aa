"""Where the problems of the family "stages" are posed, and points outside of there."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from scipy.spatial import cKDTree
from scipy.special import jn_zeros

import fspielm as fs
from fspielm.geometry import Domain
from random_families.draw import Draw

_OUTLINE = 4000
_TRIALS = 50
# A point is as far outside as it should be, but for this factor.
_CLEAR = 0.9


@dataclass(frozen=True, eq=False)
class Place:
    """A domain in space, its name, coordinates about its middle, and half of its largest extent."""

    space: Domain
    name: str
    x: tuple[sp.Symbol, ...]
    middle: tuple[float, ...]
    length: float

    @property
    def r(self) -> list[sp.Expr]:
        """Coordinates about the middle."""
        return [v - m for v, m in zip(self.x, self.middle, strict=True)]

    def outside(self, draw: Draw, distance: float) -> list[float]:
        """A point at `distance` from the boundary outside: before a wall, in a notch or a hole, where it fits."""
        parts = self.space.boundary()
        total = sum(part.measure for part in parts)
        sites = [part.sample(math.ceil(_OUTLINE * part.measure / total), draw.rng) for part in parts]
        points = np.concatenate([s.points for s in sites])
        normals = np.concatenate([s.normals for s in sites if s.normals is not None])
        outline = cKDTree(points)
        for index in draw.rng.integers(len(points), size=_TRIALS):
            point = points[index] + distance * normals[index]
            if outline.query(point)[0] >= _CLEAR * distance and not self.space.contains(point[None])[0]:
                return [float(v) for v in point]
        # too far for every hole: beside the corner of the bounding box, which always fits
        lower, upper = self.space.bounding_box
        return [float(v) for v in upper + 0.01 * (upper - lower) + distance / math.sqrt(self.space.dimension)]

    def scaled(self, expression: sp.Expr, given: dict[sp.Symbol, float] | None = None) -> sp.Expr:
        """The expression over its size in the domain, to three digits."""
        points = self.space.sample(200, np.random.default_rng(0))
        f = sp.lambdify(self.x, expression.subs(given or {}), modules=["scipy", "numpy"])
        size = float(np.sqrt(np.mean(np.broadcast_to(f(*points.T), len(points)) ** 2)))
        return expression / float(f"{size:.3g}")


def draw_place(draw: Draw, dimension: int) -> Place:
    """A domain of odd size and place."""
    size = draw.log_between(0.3, 8) * (draw.one_of((1e-2, 1e3)) if draw.chance(0.05) else 1)
    lower = [draw.between(-2, 2) * size for _ in range(dimension)]
    name, make = draw.one_of(_shapes(draw, lower, size))
    return _place(make(), name)


def draw_resonant(draw: Draw, dimension: int, k: float) -> Place:
    """A disk or a box, an interval or a ball, so large that `k` is close to the wavenumber of one of its modes."""
    off = draw.log_between(1e-9, 1e-2) * draw.one_of((-1, 1))
    if dimension > 1 and draw.chance(0.5):
        radius = float(jn_zeros(draw.one_of((0, 1, 3)), 4)[-1]) / k if dimension == 2 else 3 * math.pi / k
        shape: Domain = (fs.Disk if dimension == 2 else fs.Ball)([0.0] * dimension, radius * (1 + off))
        return _place(shape, f"{type(shape).__name__} off resonance by {off:.0e}")
    waves = [draw.one_of((2, 3, 4)) for _ in range(dimension)]
    # the sides share the square of the wavenumber
    shares = draw.rng.dirichlet(np.full(dimension, 5.0))
    sides = [math.pi * n / (k * math.sqrt(share)) * (1 + off) for n, share in zip(waves, shares, strict=True)]
    return _place(fs.Box([0.0] * dimension, sides), f"Box off resonance by {off:.0e}")


def _place(space: Domain, name: str) -> Place:
    lower, upper = space.bounding_box
    x = sp.symbols("x y z")[: space.dimension]
    middle = tuple(float(f"{v:.4g}") for v in 0.5 * (lower + upper))
    return Place(space, name, x, middle, float(f"{0.5 * (upper - lower).max():.4g}"))


def _shapes(draw: Draw, lower: list[float], size: float) -> list[tuple[str, Callable[[], Domain]]]:
    """Names and makers, the more likely ones more than once."""
    n = len(lower)

    def box() -> Domain:
        return fs.Box(lower, [a + draw.between(0.5, 1.3) * size for a in lower])

    if n == 1:
        return [("Interval", box)]
    if n == 3:
        return [("Ball", lambda: fs.Ball(lower, 0.5 * size)), ("Box", box)]

    def holed() -> Domain:
        hole = [a + draw.between(-0.2, 0.2) * size for a in lower]
        return fs.Disk(lower, 0.5 * size) - fs.Disk(hole, draw.between(0.05, 0.2) * size)

    def polygon(radii: Any) -> Domain:
        angles = 2 * math.pi * (np.arange(len(radii)) + draw.between(0, 1)) / len(radii)
        directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        corners = np.array(lower) + 0.5 * size * np.array(radii)[:, None] * directions
        return fs.Polygon(corners.tolist(), names=[f"side {i}" for i in range(len(radii))])

    def star() -> Domain:
        return polygon([1.0, draw.between(0.4, 0.7)] * draw.one_of((3, 4, 5)))

    return [
        ("Disk", lambda: fs.Disk(lower, 0.5 * size)),
        ("Ellipse", lambda: fs.Ellipse(lower, (0.6 * size, draw.between(0.2, 0.5) * size), draw.between(0, 3))),
        ("Box", box),
        ("Annulus", lambda: fs.Annulus(lower, draw.between(0.1, 0.35) * size, 0.5 * size)),
        ("Disk with a hole", holed),
        ("Panda", lambda: fs.Panda(0.45 * size, lower)),
        ("LShape", lambda: fs.LShape(lower, 0.5 * size)),
        ("convex Polygon", lambda: polygon([1.0] * draw.one_of((3, 4, 5, 7)))),
        ("star Polygon", star),
    ]
