"""Guesses in every form, and their derivatives."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.geometry import Sites
from fspielm.problem import along_normal, as_iterate, derivative

x, y = sp.symbols("x y")
u, v = (sp.Function(name)(x, y) for name in "uv")
k = sp.Symbol("k")
DOMAIN = fs.Box((0, -1), (2, 1))


def laplace(f: sp.Expr) -> sp.Expr:
    return f.diff(x, 2) + f.diff(y, 2)


ONE = fs.Problem(laplace(u) + k * u**2, DOMAIN, [fs.Dirichlet(0)], given={k: 2})
TWO = fs.Problem([laplace(u) + u * v, laplace(v) + u], DOMAIN, [fs.Dirichlet({u: 0, v: 0})])
POINTS = np.array([0, -1]) + 2 * np.random.default_rng(0).random((30, 2))
EXACT = sp.sin(2 * x) * sp.cos(y)


def jet(iterate: Any, *orders: tuple[int, int]) -> Any:
    return iterate.evaluate_each([derivative(o) for o in orders], Sites(POINTS))


ORDERS = [(0, 0), (1, 0), (0, 2), (1, 1), (2, 2)]


@pytest.mark.parametrize("guess", [EXACT, lambda points: np.sin(2 * points[:, 0]) * np.cos(points[:, 1])])
def test_derivatives(guess: Any) -> None:
    found = jet(as_iterate(ONE, guess), *ORDERS)
    for values, (a, b) in zip(found, ORDERS, strict=True):
        want = sp.lambdify((x, y), EXACT.diff(x, a, y, b))(*POINTS.T)
        np.testing.assert_allclose(values, want, atol=3e-6 if a + b > 2 else 1e-8)


def test_a_callable_is_asked_within_the_box_alone() -> None:
    seen = []

    def guess(points: Any) -> Any:
        seen.append(points)
        return points[:, 0] ** 3

    edge = Sites(np.array([[0.0, -1.0], [2.0, 1.0]]))
    found = as_iterate(ONE, guess).evaluate_each([derivative((2, 1)), derivative((2, 0))], edge)
    np.testing.assert_allclose(found, [[0, 0], [0, 12]], atol=1e-5)
    assert DOMAIN.contains(np.concatenate(seen)).all()


def test_normal_derivatives() -> None:
    sites = Sites(POINTS, np.tile([0.6, 0.8], (len(POINTS), 1)))
    (found,) = as_iterate(ONE, x**2 * y).evaluate_each([along_normal(2)], sites)
    a, b = POINTS.T
    np.testing.assert_allclose(found, 0.6 * 2 * a * b + 0.8 * a**2)


@pytest.mark.parametrize(("guess", "value"), [(None, 0.0), (3, 3.0), (k * 2, 4.0), (2j, 2j), ({u: 1}, 1.0)])
def test_numbers(guess: Any, value: complex) -> None:
    found = jet(as_iterate(ONE, guess), (0, 0), (1, 0))
    np.testing.assert_array_equal(found, [[value] * 30, [0] * 30])


def test_of_several_unknowns() -> None:
    iterate = as_iterate(TWO, {v: x})
    found = iterate.evaluate_each([derivative((0, 0)), derivative((0, 0)).on(1)], Sites(POINTS))
    np.testing.assert_array_equal(found, [np.zeros(30), POINTS[:, 0]])


def test_another_solution() -> None:
    solution = fs.solve(fs.Problem(laplace(u), DOMAIN, [fs.Dirichlet(x)]), rng=0)
    assert as_iterate(ONE, solution) is solution
    np.testing.assert_allclose(jet(solution, (1, 0))[0], 1.0, atol=1e-8)
    with pytest.raises(fs.ProblemError, match=r"guess.*u\(x, y\).*are.*, v"):
        as_iterate(TWO, solution)


@pytest.mark.parametrize(
    ("problem", "guess", "message"),
    [
        (ONE, "x", r"^guess must.*number.*callable"),
        (ONE, [1, 2], "^guess must be a number"),
        (ONE, u**2, r"^the guess is u.*unknown"),
        (ONE, sp.Symbol("q") * x, r"^the guess.*symbol q"),
        (ONE, {v: 1}, r"^guess:.*v\(x, y\).*no unknown"),
        (TWO, 1, r"^guess:.*2 unknowns.*\{u: 1\}"),
        (TWO, {u: sp.oo}, r"^the guess for u.*finite"),
        (TWO, {}, "^guess is an empty dictionary"),
    ],
)
def test_refused(problem: fs.Problem, guess: Any, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        as_iterate(problem, guess)


def test_of_the_wrong_shape() -> None:
    iterate = as_iterate(ONE, lambda points: points)
    with pytest.raises(fs.ProblemError, match=r"^the guess:.*one value.*\(30,\)"):
        jet(iterate, (0, 0))
    with pytest.raises(fs.ProblemError, match=r"^the guess is (inf|nan) at"):
        jet(as_iterate(ONE, lambda points: points[:, 0] * np.inf), (0, 0))


def test_pickled() -> None:
    iterate = as_iterate(ONE, k * EXACT)
    np.testing.assert_array_equal(jet(pickle.loads(pickle.dumps(iterate)), *ORDERS), jet(iterate, *ORDERS))
