"""Polar curves: closed forms, extrema to rounding, bad input."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import minimize_scalar
from scipy.special import ellipe

from fspielm.errors import ProblemError
from fspielm.geometry import PolarCurve
from fspielm.geometry.shapes.panda import Panda

theta, phi = sp.symbols("theta phi")


def radii(curve: PolarCurve, n: int = 20_000) -> tuple[np.ndarray, np.ndarray]:
    angles = 2 * math.pi * np.arange(n) / n
    (symbol,) = curve.radius.free_symbols
    return angles, sp.lambdify(symbol, curve.radius, "numpy")(angles)


def test_ellipse_has_its_closed_forms() -> None:
    a, b = 3, 2
    curve = PolarCurve(a * b / sp.sqrt((b * sp.cos(phi)) ** 2 + (a * sp.sin(phi)) ** 2), center=(1, 2))
    (outline,) = curve.boundary()
    assert outline.name == "outline"
    assert outline.measure == pytest.approx(4 * a * ellipe(1 - (b / a) ** 2), rel=1e-14)
    assert curve.measure == pytest.approx(math.pi * a * b, rel=1e-14)
    assert curve.bounding_box[0] == pytest.approx([1 - a, 2 - b], abs=1e-14)
    assert curve.bounding_box[1] == pytest.approx([1 + a, 2 + b], abs=1e-14)
    sites = outline.place(np.linspace(0, 1, 50)[:, None])
    gradient = (sites.points - (1, 2)) / (a**2, b**2)
    assert sites.normals == pytest.approx(gradient / np.linalg.norm(gradient, axis=1)[:, None], abs=1e-13)


def test_shifted_circle() -> None:
    """A circle of radius 2 seen from a point half-way out: everything but its angle is constant."""
    curve = PolarCurve(sp.cos(theta) + sp.sqrt(4 - sp.sin(theta) ** 2))
    (outline,) = curve.boundary()
    sites = outline.place(np.linspace(0, 1, 9)[:, None])
    assert outline.measure == pytest.approx(4 * math.pi, rel=1e-14)
    assert curve.measure == pytest.approx(4 * math.pi, rel=1e-14)
    turn = math.pi / 4 * np.arange(9)
    assert sites.points == pytest.approx(np.column_stack([1 + 2 * np.cos(turn), 2 * np.sin(turn)]), abs=1e-12)


@pytest.mark.parametrize("lobes", [3, 64, 256, 512, 1024])
def test_many_lobes_are_seen(lobes: int) -> None:
    """Numbers of lobes that repeat themselves on any coarse regular grid."""
    curve = PolarCurve(1 + sp.cos(lobes * theta) / 10)
    assert curve.measure == pytest.approx(1.005 * math.pi, rel=1e-12)


def test_corners_are_met() -> None:
    """The unit square as a polar curve; nothing is lost to its corners but the normals there."""
    square = PolarCurve(1 / sp.Max(sp.Abs(sp.cos(theta)), sp.Abs(sp.sin(theta))))
    (outline,) = square.boundary()
    assert square.measure == pytest.approx(4, rel=1e-14)
    assert outline.measure == pytest.approx(8, rel=1e-14)
    assert square.bounding_box[1] == pytest.approx([1, 1], abs=1e-15)
    points = outline.place(np.arange(8)[:, None] / 8).points
    assert points[::2] == pytest.approx(np.array([[1, 0], [0, 1], [-1, 0], [0, -1]]), abs=1e-13)
    assert np.abs(points[1::2]) == pytest.approx(np.ones((4, 2)), abs=1e-13)


@pytest.mark.parametrize(
    "radius",
    [
        2 + sp.cos(5 * theta),
        1 + sp.sin(theta) / 3 + sp.cos(7 * theta - 1) / 5,
        1 + 3 * sp.exp(200 * (sp.cos(theta - 1) - 1)),
        Panda().radius,
    ],
)
def test_bounding_box_to_rounding(radius: sp.Expr) -> None:
    curve = PolarCurve(radius)
    angles, r = radii(curve)
    (symbol,) = radius.free_symbols
    function = sp.lambdify(symbol, radius, "numpy")
    for axis, wave in enumerate((np.cos, np.sin)):
        for side, sign in enumerate((1, -1)):
            at = angles[np.argmin(sign * r * wave(angles))]
            best = minimize_scalar(
                lambda t, sign=sign, wave=wave: sign * function(t) * wave(t),
                bounds=(at - 1e-3, at + 1e-3),
                method="bounded",
                options={"xatol": 1e-12},
            )
            assert curve.bounding_box[side][axis] == pytest.approx(sign * best.fun, rel=1e-14)


def test_a_symbol_with_any_name_and_assumptions() -> None:
    plain, positive = sp.Symbol("a"), sp.Symbol("b", positive=True)
    first, second = PolarCurve(2 + sp.cos(plain)), PolarCurve(2 + sp.cos(positive))
    assert first.measure == second.measure
    assert first != second
    assert first == PolarCurve(2 + sp.cos(plain), (0, 0))
    assert repr(first) == "PolarCurve(cos(a) + 2, center=(0.0, 0.0))"


def test_a_constant_in_disguise() -> None:
    curve = PolarCurve(sp.UnevaluatedExpr(theta - theta) + sp.sin(theta) ** 2 + sp.cos(theta) ** 2)
    assert curve.measure == pytest.approx(math.pi, rel=1e-14)
    assert curve.bounding_box[1] == pytest.approx([1, 1], abs=1e-15)


@pytest.mark.parametrize(
    ("radius", "message"),
    [
        (sp.cos(theta), r"radius.*positive.*got -?\d.*1\.5"),
        (1 + sp.cos(theta), r"radius.*positive.*every angle"),
        (sp.Rational(1, 2) + theta, r"radius.*period 2 pi.*angle"),
        (2 + sp.cos(theta / 2), r"radius must have period 2 pi"),
        (1 / (1 + sp.cos(theta)), r"radius.*smooth.*near 3\.1"),
        (sp.log(theta), r"radius.*finite.*-inf at angle 0"),
        (sp.Integer(2), r"one symbol.*constant 2.*Disk"),
        (2 + sp.cos(theta) * phi, r"one symbol.*2: phi, theta"),
        (2.0, r"radius.*SymPy.*got 2\.0"),
        ("2 + cos(theta)", r"radius.*SymPy.*'2 \+ cos"),
        (2 + sp.I * sp.cos(theta), r"real function.*NumPy.*complex128"),
        (2 + sp.Function("f")(theta), r"real function.*f\(theta\) \+ 2"),
    ],
)
def test_bad_radius(radius: Any, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        PolarCurve(radius)


def test_a_radius_that_dips_below_zero_between_the_trial_angles() -> None:
    dip = 1 - (1 + sp.Float(1e-9)) * sp.exp(-20_000 * sp.sin((theta - 1) / 2) ** 2)
    with pytest.raises(ProblemError, match=r"PolarCurve: radius.*falls to -1"):
        PolarCurve(dip)


def test_bad_center() -> None:
    with pytest.raises(ProblemError, match=r"PolarCurve: center.*two coord"):
        PolarCurve(2 + sp.cos(theta), center=(0, 0, 0))
