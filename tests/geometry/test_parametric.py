"""Closed parametric curves: closed forms, every way to state one, and everything that is refused."""

from __future__ import annotations

import copy
import math
import pickle
import re
from typing import Any

import numpy as np
import pytest
import shapely
import sympy as sp
from scipy.special import ellipe

from fspielm.errors import ProblemError
from fspielm.geometry import Curve, PolarCurve
from fspielm.numerics.piecewise import interpolate

t, s = sp.symbols("t s")
TURN = 2 * math.pi


def trefoil(angle: np.ndarray) -> np.ndarray:
    return 2 + np.cos(3 * angle)


def square_x(u: np.ndarray) -> np.ndarray:
    return np.interp(u, [0, 1, 2, 3, 4], [0, 1, 1, 0, 0])


def square_y(u: np.ndarray) -> np.ndarray:
    return np.interp(u, [0, 1, 2, 3, 4], [0, 0, 1, 1, 0])


def test_an_ellipse_has_its_closed_forms() -> None:
    ellipse = Curve(1 + 3 * sp.cos(t), 2 * sp.sin(t) - 2)
    (outline,) = ellipse.boundary()
    assert outline.name == "outline"
    assert outline.measure == pytest.approx(12 * ellipe(1 - 4 / 9), rel=1e-14)
    assert ellipse.measure == pytest.approx(6 * math.pi, rel=1e-14)
    assert np.array(ellipse.bounding_box) == pytest.approx(np.array([[-2, -4], [4, 0]]), abs=1e-14)


@pytest.mark.parametrize(
    "clockwise",
    [
        Curve(sp.cos(t), -sp.sin(t)),
        Curve(sp.sin(t), sp.cos(t), (-sp.pi, sp.pi)),
        Curve(np.sin, np.cos, (-1, TURN - 1)),
    ],
)
def test_either_direction(clockwise: Curve) -> None:
    (outline,) = clockwise.boundary()
    sites = outline.place(np.linspace(0, 1, 101)[:, None])
    assert clockwise.measure == pytest.approx(math.pi, rel=1e-13)
    assert sites.normals == pytest.approx(sites.points, abs=1e-12)


def test_polar_is_the_polar_curve() -> None:
    radius = 2 + sp.cos(5 * t) / 2
    one, other = Curve.polar(radius, (1, 2)), PolarCurve(radius, (1, 2))
    assert one.measure == pytest.approx(other.measure, rel=1e-14)
    assert np.array(one.bounding_box) == pytest.approx(np.array(other.bounding_box), abs=1e-14)
    assert one.boundary()[0].measure == pytest.approx(other.boundary()[0].measure, rel=1e-14)
    points = np.random.default_rng(0).uniform(-2, 5, (20_000, 2))
    assert np.array_equal(one.contains(points), other.contains(points))
    assert Curve.polar(sp.Integer(2)).measure == pytest.approx(4 * math.pi, rel=1e-14)


def test_callables_are_as_good_as_expressions() -> None:
    by_sympy = Curve.polar(2 + sp.cos(3 * t), (5, 6))
    by_values = Curve.polar(trefoil, (5, 6))
    given = Curve(
        lambda u: 5 + trefoil(u) * np.cos(u),
        lambda u: 6 + trefoil(u) * np.sin(u),
        derivative=(
            lambda u: -3 * np.sin(3 * u) * np.cos(u) - trefoil(u) * np.sin(u),
            lambda u: -3 * np.sin(3 * u) * np.sin(u) + trefoil(u) * np.cos(u),
        ),
    )
    exact = by_sympy.boundary()[0].place(np.linspace(0, 1, 501)[:, None])
    for curve, digits in ((by_values, 2e-11), (given, 1e-13)):
        sites = curve.boundary()[0].place(np.linspace(0, 1, 501)[:, None])
        assert curve.measure == pytest.approx(by_sympy.measure, rel=1e-13)
        assert sites.points == pytest.approx(exact.points, abs=digits)
        assert sites.normals == pytest.approx(exact.normals, abs=digits)


def test_corners_at_the_ends_and_within() -> None:
    drop = Curve(sp.sin(t), sp.sin(2 * t) / 2, (0, sp.pi))
    (tip,) = drop.corners()
    assert (tip.point, tip.opening) == (pytest.approx((0, 0), abs=1e-15), pytest.approx(math.pi / 2))
    assert drop.measure == pytest.approx(2 / 3, rel=1e-14)
    square = Curve(square_x, square_y, (0, 1, 2, 3, 4))
    assert square.measure == pytest.approx(1, rel=1e-14)
    assert [corner.opening for corner in square.corners()] == pytest.approx([math.pi / 2] * 4)
    assert square.boundary()[0].breaks == pytest.approx((0, 0.25, 0.5, 0.75, 1))


def test_values() -> None:
    one = Curve(sp.cos(t), sp.sin(t))
    assert one == Curve(sp.cos(t), sp.sin(t), (0, 2 * sp.pi))
    assert one != Curve(sp.cos(s), sp.sin(s))
    assert repr(one) == "Curve(x=cos(t), y=sin(t), parameter=(0.0, 6.283185307179586))"
    for curve in (one, Curve.polar(trefoil), Curve(np.cos, np.sin)):
        curve.contains([[0, 0]])
        for twin in (copy.deepcopy(curve), pickle.loads(pickle.dumps(curve))):
            assert twin == curve
            assert hash(twin) == hash(curve)
            assert twin.measure == curve.measure


def test_thin_but_valid() -> None:
    assert Curve(sp.cos(t), 1e-6 * sp.sin(t)).measure == pytest.approx(1e-6 * math.pi, rel=1e-12)
    waist = Curve(sp.cos(t), sp.sin(t) * (sp.cos(t) ** 2 + sp.Float(1e-6)))
    assert waist.measure == pytest.approx(math.pi * (0.25 + 1e-6), rel=1e-12)


BAD: list[tuple[Any, Any, Any, str]] = [
    (sp.cos(t), sp.sin(t), (0, 3), r"must close.*\(1, 0\).*t = 3.*1\.99"),
    (sp.sin(t), sp.sin(2 * t), (0, TURN), r"cross.*\(0, 0\).*t = 0 .*3\.14"),
    (
        (1 + 2 * sp.cos(t)) * sp.cos(t),
        (1 + 2 * sp.cos(t)) * sp.sin(t),
        (0, TURN),
        r"\(0, 0\).*t = 2\.0944.*t = 4\.18879",
    ),
    (sp.cos(t), sp.sin(t), (0, 2 * TURN), "must not cross or touch itself"),
    (sp.cos(t), sp.sin(t) * sp.cos(t) ** 2, (0, TURN), r"\(0, 0\).*t = 1\.5708.*t = 4\.71239"),
    (sp.cos(-t), sp.sin(-t) * sp.cos(t) ** 2, (0, TURN), r"t = 1\.5708.*t = 4\.71239"),
    (sp.cos(t), 2 * sp.cos(t), (0, TURN), r"enclose an area.*line"),
    (sp.cos(t), 1, (0, TURN), r"enclose an area.*line"),
    (1, 1, (0, TURN), r"enclose an area.*line"),
    (1 / t, sp.sin(t), (0, TURN), r"finite.*\(inf, 0\) for t = 0"),
    (sp.tan(t), sp.sin(t), (0, TURN), r"integral.*settle near (1\.5|4\.7)"),
    (sp.log(sp.cos(t)), sp.sin(t), (0, TURN), r"finite; it is at \(nan, "),
    (sp.cos(t) ** 3, sp.sin(t) ** 3, (0.1, 0.1 + TURN), r"vanishes at t = (1\.57|3\.14|4\.71|6\.28)"),
    ((1 + sp.cos(t)) * sp.cos(t), (1 + sp.cos(t)) * sp.sin(t), (0, TURN), r"vanishes.*t = 3\.14159.*\(0, 0\)"),
    (sp.sqrt(t * (1 - t)), t * (1 - t) * (t - 2), (0, 1), r"finite derivative.*t = 0.*(oo|inf|nan)"),
    (square_x, square_y, (0, 4), r"corner.*t = [123]; list.*parameter="),
    (
        sp.cos(t) + sp.Piecewise((0, t < 1), (sp.Rational(1, 10), t < 2), (0, True)),
        sp.sin(t),
        (0, TURN),
        r"continuous.*t = [12].*jumps by 0\.1",
    ),
    (sp.cos(t), sp.sin(s), (0, TURN), r"x and y.*one symbol.*2: s, t"),
    (sp.Function("f")(t), sp.sin(t), (0, TURN), r"Curve: x.*known function.*f\(t\)"),
    ("cos(t)", sp.sin(t), (0, TURN), r"Curve: x.*SymPy.*'cos\(t\)'"),
    (sp.cos(t), None, (0, TURN), r"Curve: y.*SymPy.*None"),
    (lambda u: 1.0, np.sin, (0, TURN), r"Curve: x.*shape.*got shape \(\)"),
    (np.cos, lambda u: np.exp(1j * u), (0, TURN), r"Curve: y.*real.*complex128"),
    (sp.cos(t), sp.I * sp.sin(t), (0, TURN), r"Curve: y.*real.*complex128"),
    (lambda u: np.cos(u) + 1e-3 * np.sin(1e7 * u), np.sin, (0, TURN), r"Curve: x.*smooth.*corners"),
    (np.cos, np.sin, (0,), r"parameter.*first and.*last.*\(0\.0,\)"),
    (np.cos, np.sin, (TURN, 0), r"Curve: parameter.*ascending"),
    (np.cos, np.sin, (0, math.inf), r"parameter\[1\].*finite.*inf"),
    (np.cos, np.sin, 3, r"parameter.*sequence of numbers"),
]


@pytest.mark.parametrize(("x", "y", "parameter", "message"), BAD)
def test_bad_curves(x: Any, y: Any, parameter: Any, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        Curve(x, y, parameter)


@pytest.mark.parametrize("seed", range(8))
def test_crossings_as_shapely_sees_them(seed: int) -> None:
    """Random trigonometric curves, refused if and only if a fine polygon along them is not simple."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, 4)), rng.normal(size=(2, 4))
    k = np.arange(1, 5)
    decay = 1.0 / k**1.5

    def coordinate(row: int) -> Any:
        return lambda u: np.sum(decay * (a[row] * np.cos(np.outer(u, k)) + b[row] * np.sin(np.outer(u, k))), axis=1)

    x, y = coordinate(0), coordinate(1)
    u = TURN * np.arange(4000) / 4000
    polygon = shapely.Polygon(np.column_stack([x(u), y(u)]))
    if polygon.is_valid:
        assert Curve(x, y).measure == pytest.approx(polygon.area, rel=1e-4)
        return
    with pytest.raises(ProblemError, match=r"for t = ") as caught:
        Curve(x, y)
    first, second = (np.array([float(v)]) for v in re.findall(r"for t = ([\d.e-]+)", str(caught.value)))
    assert (x(first), y(first)) == (pytest.approx(x(second), abs=1e-4), pytest.approx(y(second), abs=1e-4))
    assert abs(first - second) > 1e-3


def test_bad_derivatives_and_centers() -> None:
    with pytest.raises(ProblemError, match=r"derivative.*two callables"):
        Curve(np.cos, np.sin, derivative=np.cos)  # type: ignore[arg-type]
    with pytest.raises(ProblemError, match=r"polar: center.*two coordinates"):
        Curve.polar(2 + sp.cos(t), (1, 2, 3))
    with pytest.raises(ProblemError, match=r"polar: radius.*SymPy.*'2'"):
        Curve.polar("2")


@pytest.mark.parametrize(
    ("function", "derivative"),
    [
        (np.sin, np.cos),
        (lambda u: np.exp(-50 * (u - 2) ** 2), lambda u: -100 * (u - 2) * np.exp(-50 * (u - 2) ** 2)),
        (lambda u: 1 / (1.01 + np.cos(u)), lambda u: np.sin(u) / (1.01 + np.cos(u)) ** 2),
        (lambda u: np.abs(u - 3), lambda u: np.sign(u - 3)),
        (lambda u: 5 + 0 * u, lambda u: 0 * u),
    ],
)
def test_differentiation_of_values(function: Any, derivative: Any) -> None:
    slope = interpolate(function, (0.0, 3.0, TURN), what="f").derivative()
    u = np.random.default_rng(0).uniform(0, TURN, 1000)
    scale = np.abs(derivative(u)).max() + np.abs(function(u)).max()
    assert slope(u) == pytest.approx(derivative(u), abs=1e-11 * scale)
