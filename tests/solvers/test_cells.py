"""Polynomials in cells joined by their traces, from statement to solution."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y, t = sp.symbols("x y t")
u2 = sp.Function("u")(x, y)


def solve(problem: fs.Problem, **options: Any) -> fs.Solution:
    return fs.solve(problem, approach="patches", rng=1, **{"budget": fs.Budget(threads=1)} | options)


def error(solution: fs.Solution, exact: sp.Expr) -> float:
    problem = solution.problem
    points = problem.domain.sample(500, np.random.default_rng(0))
    known = sp.lambdify(problem.coordinates, exact)(*points.T)
    return float(np.linalg.norm(solution(points) - known) / np.linalg.norm(known))


def in_a_medium(domain: fs.Domain) -> tuple[fs.Problem, sp.Expr]:
    exact = sp.exp(x / 2) * sp.sin(7 * (x + y**2 / 3))
    medium = 40 * (1 + sp.sin(2 * x + 1) * sp.cos(y) / 3)
    source = exact.diff(x, 2) + exact.diff(y, 2) + medium * exact
    return fs.Problem(sp.Eq(u2.diff(x, 2) + u2.diff(y, 2) + medium * u2, source), domain, [fs.Dirichlet(exact)]), exact


def layer() -> tuple[fs.Problem, sp.Expr]:
    u = sp.Function("u")(x)
    exact = sp.exp(-x / sp.Rational(1, 500)) + sp.sin(x)
    source = -exact.diff(x, 2) / 500 - exact.diff(x)
    return fs.Problem(sp.Eq(-u.diff(x, 2) / 500 - u.diff(x), source), fs.Interval(0, 1), [fs.Dirichlet(exact)]), exact


def heat() -> tuple[fs.Problem, sp.Expr]:
    u = sp.Function("u")(x, t)
    exact = sp.exp(-t) * sp.sin(3 * x + t) + x * t
    source = exact.diff(t) - exact.diff(x, 2)
    problem = fs.Problem(
        sp.Eq(u.diff(t) - u.diff(x, 2), source),
        fs.Interval(0, 1) * fs.Time(0, 1),
        [fs.Dirichlet(exact), fs.Initial(exact.subs(t, 0))],
    )
    return problem, exact


def absorbing() -> tuple[fs.Problem, sp.Expr]:
    k = 6 + x / 2
    exact = sp.exp(sp.I * 6 * (x * 0.6 + y * 0.8)) * (1 + x * y / 4)
    source = exact.diff(x, 2) + exact.diff(y, 2) + k**2 * exact
    slope = fs.normal_derivative(exact)
    walls = [fs.Robin(-6 * sp.I, 1, slope - 6 * sp.I * exact)]
    return fs.Problem(sp.Eq(u2.diff(x, 2) + u2.diff(y, 2) + k**2 * u2, source), fs.Box((0, 0), (1, 1)), walls), exact


@pytest.mark.parametrize(
    "make",
    [
        lambda: in_a_medium(fs.Box((0, 0), (1, 1))),
        lambda: in_a_medium(fs.Disk((0.2, 0.1), 0.6)),
        layer,
        heat,
        absorbing,
    ],
    ids=["box", "disk", "layer", "heat", "absorbing"],
)
def test_the_estimate_meets_the_tolerance_and_holds(make: Callable[[], tuple[fs.Problem, sp.Expr]]) -> None:
    problem, exact = make()
    solution = solve(problem, tol=1e-7)
    assert solution.converged
    assert error(solution, exact) <= solution.error_estimate <= 1e-7


def test_a_singular_corner_without_its_functions() -> None:
    angle = sp.atan2(-x - y, y - x)  # from the bisector
    exact = sp.sqrt(x**2 + y**2) ** sp.Rational(2, 3) * sp.cos(2 * angle / 3)
    problem = fs.Problem(sp.Eq(u2.diff(x, 2) + u2.diff(y, 2), 0), fs.LShape((0, 0), 1), [fs.Dirichlet(exact)])
    solution = solve(problem, tol=2e-2)
    assert solution.converged
    assert error(solution, exact) <= solution.error_estimate <= 2e-2


def test_several_unknowns() -> None:
    p, q = sp.Function("p")(x, t), sp.Function("q")(x, t)
    speed = 1 + x / 3
    first, second = sp.sin(3 * x - t), sp.cos(2 * x + t**2)
    equations = [
        sp.Eq(p.diff(t) + speed * q.diff(x), first.diff(t) + speed * second.diff(x)),
        sp.Eq(q.diff(t) + p.diff(x), second.diff(t) + first.diff(x)),
    ]
    domain = fs.Interval(0, 1) * fs.Time(0, 1)
    conditions = [fs.Dirichlet({p: first}), fs.Initial({p: first.subs(t, 0), q: second.subs(t, 0)})]
    solution = solve(fs.Problem(equations, domain, conditions), tol=1e-7)
    assert solution.converged
    points = domain.sample(200, np.random.default_rng(0))
    known = np.stack([sp.lambdify((x, t), e)(*points.T) for e in (first, second)], axis=1)
    assert np.linalg.norm(solution(points) - known) <= 1e-7 * np.linalg.norm(known)


def test_a_polynomial_is_met_exactly() -> None:
    exact = 1 + x * y - 3 * x**3
    problem = fs.Problem(
        sp.Eq(u2.diff(x, 2) + u2.diff(y, 2), exact.diff(x, 2)), fs.Ellipse((0, 0), (1, 0.6)), [fs.Dirichlet(exact)]
    )
    assert error(solve(problem), exact) < 1e-12


@pytest.mark.parametrize("domain", [fs.Box((0, 0), (1, 1)), fs.Disk((0.2, 0.1), 0.6)], ids=["box", "disk"])
def test_prepared_cells_serve_other_data(domain: fs.Domain) -> None:
    problem, _ = in_a_medium(domain)
    prepared = fs.prepare(problem, rng=1, tol=1e-6, budget=fs.Budget(threads=1), approach="patches")
    exact = sp.cos(5 * x - 2 * y)
    medium = 40 * (1 + sp.sin(2 * x + 1) * sp.cos(y) / 3)
    source = exact.diff(x, 2) + exact.diff(y, 2) + medium * exact
    other = prepared.solve(source, {"dirichlet": exact})
    assert other.converged
    assert error(other, exact) <= other.error_estimate


def test_the_same_seed_gives_the_same_bits_whatever_the_threads() -> None:
    problem, _ = layer()
    first, second = (solve(problem, tol=1e-6, budget=fs.Budget(threads=n)) for n in (1, 2))
    assert np.array_equal(first.coefficients, second.coefficients)


def test_more_than_two_dimensions_are_refused() -> None:
    z = sp.Symbol("z")
    u = sp.Function("u")(x, y, z)
    problem = fs.Problem(
        sp.Eq(u.diff(x, 2) + u.diff(y, 2) + u.diff(z, 2), 1), fs.Box((0, 0, 0), (1, 1, 1)), [fs.Dirichlet(0)]
    )
    with pytest.raises(fs.ProblemError, match=r"one and two dimensions.*has 3"):
        solve(problem)


def test_later_data_that_are_narrow_elsewhere_are_noticed() -> None:
    problem, _ = in_a_medium(fs.Box((0, 0), (1, 1)))
    prepared = fs.prepare(problem, rng=1, tol=1e-6, budget=fs.Budget(threads=1), approach="patches")
    with pytest.warns(fs.AccuracyWarning, match="not converged"):
        spoiled = prepared.solve(sp.exp(-((x - 0.3) ** 2 + (y - 0.6) ** 2) * 10**6) * 10**6, {"dirichlet": 0})
    assert not spoiled.converged


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ({"points": fs.Points(interior=100, boundary=10)}, "points"),
        ({"least_squares": fs.TruncatedSVD(1e-12)}, "least_squares"),
        ({"scaling": "none"}, "scaling"),
        ({"singular": True}, "singular"),
    ],
)
def test_what_cells_would_not_heed_is_refused(option: dict[str, Any], name: str) -> None:
    problem, _ = heat()
    with pytest.raises(fs.ProblemError, match=rf"^{name}.*cannot.*patches"):
        solve(problem, **option)


def test_functions_of_the_users_are_asked_in_the_thread_of_the_caller() -> None:
    asked = set()
    k = sp.Function("k")

    def medium(points: np.ndarray) -> np.ndarray:
        asked.add(threading.get_ident())
        return 80 + 5 * points[:, 0]

    problem = fs.Problem(
        sp.Eq(u2.diff(x, 2) + u2.diff(y, 2) + k(x, y) * u2, 1),
        fs.Box((0, 0), (3, 3)),
        [fs.Dirichlet(0)],
        given={k: medium},
    )
    solution = solve(problem, tol=1e-3, budget=fs.Budget(threads=2))
    assert solution.report.cells > 1
    assert asked == {threading.get_ident()}


def test_where_materials_jump_no_band_follows_cells() -> None:
    a = sp.Piecewise((1, x < sp.Rational(1, 3)), (50, True))
    flux = sp.Derivative(a * u2.diff(x), x) + sp.Derivative(a * u2.diff(y), y)
    problem = fs.Problem(sp.Eq(flux, 1), fs.Box((0, 0), (1, 1)), [fs.Dirichlet(0)])
    with pytest.warns(fs.AccuracyWarning, match="budget of 1000 functions"):
        solution = fs.solve(problem, tol=1e-9, rng=0, budget=fs.Budget(neurons=1000))
    assert solution.report.cells
    assert "band" not in solution.report.choice
