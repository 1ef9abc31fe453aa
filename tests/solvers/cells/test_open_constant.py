"""Cells where conditions leave a constant open: solved up to it, and the verdict says so."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
u, v = sp.Function("u")(x, y), sp.Function("v")(x)
LINE, SQUARE = fs.Interval(0, 1), fs.Box((0, 0), (1, 1))
WAVE = sp.cos(sp.pi * x)  # whose slopes at 0 and 1 are zero

STATED = {
    "line": (fs.Problem(sp.Eq(v.diff(x, 2), WAVE.diff(x, 2)), LINE, [fs.Neumann(0)]), WAVE),
    "square": (fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2), WAVE.diff(x, 2)), SQUARE, [fs.Neumann(0)]), WAVE),
    "medium": (
        fs.Problem(
            sp.Eq(((1 + x) * u.diff(x)).diff(x) + (1 + x) * u.diff(y, 2), ((1 + x) * WAVE.diff(x)).diff(x)),
            SQUARE,
            [fs.Neumann(0)],
        ),
        WAVE,
    ),
    "nonlinear": (fs.Problem(sp.Eq(v.diff(x, 2), v.diff(x) ** 2), LINE, [fs.Neumann(0)]), sp.S.Zero),
}


@pytest.mark.parametrize("kind", STATED)
def test_the_constant_alone_is_missing(kind: str) -> None:
    problem, exact = STATED[kind]
    with pytest.warns(fs.AccuracyWarning, match=r"up to a constant.*are compatible"):
        solution = fs.solve(problem, approach="patches", rng=0)
    assert not solution.converged
    points = np.random.default_rng(0).uniform(0.1, 0.9, (20, problem.dimension))
    off = solution(points) - np.array([float(exact.subs(x, at)) for at in points[:, 0]])
    assert np.ptp(off) < 1e-7


def test_data_that_do_not_balance_are_named() -> None:
    problem = fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2), 1), SQUARE, [fs.Neumann(0)])
    with pytest.warns(fs.AccuracyWarning, match=r"source and fluxes.*balance"):
        fs.solve(problem, approach="patches", budget=fs.Budget(neurons=200), rng=0)
