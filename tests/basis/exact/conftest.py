"""Equations of every kind, with what is known about the zeros of their symbols."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.basis.exact.symbol import Symbol, symbol_of
from fspielm.problem import Unknown
from fspielm.problem.linear import read_equation
from fspielm.problem.setting import Setting
from fspielm.problem.substitutions import Substitutions

x, y, z, t = sp.symbols("x y z t")
Expression = Callable[[Any], Any]


def laplacian(u: Any, *axes: sp.Symbol) -> Any:
    return sum(u.diff(axis, 2) for axis in axes)


STEADY: dict[str, tuple[tuple[sp.Symbol, ...], Expression]] = {
    "oscillator": ((x,), lambda u: u.diff(x, 2) + 9 * u),
    "beam": ((x,), lambda u: u.diff(x, 4)),
    "laplace": ((x, y), lambda u: laplacian(u, x, y)),
    "helmholtz": ((x, y), lambda u: laplacian(u, x, y) + 400 * u),
    "modified": ((x, y), lambda u: laplacian(u, x, y) - 100 * u),
    "anisotropic": ((x, y), lambda u: u.diff(x, 2) + 9 * u.diff(y, 2) + u.diff(x, y) + 90 * u),
    "advected": ((x, y), lambda u: laplacian(u, x, y) - 3 * u.diff(x) + 2 * u.diff(y)),
    "biharmonic": ((x, y), lambda u: laplacian(laplacian(u, x, y), x, y)),
    "plate": ((x, y), lambda u: laplacian(laplacian(u, x, y), x, y) - 6**4 * u),
    "transport": ((x, y), lambda u: 2 * u.diff(x) + u.diff(y)),
    "laplace 3d": ((x, y, z), lambda u: laplacian(u, x, y, z)),
    "helmholtz 3d": ((x, y, z), lambda u: laplacian(u, x, y, z) + 36 * u),
}
EVOLVING: dict[str, tuple[tuple[sp.Symbol, ...], Expression]] = {
    "wave": ((x, t), lambda u: u.diff(t, 2) - 4 * u.diff(x, 2)),
    "klein-gordon": ((x, t), lambda u: u.diff(t, 2) - u.diff(x, 2) + 50 * u),
    "heat": ((x, t), lambda u: u.diff(t) - 0.1 * u.diff(x, 2)),
    "damped wave": ((x, t), lambda u: u.diff(t, 2) + 3 * u.diff(t) - u.diff(x, 2)),
    "advection": ((x, t), lambda u: u.diff(t) + 2 * u.diff(x)),
    "vibrating beam": ((x, t), lambda u: u.diff(t, 2) + 0.01 * u.diff(x, 4)),
    "membrane": ((x, y, t), lambda u: u.diff(t, 2) - laplacian(u, x, y)),
    "heat 2d": ((x, y, t), lambda u: u.diff(t) - 0.2 * laplacian(u, x, y)),
}
EQUATIONS = STEADY | EVOLVING


def make_symbol(name: str) -> Symbol:
    coordinates, expression = EQUATIONS[name]
    u, domain = sp.Function("u")(*coordinates), make_domain(name)
    return symbol_of(read_equation(expression(u), Setting((Unknown(u, domain),), Substitutions(), domain)).operator)


def make_domain(name: str) -> Any:
    coordinates, _ = EQUATIONS[name]
    space = len(coordinates) - (name in EVOLVING)
    domain = {1: fs.Interval(0, 1), 2: fs.Disk((2.0, -1.0), 0.8), 3: fs.Ball((0, 0, 0), 1)}[space]
    return domain * fs.Time(0, 1.5) if name in EVOLVING else domain


@pytest.fixture(params=list(EQUATIONS))
def equation(request: pytest.FixtureRequest) -> str:
    """Each equation in turn, by name."""
    return str(request.param)


@pytest.fixture
def symbol(equation: str) -> Symbol:
    """The symbol of the equation."""
    return make_symbol(equation)


@pytest.fixture
def domain(equation: str) -> Any:
    """A domain that suits the equation; not around the origin in the plane."""
    return make_domain(equation)


@pytest.fixture
def symbol_named() -> Callable[[str], Symbol]:
    """The symbol of an equation by its name."""
    return make_symbol


@pytest.fixture
def problem(equation: str, domain: Any) -> fs.Problem:
    """The homogeneous problem, with a value given in a point: nothing is solved here."""
    coordinates, expression = EQUATIONS[equation]
    u = sp.Function("u")(*coordinates)
    return fs.Problem(
        sp.Eq(expression(u), 0),
        domain=domain,
        conditions=[fs.Measured(domain.sample(5, np.random.default_rng(0)), [1.0, 2.0, 3.0, 4.0, 5.0])],
    )
