"""Linearised problems solved one after the other: what they are for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
SQUARE = fs.Box((0, 0), (1, 1))


def laplace(f: sp.Expr) -> sp.Expr:
    return f.diff(x, 2) + f.diff(y, 2)


EXACT = sp.sin(2 * x) * sp.cos(y)
PROBLEM = fs.Problem(sp.Eq(laplace(u) - sp.exp(u), laplace(EXACT) - sp.exp(EXACT)), SQUARE, [fs.Dirichlet(EXACT)])
POINTS = np.random.default_rng(0).random((200, 2))


def error(solution: fs.Solution) -> float:
    values = np.sin(2 * POINTS[:, 0]) * np.cos(POINTS[:, 1])
    return float(np.linalg.norm(solution(POINTS) - values) / np.linalg.norm(values))


@pytest.mark.filterwarnings("ignore::fspielm.errors.AccuracyWarning")  # of the first step, far from the solution
def test_features_by_hand() -> None:
    iterate: Any = None
    by_hand: dict[str, Any] = {
        "features": fs.FrequencyShift(200, mu=(2, 6)),
        "points": fs.Points(interior=400, boundary=40),
    }
    for _ in range(3):
        iterate = fs.solve(PROBLEM.linearised(iterate), rng=0, **by_hand)
    assert iterate.converged
    assert error(iterate) < 1e-9
    assert np.abs(PROBLEM.residual(iterate, POINTS)).max() < 1e-6
    # the residual of the problem around the solution itself is that of the nonlinear one
    around = PROBLEM.linearised(iterate)
    linear = iterate.evaluate(around.operator, POINTS) - around.right_hand_side(POINTS)
    np.testing.assert_allclose(linear, PROBLEM.residual(iterate, POINTS), atol=1e-10)
    # a solution of the nonlinear problem itself
    whole = replace(iterate, problem=PROBLEM)
    np.testing.assert_array_equal(whole.residual(POINTS), PROBLEM.residual(iterate, POINTS))
    np.testing.assert_array_equal(whole(POINTS), iterate(POINTS))


@pytest.mark.slow
def test_automatic() -> None:
    iterate: Any = None
    for _ in range(4):
        iterate = fs.solve(PROBLEM.linearised(iterate), tol=1e-8, rng=0)
    assert iterate.converged
    assert error(iterate) < 1e-8
