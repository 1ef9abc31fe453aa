"""Next to a fold, where Newton's method converges slowly and its last step is no bound."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import brentq

import fspielm as fs

x = sp.Symbol("x")
u = sp.Function("u")(x)
FOLD = brentq(lambda s: s * math.tanh(s / 4) - 4, 1.0, 10.0, xtol=1e-15)
PLACES = np.linspace(0, 1, 401)[:, None]


def strength(s: float) -> float:
    return s**2 / (2 * math.cosh(s / 4) ** 2)


def error(solution: fs.Solution, lam: float) -> float:
    """From the nearer one of both solutions of Bratu's problem."""
    found = solution(PLACES)
    errors = []
    for low, high in ((1e-9, FOLD), (FOLD, 60.0)):
        s = brentq(lambda s: strength(s) - lam, low, high, xtol=1e-15)
        exact = -2 * np.log(np.cosh((PLACES[:, 0] - 0.5) * s / 2) / np.cosh(s / 4))
        errors.append(np.linalg.norm(found - exact) / np.linalg.norm(exact))
    return float(min(errors))


@pytest.mark.parametrize("tol", [1e-3, 3e-3])
@pytest.mark.parametrize("off", [1e-4, 3e-5, 1e-6])
def test_an_estimate_next_to_a_fold_is_no_less_than_the_error(off: float, tol: float) -> None:
    lam = strength(FOLD) * (1 - off)
    problem = fs.Problem(sp.Eq(u.diff(x, 2) + lam * sp.exp(u), 0), fs.Interval(0, 1), [fs.Dirichlet(0)])
    solution = fs.solve(problem, tol=tol, rng=0)
    assert solution.converged
    assert error(solution, lam) <= solution.error_estimate <= tol


@pytest.mark.parametrize("off", [1e-4, 1e-8])
def test_just_beyond_a_fold_there_is_no_yes(off: float) -> None:
    lam = strength(FOLD) * (1 + off)
    problem = fs.Problem(sp.Eq(u.diff(x, 2) + lam * sp.exp(u), 0), fs.Interval(0, 1), [fs.Dirichlet(0)])
    with pytest.warns(fs.AccuracyWarning, match="fold"):
        assert not fs.solve(problem, tol=1e-3, rng=0).converged
