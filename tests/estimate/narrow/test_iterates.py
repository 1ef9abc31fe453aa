"""What an iterate makes is not sampled, but what else is in it is looked at."""

from __future__ import annotations

import pytest
import sympy as sp

import fspielm as fs
from fspielm.estimate import find_narrow

x, y, t = sp.symbols("x y t")
WIDTH = 0.004


def around(factor: sp.Expr, domain: fs.Domain, *coordinates: sp.Symbol) -> fs.Problem:
    u = sp.Function("u")(*coordinates)
    equation = sp.Eq(u.diff(x, 2) + u.diff(coordinates[-1]) + factor * u**2, 0)
    start = [fs.Initial(0)] if domain.time is not None else []
    return fs.Problem(equation, domain, [fs.Dirichlet(0), *start]).linearised(sp.sin(x))


@pytest.mark.parametrize("narrow", [True, False])
def test_at_rest(narrow: bool) -> None:
    factor = sp.exp(-((x - 0.3) ** 2) / WIDTH**2) if narrow else sp.S.One
    found = find_narrow(around(factor, fs.Box((0, 0), (1, 1)), x, y))
    assert not found.looks
    assert bool(found.places) == narrow
    assert all(abs(place.sites.points[:, 0].mean() - 0.3) < 10 * WIDTH for place in found.places)


def test_fronts_that_may_grow_are_looked_for() -> None:
    assert find_narrow(around(sp.S.One, fs.Interval(0, 1) * fs.Time(0, 1), x, t)).looks
