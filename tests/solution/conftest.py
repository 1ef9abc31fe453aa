"""Small solutions whose values are known, solved once."""

from __future__ import annotations

import pytest
import sympy as sp

import fspielm as fs

x, y, z, t, k = sp.symbols("x y z t k")

# Neither polynomials nor products of functions of one coordinate. A velocity without divergence, from its stream
# function, and a pressure of mean zero on the unit disk, as it is odd.
_STREAM = sp.sin(2 * x + y) * sp.exp(x * y / 2)
FLOW = (_STREAM.diff(y), -_STREAM.diff(x), sp.sin(x - 2 * y) * sp.cos(x * y))
LOSSY = sp.exp(sp.I * x * y) * sp.sin(2 * x + y) + sp.I * sp.cos(x - y)
# The sum and the difference of two coupled fields satisfy a Helmholtz equation each.
_SUM = sp.exp(sp.I * sp.sqrt(9 + sp.I) * (0.6 * x + 0.8 * y)) + sp.exp(sp.sqrt(-9 - sp.I) * y)
_DIFFERENCE = sp.exp(sp.I * sp.sqrt(7 - sp.I) * (0.28 * x - 0.96 * y))
MODES = ((_SUM + _DIFFERENCE) / 2, (_SUM - _DIFFERENCE) / 2)


def poisson(domain: fs.Domain, exact: sp.Expr, coordinates: tuple[sp.Symbol, ...], **options: object) -> fs.Solution:
    """Poisson's equation with a known solution."""
    u = sp.Function("u")(*coordinates)
    equation = sp.Eq(sum(u.diff(c, 2) for c in coordinates), sum(exact.diff(c, 2) for c in coordinates))
    return fs.solve(fs.Problem(equation, domain, [fs.Dirichlet(exact)]), rng=1, **options)


@pytest.fixture(scope="session")
def on_disk() -> fs.Solution:
    """``sin(3 x) exp(y) + x`` on the unit disk, with a given constant k = 2."""
    u, exact = sp.Function("u")(x, y), sp.sin(3 * x) * sp.exp(y) + x
    right = exact.diff(x, 2) + exact.diff(y, 2) + 2 * exact
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + k * u, right)
    return fs.solve(fs.Problem(equation, fs.Disk((0, 0), 1), [fs.Dirichlet(exact)], given={k: 2}), rng=1, tol=1e-11)


@pytest.fixture(scope="session")
def on_box() -> fs.Solution:
    """``sin(3 x) exp(y) + x`` on a rectangle."""
    return poisson(fs.Box((0, 0), (1, 2)), sp.sin(3 * x) * sp.exp(y) + x, (x, y), tol=1e-11)


@pytest.fixture(scope="session")
def in_time() -> fs.Solution:
    """``exp(-t) sin(2 x)`` on an interval over time."""
    u, exact = sp.Function("u")(x, t), sp.exp(-t) * sp.sin(2 * x)
    equation = sp.Eq(u.diff(t) - u.diff(x, 2), exact.diff(t) - exact.diff(x, 2))
    domain = fs.Interval(0, 1) * fs.Time(0, 2)
    return fs.solve(fs.Problem(equation, domain, [fs.Dirichlet(exact), fs.Initial(exact)]), rng=1, tol=1e-10)


@pytest.fixture(scope="session")
def flow() -> fs.Solution:
    """Stokes' equations on the unit disk with forces, their velocity and pressure known: `FLOW`."""
    u, v, p = (sp.Function(name)(x, y) for name in "uvp")
    forces = [-FLOW[i].diff(x, 2) - FLOW[i].diff(y, 2) + FLOW[2].diff(s) for i, s in enumerate((x, y))]
    equations = [
        sp.Eq(-u.diff(x, 2) - u.diff(y, 2) + p.diff(x), forces[0]),
        sp.Eq(-v.diff(x, 2) - v.diff(y, 2) + p.diff(y), forces[1]),
        sp.Eq(u.diff(x) + v.diff(y), 0),
    ]
    walls = [fs.Dirichlet({u: FLOW[0], v: FLOW[1]})]
    return fs.solve(fs.Problem(equations, fs.Disk((0, 0), 1), walls, unknowns=[u, v, p]), rng=0)


@pytest.fixture(scope="session")
def lossy() -> fs.Solution:
    """A complex field in a medium that damps, on the unit disk: `LOSSY`."""
    u, index = sp.Function("u")(x, y), 9 + sp.I * (2 + x)
    left, right = (f.diff(x, 2) + f.diff(y, 2) + index * f for f in (u, LOSSY))
    return fs.solve(fs.Problem(sp.Eq(left, right), fs.Disk((0, 0), 1), [fs.Dirichlet(LOSSY)]), rng=0)


@pytest.fixture(scope="session")
def modes() -> fs.Solution:
    """Two complex fields that are coupled, by functions that satisfy their equations: `MODES`."""
    u, v = (sp.Function(name)(x, y) for name in "uv")
    equations = [sp.Eq(f.diff(x, 2) + f.diff(y, 2) + 8 * f + (1 + sp.I) * g, 0) for f, g in ((u, v), (v, u))]
    return fs.solve(fs.Problem(equations, fs.Disk((0, 0), 1), [fs.Dirichlet({u: MODES[0], v: MODES[1]})]), rng=0)
