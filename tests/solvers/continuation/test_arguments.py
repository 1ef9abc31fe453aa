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
        (k, r"parameter k does not occur in the problem: its numbers are lam; write the symbol k into"),
        (sp.Symbol("lam", real=True), "different assumptions"),
        (x, "parameter x is a coordinate"),
        ("lam", "parameter must be a SymPy symbol of the problem; got 'lam'"),
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
        ((4, 0), r"interval is the wrong way round: write \(0, 4\)"),
        ((2, 2), "interval is empty: both of its ends are 2"),
        ((0, sp.oo), "interval must be finite"),
        (4, r"interval must be two numbers, as in \(0, 7\); got 4"),
        ((0, 1, 2), "interval must be two numbers"),
    ],
)
def test_intervals_that_are_none(interval: Any, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        fs.follow(problem(), lam, interval)


def test_a_linear_problem_has_no_branches() -> None:
    linear = problem(sp.Eq(u.diff(x, 2) + lam * u, 1))
    with pytest.raises(fs.ProblemError, match="the problem is linear for every lam"):
        fs.follow(linear, lam, (0, 4))


def test_complex_problems_are_refused() -> None:
    wave = problem(sp.Eq(u.diff(x, 2) + lam * u**2 * sp.I, 0))
    with pytest.raises(fs.ProblemError, match="complex problems are not followed"):
        fs.follow(wave, lam, (0, 4))


@pytest.mark.parametrize("points", [1, 2.5, True])
def test_points_are_a_number_of_them(points: Any) -> None:
    with pytest.raises(fs.ProblemError, match="points must be a whole number, at least 2"):
        fs.follow(problem(), lam, (0, 4), points=points)


def test_without_a_solution_at_the_start() -> None:
    with pytest.raises(fs.ProblemError, match=r"no solution to begin with at lam = 3\.6: Newton's method came to"):
        fs.follow(problem(), lam, (3.6, 5), approach="patches", tol=1e-4, rng=0)


def test_a_start_without_any_meaning() -> None:
    steep = problem(sp.Eq(u.diff(x, 2) + sp.log(lam + u), 0))
    with pytest.raises(fs.ProblemError, match="at lam = -1, where solutions begin"):
        fs.follow(steep, lam, (-1, 1), guess=-3, rng=0)
