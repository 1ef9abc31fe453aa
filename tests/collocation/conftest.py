"""Small problems for the collocation tests."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from fspielm import Box, Dirichlet, Initial, Interval, Neumann, Problem, Time
from fspielm.geometry.shapes.pacman import Pacman

x, y, t = sp.symbols("x y t")


@pytest.fixture(scope="session")
def poisson() -> Problem:
    """On a box twice as long as high, Dirichlet below and above, Neumann left and right."""
    u = sp.Function("u")(x, y)
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2), sp.sin(x))
    conditions = [Dirichlet(x, on=["y-", "y+"]), Neumann(2.0, on=["x-", "x+"])]
    return Problem(equation, Box((0, 0), (2, 1)), conditions)


@pytest.fixture(scope="session")
def masked() -> Problem:
    """The lower side is split into a quarter and three quarters by relations."""
    u = sp.Function("u")(x, y)
    conditions = [
        Dirichlet(0, on=["x-", "x+", "y+"]),
        Dirichlet(1, on=sp.Eq(y, 0) & (x < 0.25)),
        Neumann(0, on=sp.Eq(y, 0) & (x >= 0.25)),
    ]
    return Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2), 0), Box((0, 0), (1, 1)), conditions)


@pytest.fixture(scope="session")
def ordinary() -> Problem:
    """In one dimension: the boundary is two single points."""
    u = sp.Function("u")(x)
    return Problem(sp.Eq(u.diff(x, 2), 1), Interval(0, 1), [Dirichlet(0, on="x-"), Neumann(0, on="x+")])


@pytest.fixture(scope="session")
def wave() -> Problem:
    """With variable speed and both initial conditions."""
    u = sp.Function("u")(x, t)
    equation = sp.Eq(u.diff(t, 2) - ((1 + x) * u.diff(x)).diff(x), sp.exp(-t))
    conditions = [Dirichlet(0), Initial(sp.sin(x)), Initial(x, order=1)]
    return Problem(equation, Interval(0, 1) * Time(0, 2), conditions)


@pytest.fixture(scope="session")
def pacman() -> Problem:
    """Three boundary parts of different lengths, and time."""
    u = sp.Function("u")(x, y, t)
    equation = sp.Eq(u.diff(t) - u.diff(x, 2) - u.diff(y, 2), 0)
    return Problem(equation, Pacman() * Time(0, 1), [Dirichlet(1), Initial(0)])


@pytest.fixture
def rng() -> np.random.Generator:
    """A fresh generator, the same for every test."""
    return np.random.default_rng(3)
