"""Equations whose leading coefficient vanishes, growth from one end, and unknowns without a digit of their own."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

X, Y = sp.symbols("x y")
U, V = sp.Function("u")(X), sp.Function("v")(X)
BUDGET = fs.Budget(neurons=600, seconds=20)


def solved(problem: fs.Problem, tol: float = 1e-8) -> fs.Solution:
    return fs.solve(problem, tol=tol, rng=0, budget=BUDGET)


@pytest.mark.filterwarnings("ignore::fspielm.AccuracyWarning")
def test_a_root_at_the_end_is_not_called_smooth() -> None:
    equation = sp.Eq(X * U.diff(X, 2) + 0.55 * U.diff(X), 0)
    conditions = [fs.Dirichlet(1, on="x-"), fs.Dirichlet(1.0001, on="x+")]
    solution = solved(fs.Problem(equation, fs.Interval(0, 1), conditions))
    points = np.linspace(0, 1, 501)[:, None]
    error = np.sqrt(np.mean((solution(points) - 1 - 1e-4 * points[:, 0] ** 0.45) ** 2))
    assert not solution.converged
    assert solution.error_estimate > 0.5 * error


@pytest.mark.filterwarnings("ignore::fspielm.AccuracyWarning")
def test_bessels_equation_with_values_of_no_solution() -> None:
    equation = sp.Eq(X**2 * U.diff(X, 2) + X * U.diff(X) + (X**2 - 1) * U, 0)
    conditions = [fs.Dirichlet(0.5, on="x-"), fs.Dirichlet(0.3, on="x+")]
    solution = solved(fs.Problem(equation, fs.Interval(0, 3), conditions), 1e-6)
    assert not solution.converged
    assert "coefficient vanishes at x=0" in solution.report.reason


def test_bessels_equation_with_values_of_a_solution() -> None:
    equation = sp.Eq(X * U.diff(X, 2) + U.diff(X) + X * U, 0)
    conditions = [fs.Dirichlet(1, on="x-"), fs.Dirichlet(sp.besselj(0, 3).evalf(17), on="x+")]
    assert solved(fs.Problem(equation, fs.Interval(0, 3), conditions)).converged


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.filterwarnings("ignore::fspielm.AccuracyWarning")
def test_a_zero_inside_leaves_several_solutions(order: int) -> None:
    equation = sp.Eq((X - 0.3) * U.diff(X, order), 2 * U.diff(X, order - 1))
    conditions = [fs.Dirichlet(1, on="x-"), fs.Dirichlet(2, on="x+")][:order]
    solution = solved(fs.Problem(equation, fs.Interval(0, 1), conditions))
    assert not solution.converged
    assert re.search(r"coefficient vanishes at x=0\.3: .*several", solution.report.reason)


def test_a_zero_inside_with_smooth_solutions_alone() -> None:
    exact = sp.sin(2 * X)
    equation = sp.Eq((X - 0.3) * U.diff(X, 2) + 2 * U.diff(X), (X - 0.3) * exact.diff(X, 2) + 2 * exact.diff(X))
    assert solved(fs.Problem(equation, fs.Interval(0, 1), [fs.Dirichlet(exact)])).converged


@pytest.mark.filterwarnings("ignore::fspielm.AccuracyWarning")
def test_a_line_of_zeros_in_the_plane() -> None:
    u = sp.Function("u")(X, Y)
    equation = sp.Eq((X - 0.4) * (u.diff(X, 2) + u.diff(Y, 2)), 2 * u.diff(X))
    problem = fs.Problem(equation, fs.Box((0, 0), (1, 1)), [fs.Dirichlet((X - 0.4) ** 3)])
    solution = solved(problem, 1e-4)
    assert not solution.converged
    assert "coefficient vanishes at x=0.4" in solution.report.reason


@pytest.mark.parametrize("side", ["x-", "x+"])
@pytest.mark.filterwarnings("ignore::fspielm.AccuracyWarning")
def test_growth_from_one_end(side: str) -> None:
    sign = 1 if side == "x-" else -1
    away = X if side == "x-" else 1 - X
    equation = sp.Eq(U.diff(X), sign * 60 * away * (U - 1))
    solution = solved(fs.Problem(equation, fs.Interval(0, 1), [fs.Dirichlet(1 + 1e-13, on=side)]), 1e-6)
    assert not solution.converged
    assert "all conditions are at" in solution.report.reason


def test_decay_from_one_end() -> None:
    equation = sp.Eq(U.diff(X), -60 * X * (U - 1))
    assert solved(fs.Problem(equation, fs.Interval(0, 1), [fs.Dirichlet(1 + 1e-13, on="x-")]), 1e-6).converged


def test_the_verdict_names_an_unknown_without_digits() -> None:
    equations = [sp.Eq(U.diff(X, 2) + V, -sp.sin(X)), sp.Eq(V.diff(X, 2) - V + 1e-14 * U, 0)]
    conditions = [fs.Dirichlet({U: sp.sin(X), V: 0})]
    solution = solved(fs.Problem(equations, fs.Interval(0, math.pi / 2), conditions, unknowns=[U, V]))
    assert solution.converged
    assert "has no digit of its own" in solution.report.reason
