"""Symbols without a value."""

from __future__ import annotations

import math
import pickle

import pytest
import sympy as sp

import fspielm as fs

x, k, a = sp.symbols("x k a")
u = sp.Function("u")(x)


def stated(size: object = ...) -> fs.Problem:
    equation = sp.Eq(u.diff(x, 2) + k**2 * u, 0)
    return fs.Problem(equation, fs.Interval(0, 1), [fs.Dirichlet(a * sp.cos(x))], given={a: size, k: ...})


def test_a_problem_may_leave_symbols_open() -> None:
    problem = stated(size=2)
    assert problem.open_symbols == (k,)
    assert set(problem.parameters) == {a, k}
    assert pickle.loads(pickle.dumps(problem)).open_symbols == (k,)
    closed = problem.at({k: 3.0})
    assert closed.open_symbols == ()
    assert closed.operator.terms[-1].coefficient == 9.0 or closed.operator.terms[0].coefficient == 9.0


def test_what_is_open_is_told_when_it_is_needed() -> None:
    message = r"^a, k have no value.*\{a: 1\.0, k: 2\.0\}.*problem, a, count.*\{a: \[.*\(problem, a, \.\.\.\)$"
    problem = stated()
    with pytest.raises(fs.ProblemError, match=message):
        fs.solve(problem)
    with pytest.raises(fs.ProblemError, match=message):
        _ = problem.relations
    with pytest.raises(fs.ProblemError, match=r"^k has no value: pass problem"):
        fs.prepare(problem.at({a: 1.0}))


def test_symbols_without_a_value_need_no_declaration() -> None:
    equation = sp.Eq(u.diff(x, 2) + k**2 * u, 0)
    problem = fs.Problem(equation, fs.Interval(0, 1), [fs.Dirichlet(a * sp.cos(x))])
    assert problem.open_symbols == problem.parameters == (a, k)
    assert pickle.loads(pickle.dumps(problem)).open_symbols == (a, k)
    assert problem.at({a: 1.0}).open_symbols == (k,)
    mixed = fs.Problem(equation, fs.Interval(0, 1), [fs.Dirichlet(a * sp.cos(x))], given={k: ...})
    assert mixed.open_symbols == (k, a)


def test_open_symbols_are_what_modes_and_sweeps_take() -> None:
    string = fs.Problem(sp.Eq(-u.diff(x, 2), k * u), fs.Interval(0, 1), [fs.Dirichlet(0)])
    modes = fs.eigenmodes(string, k, count=1, tol=1e-6)
    assert modes[0].value == pytest.approx(math.pi**2, rel=1e-6)
    driven = fs.Problem(sp.Eq(u.diff(x, 2), k), fs.Interval(0, 1), [fs.Dirichlet(0)])
    rows = fs.sweep(driven, {k: [1.0, 2.0]}, measure=lambda solution: solution([[0.5]])[0], tol=1e-6)
    assert rows["value"].values.tolist() == pytest.approx([-0.125, -0.25], rel=1e-6)


@pytest.mark.parametrize(
    ("symbol", "meant"), [("X", "x"), ("lamda", "lam"), ("alpha2", "alpha1"), ("flux1", "flux"), ("q", None)]
)
def test_a_slip_of_the_pen_is_asked_about(symbol: str, meant: str | None) -> None:
    lam, alpha = sp.symbols("lam alpha1")
    equation = sp.Eq(u.diff(x, 2) + lam * u + sp.Symbol(symbol), alpha + sp.Function("flux")(x))
    given = {lam: 1.0, alpha: 2.0, sp.Function("flux"): lambda points: points[:, 0]}
    problem = fs.Problem(equation, fs.Interval(0, 1), [fs.Dirichlet(0)], given=given)
    question = rf"did you mean {meant} .*{symbol}\?$" if meant else r"q, \.\.\.\)$"
    with pytest.raises(fs.ProblemError, match=question):
        fs.solve(problem)


def test_what_is_mistyped_is_refused_at_once() -> None:
    with pytest.raises(fs.ProblemError, match=r"symbol x.*different assumptions"):
        fs.Problem(sp.Eq(u.diff(x, 2), sp.Symbol("x", real=True)), fs.Interval(0, 1), [fs.Dirichlet(0)])
    with pytest.raises(fs.ProblemError, match=r"given names a.*no equation"):
        fs.Problem(sp.Eq(u.diff(x, 2) + k * u, 0), fs.Interval(0, 1), [fs.Dirichlet(0)], given={k: ..., a: ...})
    with pytest.raises(fs.ProblemError, match="parameter x is a coordinate"):
        stated().at({x: 1.0})


def test_a_file_needs_numbers() -> None:
    with pytest.raises(fs.ProblemError, match=r"^a, k have no value"):
        fs.write_problem(stated())


def test_a_wave_that_comes_in_is_written_with_what_is_open() -> None:
    y = sp.Symbol("y")
    v = sp.Function("v")(x, y)
    equation, outside = sp.Eq(v.diff(x, 2) + v.diff(y, 2) + k**2 * v, 0), fs.Exterior(fs.Disk((0, 0), 1))
    with pytest.raises(fs.ProblemError, match=r"leaves k open.*fs\.plane_wave\(k"):
        fs.Problem(equation, outside, [fs.Dirichlet(0)], given={k: ...}, incident=fs.plane_wave(3, (1, 0)))
    condition, wave = fs.Robin(1, a, 0), fs.plane_wave(3, (1, 0))
    with pytest.raises(fs.ProblemError, match="which is one of wavenumber 2"):
        fs.Problem(equation.subs(k, 2), outside, [condition], given={a: ...}, incident=wave)
