"""Materials that jump: a line, a circle, twenty disks, quadrants, a checkerboard."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp
from random_families.patch_crossings import quadrants
from random_families.system import gradient, inner

import fspielm as fs
from patch_problems.elements import Elements, box, disk
from patch_problems.example import Answer, PatchProblem, flow, patch_problem, steady, x, y

_BOX = fs.Box((0, 0), (1, 1))
_SIDES = "x-|x+|y-|y+"
_CONTRAST = 1000.0
# Where each of twenty disks is, beside the middle of its place in a grid of five by four.
_ASIDE = [(0.013 * ((7 * i) % 5 - 2), 0.015 * ((11 * i) % 5 - 2)) for i in range(20)]
_RADII = [0.05 + 0.004 * ((3 * i) % 7) for i in range(20)]
_BOARD, _BLACK = 16, 10.0


def _joined(g: sp.Expr, borders: Sequence[sp.Expr], shape: Any, size: float) -> PatchProblem:
    """A material of `_CONTRAST` where a border is negative; sources keep value and flux together, see `_within`."""
    inside = [border < 0 for border in borders]
    a = sp.Piecewise(*((_CONTRAST, where) for where in inside), (1, True))
    fields = [_within(g, border) for border in borders]
    exact = sp.Piecewise(*zip(fields, inside, strict=True), (g, True))
    sources = [-_CONTRAST * flow(1, field) for field in fields]
    f = sp.Piecewise(*zip(sources, inside, strict=True), (-flow(1, g), True))
    regions = [*(f"inside {i}" for i in range(len(borders))), "around"]
    stated = steady(_BOX, exact, a=a, f=f, borders=borders)
    elements = Elements(shape, size, a=a, f=f, value=exact, held=_SIDES, regions=regions)
    return PatchProblem(stated, 1e-8, elements=elements)


def _within(g: sp.Expr, border: sp.Expr) -> sp.Expr:
    """Equal to g at the border, with a slope across it that is less by the contrast."""
    slope = inner(gradient(border, (x, y)), gradient(g, (x, y)))
    return g + border * (1 / _CONTRAST - 1) * slope + border**2 * sp.cos(3 * x - 2 * y)


def _wave() -> sp.Expr:
    return sp.exp(x / 2) * sp.sin(5 * (x + y**2 / 2)) + sp.cos(3 * y - x)


@patch_problem("straight border", "diffusion, 1 : 1000 across a line")
def straight() -> PatchProblem:
    """A line that no halving of the box meets."""
    cut = 0.4

    def shape(occ: Any) -> Any:
        left = occ.WorkPlane().MoveTo(0, 0).Rectangle(cut, 1).Face()
        right = occ.WorkPlane().MoveTo(cut, 0).Rectangle(1 - cut, 1).Face()
        left.faces.name, right.faces.name = "inside 0", "around"
        return _glued(occ, [left, right])

    return _joined(_wave(), [x - cut], shape, 0.4)


@patch_problem("circular border", "the same across a circle")
def circle() -> PatchProblem:
    """A disk that conducts."""
    center, radius = (0.46, 0.53), 0.27
    return _joined(_wave(), [_circle(center, radius)], _disks([center], [radius]), 0.3)


@patch_problem("twenty disks", "the same with twenty disks")
def twenty() -> PatchProblem:
    """Of several sizes, beside a grid."""
    grid = [((i % 5 + 0.5) / 5, (i // 5 + 0.5) / 4) for i in range(20)]
    centers = [(a + c, b + d) for (a, b), (c, d) in zip(grid, _ASIDE, strict=True)]
    borders = [_circle(c, r) for c, r in zip(centers, _RADII, strict=True)]
    return _joined(_wave(), borders, _disks(centers, _RADII), 0.2)


def _circle(center: Sequence[float], radius: float) -> sp.Expr:
    return ((x - center[0]) ** 2 + (y - center[1]) ** 2 - radius**2) / (2 * radius)


def _disks(centers: Sequence[Sequence[float]], radii: Sequence[float]) -> Any:
    def shape(occ: Any) -> Any:
        faces = [disk(occ, c, r) for c, r in zip(centers, radii, strict=True)]
        around = box((0, 0), (1, 1))(occ)
        for index, face in enumerate(faces):
            face.faces.name = f"inside {index}"
            around = around - face
        around.faces.name = "around"
        return _glued(occ, [around, *faces])

    return shape


def _glued(occ: Any, faces: Sequence[Any]) -> Any:
    whole = occ.Glue(list(faces))
    for axis, letter in enumerate("xy"):
        for edge in whole.edges:
            place = (edge.center.x, edge.center.y)[axis]
            for value, sign in enumerate("-+"):
                if abs(place - value) < 1e-9:
                    edge.name = f"{letter}{sign}"
    return whole


def _quadrants(contrast: float, tol: float) -> PatchProblem:
    """Four quarters that meet beside the middle."""
    place = (0.45, 0.6)
    a, exact, _ = quadrants(contrast, x - place[0], y - place[1])
    borders = (x - place[0], y - place[1])
    stated = steady(_BOX, exact, a=a, f=0, borders=borders)

    def shape(occ: Any) -> Any:
        faces = []
        for left, right in ((0, place[0]), (place[0], 1)):
            for low, high in ((0, place[1]), (place[1], 1)):
                face = occ.WorkPlane().MoveTo(left, low).Rectangle(right - left, high - low).Face()
                face.faces.name = "black" if (left > 0) == (low > 0) else "white"
                faces.append(face)
        whole = _glued(occ, faces)
        for vertex in whole.vertices:
            if math.hypot(vertex.p.x - place[0], vertex.p.y - place[1]) < 1e-9:
                vertex.hpref = 1
        return whole

    elements = Elements(shape, 0.5, a=a, value=exact, held=_SIDES, regions=["black", "white"], levels=12)
    return PatchProblem(stated, tol, elements=elements)


@patch_problem("quadrants, 1 : 10", "four quarters with an exponent of 0.390 where they meet")
def quadrants_10() -> PatchProblem:
    """By grading."""
    return _quadrants(10.0, 1e-7)


@patch_problem("quadrants, 1 : 1000", "the same with an exponent of 0.040")
def quadrants_1000() -> PatchProblem:
    """With functions of the corner: halving does not get there."""
    return _quadrants(1000.0, 1e-7)


def _stripes(v: sp.Symbol) -> sp.Expr:
    """Plus and minus one in turn."""
    return sp.Piecewise(*((1 - 2 * (i % 2), v < sp.Rational(i + 1, _BOARD)) for i in range(_BOARD - 1)), (-1, True))


@patch_problem("checkerboard", "16 x 16 squares of 1 : 10 between two electrodes, measured by the current")
def checkerboard() -> PatchProblem:
    """A quarter turn swaps the colours, so the current is the geometric mean of the two, exactly (Dykhne)."""
    a = (_BLACK + 1) / 2 + (_BLACK - 1) / 2 * _stripes(x) * _stripes(y)
    conditions = [fs.Dirichlet(0, on="x-"), fs.Dirichlet(1, on="x+"), fs.Neumann(0, on=["y-", "y+"])]
    borders = [v - i / _BOARD for v in (x, y) for i in range(1, _BOARD)]
    stated = steady(_BOX, None, a=a, f=0, conditions=conditions, borders=borders)
    nodes, weights = np.polynomial.legendre.leggauss(24)
    heights = ((np.arange(_BOARD)[:, None] + 0.5 + 0.5 * nodes) / _BOARD).ravel()
    stiff = np.where(np.arange(_BOARD) % 2 == 0, _BLACK, 1.0)
    shares = (stiff[:, None] * weights / (2 * _BOARD)).ravel()

    def measure(answer: Answer) -> float:
        """The current through the left side."""
        current = shares @ np.ravel(answer.slope(np.stack([np.zeros_like(heights), heights], axis=1)))
        return float(abs(current / math.sqrt(_BLACK) - 1))

    def shape(occ: Any) -> Any:
        faces = []
        for i in range(_BOARD):
            for j in range(_BOARD):
                face = occ.WorkPlane().MoveTo(i / _BOARD, j / _BOARD).Rectangle(1 / _BOARD, 1 / _BOARD).Face()
                face.faces.name = "black" if (i + j) % 2 == 0 else "white"
                faces.append(face)
        whole = _glued(occ, faces)
        for vertex in whole.vertices:
            if 0 < vertex.p.x < 1 and 0 < vertex.p.y < 1:
                vertex.hpref = 1
        return whole

    two = sp.Piecewise((_BLACK, x < 0), (1, True))  # branches by region, whatever their conditions
    elements = Elements(shape, 0.1, a=two, value=x, held="x-|x+", regions=["black", "white"], levels=4)
    return PatchProblem(stated, 1e-7, measure=measure, elements=elements)
