"""An unknown number, written as a function whose derivative is zero."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x = sp.Symbol("x")
u, k = sp.Function("u")(x), sp.Function("k")(x)
CONDITIONS = [fs.Dirichlet({u: 0}), fs.Condition(sp.Eq(u.diff(x), sp.pi), on="x-")]


def stated(power: int) -> fs.Problem:
    equations = [sp.Eq(u.diff(x, 2) + k**power * u, 0), sp.Eq(k.diff(x), 0)]
    return fs.Problem(equations, fs.Interval(0, 1), CONDITIONS, unknowns=[u, k])


@pytest.mark.parametrize("guess", [{u: 0, k: 1}, {k: 8}], ids=str)
def test_found_from_a_guess_of_the_field_that_does_not_see_it(guess: dict[sp.Expr, int]) -> None:
    solution = fs.solve(stated(1), guess=guess, rng=0)
    assert solution.converged
    number = solution["k"](np.array([[0.5]]))[0]
    # any of the modes: k = (n pi)^2
    assert np.sqrt(number) / np.pi == pytest.approx(round(np.sqrt(number) / np.pi), abs=1e-6)


@pytest.mark.parametrize("around", [{u: 0, k: 1}, {u: sp.sin(sp.pi * x), k: 9}], ids=["unseen", "seen"])
@pytest.mark.parametrize("power", [1, 2])
def test_what_is_pinned_does_not_depend_on_the_iterate(power: int, around: dict[sp.Expr, sp.Expr]) -> None:
    problem = stated(power)
    linear = problem.linearised(around)
    assert [relation.name for relation in linear.relations] == [relation.name for relation in problem.pattern]


def test_the_pressure_of_a_flow_stays_pinned() -> None:
    y = sp.Symbol("y")
    v, w, p = (sp.Function(name)(x, y) for name in "vwp")
    along = lambda f: v * f.diff(x) + w * f.diff(y) - f.diff(x, 2) - f.diff(y, 2)  # noqa: E731
    problem = fs.Problem(
        [along(v) + p.diff(x), along(w) + p.diff(y), v.diff(x) + w.diff(y)],
        fs.Box((0, 0), (1, 1)),
        [fs.Dirichlet({v: 0, w: 0})],
        unknowns=[v, w, p],
    )
    assert [relation.name for relation in problem.linearised().relations if relation.is_gauge] == ["mean of p"]
