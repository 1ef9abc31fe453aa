"""What cannot be followed, and is told."""

from __future__ import annotations

from typing import Any

import pytest
import sympy as sp

import fspielm as fs
from fspielm.solvers.continuation.path import read_along

x, lam, k = sp.symbols("x lam k")
u = sp.Function("u")(x)
LINE = fs.Interval(0, 1)


def problem(equation: sp.Basic | None = None) -> fs.Problem:
    bratu = sp.Eq(u.diff(x, 2) + lam * sp.exp(u), 0)
    return fs.Problem(bratu if equation is None else equation, LINE, [fs.Dirichlet(0)], given={lam: 1.0})


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        (k, r"parameter k.*occur.*lam"),
        (sp.Symbol("lam", real=True), "different assumptions"),
        (x, "parameter x is a coordinate"),
        ("lam", r"parameter.*symbol.*'lam'"),
    ],
)
def test_parameters_that_are_none(parameter: Any, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        fs.follow(problem(), parameter, (0, 4))


def test_a_parameter_may_be_open() -> None:
    bratu = sp.Eq(u.diff(x, 2) + lam * sp.exp(u), 0)
    along = read_along(fs.Problem(bratu, LINE, [fs.Dirichlet(0)], given={lam: ...}), lam, (0, 4))
    assert along.at(2.0).open_symbols == ()
    both = fs.Problem(sp.Eq(u.diff(x, 2) + lam * sp.exp(u), k), LINE, [fs.Dirichlet(0)], given={lam: ..., k: ...})
    with pytest.raises(fs.ProblemError, match=r"^k has no value: pass problem"):
        fs.follow(both, lam, (0, 4))


@pytest.mark.parametrize(
    ("interval", "message"),
    [
        ((4, 0), r"interval.*wrong way.*\(0, 4\)"),
        ((2, 2), r"interval is empty.*2"),
        ((0, sp.oo), "interval must be finite"),
        (4, r"interval.*two numbers.*got 4"),
        ((0, 1, 2), "interval must be two numbers"),
    ],
)
def test_intervals_that_are_none(interval: Any, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        fs.follow(problem(), lam, interval)


def test_a_linear_problem_has_no_branches() -> None:
    linear = problem(sp.Eq(u.diff(x, 2) + lam * u, 1))
    with pytest.raises(fs.ProblemError, match="linear for every lam"):
        fs.follow(linear, lam, (0, 4))


def test_complex_problems_are_refused() -> None:
    wave = problem(sp.Eq(u.diff(x, 2) + lam * u**2 * sp.I, 0))
    with pytest.raises(fs.ProblemError, match=r"complex.*not followed"):
        fs.follow(wave, lam, (0, 4))


@pytest.mark.parametrize("points", [1, 2.5, True])
def test_points_are_a_number_of_them(points: Any) -> None:
    with pytest.raises(fs.ProblemError, match=r"points must.*whole number.*2"):
        fs.follow(problem(), lam, (0, 4), points=points)


def test_without_a_solution_at_the_start() -> None:
    with pytest.raises(fs.ProblemError, match=r"lam = 3\.6: Newton's method"):
        fs.follow(problem(), lam, (3.6, 5), approach="patches", tol=1e-4, rng=0)


def test_a_start_without_any_meaning() -> None:
    steep = problem(sp.Eq(u.diff(x, 2) + sp.log(lam + u), 0))
    with pytest.raises(fs.ProblemError, match=r"lam = -1, where.*begin"):
        fs.follow(steep, lam, (-1, 1), guess=-3, rng=0)
