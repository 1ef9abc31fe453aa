"""Krylov spaces, and the smooth functions that they begin with."""

import numpy as np
import sympy as sp

import fspielm as fs
from fspielm.numerics import Space
from fspielm.problem import SmoothSides

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)


def test_a_space_knows_what_the_map_makes_of_its_functions():
    rng = np.random.default_rng(0)
    A, weights = rng.standard_normal((9, 9)), np.sqrt(rng.uniform(1, 2, 9))[:, None]
    space = Space(lambda functions: weights * functions, 1e-10)
    first = space.add(rng.standard_normal((9, 2)))
    second = space.add(A @ first)
    space.add(A @ second)
    every = weights * np.concatenate([first, second], axis=1)
    np.testing.assert_allclose(every.T @ every, np.eye(4), atol=1e-13)
    np.testing.assert_allclose(every.T @ (weights * space.images), space.matrix[:4], atol=1e-12)
    assert (space.count, space.matrix.shape) == (6, (6, 4))


def test_what_is_there_already_is_not_added():
    space = Space(lambda functions: functions, 1e-10)
    first = space.add(np.eye(5)[:, :2])
    assert space.add(first @ np.ones((2, 2))).shape == (5, 0)


def test_smooth_sides_have_the_periods_of_the_problem():
    given = sp.Eq(u.diff(x, 2) + u.diff(y, 2), u)
    problem = fs.Problem(given, fs.Box((1, 0), (3, 1)), [fs.Periodic("x"), fs.Dirichlet(0, on=["y-", "y+"])])
    sides = SmoothSides(problem, ["equation"], 2, np.random.default_rng(0), 3.0)
    points = np.random.default_rng(1).uniform((1, 0), (3, 1), (5, 2))
    along, across = points + np.array([2, 0]), points + np.array([0, 1])
    assert np.abs(sides.at("equation", along) - sides.at("equation", points)).max() > 0.1
    sides.with_periods()
    np.testing.assert_allclose(sides.at("equation", along), sides.at("equation", points), atol=1e-12)
    assert np.abs(sides.at("equation", across) - sides.at("equation", points)).max() > 0.1
