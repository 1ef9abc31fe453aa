"""Small solutions of every number of coordinates, made by hand so that they cost nothing."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import sympy as sp

import fspielm as fs

pytest.importorskip("matplotlib")

x, y, z, t = sp.symbols("x y z t")


def solve_by_hand(domain: Any, coordinates: tuple[sp.Symbol, ...], exact: sp.Expr, name: str = "u") -> fs.Solution:
    """A diffusion equation (in time, if the domain has it) whose solution is `exact`."""
    u = sp.Function(name)(*coordinates)
    space = coordinates if domain.time is None else coordinates[:-1]

    def operator(v: sp.Expr) -> sp.Expr:
        decay = v if domain.time is None else v.diff(coordinates[-1])
        return decay - sum(v.diff(s, 2) for s in space)

    conditions: list[Any] = [fs.Dirichlet(exact)]
    if domain.time is not None:
        conditions.append(fs.Initial(exact.subs(coordinates[-1], domain.time.start)))
    problem = fs.Problem(sp.Eq(operator(u), operator(exact)), domain, conditions)
    points = fs.Points(interior=200, boundary_total=60, initial=40)
    with warnings.catch_warnings():
        # pictures of some digits are pictures
        warnings.simplefilter("ignore", fs.AccuracyWarning)
        return fs.solve(problem, features=fs.FrequencyShift(60, mu=(0, 6)), points=points, rng=0)


@pytest.fixture(scope="session")
def solve() -> Callable[..., fs.Solution]:
    """See `solve_by_hand`."""
    return solve_by_hand


@pytest.fixture(scope="session")
def line() -> fs.Solution:
    """``sin(3 x)``."""
    return solve_by_hand(fs.Interval(0, 2), (x,), sp.sin(3 * x))


@pytest.fixture(scope="session")
def square() -> fs.Solution:
    """``sin(2 x) cos(y)`` on a rectangle."""
    return solve_by_hand(fs.Box((0, 0), (2, 1)), (x, y), sp.sin(2 * x) * sp.cos(y))


@pytest.fixture(scope="session")
def string() -> fs.Solution:
    """``s tau`` over space and time, with names of its own."""
    s, tau = sp.symbols("s tau")
    return solve_by_hand(fs.Interval(-3, 3) * fs.Time(0, 1), (s, tau), s * tau, name="theta")


@pytest.fixture(scope="session")
def pacman() -> fs.Solution:
    """``(x + y) t`` on a shape with a corner."""
    return solve_by_hand(fs.Pacman() * fs.Time(0, 2), (x, y, t), (x + y) * t)


@pytest.fixture(scope="session")
def cube() -> fs.Solution:
    """``x + z`` in a box."""
    return solve_by_hand(fs.Box((0, 0, 0), (1, 1, 4)), (x, y, z), x + z)


@pytest.fixture(scope="session")
def automatic() -> fs.Solution:
    """A Helmholtz equation in one coordinate, solved automatically."""
    u = sp.Function("u")(x)
    exact = sp.sin(40 * x)
    problem = fs.Problem(sp.Eq(u.diff(x, 2) - u, exact.diff(x, 2) - exact), fs.Interval(0, 2), [fs.Dirichlet(exact)])
    return fs.solve(problem, tol=1e-3, rng=0)
