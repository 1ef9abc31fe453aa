"""At a resonance that data do not excite there are many solutions, and none of them is called converged."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import brentq

import fspielm as fs

x = sp.Symbol("x")
u = sp.Function("u")(x)
DEPTH, STEEP = 60.0, 9.0


def end(energy: float) -> float:
    """The even solution at the end of the interval [-1, 1], by many short steps of fourth order."""
    steps = 4000
    h, state = 1.0 / steps, np.array([1.0, 0.0])

    def slope(at: float, now: np.ndarray) -> np.ndarray:
        return np.array([now[1], (energy - DEPTH / np.cosh(STEEP * at) ** 2) * now[0]])

    for k in range(steps):
        at = k * h
        one = slope(at, state)
        two = slope(at + h / 2, state + h / 2 * one)
        three = slope(at + h / 2, state + h / 2 * two)
        four = slope(at + h, state + h * three)
        state = state + h / 6 * (one + 2 * two + 2 * three + four)
    return float(state[0])


@pytest.mark.parametrize("share", [1.0, 1.5])
def test_a_bound_state_and_odd_data(share: float) -> None:
    energy = share * brentq(end, 5.0, 40.0, xtol=1e-12)
    equation = sp.Eq(u.diff(x, 2) + (DEPTH / sp.cosh(STEEP * x) ** 2 - energy) * u, 0)
    conditions = [fs.Dirichlet(-1, on="x-"), fs.Dirichlet(1, on="x+")]
    problem = fs.Problem(equation, fs.Interval(-1, 1), conditions)
    if share == 1.0:
        with pytest.warns(fs.AccuracyWarning):
            solution = fs.solve(problem, approach="patches", tol=1e-6, rng=0, budget=fs.Budget(neurons=400))
    else:
        solution = fs.solve(problem, approach="patches", tol=1e-6, rng=0)
    assert solution.converged == (share != 1.0)
