"""Linearisations are derivatives: compared with differences of the nonlinear residual."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.geometry import Sites
from fspielm.problem import Iterate, Law, Operator, as_iterate, derivative

x, y, t = sp.symbols("x y t")
U, V, W = sp.Function("u"), sp.Function("v"), sp.Function("w")
u, v, w = U(x, y), V(x, y), W(x, t)
SQUARE = fs.Box((0, 0), (1, 1))
dn = fs.normal_derivative


def laplace(f: sp.Expr) -> sp.Expr:
    return f.diff(x, 2) + f.diff(y, 2)


def div(a: sp.Expr) -> sp.Expr:
    return (a * u.diff(x)).diff(x) + (a * u.diff(y)).diff(y)


class Sum:
    """One iterate and a multiple of another."""

    def __init__(self, one: Iterate, factor: float, other: Iterate) -> None:
        self.one, self.factor, self.other = one, factor, other

    def evaluate_each(self, operators: Sequence[Operator], sites: Sites) -> Any:
        return self.one.evaluate_each(operators, sites) + self.factor * self.other.evaluate_each(operators, sites)


def guesses(problem: fs.Problem, complex_values: bool) -> list[Iterate]:
    """Two smooth functions, between 0.5 and 1.5 or so."""
    rng = np.random.default_rng(1)
    made = []
    for _ in range(2):
        guess = {}
        for name in problem.names:
            a, b, c = (round(float(r), 3) for r in rng.uniform(0.5, 2.0, 3))
            second = problem.coordinates[-1]
            guess[name] = 1 + 0.3 * sp.sin(a * x + b * second) + 0.2 * sp.cos(c * second - x)
            if complex_values:
                guess[name] += sp.I * sp.cos(b * x - c * second)
        made.append(as_iterate(problem, guess))
    return made


def derivative_along(problem: fs.Problem, law: Law, around: Iterate, along: Iterate, sites: Sites) -> Any:
    """What the linear problem around an iterate has on its left, of another function."""
    total: Any = 0.0
    places = len(problem.stated.unknowns)
    for term in relation_of(problem, law, around).operator.terms:
        plain = derivative(term.orders).on(term.unknown % places)
        value = along.evaluate_each([plain], sites)[0]
        total = total + term.at(sites) * (np.conj(value) if term.unknown >= places else value)
    return total


def relation_of(problem: fs.Problem, law: Law, around: Iterate) -> fs.Relation:
    """What a law has become, before it was split into real and imaginary parts."""
    name = "condition x+" if law.what == "the condition" else law.what.removeprefix("the ")
    (found,) = (r for r in problem.linearised(around).stated.pattern if r.name == name)
    return found


EQUATIONS = {
    "reaction": laplace(u) + u**3 - u - sp.sin(x),
    "exponential": laplace(u) - sp.exp(u) + x,
    "gradient": laplace(u) + u.diff(x) ** 2 * sp.sin(u.diff(y)) - u * u.diff(x),
    "quasilinear": div(1 + u**2) - x,
    "minimal surface": div((1 + u.diff(x) ** 2 + u.diff(y) ** 2) ** sp.Rational(-1, 2)),
    "p-Laplace": div(sp.sqrt(u.diff(x) ** 2 + u.diff(y) ** 2)) - 1,
    "monge": u.diff(x, 2) * u.diff(y, 2) - u.diff(x, y) ** 2 - 1 + laplace(u),
    "by place": laplace(u) + sp.Piecewise((x * u**2, x < y), (sp.sinh(u), True)),
    "given": laplace(u) + sp.exp(sp.Function("k")(x, y) * u) / (sp.Symbol("c") + u),
    "fourth": laplace(laplace(u)) + laplace(u) * laplace(u) - 1 / u + sp.log(u) + x**u,
    "holomorphic": sp.I * laplace(u) + u**2 + sp.exp(sp.I * u),
    "modulus": laplace(u) + sp.Abs(u) ** 2 * u + sp.I * u,
    "conjugates": laplace(u) + u * sp.conjugate(u.diff(x)) * sp.re(u) + sp.im(u**2) / (2 + u * sp.conjugate(u)),
    "modulus under a derivative": sp.Derivative(sp.Abs(u) ** 2 * u.diff(x), x) + u.diff(y, 2) + sp.I * u,
    "conjugate of a function": laplace(u) + sp.I * sp.conjugate(sp.exp(sp.I * x * u) * sp.log(3 + u)),
}
CONDITIONS = {
    "radiation": dn(u) + u**4 - 1,
    "spring": dn(u, 2) + sp.sinh(u) * dn(u) + x * u.diff(y) ** 2 - fs.normal(x) * u**3,
    "given": dn(u) - sp.Function("k")(x, y) * sp.tanh(u),
}


def given_in(expression: sp.Expr) -> dict[Any, Any]:
    given = {sp.Function("k"): lambda points: 1 + points[:, 0], sp.Symbol("c"): 2.5}
    return {key: value for key, value in given.items() if expression.has(key)}


def check(problem: fs.Problem, law: Law, sites: Sites, complex_values: bool = False) -> None:
    around, along = guesses(problem, complex_values)
    found = derivative_along(problem, law, around, along, sites)
    step = 1e-4
    plus, minus = (law.residual(Sum(around, s * step, along), sites) for s in (1, -1))
    scale = np.abs(law.residual(around, sites)).max() + np.abs(found).max()
    np.testing.assert_allclose(found, (plus - minus) / (2 * step), atol=2e-6 * scale)
    second = (plus + minus - 2 * law.residual(around, sites)) / step**2
    np.testing.assert_allclose(law.second(around, along, along, sites), second, atol=3e-6 * scale)
    # what the linear problem asks for, at the iterate itself, is what the nonlinear one does
    own = derivative_along(problem, law, around, around, sites) - relation_of(problem, law, around).values(sites)
    np.testing.assert_allclose(own, law.residual(around, sites), atol=1e-12 * scale)
    lengths = np.linalg.norm(law.values(along, sites), axis=0)
    assert np.all(np.abs(second) <= 1.001 * law.curvature(around, sites) * lengths**2 + 3e-6 * scale)


@pytest.mark.parametrize("name", EQUATIONS)
def test_equations(name: str) -> None:
    equation = EQUATIONS[name]
    conditions: list[Any] = [fs.Dirichlet(1)]
    if name == "fourth":
        conditions.append(fs.Neumann(0))
    problem = fs.Problem(equation, SQUARE, conditions, given=given_in(equation))
    assert not problem.is_linear
    assert problem.nonlinear is not None
    (law,) = problem.nonlinear.laws
    sites = Sites(np.random.default_rng(2).random((40, 2)))
    check(problem, law, sites, complex_values=equation.has(sp.I, sp.conjugate))


@pytest.mark.parametrize("name", CONDITIONS)
def test_conditions(name: str) -> None:
    stated = CONDITIONS[name]
    conditions = [fs.Dirichlet(1, on=["x-", "y-", "y+"]), fs.Condition(stated, on="x+")]
    problem = fs.Problem(laplace(u), SQUARE, conditions, given=given_in(stated))
    assert problem.nonlinear is not None
    (law,) = problem.nonlinear.laws
    assert not problem.nonlinear.equations
    (part,) = (r.part for r in problem.pattern if r.name == "condition x+")
    assert part is not None
    check(problem, law, part.sample(30, np.random.default_rng(0)))


def test_systems() -> None:
    equations = [laplace(u) + u * v - v**2, laplace(v) + u, sp.sin(u) * v.diff(x) - laplace(v) + u**2 * v]
    problem = fs.Problem(equations, SQUARE, [fs.Dirichlet({u: 1, v: 2})])
    assert problem.nonlinear is not None
    assert list(problem.nonlinear.equations) == [0, 2]
    sites = Sites(np.random.default_rng(2).random((40, 2)))
    for law in problem.nonlinear.laws:
        check(problem, law, sites)
    residual = problem.residual({"u": x, "v": y**2}, sites.points)
    a, b = sites.points.T
    np.testing.assert_allclose(residual, np.stack([a * b**2 - b**4, 2 + a, a**2 * b**2 - 2], axis=1), atol=1e-14)


def test_a_linear_equation_with_conjugates_beside_another() -> None:
    equations = [laplace(u) + sp.conjugate(v) - v, laplace(v) + u * sp.conjugate(v)]
    problem = fs.Problem(equations, SQUARE, [fs.Dirichlet({u: 1, v: sp.I})])
    points = np.random.default_rng(2).random((10, 2))
    a, b = points.T
    found = problem.residual({u: x, v: sp.I * y}, points)
    np.testing.assert_allclose(found, np.stack([-2j * b, -1j * a * b], axis=1))


def test_in_time() -> None:
    equation = w.diff(t) + w * w.diff(x) - w.diff(x, 2) / 100
    conditions = [fs.Dirichlet(0), fs.Initial(sp.sin(sp.pi * x))]
    problem = fs.Problem(equation, fs.Interval(0, 1) * fs.Time(0, 1), conditions)
    assert problem.nonlinear is not None
    (law,) = problem.nonlinear.laws
    check(problem, law, Sites(np.random.default_rng(2).random((40, 2))))


def test_size_of_the_second_derivative() -> None:
    problem = fs.Problem(laplace(u) + u**3 + u.diff(x) * u, SQUARE, [fs.Dirichlet(0)])
    assert problem.nonlinear is not None
    (law,) = problem.nonlinear.laws
    sites = Sites(np.random.default_rng(2).random((5, 2)))
    found = law.curvature(as_iterate(problem, x), sites)
    np.testing.assert_allclose(found, np.sqrt((6 * sites.points[:, 0]) ** 2 + 2), rtol=1e-14)
