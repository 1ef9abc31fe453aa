"""Parts of the boundary that are characteristic take no condition: Goursat's problem, alone and as a system."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
u, v = (sp.Function(name)(x, y) for name in "uv")
SQUARE = fs.Box((0, 0), (1, 1))
U, V = sp.sin(3 * x + y), sp.cos(2 * x - y)
EQUATIONS = [sp.Eq(u.diff(x) + v, U.diff(x) + V), sp.Eq(v.diff(y) + u, V.diff(y) + U)]
POINTS = np.random.default_rng(0).random((50, 2))


def test_one_unknown() -> None:
    problem = fs.Problem(sp.Eq(u.diff(x, y), u), SQUARE, [fs.Dirichlet(sp.exp(x + y), on=["x-", "y-"])])
    solution = fs.solve(problem, rng=0)
    assert solution.converged
    assert np.abs(solution(POINTS) - np.exp(POINTS.sum(axis=1))).max() < 1e-7


def test_two_unknowns() -> None:
    conditions = [fs.Dirichlet({u: U}, on="x-"), fs.Dirichlet({v: V}, on="y-")]
    solution = fs.solve(fs.Problem(EQUATIONS, SQUARE, conditions), rng=0)
    assert solution.converged
    exact = sp.lambdify((x, y), [U, V])(*POINTS.T)
    assert np.abs(solution(POINTS) - np.transpose(exact)).max() < 1e-8


@pytest.mark.parametrize("right", ["x-", pytest.param("x+", marks=pytest.mark.slow)])
def test_the_wrong_sides_are_not_enough(right: str) -> None:
    conditions = [fs.Dirichlet({u: U}, on="x-"), fs.Dirichlet({v: V}, on=right)]
    with pytest.warns(fs.AccuracyWarning):
        solution = fs.solve(fs.Problem(EQUATIONS, SQUARE, conditions), rng=0, budget=fs.Budget(seconds=10))
    assert not solution.converged


def test_waves_with_conditions_all_round() -> None:
    problem = fs.Problem(u.diff(x, y), SQUARE, [fs.Dirichlet(sp.exp(x) + sp.sin(y))])
    with pytest.warns(fs.AccuracyWarning, match="all round do not determine"):
        assert not fs.solve(problem, rng=0).converged
