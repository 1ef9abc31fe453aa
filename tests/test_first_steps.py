"""Mistakes of the first hour, and what is said about them."""

from __future__ import annotations

import pytest
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
SQUARE = fs.Box((0, 0), (1, 1))


def test_time_comes_last() -> None:
    with pytest.raises(fs.ProblemError, match=r"^time comes last: write .* \* Time\("):
        fs.Time(0, 1) * fs.Interval(0, 1)


def test_an_unknown_is_no_symbol_as_well() -> None:
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2), sp.Symbol("u"))
    with pytest.raises(fs.ProblemError, match=r'plain symbol .*write u = sp\.Function\("u"\)\(x, y\) once'):
        fs.Problem(equation, SQUARE, [fs.Dirichlet(0)])


def test_points_are_rows() -> None:
    solution = fs.solve(fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2), 0), SQUARE, [fs.Dirichlet(x)]), tol=1e-3)
    assert solution.names == ("u",)
    with pytest.raises(fs.ProblemError, match=r"write solution\(\[\[0\.1, 0\.2\]\]\) for one point"):
        solution(0.1, 0.2)


def test_what_users_need_is_listed_and_all_else_is_there() -> None:
    shown = [name for name in dir(fs) if not name.startswith("_")]
    assert {"Problem", "solve", "Budget", "eigenmodes", "sweep", "Box", "cases", "load"} <= set(shown)
    assert len(shown) <= 80
    assert all(hasattr(fs, name) for name in (*fs.__all__, "Operator", "Basis", "judge"))
    assert "Operator" not in shown
    assert set(shown) <= set(fs.__all__)
