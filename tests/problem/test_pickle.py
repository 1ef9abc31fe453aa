"""Problems travel between processes: what is compiled is made again from the statement."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.problem import with_data

x, y = sp.symbols("x y")
k = sp.Symbol("k")
u = sp.Function("u")(x, y)
f = sp.Function("f")
LAPLACE = u.diff(x, 2) + u.diff(y, 2)
SQUARE = fs.Box((0, 0), (1, 1))
COPIES = [lambda it: pickle.loads(pickle.dumps(it)), copy.deepcopy, copy.copy]

Copy = Callable[[fs.Problem], fs.Problem]


def source(points: np.ndarray) -> np.ndarray:
    return np.asarray(np.sin(3 * points[:, 0]) * points[:, 1])


def slope(points: np.ndarray) -> np.ndarray:
    return np.asarray(3 * np.cos(3 * points[:, 0]) * points[:, 1])


def left(points: np.ndarray) -> np.ndarray:
    return np.asarray(points[:, 0] < 0.5)


def data(problem: fs.Problem) -> list[np.ndarray]:
    """Everything that goes into the rows of a system."""
    rng = np.random.default_rng(0)
    points = problem.domain.sample(20, rng)
    values = [problem.right_hand_side(points)]
    for constraint in problem.constraints:
        sites = constraint.sample(9, rng)
        values += [constraint.value(sites.points), sites.points]
        values += [term.at(sites) for term in (*constraint.operator.terms, *problem.operator.terms)]
    return values


def same(first: fs.Problem, second: fs.Problem) -> bool:
    assert second is not first
    assert second.equation == first.equation
    assert second.conditions == first.conditions
    assert [c.name for c in second.constraints] == [c.name for c in first.constraints]
    return all(np.array_equal(a, b) for a, b in zip(data(first), data(second), strict=True))


@pytest.mark.parametrize("copied", COPIES)
class TestRoundTrips:
    @pytest.mark.parametrize("name", fs.cases.names())
    def test_the_cases(self, name: str, copied: Copy) -> None:
        problem = fs.cases.load(name).problem
        assert same(problem, copied(problem))

    def test_callables(self, copied: Copy) -> None:
        form = (f(x, y) * u.diff(x)).diff(x) + k * u.diff(y, 2)
        problem = fs.Problem(
            sp.Eq(form, f(x, y)),
            SQUARE,
            [fs.Dirichlet(source, on=left), fs.Neumann(source, on=x > 0.5)],
            given={f: source, f(x, y).diff(x): slope, k: 2},
        )
        assert same(problem, copied(problem))

    def test_conditions_that_are_equations(self, copied: Copy) -> None:
        conditions = [
            fs.Condition(sp.Eq(fs.normal_derivative(u) + x * u, y), on=["x-", "x+"]),
            fs.Periodic("y"),
            fs.Measured([[0.5, 0.5]], [1.0]),
        ]
        problem = fs.Problem(sp.Eq(LAPLACE - u, 0, evaluate=False), SQUARE, conditions)
        assert same(problem, copied(problem))

    def test_other_data(self, copied: Copy) -> None:
        problem = fs.Problem(LAPLACE, SQUARE, [fs.Dirichlet(0)])
        renewed = with_data(problem, source, {"dirichlet x-": y, "dirichlet y+": source})
        assert same(renewed, copied(renewed))
        twice = with_data(renewed, values={"dirichlet x-": 3})
        assert same(twice, copied(twice))


def test_an_equation_that_sympy_would_decide_stays_one() -> None:
    equation = sp.Eq(LAPLACE, LAPLACE - u.diff(x), evaluate=False)
    problem = fs.Problem(equation, SQUARE, [fs.Dirichlet(0)])
    assert pickle.loads(pickle.dumps(problem)).equation == equation


def test_a_callable_that_cannot_be_pickled_is_named() -> None:
    problem = fs.Problem(LAPLACE, SQUARE, [fs.Dirichlet(lambda p: p[:, 0])])
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(problem)
    assert same(problem, copy.deepcopy(problem))
