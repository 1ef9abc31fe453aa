"""Domains of any sensible size; others are refused before anything overflows."""

from __future__ import annotations

import re

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y, t = sp.symbols("x y t")
u = sp.Function("u")(x, y)
v = sp.Function("v")(x)
w = sp.Function("w")(x, t)
LAPLACE = u.diff(x, 2) + u.diff(y, 2)


@pytest.mark.parametrize("size", [1e-300, 1e-61, 1e61, 1e300])
class TestRefused:
    @pytest.mark.parametrize("make", [lambda s: fs.Box((0, 0), (s, s)), lambda s: fs.Disk((0, 0), s)])
    def test_in_the_plane(self, size: float, make: type) -> None:
        with pytest.raises(fs.ProblemError, match=r"^domain=.*from 1e-60.*units"):
            fs.Problem(LAPLACE, make(size), [fs.Dirichlet(0)])

    def test_on_a_line(self, size: float) -> None:
        with pytest.raises(fs.ProblemError, match=rf"length {re.escape(f'{size:g}')} and"):
            fs.Problem(v.diff(x, 2), fs.Interval(0, size), [fs.Dirichlet(0)])

    def test_in_time(self, size: float) -> None:
        conditions = [fs.Dirichlet(0), fs.Initial(0)]
        with pytest.raises(fs.ProblemError, match=rf"length 1, {re.escape(f'{size:g}')} and"):
            fs.Problem(w.diff(t) - w.diff(x, 2), fs.Interval(0, 1) * fs.Time(0, size), conditions)


def test_far_away_is_refused_too() -> None:
    with pytest.raises(fs.ProblemError, match=r"reaches out to 1.1e\+100"):
        fs.Problem(v.diff(x, 2), fs.Interval(1e100, 1.1e100), [fs.Dirichlet(0)])
    with pytest.raises(fs.ProblemError, match="sides of length inf, inf"):
        fs.Problem(LAPLACE, fs.Disk((0, 0), 1.7e308), [fs.Dirichlet(0)])


@pytest.mark.parametrize("size", [1e-60, 1e-12, 1e12, 1e59])
def test_the_same_problem_in_other_units_is_solved_as_well(size: float) -> None:
    def solve(length: float) -> fs.Solution:
        equation = sp.Eq(LAPLACE + (3 / length) ** 2 * u, 0)
        problem = fs.Problem(equation, fs.Disk((0, 0), length), [fs.Dirichlet(sp.cos(3 * x / length))])
        return fs.solve(problem, budget=fs.Budget(neurons=150), rng=0)

    solution = solve(size)
    assert solution.converged
    points = np.random.default_rng(0).uniform(-0.6, 0.6, (20, 2))
    np.testing.assert_allclose(solution(size * points), np.cos(3 * points[:, 0]), atol=1e-8)
