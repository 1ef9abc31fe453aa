"""Integrals and fluxes against closed forms, and the theorem that ties the two."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy import integrate as quad
from scipy.special import jv

import fspielm as fs
from fspielm.basis import COSINE, Basis, JoinedBasis, Power, RidgeBasis, SingularBasis
from fspielm.geometry import SHAPES, arc, segment

x, y, z, t, k = sp.symbols("x y z t k")
u = sp.Function("u")(x, y)
EXACT = sp.sin(3 * x) * sp.exp(y) + x


def over_box(expression: sp.Expr, *ranges: tuple[sp.Symbol, float, float]) -> float:
    """A closed form, by SymPy."""
    return float(sp.integrate(expression, *ranges))


@pytest.mark.parametrize("expression", [u, u**2, u * u.diff(x), x * u.diff(y), sp.S.One])
def test_over_a_box(on_box: fs.Solution, expression: sp.Expr) -> None:
    exact = over_box(expression.subs(u, EXACT).doit(), (x, 0, 1), (y, 0, 2))
    assert on_box.integrate(expression) == pytest.approx(exact, rel=1e-8)


def test_over_a_disk(on_disk: fs.Solution) -> None:
    radial = quad.dblquad(
        lambda r, a: r * (math.sin(3 * r * math.cos(a)) * math.exp(r * math.sin(a)) + r * math.cos(a)) ** 2,
        0, 2 * math.pi, 0, 1, epsabs=1e-12,
    )[0]  # fmt: skip
    assert on_disk.integrate(u**2) == pytest.approx(radial, rel=1e-8)
    assert on_disk.integrate() == pytest.approx(0, abs=1e-9)  # odd in x
    assert on_disk.apply(u**2).integrate() == on_disk.integrate(u**2)


def test_several_at_once(on_box: fs.Solution) -> None:
    both = on_box.integrate([u, u**2])
    assert both.shape == (2,)
    assert both == pytest.approx([on_box.integrate(), on_box.integrate(u**2)], rel=1e-9)


@pytest.mark.parametrize(("name", "fixed", "along"), [("x-", (x, 0), (y, 0, 2)), ("y+", (y, 2), (x, 0, 1))])
def test_over_a_side(on_box: fs.Solution, name: str, fixed: Any, along: Any) -> None:
    assert on_box.integrate(u**2, on=name) == pytest.approx(over_box((EXACT**2).subs(*fixed), along), rel=1e-8)


def test_over_several_sides(on_box: fs.Solution) -> None:
    names = ["x-", "y+"]
    assert on_box.integrate(u, on=names) == pytest.approx(sum(on_box.integrate(u, on=n) for n in names), rel=1e-9)


@pytest.mark.parametrize(
    ("name", "outward", "along"),
    [
        ("x-", -EXACT.diff(x).subs(x, 0), (y, 0, 2)),
        ("x+", EXACT.diff(x).subs(x, 1), (y, 0, 2)),
        ("y-", -EXACT.diff(y).subs(y, 0), (x, 0, 1)),
        ("y+", EXACT.diff(y).subs(y, 2), (x, 0, 1)),
    ],
)
def test_flux_through_a_side(on_box: fs.Solution, name: str, outward: sp.Expr, along: Any) -> None:
    assert on_box.flux(name) == pytest.approx(over_box(outward, along), rel=1e-8)
    weighted = over_box((along[0] + 2) * outward, along)
    assert on_box.flux(name, along[0] + 2) == pytest.approx(weighted, rel=1e-8)
    column = (x, y).index(along[0])
    assert on_box.flux(name, lambda p: p[:, column] + 2) == pytest.approx(weighted, rel=1e-8)
    assert on_box.integrate(3 * fs.normal_derivative(u), on=name) == pytest.approx(3 * on_box.flux(name), rel=1e-9)


def test_along_lines_and_curves(on_disk: fs.Solution) -> None:
    diagonal = over_box(EXACT.subs({x: t / 2, y: -t / 2}), (t, 0, 1)) * math.sqrt(0.5)
    assert on_disk.integrate(u, along=((0, 0), (0.5, -0.5))) == pytest.approx(diagonal, rel=1e-8)
    there_and_back = on_disk.integrate(u, along=[(0, 0), (0.5, -0.5), (0, 0)])
    assert there_and_back == pytest.approx(2 * diagonal, rel=1e-8)
    assert on_disk.integrate(u, along=segment((0, 0), (0.5, -0.5))) == pytest.approx(diagonal, rel=1e-8)
    circle = on_disk.integrate(u + 1, along=arc((0, 0), 0.5, 0, 2 * math.pi))
    assert circle == pytest.approx(math.pi, rel=1e-8)


def test_through_a_line_to_its_right(on_disk: fs.Solution) -> None:
    # upward along y, so that x is to the right
    flow = on_disk.integrate(fs.normal_derivative(u), along=((0, -0.5), (0, 0.5)))
    assert flow == pytest.approx(3 * (math.exp(0.5) - math.exp(-0.5)) + 1, rel=1e-8)
    through = on_disk.integrate(fs.normal_derivative(u), along=segment((0, -0.5), (0, 0.5)))
    assert through == pytest.approx(flow, rel=1e-9)


def test_in_time(in_time: fs.Solution) -> None:
    v = sp.Function("u")(x, t)
    space, time = (1 - math.cos(2)) / 2, 1 - math.exp(-2)
    assert in_time.integrate() == pytest.approx(space * time, rel=1e-8)
    assert in_time.integrate(at=0.5) == pytest.approx(space * math.exp(-0.5), rel=1e-8)
    assert in_time.integrate(on="x+") == pytest.approx(math.sin(2) * time, rel=1e-8)
    assert in_time.integrate(on="x+", at=1) == pytest.approx(math.sin(2) * math.exp(-1), rel=1e-8)
    assert in_time.flux("x+", at=1) == pytest.approx(2 * math.cos(2) * math.exp(-1), rel=1e-7)
    assert in_time.flux("x-") == pytest.approx(-2 * time, rel=1e-7)
    assert in_time.flux() == pytest.approx(2 * (math.cos(2) - 1) * time, rel=1e-7)
    assert in_time.integrate(v.diff(t), at=2) == pytest.approx(-space * math.exp(-2), rel=1e-6)
    assert in_time.integrate(along=[[0.2], [0.4]], at=0) == pytest.approx((math.cos(0.4) - math.cos(0.8)) / 2, rel=1e-8)


def test_fast_waves_have_nodes_enough(on_disk: fs.Solution) -> None:
    # 64 wavelengths across, of which the integral leaves a Bessel function
    fast = replace(on_disk, basis=RidgeBasis(np.array([[200.0, 0.0]]), np.zeros(1), COSINE), coefficients=np.ones(1))
    assert fast.integrate() == pytest.approx(2 * math.pi * jv(1, 200) / 200, abs=1e-10)
    assert fast.integrate(on="circle") == pytest.approx(2 * math.pi * jv(0, 200), abs=1e-10)


# --- the divergence theorem ---------------------------------------------------------------------

theta = sp.Symbol("theta", real=True)
PLANE = {
    "Annulus": lambda: fs.Annulus((0, 0), 0.5, 1),
    "Box": lambda: fs.Box((0, 0), (1, 2)),
    "Curve": lambda: fs.Curve(np.cos, lambda s: np.sin(s) + 0.3 * np.cos(s) ** 2),
    "Disk": lambda: fs.Disk((1, 1), 1),
    "Ellipse": lambda: fs.Ellipse((0, 0), (2, 1), 0.3),
    "LShape": lambda: fs.LShape((0, 0), 1),
    "Pacman": lambda: fs.Pacman((0.5, 0.5), 0.4, math.pi / 4),
    "Panda": lambda: fs.Panda(),
    "PolarCurve": lambda: fs.PolarCurve(1 + sp.cos(3 * theta) / 4),
    "Polygon": lambda: fs.Polygon([(0, 0), (2, 0), (1, 1.5)], holes=[[(0.8, 0.3), (1.2, 0.3), (1, 0.6)]]),
}
OTHERS = {"Ball", "Cylinder", "Ellipsoid", "Interval", "Surface"}


def test_every_plane_shape_is_an_example_here() -> None:
    assert set(SHAPES) <= set(PLANE) | OTHERS


@pytest.mark.filterwarnings("ignore:not converged")  # too small on purpose
@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name == "Panda")) for name in PLANE])
def test_divergence_theorem(name: str) -> None:
    domain = PLANE[name]()
    exact = sp.sin(2 * x + y) + x**2
    laplacian = exact.diff(x, 2) + exact.diff(y, 2)
    problem = fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2), laplacian), domain, [fs.Dirichlet(exact)])
    solution = fs.solve(problem, features=fs.FrequencyShift(150, mu=(0, 6)), rng=0)
    outward = solution.flux()
    inside, exactly = solution.integrate([u.diff(x, 2) + u.diff(y, 2), laplacian])
    scale = 7 * domain.measure  # the Laplacian is 2 - 5 sin(2 x + y)
    # of the function at hand, however good a solution it is, to what the quadrature promises
    assert outward == pytest.approx(inside, abs=1e-9 * scale)
    # of the exact one, as well as the equation is satisfied
    largest = solution.report.residuals["equation"].largest
    assert outward == pytest.approx(exactly, abs=(10 * largest + 1e-9) * domain.measure)


@pytest.mark.filterwarnings("ignore:not converged")  # too small on purpose
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_flux_where_the_gradient_is_infinite(depth: int) -> None:
    # r**(2/3) sin(2 theta / 3) about the re-entrant corner, which is the real part of zeta**(2/3) about the bisector
    problem = fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2), 0), fs.LShape((0, 0), 1), [fs.Dirichlet(x)])
    plain = fs.solve(problem, features=fs.FrequencyShift(30, mu=(0, 3)), rng=0)
    basis: Basis = SingularBasis((0.0, 0.0), 3 * math.pi / 4, 1.0, [Power(2 / 3)])
    for _ in range(depth):  # joined, and joined again
        basis = JoinedBasis([basis, RidgeBasis(np.ones((1, 2)), np.zeros(1), COSINE)])
    solution = replace(plain, basis=basis, coefficients=np.eye(basis.size)[0])
    # along both sides of the notch, the integral of -(2/3) r**(-1/3)
    assert solution.flux("notch y-") == pytest.approx(-1, abs=1e-9)
    assert solution.flux("notch x+") == pytest.approx(-1, abs=1e-9)
    assert solution.flux() == pytest.approx(0, abs=1e-9)


@pytest.mark.filterwarnings("ignore:not converged")  # too small on purpose
def test_divergence_theorem_in_a_ball() -> None:
    v = sp.Function("v")(x, y, z)
    exact = sp.sin(x + y) * z + x**2
    laplacian = sum(exact.diff(c, 2) for c in (x, y, z))
    problem = fs.Problem(
        sp.Eq(sum(v.diff(c, 2) for c in (x, y, z)), laplacian), fs.Ball((0, 0, 0), 1), [fs.Dirichlet(exact)]
    )
    solution = fs.solve(problem, features=fs.FrequencyShift(200, mu=(0, 3)), rng=0)
    inside = solution.integrate(sum(v.diff(c, 2) for c in (x, y, z)))
    assert solution.flux() == pytest.approx(inside, rel=1e-8)


# --- what cannot be integrated ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({"on": "z+"}, r"on:.*no part 'z\+'.*'y\+'\]"),
        ({"on": "x--"}, r"did you mean 'x-'\?"),
        ({"on": []}, r"on must.*at least one part"),
        ({"on": 3}, r"on must.*list of names; got 3"),
        ({"on": "x-", "along": ((0, 0), (1, 1))}, "not both"),
        ({"along": ((0, 0, 0), (1, 1, 1))}, r"along must have shape \(n, 2\)"),
        ({"along": ((0, 0),)}, "two or more points to join"),
        ({"along": ((0, 0), (0, 0))}, "no two in a row the same"),
        ({"along": ((0, 0), (np.nan, 0))}, r"along.*finite.*\[nan, 0.0\].*1"),
        ({"at": 0.5}, r"at= names a time.*none"),
        ({"tol": 0}, r"tol.*between 0 and 1; got 0"),
        ({"tol": "small"}, r"tol.*between 0 and 1.*'small'"),
    ],
)
def test_refuses_other_places(on_box: fs.Solution, where: dict[str, Any], message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        on_box.integrate(**where)


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({"at": 3}, r"at must.*time from 0 to 2; got 3"),
        ({"at": "noon"}, r"at must.*time.*got 'noon'"),
        ({"along": [[0.0], [1.0]]}, r"along=.*in space.*at="),
        ({"along": segment((0, 0), (1, 1)), "at": 0}, r"PlaneCurve.*plane.*has 1"),
    ],
)
def test_refuses_other_times(in_time: fs.Solution, where: dict[str, Any], message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        in_time.integrate(**where)


def test_refuses_normals_where_there_are_none_and_what_is_not_finite(on_box: fs.Solution) -> None:
    with pytest.raises(fs.ProblemError, match=r"boundary alone; say where.*on="):
        on_box.integrate(fs.normal_derivative(u))
    with pytest.raises(fs.ProblemError, match=r"log\(.*not finite.*not exist"):
        on_box.integrate(sp.log(u - 100))
    with pytest.raises(fs.ProblemError, match=r"flux: coefficient.*a number"):
        on_box.flux("x-", "k")


def test_says_so_where_the_integral_does_not_settle(on_box: fs.Solution, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fspielm.solution.integrals._MOST_NODES", 4000)
    with pytest.warns(fs.AccuracyWarning, match=r"still moves.*nodes.*less.*tol="):
        rough = on_box.integrate(sp.sign(x - y / 3 - sp.Rational(1, 10)))
    assert rough == pytest.approx(2 * (1 - 2 * (1 / 3 + 0.1)), abs=0.05)
    on_box.integrate(sp.Abs(x - sp.Rational(1, 3)), tol=1e-2)


def test_what_is_zero_but_for_rounding_settles(on_box: fs.Solution) -> None:
    assert on_box.integrate(u.diff(x) - u.diff(x, 1) * 1.0) == pytest.approx(0, abs=1e-10)
    assert on_box.integrate(sp.S.Zero) == 0.0


def test_a_line_that_leaves_the_domain_is_refused(on_disk: fs.Solution) -> None:
    with pytest.raises(fs.ProblemError, match=r"along:.*leaves the domain"):
        on_disk.integrate(u, along=((0, 0), (9, 9)))
