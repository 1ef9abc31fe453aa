"""Unknowns of very different sizes: a small one that is not zero is measured by itself."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
u, v = (sp.Function(name)(x, y) for name in "uv")
POINTS = np.random.default_rng(0).random((200, 2))
LARGE = 1e9 * sp.sin(2 * x) * sp.exp(y)


def helmholtz(f: sp.Expr) -> sp.Expr:
    return f.diff(x, 2) + f.diff(y, 2) + f


def solve_both(small: sp.Expr, **how: float) -> fs.Solution:
    problem = fs.Problem(
        [sp.Eq(helmholtz(u), helmholtz(LARGE)), sp.Eq(helmholtz(v), helmholtz(small))],
        fs.Box((0, 0), (1, 1)),
        [fs.Dirichlet({u: LARGE, v: small})],
    )
    return fs.solve(problem, rng=0, budget=fs.Budget(neurons=600), **how)


@pytest.mark.filterwarnings("ignore::fspielm.AccuracyWarning")
@pytest.mark.parametrize(
    "small",
    [pytest.param(sp.cos(3 * x * y), marks=pytest.mark.slow), x * (1 - x) * y * (1 - y) * sp.cos(3 * x)],
)
def test_what_is_small_is_measured_by_itself(small: sp.Expr) -> None:
    own = solve_both(small)["v"]
    exact = sp.lambdify((x, y), small)(*POINTS.T)
    error = np.sqrt(np.mean((own(POINTS) - exact) ** 2) / np.mean(exact**2))
    assert own.error_estimate > error


def test_what_is_zero_is_measured_by_the_others() -> None:
    assert solve_both(sp.Integer(0)).converged
