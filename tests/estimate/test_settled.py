"""At a resonance of a medium that varies, sensitivity grows as long as functions are added, and nothing is certain."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.estimate.sensitivity import may_resonate

x, y = sp.symbols("x y")
u, v = sp.Function("u")(x), sp.Function("u")(x, y)
K = 5 * math.pi
# exp(0.4 cos K x) sin K x is a solution of u'' + Q u = 0 that vanishes at both ends of the unit interval.
Q = K**2 * (1 + 1.2 * sp.cos(K * x) - 0.16 * sp.sin(K * x) ** 2)
ASIDE = 50.0
SLOW = sp.cos(x + 1)


def line(q: Any, exact: Any = SLOW) -> fs.Problem:
    equation = sp.Eq(u.diff(x, 2) + q * u, sp.sympify(exact).diff(x, 2) + q * exact)
    return fs.Problem(equation, fs.Interval(0, 1), [fs.Dirichlet(exact)])


def square(q: Any, exact: Any) -> fs.Problem:
    equation = sp.Eq(v.diff(x, 2) + v.diff(y, 2) + q * v, sp.sympify(exact).diff(x, 2) + q * exact)
    return fs.Problem(equation, fs.Box((0, 0), (1, 1)), [fs.Dirichlet(exact)])


@pytest.mark.parametrize("approach", ["band", "patches"])
@pytest.mark.parametrize("exact", [SLOW, 0])
@pytest.mark.parametrize("tol", [1e-3, 1e-8])
def test_on_an_interval(tol: float, exact: Any, approach: Any) -> None:
    with pytest.warns(fs.AccuracyWarning, match=r"resonance"):
        assert not fs.solve(line(Q, exact), tol=tol, rng=0, approach=approach).converged
    assert fs.solve(line(Q + ASIDE, exact), tol=tol, rng=0, approach=approach).converged


@pytest.mark.slow
@pytest.mark.parametrize("exact", [SLOW, 0])
def test_on_a_square(exact: Any) -> None:
    q, budget = Q + (3 * math.pi) ** 2, fs.Budget(neurons=1500)
    with pytest.warns(fs.AccuracyWarning):
        solution = fs.solve(square(q, exact), tol=1e-5, rng=0, budget=budget, approach="band")
    assert not solution.converged
    assert fs.solve(square(q + 20, exact), tol=1e-5, rng=0, budget=budget, approach="band").converged


def test_the_reason_says_what_would_help() -> None:
    with pytest.warns(fs.AccuracyWarning, match=r"still grows.*resonance"):
        fs.solve(line(Q), tol=1e-6, rng=0, approach="band")


def test_what_was_prepared_says_so_too() -> None:
    with pytest.warns(fs.AccuracyWarning):
        prepared = fs.prepare(line(Q), tol=1e-6, rng=0, approach="band")
    with pytest.warns(fs.AccuracyWarning):
        assert not prepared.solve(values={"dirichlet": 0}, right_hand_side=0).converged


def test_only_waves_resonate() -> None:
    assert may_resonate(line(Q))
    assert may_resonate(line(10))
    assert not may_resonate(line(-10))
    assert not may_resonate(line(0.5))
    t, h = sp.Symbol("t"), sp.Function("h")
    heat = sp.Eq(h(x, t).diff(t), h(x, t).diff(x, 2) + 90 * h(x, t))
    conditions = [fs.Dirichlet(0), fs.Initial(sp.sin(sp.pi * x))]
    assert not may_resonate(fs.Problem(heat, fs.Interval(0, 1) * fs.Time(0, 1), conditions))


def test_the_estimate_of_a_coarse_round_is_left_alone() -> None:
    """Only where a yes would rest on the sensitivity is it looked at."""
    with pytest.warns(fs.AccuracyWarning):
        solution = fs.solve(
            line(Q + ASIDE, sp.sin(60 * x)), tol=1e-8, rng=0, approach="band", budget=fs.Budget(neurons=34)
        )
    assert not solution.converged
    assert np.isfinite(solution.report.error_estimate) or "grows" not in solution.report.reason
