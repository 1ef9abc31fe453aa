"""Guesses that cannot be used, problems without a solution, and several solutions."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
u = sp.Function("u")
LINE = fs.Interval(0, 1)


def bratu(strength: float) -> fs.Problem:
    return fs.Problem(sp.Eq(u(x).diff(x, 2) + strength * sp.exp(u(x)), 0), LINE, [fs.Dirichlet(0)])


def test_bratu_has_two_solutions() -> None:
    low = fs.solve(bratu(1), tol=1e-9, rng=0)
    high = fs.solve(bratu(1), tol=1e-9, rng=0, guess=16 * x * (1 - x))
    # u(1/2) = 2 ln cosh(theta / 4) with theta = sqrt(2) cosh(theta / 4)
    for solution, theta in ((low, 1.5171645990507543), (high, 10.938702772122106)):
        assert solution.converged
        assert solution([[0.5]])[0] == pytest.approx(2 * np.log(np.cosh(theta / 4)), rel=1e-8)
        assert any("one of possibly several" in remark for remark in solution.report.remarks)


def test_bratu_beyond_its_fold_says_so() -> None:
    with pytest.warns(fs.AccuracyWarning, match=r"no solution.*beyond 0\.8.*fold"):
        solution = fs.solve(bratu(4), tol=1e-6, rng=0)
    assert not solution.converged
    assert solution.error_estimate == np.inf


@pytest.mark.parametrize(
    ("guess", "message"),
    [
        (lambda points: np.ones((len(points), 2)), r"guess: .*one value.*\(\d+, 2\)"),
        ({"v": 1}, r"dictionary names v.*no unknown"),
        ("u", r"guess must.*number.*callable"),
        (float("nan"), "guess must be a finite number"),
        ([1, 2], r"guess must.*number.*callable"),
        (y, r"guess.*symbol y.*neither"),
        (u(x), r"guess is u\(x\).*unknown"),
    ],
)
def test_guesses_that_are_none(guess: Any, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        fs.solve(bratu(1), guess=guess)


def test_a_guess_outside_of_the_range() -> None:
    problem = fs.Problem(sp.Eq(u(x).diff(x, 2), sp.log(u(x))), LINE, [fs.Dirichlet(2)])
    with pytest.raises(fs.ProblemError, match=r"log\(u\).*nan at x=.*u = -1.*guess="):
        fs.solve(problem, guess=-1)


def test_a_guess_for_several_unknowns_goes_by_unknown() -> None:
    v = sp.Function("v")(x)
    equations = [sp.Eq(u(x).diff(x, 2) + v**2, 0), sp.Eq(v.diff(x, 2) + u(x), 0)]
    problem = fs.Problem(equations, LINE, [fs.Dirichlet({u(x): 0, v: 1})])
    with pytest.raises(fs.ProblemError, match=r"guess: .*2 unknowns.*\{u: 1\}"):
        fs.solve(problem, guess=1)
    assert fs.solve(problem, guess={v: 1}, rng=0).converged


def test_a_solution_for_other_unknowns_is_no_guess() -> None:
    v = sp.Function("v")(x)
    other = fs.solve(fs.Problem(sp.Eq(v.diff(x, 2), 1), LINE, [fs.Dirichlet(0)]), rng=0)
    with pytest.raises(fs.ProblemError, match=r"guess.*for v\(x\).*are u\(x\)"):
        fs.solve(bratu(1), guess=other)


def test_a_linear_problem_needs_no_guess() -> None:
    problem = fs.Problem(sp.Eq(u(x).diff(x, 2), 1), LINE, [fs.Dirichlet(0)])
    with pytest.raises(fs.ProblemError, match=r"guess .* leave it out"):
        fs.solve(problem, guess=1)


@pytest.mark.parametrize("options", [{"features": fs.FrequencyShift(100, mu=(1, 5))}, {"approach": "thin"}])
def test_what_is_for_linear_problems(options: dict[str, Any]) -> None:
    with pytest.raises(fs.ProblemError, match="linear problems"):
        fs.solve(bratu(1), **options)


def test_an_earlier_solution_is_a_guess() -> None:
    first = fs.solve(bratu(3), tol=1e-8, rng=0)
    second = fs.solve(bratu(3.1), tol=1e-8, rng=0, guess=first)
    assert second.converged
    assert second.report.newton[0].step < 0.2


def test_steps_are_told() -> None:
    events: list[object] = []
    solution = fs.solve(bratu(3), tol=1e-8, rng=0, progress=events.append)
    told = [event for event in events if not isinstance(event, fs.Round | fs.Forecast)]
    assert tuple(told) == solution.report.newton
    assert "Newton step 1: residual" in str(told[0])
    assert str(told[0]) in str(solution.report)
    assert solution.report.as_dict()["newton"][0]["number"] == 1


@pytest.mark.usefixtures("patient")
def test_time_ends_it() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.AccuracyWarning)
        solution = fs.solve(bratu(4), rng=0, budget=fs.Budget(seconds=0.2))
    assert not solution.converged


@pytest.mark.usefixtures("patient")
def test_no_other_start_is_tried_when_the_time_is_over() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.AccuracyWarning)
        solution = fs.solve(bratu(4), rng=0, budget=fs.Budget(seconds=1e-3))
    # one step from zero, and none from elsewhere
    assert len(solution.report.newton) == 1
