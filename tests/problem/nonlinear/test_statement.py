"""Nonlinear problems as values: what they say of themselves, what they refuse, and that they are pickled."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.errors import IterateError
from fspielm.problem import linearise

x, y = sp.symbols("x y")
u, v = (sp.Function(name)(x, y) for name in "uv")
a = sp.Function("a")(x, y)
k = sp.Symbol("k")
SQUARE = fs.Box((0, 0), (1, 1))
HALVES = fs.Regions(left=fs.Box((0, 0), (0.5, 1)), right=fs.Box((0.5, 0), (1, 1)))


def laplace(f: sp.Expr) -> sp.Expr:
    return f.diff(x, 2) + f.diff(y, 2)


PROBLEM = fs.Problem(laplace(u) + k * u**3 - u, SQUARE, [fs.Dirichlet(x)], given={k: 2.0})
POINTS = np.random.default_rng(0).random((20, 2))


def test_it_says_so() -> None:
    assert not PROBLEM.is_linear
    assert fs.Problem(laplace(u) - u, SQUARE, [fs.Dirichlet(x)]).is_linear
    assert PROBLEM.pattern[0].name == "equation"
    assert PROBLEM.dtype == np.float64
    assert PROBLEM.remarks == ()
    assert PROBLEM.unknown == u
    assert "u**{3}" in PROBLEM._repr_latex_().replace("u^{3}", "u**{3}")


def test_what_is_for_linear_problems_refuses_it() -> None:
    for ask in ("relations", "equations", "constraints", "operator", "right_hand_side", "determinant"):
        with pytest.raises(fs.ProblemError, match=r"u.*\*\*3.*problem.linearised"):
            getattr(PROBLEM, ask)
    with pytest.raises(fs.ProblemError, match="not linear"):
        fs.prepare(PROBLEM)


def test_a_linear_problem_is_its_own_linearisation() -> None:
    linear = fs.Problem(laplace(u) - u - x, SQUARE, [fs.Dirichlet(x)])
    assert linearise(linear, 3) is linear
    np.testing.assert_allclose(linear.residual(x * y, POINTS), -POINTS.prod(axis=1) - POINTS[:, 0])


def test_what_is_linear_stays_as_it_is() -> None:
    linear = PROBLEM.linearised(x)
    orders = {term.orders: term.coefficient for term in linear.operator.terms}
    assert orders[2, 0] == orders[0, 2] == 1.0
    assert linear.is_linear
    assert linear.conditions == PROBLEM.conditions
    reaction = [term for term in linear.operator.terms if term.orders == (0, 0)]
    total = sum(term.at(fs.Sites(POINTS)) for term in reaction)
    np.testing.assert_allclose(total, 6 * POINTS[:, 0] ** 2 - 1, rtol=1e-14)
    np.testing.assert_allclose(linear.right_hand_side(POINTS), 4 * POINTS[:, 0] ** 3, rtol=1e-14)


def test_one_evaluation_of_the_iterate_for_all_coefficients() -> None:
    calls = []

    class Counted:
        def evaluate_each(self, operators, sites):  # type: ignore[no-untyped-def]
            calls.append(len(sites))
            return np.ones((len(operators), len(sites)))

    problem = fs.Problem(laplace(u) + u**3 * u.diff(x) + sp.exp(u), SQUARE, [fs.Dirichlet(x)])
    linear = problem.linearised(Counted())
    calls.clear()
    for term in linear.operator.terms:
        term.at(fs.Sites(POINTS))
    linear.right_hand_side(POINTS)
    assert calls == [len(POINTS)]


def test_pickled() -> None:
    again = pickle.loads(pickle.dumps(PROBLEM))
    assert not again.is_linear
    np.testing.assert_array_equal(again.residual(x, POINTS), PROBLEM.residual(x, POINTS))
    linear = PROBLEM.linearised(k * x)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(linear)).right_hand_side(POINTS), linear.right_hand_side(POINTS)
    )


def test_pickled_with_pairs() -> None:
    problem = fs.Problem(laplace(u) + sp.Abs(u) ** 2 * u, SQUARE, [fs.Dirichlet(sp.exp(sp.I * x))])
    linear = problem.linearised(sp.exp(sp.I * x))
    again = pickle.loads(pickle.dumps(linear))
    assert [one.name for one in again.equations] == ["equation real part", "equation imaginary part"]
    for one, other in zip(again.equations, linear.equations, strict=True):
        np.testing.assert_array_equal(one.value(POINTS), other.value(POINTS))
    assert problem.dtype == linear.dtype


def test_given_by_region() -> None:
    flux = (a * u.diff(x)).diff(x) + (a * u.diff(y)).diff(y)
    given = {a: fs.ByRegion(left=1.0, right=5.0), k: fs.ByRegion(left=2.0, right=3.0)}
    problem = fs.Problem(flux - k * u**3 - sp.exp(k * u), HALVES, [fs.Dirichlet(0)], given=given)
    (line,) = problem.interfaces
    assert [rule.kind for rule in line.rules] == ["value", "flux"]
    linear = problem.linearised(1)
    points = np.array([[0.2, 0.3], [0.8, 0.3]])
    want = np.array([-6 - 2 * np.exp(2), -9 - 3 * np.exp(3)])
    (equation,) = linear.equations
    total = sum(t.at(fs.Sites(points)) for t in equation.operator.terms if not any(t.orders))
    np.testing.assert_allclose(total, want)
    assert len(linear.equations_at(points[0])) == 1


def test_a_flux_that_depends_on_the_unknown_cannot_cross() -> None:
    flux = (a * (1 + u**2) * u.diff(x)).diff(x) + (a * u.diff(y)).diff(y)
    with pytest.raises(fs.ProblemError, match=r"'left \| right'.*flux.*linear"):
        fs.Problem(flux, HALVES, [fs.Dirichlet(0)], given={a: fs.ByRegion(left=1.0, right=5.0)})


def test_given_that_nothing_contains() -> None:
    with pytest.raises(fs.ProblemError, match=r"given names q.*no equation"):
        fs.Problem(laplace(u) + u**2, SQUARE, [fs.Dirichlet(0)], given={sp.Symbol("q"): 1})


@pytest.mark.parametrize(("term", "guess"), [(sp.log(u), -1), (1 / u, 0), (1 / u, x - 0.5), (sp.sqrt(u), -x)])
def test_an_iterate_that_leaves_the_range(term: sp.Expr, guess: sp.Expr) -> None:
    problem = fs.Problem(laplace(u) + term, SQUARE, [fs.Dirichlet(1)])
    points = np.array([[0.5, 0.25]])
    with pytest.raises(IterateError, match=r"^the equation needs.*u = .* guess="):
        problem.residual(guess, points)
    with pytest.raises(IterateError, match=r"at x=0.5, y=0.25, where u = "):
        problem.linearised(guess).right_hand_side(points)


def test_an_iterate_at_which_the_problem_degenerates() -> None:
    problem = fs.Problem([u * laplace(u) - 1, v * laplace(v) - u], SQUARE, [fs.Dirichlet({u: 1, v: 1})])
    with pytest.raises(IterateError, match=r"^around this iterate, "):
        problem.linearised()
