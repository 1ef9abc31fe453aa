"""Data and coefficients of any sensible size; others are refused before a square of them overflows."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y, t = sp.symbols("x y t")
u = sp.Function("u")(x, y)
v, w = sp.Function("v")(x), sp.Function("w")(x)
h = sp.Function("h")(x, t)
LAPLACE = u.diff(x, 2) + u.diff(y, 2)
SQUARE, LINE = fs.Box((0, 0), (1, 1)), fs.Interval(0, 1)

STATED = {
    "boundary data": lambda size: fs.Problem(LAPLACE, SQUARE, [fs.Dirichlet(size * sp.exp(y) * sp.sin(x + 1))]),
    "callable": lambda size: fs.Problem(
        LAPLACE, fs.Disk((0, 0), 1), [fs.Dirichlet(lambda points: size * points[:, 0])]
    ),
    "source": lambda size: fs.Problem(sp.Eq(LAPLACE, size * sp.exp(x * y)), SQUARE, [fs.Dirichlet(0)]),
    "coefficient": lambda size: fs.Problem(sp.Eq(size * LAPLACE, size * (x + 1)), SQUARE, [fs.Dirichlet(0)]),
    "condition": lambda size: fs.Problem(sp.Eq(v.diff(x, 2), 1), LINE, [fs.Robin(size * x + size, 1, 0)]),
    "system": lambda size: fs.Problem([v.diff(x) - w, w.diff(x) + v], LINE, [fs.Dirichlet({v: size, w: 0}, on="x-")]),
    "nonlinear": lambda size: fs.Problem(v.diff(x, 2) - v**3, LINE, [fs.Dirichlet(size)]),
    "initial": lambda size: fs.Problem(
        h.diff(t) - h.diff(x, 2), LINE * fs.Time(0, 0.1), [fs.Dirichlet(0), fs.Initial(size * x * (1 - x))]
    ),
}


@pytest.mark.parametrize("size", [1e200, -1e300])
@pytest.mark.parametrize("kind", STATED)
def test_what_norms_would_overflow_with_is_refused(kind: str, size: float) -> None:
    with pytest.raises(fs.ProblemError, match=r"1e\+140.*in other units$"):
        fs.solve(STATED[kind](size), rng=0)


@pytest.mark.parametrize("size", [1e-200, 1e-300])
@pytest.mark.parametrize("kind", ["boundary data", "source", "coefficient", "system", "nonlinear"])
def test_tiny_data_and_coefficients_are_solved_for(kind: str, size: float) -> None:
    solution = fs.solve(STATED[kind](size), tol=1e-6, rng=0)
    usual = fs.solve(STATED[kind](1e-6), tol=1e-6, rng=0)  # so small that cubes do not matter either
    assert solution.converged
    points = np.random.default_rng(0).uniform(0.2, 0.8, (5, solution.problem.dimension))
    unit = 1.0 if kind == "coefficient" else size / 1e-6
    np.testing.assert_allclose(solution(points) / unit, usual(points), rtol=1e-4)


def test_an_iterate_beyond_them_is_refused() -> None:
    problem = fs.Problem(sp.Eq(v.diff(x, 2) - sp.exp(v), 0), LINE, [fs.Dirichlet(0)])
    with pytest.raises(fs.ProblemError, match=r"iterate.*range.*defined"):
        fs.solve(problem, guess=400.0, rng=0)
