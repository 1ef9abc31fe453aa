"""Linearised problems solved one after the other: what they are for."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
SQUARE = fs.Box((0, 0), (1, 1))


def laplace(f: sp.Expr) -> sp.Expr:
    return f.diff(x, 2) + f.diff(y, 2)


def newton(problem: fs.Problem, steps: int, iterate: Any = None) -> fs.Solution:
    for _ in range(steps):
        iterate = fs.solve(problem.linearised(iterate), rng=0, approach="patches")
    return iterate


def test_an_exponential() -> None:
    exact = sp.sin(2 * x) * sp.cos(y)
    source = laplace(exact) - sp.exp(exact)
    problem = fs.Problem(sp.Eq(laplace(u) - sp.exp(u), source), SQUARE, [fs.Dirichlet(exact)])
    solution = newton(problem, 4)
    points = np.random.default_rng(0).random((200, 2))
    values = np.sin(2 * points[:, 0]) * np.cos(points[:, 1])
    assert np.linalg.norm(solution(points) - values) <= 1e-8 * np.linalg.norm(values)
    assert np.abs(problem.residual(solution, points)).max() < 1e-6
    # the residual of the problem around the solution itself is that of the nonlinear one
    around = problem.linearised(solution)
    linear = solution.evaluate(around.operator, points) - around.right_hand_side(points)
    np.testing.assert_allclose(linear, problem.residual(solution, points), atol=1e-11)
