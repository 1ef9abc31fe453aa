"""Objects in open space: shapes of any size and place that do not touch, and points inside of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from scipy.spatial import cKDTree

import fspielm as fs
from fspielm.geometry import Domain
from random_families.draw import Draw

_T = sp.Symbol("t")
_OUTLINE = 2000
_TRIALS = 200
# A point is as deep as it should be, but for this factor.
_CLEAR = 0.9


@dataclass(frozen=True, eq=False)
class Object:
    """A shape, the middle and the radius of a circle around it, and in words what it is."""

    shape: Domain
    middle: tuple[float, float]
    radius: float
    kind: str

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of its boundary."""
        return tuple(part.name for part in self.shape.boundary(["x", "y"]))

    def inside(self, draw: Draw, depth: float) -> tuple[float, float]:
        """A point at this distance from the boundary, in units of the radius; less deep where the object is thin."""
        parts = self.shape.boundary()
        total = sum(part.measure for part in parts)
        sites = [part.sample(math.ceil(_OUTLINE * part.measure / total), draw.rng) for part in parts]
        points = np.concatenate([site.points for site in sites])
        normals = np.concatenate([site.normals for site in sites if site.normals is not None])
        outline, distance = cKDTree(points), depth * self.radius
        while True:
            for index in draw.rng.integers(len(points), size=_TRIALS):
                point = points[index] - distance * normals[index]
                if outline.query(point)[0] >= _CLEAR * distance and self.shape.contains(point[None])[0]:
                    return float(point[0]), float(point[1])
            distance *= 0.7


def draw_objects(draw: Draw, number: int, size: float) -> tuple[Object, ...]:
    """So many of about this radius, apart from each other."""
    found: list[Object] = []
    names = [f"object {n + 1}" if number > 1 else "" for n in range(number)]
    for name in names:
        radius = float(f"{size * draw.between(0.5, 1):.3g}")
        middle = _place(draw, [(o.middle, o.radius) for o in found], radius)
        found.append(draw_object(draw, middle, radius, name))
    return tuple(found)


def _place(draw: Draw, others: Sequence[tuple[tuple[float, float], float]], radius: float) -> tuple[float, float]:
    """Beside one of the others, with a gap that is a share of the radius; anywhere if there is none."""
    if not others:
        return draw.between(-3, 3) * radius, draw.between(-3, 3) * radius
    while True:
        (x, y), own = draw.one_of(others)
        away, angle = own + radius * (1 + draw.log_between(0.1, 2)), draw.phase()
        place = (float(f"{x + away * math.cos(angle):.5g}"), float(f"{y + away * math.sin(angle):.5g}"))
        if all(math.dist(place, middle) > 1.05 * radius + other for middle, other in others):
            return place


def draw_object(draw: Draw, middle: tuple[float, float], radius: float, name: str) -> Object:
    """A disk, an ellipse, a smooth curve or a polygon within a circle."""
    kind = draw.one_of(("disk", "disk", "ellipse", "ellipse", "curve", "curve", "curve", "polygon", "polygon"))
    if kind == "disk":
        shape: Domain = fs.Disk(middle, radius, name=name)
    elif kind == "ellipse":
        shape = fs.Ellipse(middle, (radius, draw.between(0.3, 0.9) * radius), draw.between(0, 3), name=name)
    elif kind == "curve":
        waves = [
            (m, draw.between(0.02, 0.3) / m, draw.phase())
            for m in sorted({draw.one_of((1, 2, 3, 4, 5)) for _ in range(3)})
        ]
        rim = 1 + sum(a * sp.cos(m * _T + p) for m, a, p in waves)
        most = 1 + sum(a for _, a, _ in waves)
        shape = fs.PolarCurve(rim * float(f"{radius / most:.4g}"), middle, name=name)
    else:
        number = draw.one_of((3, 4, 4, 5, 6))
        angles = 2 * math.pi * (np.arange(number) + draw.between(0, 1) + draw.rng.uniform(-0.15, 0.15, number)) / number
        corners: NDArray[np.float64] = np.array(middle) + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        shape = fs.Polygon(corners.round(4 - math.floor(math.log10(radius))).tolist(), name=name)
        kind = f"polygon of {number}"
    return Object(shape, middle, radius, kind)
