"""Values that are not those of a selfadjoint problem may move by far more than what functions leave."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, lam = sp.symbols("x lam")
u, v = sp.Function("u")(x), sp.Function("v")(x)


@pytest.mark.filterwarnings("ignore::fspielm.AccuracyWarning")
@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("drift", [8, 14])
def test_estimates_hold_however_strong_the_drift(drift: int, count: int) -> None:
    equation = sp.Eq(-u.diff(x, 2) + 2 * drift * u.diff(x), lam * u)
    modes = fs.eigenmodes(fs.Problem(equation, fs.Interval(0, 1), [fs.Dirichlet(0)]), lam, count=count, tol=1e-6, rng=0)
    known = drift**2 + (np.arange(1, count + 1) * np.pi) ** 2
    assert len(modes) == count
    for mode, value in zip(modes, known, strict=True):
        assert abs(mode.value - value) <= mode.estimate


def test_a_mode_may_have_one_unknown_alone() -> None:
    # where v is zero, u has the values of a string by itself
    gap = 1.2
    equations = [
        sp.Eq(-u.diff(x, 2) + 0.07 * sp.cos(0.4 * x) * v, lam * u),
        sp.Eq(-v.diff(x, 2) + gap * v, lam * v),
    ]
    problem = fs.Problem(equations, fs.Interval(0, 1.65), [fs.Dirichlet({u: 0, v: 0})])
    modes = fs.eigenmodes(problem, lam, count=3, tol=1e-5, rng=0)
    string = (np.array([1, 2]) * np.pi / 1.65) ** 2
    for mode, value in zip(modes, [string[0], string[0] + gap, string[1]], strict=True):
        assert abs(mode.value - value) <= mode.estimate <= 1e-5 * value
