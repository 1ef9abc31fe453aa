"""Symbols without a value."""

from __future__ import annotations

import pickle

import pytest
import sympy as sp

import fspielm as fs

x, k, a = sp.symbols("x k a")
u = sp.Function("u")(x)


def stated(**more: object) -> fs.Problem:
    equation = sp.Eq(u.diff(x, 2) + k**2 * u, 0)
    return fs.Problem(equation, fs.Interval(0, 1), [fs.Dirichlet(a * sp.cos(x))], **more)


def test_a_problem_may_leave_symbols_open() -> None:
    problem = stated(given={a: 2})
    assert problem.open_symbols == (k,)
    assert set(problem.parameters) == {a, k}
    assert pickle.loads(pickle.dumps(problem)).open_symbols == (k,)
    closed = problem.at({k: 3.0})
    assert closed.open_symbols == ()
    assert closed.operator.terms[-1].coefficient == 9.0 or closed.operator.terms[0].coefficient == 9.0


def test_what_is_open_is_told_when_it_is_needed() -> None:
    message = r"leaves the symbols a, k open: .*given=\{a: 1\.0, k: 2\.0\}.*fs\.sweep\(problem, \{a: \[\.\.\.\]\}\)"
    problem = stated()
    with pytest.raises(fs.ProblemError, match=message):
        fs.solve(problem)
    with pytest.raises(fs.ProblemError, match=message):
        _ = problem.relations
    with pytest.raises(fs.ProblemError, match="leaves the symbol k open"):
        fs.prepare(problem.at({a: 1.0}))


def test_a_coordinate_by_mistake_is_no_parameter() -> None:
    other = sp.Symbol("x", real=True)
    with pytest.raises(fs.ProblemError, match="different assumptions"):
        fs.Problem(sp.Eq(u.diff(x, 2), other), fs.Interval(0, 1), [fs.Dirichlet(0)])
    with pytest.raises(fs.ProblemError, match="parameter x is a coordinate"):
        stated().at({x: 1.0})
