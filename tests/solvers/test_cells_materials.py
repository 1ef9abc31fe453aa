"""Cells of several materials."""

from __future__ import annotations

import numpy as np
import sympy as sp

import fspielm as fs

x, y, t = sp.symbols("x y t")
u = sp.Function("u")(x, y)


def error(solution: fs.Solution, exact: sp.Expr, *symbols: sp.Symbol) -> float:
    points = solution.problem.domain.sample(1000, np.random.default_rng(5))
    known = np.asarray(sp.lambdify(symbols, exact)(*points.T), dtype=float)
    return float(np.linalg.norm(solution(points) - known) / np.linalg.norm(known))


def solved(problem: fs.Problem, tol: float = 1e-8) -> fs.Solution:
    solution = fs.solve(problem, approach="patches", rng=1, tol=tol)
    assert solution.converged
    return solution


def diffusion(a: sp.Expr, conditions: list[object], right: sp.Expr | int = 0) -> fs.Problem:
    flux = sp.Derivative(a * u.diff(x), x) + sp.Derivative(a * u.diff(y), y)
    return fs.Problem(sp.Eq(flux, right), fs.Box((-1, -1), (1, 1)), conditions)


def test_a_straight_border_of_high_contrast() -> None:
    wave = sp.sin(y)
    exact = wave * sp.Piecewise((sp.sinh(x - sp.Rational(1, 4)) / 1000 + 1, x < 0.25), (sp.sinh(x - 0.25) + 1, True))
    a = sp.Piecewise((1000, x < 0.25), (1, True))
    solution = solved(diffusion(a, [fs.Dirichlet(exact)], -a * wave))
    assert error(solution, exact, x, y) < 1e-8


def test_a_circle_of_high_contrast() -> None:
    border, outside = x**2 + y**2 - sp.Rational(1, 4), sp.sin(x + y / 2)
    slope = sum(border.diff(v) * outside.diff(v) for v in (x, y))
    # equal at the border, where the slope across is less by the contrast and that of the border is one
    inside = outside + border * (sp.Rational(1, 1000) - 1) * slope
    a, exact = (sp.Piecewise((one, border < 0), (other, True)) for one, other in ((1000, 1), (inside, outside)))
    laplacians = [sum(v.diff(z, 2) for z in (x, y)) for v in (inside, outside)]
    right = sp.Piecewise((1000 * laplacians[0], border < 0), (laplacians[1], True))
    solution = solved(diffusion(a, [fs.Dirichlet(exact)], right))
    assert error(solution, exact, x, y) < 1e-8


def test_jumps_that_are_prescribed() -> None:
    u = sp.Function("u")(x)
    a = sp.Piecewise((2, x < 0.3), (1, True))
    exact = sp.Piecewise((x, x < 0.3), (5 * x + 1, True))
    # first less second, with the normal from the first to the second
    jumps = fs.Interface(jump=0.3 - 2.5, flux_jump=2.0 - 5.0)
    problem = fs.Problem(sp.Derivative(a * u.diff(x), x), fs.Interval(0, 1), [fs.Dirichlet(exact), jumps])
    assert error(solved(problem), exact, x) < 1e-10


def test_a_wave_through_a_jump() -> None:
    u = sp.Function("u")(x, t)
    a = sp.Piecewise((1, x < 0), (4, True))
    # what comes in, its echo, and what goes through, of speeds 1 and 2
    echo, through = sp.Rational(-1, 3), sp.Rational(2, 3)
    exact = sp.Piecewise(
        (sp.sin(3 * (t - x)) + echo * sp.sin(3 * (t + x)), x < 0), (through * sp.sin(3 * (t - x / 2)), True)
    )
    rod = fs.Interval(-1, 1) * fs.Time(0, 1)
    start = [fs.Initial(exact.diff(t, order).subs(t, 0), order=order) for order in range(2)]
    problem = fs.Problem(u.diff(t, 2) - sp.Derivative(a * u.diff(x), x), rod, [fs.Dirichlet(exact), *start])
    assert error(solved(problem), exact, x, t) < 1e-8


def test_regions_side_by_side() -> None:
    domain = fs.Regions(left=fs.Box((-1, -1), (0, 1)), right=fs.Box((0, -1), (1, 1)))
    a = sp.Function("a")(x, y)
    exact = sp.Piecewise((x / 10, x < 0), (x, True)) + 1
    equation = (a * u.diff(x)).diff(x) + (a * u.diff(y)).diff(y)
    given = {a: fs.ByRegion(left=10.0, right=1.0)}
    conditions = [
        fs.Dirichlet(exact, on=["x-", "x+"]),
        fs.Neumann(0, on=[f"{side}.y{end}" for side in ("left", "right") for end in "-+"]),
    ]
    problem = fs.Problem(equation, domain, conditions, given=given)
    assert error(solved(problem), exact, x, y) < 1e-8
