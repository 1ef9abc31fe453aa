"""Solutions of several unknowns: expressions in all of them, each by itself, integrals, residuals, reports."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

from .conftest import FLOW

x, y = sp.symbols("x y")
u, v, p = (sp.Function(name)(x, y) for name in "uvp")
KNOWN = dict(zip((u, v, p), FLOW, strict=True))


@pytest.fixture
def points() -> np.ndarray:
    return np.random.default_rng(0).uniform(-0.6, 0.6, (50, 2))


def exact(expression: sp.Expr, points: np.ndarray) -> np.ndarray:
    put_in = expression.subs(KNOWN).doit()
    return np.broadcast_to(sp.lambdify((x, y), put_in)(*points.T), len(points))


def test_values_have_a_column_for_each(flow: fs.Solution, points: np.ndarray) -> None:
    values = flow(points)
    assert values.shape == (50, 3)
    assert flow.dtype == values.dtype == np.float64
    for column, unknown in zip(values.T, (u, v, p), strict=True):
        assert np.abs(column - exact(unknown, points)).max() < 1e-8
        np.testing.assert_allclose(flow[unknown](points), column, rtol=0, atol=1e-13)
        np.testing.assert_allclose(flow[str(unknown.func)](points), column, rtol=0, atol=1e-13)


@pytest.mark.parametrize(
    "expression",
    [
        u**2 + v**2,
        p * u.diff(x) - x * v,
        fs.curl([u, v]),
        sp.sqrt(1 + u**2 + v**2),
        sp.exp(p) * sp.Abs(v),
        u.diff(x, 2) + v.diff(x, y),
    ],
    ids=str,
)
def test_expressions_in_all_unknowns(flow: fs.Solution, points: np.ndarray, expression: sp.Expr) -> None:
    derived = flow.apply(expression)
    assert np.abs(derived(points) - exact(expression, points)).max() < 1e-7
    step = np.array([1e-4, 0.0])
    slope = (exact(expression, points + step) - exact(expression, points - step)) / 2e-4
    assert np.abs(derived.diff(x)(points) - slope).max() < 1e-6  # the square of the step, times a third derivative


def test_the_modulus_of_a_real_field_is_differentiated_with_its_sign(flow: fs.Solution, points: np.ndarray) -> None:
    slope = flow.apply(sp.Abs(u)).diff(x)(points)
    assert np.abs(slope - exact(u.diff(x), points) * np.sign(exact(u, points))).max() < 1e-7


def test_vectors_of_expressions(flow: fs.Solution, points: np.ndarray) -> None:
    assert flow.apply([u, p, u * v])(points).shape == (50, 3)
    stress = 2 * fs.strain([u, v]) - p * sp.eye(2)
    assert flow.apply(stress)(points).shape == (50, 4)


def test_one_field_has_what_a_solution_has(flow: fs.Solution, points: np.ndarray) -> None:
    field = flow[u]
    assert np.abs(field.diff(x)(points) - exact(u.diff(x), points)).max() < 1e-7
    slopes = np.column_stack([exact(u.diff(s), points) for s in (x, y)])
    assert np.abs(field.gradient(points) - slopes).max() < 1e-7
    assert np.abs(field.laplacian(points) - exact(u.diff(x, 2) + u.diff(y, 2), points)).max() < 1e-6
    assert field.grid(9).values.shape == (9, 9)
    assert field.error_estimate == flow.estimate.fields[0].relative
    assert field.report.error_estimate == field.error_estimate
    # the divergence theorem, two ways through the quadrature
    assert field.flux() == pytest.approx(field.integrate(u.diff(x, 2) + u.diff(y, 2)), rel=1e-9)


def test_integrals_of_all_unknowns(flow: fs.Solution) -> None:
    both = flow.integrate([u, p**2])
    assert both.shape == (2,)
    assert flow.integrate().shape == (3,)
    assert flow.integrate()[0] == pytest.approx(both[0], abs=1e-12)
    assert abs(flow.integrate(p)) < 1e-10
    nodes = fs.Disk((0, 0), 1).quadrature(20_000)
    assert both[1] == pytest.approx(nodes.weights @ exact(p**2, nodes.points), rel=1e-8)


def test_what_flows_out_is_an_integral_with_normals(flow: fs.Solution) -> None:
    out = flow.integrate(u * fs.normal(x) + v * fs.normal(y), on="circle")
    assert abs(out) < 1e-10
    force = flow.integrate(list(fs.traction(2 * fs.strain([u, v]) - p * sp.eye(2))), on="circle")
    balance = [
        flow.integrate(sp.Add(*(KNOWN[f].diff(s, 2) for s in (x, y))) - KNOWN[p].diff(a)) for f, a in ((u, x), (v, y))
    ]
    assert force == pytest.approx(balance, abs=1e-7)
    with pytest.raises(fs.ProblemError, match=r"contains a normal,.*a boundary"):
        flow.apply(u * fs.normal(x))([[0, 0]])
    with pytest.raises(fs.ProblemError, match=r"a normal,.*say where.*on="):
        flow.integrate(u * fs.normal(x))


def test_residuals_have_a_column_for_each_equation(flow: fs.Solution, points: np.ndarray) -> None:
    residual = flow.residual(points)
    assert residual.shape == (50, 3)
    assert np.abs(residual).max() < 1e-7
    divergence = flow.apply(u.diff(x) + v.diff(y))(points)
    assert residual[:, 2] == pytest.approx(divergence, abs=1e-10)
    assert flow.residual(np.empty((0, 2))).shape == (0, 3)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda s: s.diff(x), r"diff\(x\).*one.*3.*\[u\]\.diff\(x\)"),
        (lambda s: s.grid(5), r"grid\(n\).*one.*\[u\]\.grid\(n\)"),
        (lambda s: s.gradient([[0, 0]]), r"\[u\]\.gradient\(points\)"),
        (lambda s: s.laplacian([[0, 0]]), r"\[u\]\.laplacian\(points\)"),
        (lambda s: s.flux(), r"solution\[u\]\.flux\(\.\.\.\)"),
        (lambda s: s[u].residual([[0, 0]]), r"unknowns of a system.*all of them"),
        (lambda s: s[u].apply(u * v), r"v\(x, y\), another unknown.*u\(x, y\)"),
        (lambda s: s.apply(sp.Function("q")(x, y)), r"q\(x, y\), which is not given"),
        (lambda s: s.apply(v.subs(x, 0)), r"v\(0, y\).*unknown is v\(x, y\)"),
        (lambda s: s["q"], "no unknown 'q'; the unknowns"),
    ],
)
def test_says_what_a_single_field_is_needed_for(flow: fs.Solution, ask: Callable[..., Any], message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        ask(flow)


def test_the_report_tells_each_field_and_what_was_left_open(flow: fs.Solution) -> None:
    text = str(flow.report)
    for name, own in zip("uvp", flow.estimate.fields, strict=True):
        assert f"error of {name}     estimated {own.relative:.1e} relative L2, {own.largest:.1e} maximum" in text
    assert "mean of p" in next(line for line in text.splitlines() if line.startswith("remark"))
    plain = flow.report.as_dict()
    assert plain["fields"]["p"]["error_estimate"] == flow.estimate.fields[2].relative
    assert "error of" not in str(flow[u].report)


def test_a_field_that_is_zero(points: np.ndarray) -> None:
    """Of two unknowns that are not coupled, one has no functions at all."""
    from fspielm.basis import COSINE, Component, RidgeBasis

    equations = [f.diff(x, 2) + f.diff(y, 2) + f for f in (u, v)]
    problem = fs.Problem(equations, fs.Disk((0, 0), 1), [fs.Dirichlet({u: 0, v: sp.sin(x)})])
    solved = fs.solve(problem, rng=0)
    basis = Component(RidgeBasis(np.array([[1.0, 0.0]]), np.array([-np.pi / 2]), COSINE), 1, 2)
    solution = fs.Solution(problem, basis, np.ones(1), solved.report, solved.estimate)
    np.testing.assert_array_equal(solution(points)[:, 0], 0.0)
    assert solution(points)[:, 1] == pytest.approx(np.sin(points[:, 0]))
    many = np.random.default_rng(1).uniform(-0.7, 0.7, (3000, 2))
    np.testing.assert_array_equal(solution[u].diff(x)(many), 0.0)
    assert solution.integrate([u, u.diff(x) + v**2])[0] == 0.0


def test_survives_pickling(flow: fs.Solution, points: np.ndarray) -> None:
    again = pickle.loads(pickle.dumps(flow))
    np.testing.assert_array_equal(again(points), flow(points))
    field = pickle.loads(pickle.dumps(flow[u]))
    np.testing.assert_array_equal(field(points), flow[u](points))
    assert field.error_estimate == flow[u].error_estimate


def test_a_field_of_a_solve_by_hand_is_estimated_when_asked(points: np.ndarray) -> None:
    f, g = (sp.Function(name)(x) for name in "fg")
    known = {f: sp.sin(3 * x), g: sp.cos(3 * x)}
    problem = fs.Problem([f.diff(x) - 3 * g, g.diff(x) + 3 * f], fs.Interval(0, 1), [fs.Dirichlet(known, on="x-")])
    from fspielm.basis import Each

    family = Each(fs.Band(20, widths=(6.0,), core=(3.0,)), (1.0, 1.0))
    settings = {"points": fs.Points(interior=60, boundary=1), "least_squares": fs.TruncatedSVD(1e-12)}
    solution = fs.solve(problem, features=family, rng=0, **settings)
    assert solution.report.error_estimate is None
    assert solution[g].error_estimate == solution.estimate.fields[1].relative
