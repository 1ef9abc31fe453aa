"""Nonlinear problems with known solutions, solved automatically."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y, t, z = sp.symbols("x y t z")
u = sp.Function("u")
SQUARE = fs.Box((0, 0), (1, 1))


def laplace(f: sp.Expr) -> sp.Expr:
    return f.diff(x, 2) + f.diff(y, 2)


def errors(solution: fs.Solution, *exact: sp.Expr) -> list[float]:
    problem = solution.problem
    points = problem.domain.sample(400, np.random.default_rng(1))
    values = solution(points).reshape(len(points), -1)
    known = [np.broadcast_to(sp.lambdify(problem.coordinates, e)(*points.T), len(points)) for e in exact]
    return [float(np.linalg.norm(v - k) / np.linalg.norm(k)) for v, k in zip(values.T, known, strict=True)]


def check(problem: fs.Problem, *exact: sp.Expr, tol: float = 1e-8, **options: object) -> fs.Solution:
    solution = fs.solve(problem, tol=tol, rng=0, **options)  # type: ignore[arg-type]
    assert solution.converged, solution.report.reason
    assert max(errors(solution, *exact)) <= solution.error_estimate <= tol
    assert solution.problem is problem
    assert solution.report.newton
    return solution


SINES = sp.sin(sp.pi * x) * sp.sin(sp.pi * y)
TANH = -sp.tanh(2 * (x - sp.Rational(1, 2)))
WAVE = sp.sin(5 * x) * sp.cos(4 * y)


@pytest.mark.parametrize(
    ("form", "exact"),
    [
        (lambda w: laplace(w) + sp.exp(w), SINES),
        (lambda w: laplace(w) + 41 * w + w**3 / 2, WAVE),
    ],
    ids=["liouville", "helmholtz"],
)
def test_plane(form: object, exact: sp.Expr) -> None:
    assert callable(form)
    problem = fs.Problem(sp.Eq(form(u(x, y)), form(exact)), SQUARE, [fs.Dirichlet(exact)])
    check(problem, exact)


def test_steady_burgers() -> None:
    def form(w: sp.Expr) -> sp.Expr:
        return w * w.diff(x) - w.diff(x, 2) / 4

    problem = fs.Problem(sp.Eq(form(u(x)), sp.simplify(form(TANH))), fs.Interval(0, 1), [fs.Dirichlet(TANH)])
    check(problem, TANH)


def test_allen_cahn_in_time() -> None:
    exact = sp.exp(-t) * sp.cos(x)
    unknown = u(x, t)

    def form(w: sp.Expr) -> sp.Expr:
        return w.diff(t) - w.diff(x, 2) / 4 - w + w**3

    conditions = [fs.Dirichlet(exact), fs.Initial(exact.subs(t, 0))]
    check(
        fs.Problem(sp.Eq(form(unknown), form(exact)), fs.Interval(-1, 1) * fs.Time(0, 1), conditions), exact, tol=1e-6
    )


def test_sine_gordon() -> None:
    w = sp.Rational(3, 5)
    m = sp.Rational(4, 5)
    exact = 4 * sp.atan(m * sp.sin(w * t) / (w * sp.cosh(m * x)))
    unknown = u(x, t)
    equation = sp.Eq(unknown.diff(t, 2) - unknown.diff(x, 2) + sp.sin(unknown), 0)
    conditions = [
        fs.Dirichlet(exact),
        fs.Initial(exact.subs(t, 0)),
        fs.Initial(exact.diff(t).subs(t, 0), order=1),
    ]
    check(fs.Problem(equation, fs.Interval(-1, 1) * fs.Time(0, 1), conditions), exact, tol=1e-6)


def test_radiation_on_a_rim() -> None:
    exact = 1 + x / 2 + sp.exp(-y) * sp.cos(x) / 4
    unknown = u(x, y)
    rim = fs.Condition(sp.Eq(unknown.diff(y) + unknown**4, (exact.diff(y) + exact**4).subs(y, 1)), on="y+")
    problem = fs.Problem(sp.Eq(laplace(unknown), 0), SQUARE, [fs.Dirichlet(exact, on=["x-", "x+", "y-"]), rim])
    check(problem, exact)


def test_radiation_alone_has_no_linearisation_at_zero() -> None:
    exact = 1 + x / 4 + x**2 / 8
    sides = [fs.normal_derivative(w) + w**4 for w in (u(x), exact)]
    rim = fs.Condition(sp.Eq(*sides, evaluate=False))
    check(fs.Problem(sp.Eq(u(x).diff(x, 2), exact.diff(x, 2)), fs.Interval(0, 1), [rim]), exact)


def test_complex_unknown() -> None:
    exact = sp.exp(2 * sp.I * x) / 2
    unknown = u(x)
    equation = sp.Eq(unknown.diff(x, 2) + 5 * unknown + unknown**2 * sp.conjugate(unknown), 5 * exact / 4)
    check(fs.Problem(equation, fs.Interval(0, 1), [fs.Dirichlet(exact)]), exact)


def test_logarithm_of_the_unknown_begins_with_one() -> None:
    exact = 1 + x / 2 + x**2 / 2
    equation = sp.Eq(u(x).diff(x, 2) - sp.log(u(x)), 1 - sp.log(exact))
    check(fs.Problem(equation, fs.Interval(0, 1), [fs.Dirichlet(exact)]), exact)


def test_a_filled_band_that_is_asked_for() -> None:
    exact = sp.sin(2 * x)
    equation = sp.Eq(u(x).diff(x, 2) - u(x) ** 3, -4 * exact - exact**3)
    solution = check(fs.Problem(equation, fs.Interval(0, 1), [fs.Dirichlet(exact)]), exact, approach="band")
    assert solution.report.features.startswith("Band(")


@pytest.mark.slow
def test_kovasznay() -> None:
    f, g, p = (sp.Function(name)(x, y) for name in "uvp")
    reynolds = 20
    rate = sp.Rational(reynolds, 2) - sp.sqrt(sp.Rational(reynolds**2, 4) + 4 * sp.pi**2)
    wave = sp.exp(rate * x)
    exact = (
        1 - wave * sp.cos(2 * sp.pi * y),
        rate / (2 * sp.pi) * wave * sp.sin(2 * sp.pi * y),
        -sp.exp(2 * rate * x) / 2,
    )
    equations = [
        sp.Eq(f * f.diff(x) + g * f.diff(y) + p.diff(x) - laplace(f) / reynolds, 0),
        sp.Eq(f * g.diff(x) + g * g.diff(y) + p.diff(y) - laplace(g) / reynolds, 0),
        sp.Eq(f.diff(x) + g.diff(y), 0),
    ]
    conditions = [fs.Dirichlet({f: exact[0], g: exact[1]}), fs.Dirichlet({p: exact[2]}, on="x-")]
    problem = fs.Problem(equations, fs.Box((-0.5, -0.5), (0.5, 0.5)), conditions, unknowns=[f, g, p])
    check(problem, *exact, tol=1e-5)
