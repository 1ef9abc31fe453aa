"""Corners: solutions that are singular where the boundary turns or its condition changes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from random_families.stated import Stated

import fspielm as fs
from patch_problems.elements import Elements, polygon
from patch_problems.example import Answer, PatchProblem, patch_problem, steady, x, y
from patch_problems.plate import clamped_plate

_L_SHAPE = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)]
# u(0.99, 0.99) of the second problem (NA-Digest, 2018).
_KNOWN = 1.0267919261073
_LEVELS = 12


def _turned(corner: tuple[float, float], away: tuple[float, float]) -> tuple[sp.Expr, sp.Expr]:
    """Radius and angle about a corner, the angle zero toward `away`, so that its jump lies on the other side."""
    length = math.hypot(*away)
    cos, sin = away[0] / length, away[1] / length
    right, up = x - corner[0], y - corner[1]
    along, across = cos * right + sin * up, cos * up - sin * right
    return sp.sqrt(along**2 + across**2), sp.atan2(across, along)


@patch_problem("L-shape", "Laplace with the solution r^(2/3) of the corner")
def l_shape() -> PatchProblem:
    """Three unit squares."""
    r, theta = _turned((1, 1), (-1, -1))
    exact = r ** sp.Rational(2, 3) * sp.cos(2 * theta / 3)
    stated = steady(fs.Polygon(_L_SHAPE), exact, f=0)
    elements = Elements(polygon(_L_SHAPE, sharp=[3]), 0.5, value=exact, levels=_LEVELS)
    return PatchProblem(stated, 1e-9, elements=elements)


@patch_problem("L-shape, x^2", "Laplace with data x^2: u(0.99, 0.99) has thirteen known digits")
def l_shape_natural() -> PatchProblem:
    """Every corner counts: the data do not fit the equation there."""
    stated = steady(fs.Polygon(_L_SHAPE), None, f=0, conditions=[fs.Dirichlet(x**2)])

    def measure(answer: Answer) -> float:
        found = np.ravel(answer(np.array([[0.99, 0.99]])))[0]
        return float(abs(found - _KNOWN) / _KNOWN)

    elements = Elements(polygon(_L_SHAPE, sharp=range(6)), 0.5, value=x**2, levels=_LEVELS)
    return PatchProblem(stated, 1e-11, measure=measure, elements=elements)


@patch_problem("corner of a hole", "Laplace in a square with a square hole, r^(2/3) at one corner of the hole")
def hole() -> PatchProblem:
    """A power of (z - a) / (z - b): with a the corner and b within the hole, it has one value all around."""
    hole = [(0.4, 0.4), (0.6, 0.4), (0.6, 0.6), (0.4, 0.6)]
    corner, inside = (0.6, 0.6), (0.47, 0.52)
    right, up = x - corner[0], y - corner[1]
    far, high = x - inside[0], y - inside[1]
    square = (right**2 + up**2) / (far**2 + high**2)
    angle = sp.atan2(up * far - right * high, right * far + up * high)
    exact = square ** sp.Rational(1, 3) * sp.cos(2 * angle / 3 + 0.4) + sp.exp(2 * x) * sp.sin(2 * y) / 8
    outer = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    stated = steady(fs.Box((0, 0), (1, 1)) - fs.Polygon(hole, name="hole"), exact, f=0)

    def shape(occ: Any) -> Any:
        face = polygon(outer)(occ) - polygon(hole)(occ)
        for vertex in face.vertices:
            if math.hypot(vertex.p.x - corner[0], vertex.p.y - corner[1]) < 1e-9:
                vertex.hpref = 1
        return face

    return PatchProblem(stated, 1e-9, elements=Elements(shape, 0.2, value=exact, levels=_LEVELS))


@patch_problem("clamped plate", "bilaplacian u = 1 on the unit square, clamped; measured by Ritz' method")
def plate() -> PatchProblem:
    """Singular with an exponent of 3.74 at every corner."""
    u = sp.Function("u")(x, y)
    bilaplacian = u.diff(x, 4) + 2 * u.diff(x, 2, y, 2) + u.diff(y, 4)
    conditions = (fs.Dirichlet(0), fs.Neumann(0))
    stated = Stated("", (sp.Eq(bilaplacian, 1),), fs.Box((0, 0), (1, 1)), conditions, (u,), ())

    def values(points: NDArray[np.float64]) -> NDArray[Any]:
        return clamped_plate(points)

    return PatchProblem(stated, 1e-9, values=values)


@patch_problem("changing side", "Laplace, a side held on one half and free on the other: r^(1/2)")
def changing() -> PatchProblem:
    """The change is not where halving would find it."""
    place = 0.37
    corners = [(0.0, 0.0), (place, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    names = ["free", "held", "right", "top", "left"]
    r = sp.sqrt((x - place) ** 2 + y**2)
    theta = sp.atan2(y, x - place)
    singular = sp.sqrt(r) * sp.sin(theta / 2)
    exact = singular + sp.sin(2 * (x - place)) * sp.sinh(2 * y) / 10
    slope = sp.sin(2 * (place - x)) / 5  # the outward normal is (0, -1), and the singular part is flat here
    conditions = [fs.Neumann(slope, on="free"), fs.Dirichlet(exact, on="rest")]
    stated = steady(fs.Polygon(corners, names=names), exact, f=0, conditions=conditions)
    elements = Elements(
        polygon(corners, names, sharp=[1]),
        0.3,
        value=exact,
        held="held|right|top|left",
        open={"free": (0, slope)},
        levels=_LEVELS,
    )
    return PatchProblem(stated, 1e-9, elements=elements)
