"""Small solutions whose values are known, solved once."""

from __future__ import annotations

import pytest
import sympy as sp

import fspielm as fs

x, y, z, t, k = sp.symbols("x y z t k")


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
