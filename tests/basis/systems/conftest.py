"""Systems and complex equations with constant coefficients, for tests of features that satisfy them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import sympy as sp

import fspielm as fs

x, y, z, t = sp.symbols("x y z t")
PLANE = fs.Box((-1, -0.5), (1, 0.8))


def _functions(names: str, *coordinates: sp.Symbol) -> list[Any]:
    return [sp.Function(name)(*coordinates) for name in names.split()]


def _laplacian(f: Any) -> Any:
    return f.diff(x, 2) + f.diff(y, 2)


def stokes(domain: fs.Domain = PLANE, viscosity: float = 0.3) -> fs.Problem:
    u, v, p = _functions("u v p", x, y)
    equations = [
        -viscosity * _laplacian(u) + p.diff(x),
        -viscosity * _laplacian(v) + p.diff(y),
        u.diff(x) + v.diff(y),
    ]
    return fs.Problem(equations, domain, [fs.Dirichlet({u: 1, v: y})], unknowns=[u, v, p])


def elastic(domain: fs.Domain = PLANE, frequency: float = 0.0) -> fs.Problem:
    u, v = _functions("u v", x, y)
    dilation = 2.1 * (u.diff(x) + v.diff(y))
    equations = [
        dilation.diff(x) + 0.7 * _laplacian(u) + frequency**2 * u,
        dilation.diff(y) + 0.7 * _laplacian(v) + frequency**2 * v,
    ]
    return fs.Problem(equations, domain, [fs.Dirichlet({u: 1, v: y})], unknowns=[u, v])


def triangular() -> fs.Problem:
    u, v = _functions("u v", x, y)
    equations = [_laplacian(u) + 4 * u + 1e-3 * v, _laplacian(v) + 9 * v]
    return fs.Problem(equations, PLANE, [fs.Dirichlet({u: 1, v: y})], unknowns=[u, v])


def acoustics() -> fs.Problem:
    p, v = _functions("p v", x, t)
    conditions = [fs.Initial({p: x, v: 0}), fs.Dirichlet({p: x})]
    return fs.Problem(
        [p.diff(t) + v.diff(x), v.diff(t) + p.diff(x)], fs.Interval(0, 1) * fs.Time(0, 2), conditions, unknowns=[p, v]
    )


def _curl(a: list[Any]) -> list[Any]:
    return [a[2].diff(y) - a[1].diff(z), a[0].diff(z) - a[2].diff(x), a[1].diff(x) - a[0].diff(y)]


def maxwell(factor: Any = 5.0 * sp.I) -> fs.Problem:
    electric, magnetic = _functions("Ex Ey Ez", x, y, z), _functions("Hx Hy Hz", x, y, z)
    sign = 1 if sp.im(factor) == 0 else -1
    equations = [a - factor * b for a, b in zip(_curl(electric), magnetic, strict=True)]
    equations += [a - sign * factor * b for a, b in zip(_curl(magnetic), electric, strict=True)]
    tangential = {"x-": (1, 2), "x+": (1, 2), "y-": (0, 2), "y+": (0, 2), "z-": (0, 1), "z+": (0, 1)}
    conditions = [fs.Dirichlet({electric[i]: x for i in some}, on=side) for side, some in tangential.items()]
    return fs.Problem(equations, fs.Box((0, 0, 0), (1, 1, 1)), conditions, unknowns=electric + magnetic)


def lossy() -> fs.Problem:
    (u,) = _functions("u", x, y)
    return fs.Problem(_laplacian(u) + (20 + 3 * sp.I) ** 2 * u, PLANE, [fs.Dirichlet(x)])


def schroedinger() -> fs.Problem:
    (u,) = _functions("u", x, t)
    conditions = [fs.Initial(x), fs.Dirichlet(x)]
    return fs.Problem(sp.I * u.diff(t) + u.diff(x, 2), fs.Interval(0, 1) * fs.Time(0, 0.1), conditions)


SYSTEMS: dict[str, Callable[[], fs.Problem]] = {
    "stokes": stokes,
    "elastostatics": elastic,
    "elastic waves": lambda: elastic(frequency=15.0),
    "triangular": triangular,
    "acoustics": acoustics,
    "maxwell, complex": maxwell,
    "maxwell, real": lambda: maxwell(5.0),
    "lossy": lossy,
    "schroedinger": schroedinger,
}


@pytest.fixture(params=list(SYSTEMS))
def system(request: pytest.FixtureRequest) -> fs.Problem:
    """Each in turn."""
    return SYSTEMS[request.param]()


@pytest.fixture(scope="session")
def make_system() -> Callable[[str], fs.Problem]:
    """Any of them, by its name."""
    return lambda name: SYSTEMS[name]()
