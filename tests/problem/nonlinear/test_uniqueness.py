"""Which nonlinear problems are known to have one solution at most."""

from __future__ import annotations

import re

import pytest
import sympy as sp

import fspielm as fs
from fspielm.problem import why_unique

x, y, t = sp.symbols("x y t")
u, v = sp.Function("u"), sp.Function("v")
AT_REST, MOVING = u(x, y), u(x, t)
SQUARE = fs.Box((0, 0), (1, 1))
LAPLACE = AT_REST.diff(x, 2) + AT_REST.diff(y, 2)
HEAT = MOVING.diff(t) - MOVING.diff(x, 2)
WAVE = MOVING.diff(t, 2) - 4 * MOVING.diff(x, 2)


def at_rest(form: sp.Expr, *conditions: object) -> fs.Problem:
    return fs.Problem(sp.Eq(form, x), SQUARE, list(conditions) or [fs.Dirichlet(y)])


def moving(form: sp.Expr) -> fs.Problem:
    order = 2 if form.has(MOVING.diff(t, 2)) else 1
    start = [fs.Initial(0, order=i) for i in range(order)]
    return fs.Problem(sp.Eq(form, x), fs.Interval(0, 1) * fs.Time(0, 1), [fs.Dirichlet(0), *start])


def ux() -> sp.Expr:
    return AT_REST.diff(x)


def uy() -> sp.Expr:
    return AT_REST.diff(y)


@pytest.mark.parametrize(
    "problem",
    [
        at_rest(LAPLACE - AT_REST**3),
        at_rest(-LAPLACE + sp.sinh(AT_REST) + x**2 * AT_REST),
        at_rest(2 * LAPLACE - sp.exp(AT_REST) + ux() * uy() - ux() ** 2),
        at_rest(
            (1 + uy() ** 2) * AT_REST.diff(x, 2)
            - 2 * ux() * uy() * AT_REST.diff(x, y)
            + (1 + ux() ** 2) * AT_REST.diff(y, 2)
        ),
        moving(HEAT + MOVING * MOVING.diff(x)),
        moving(-HEAT + sp.exp(MOVING)),
        moving(MOVING.diff(t) - ((1 + MOVING**2) * MOVING.diff(x)).diff(x)),
        moving(WAVE + sp.sin(MOVING) + MOVING.diff(x) * MOVING.diff(t)),
        fs.Problem(sp.Eq(u(t).diff(t, 2) + sp.sin(u(t)), 0), fs.Time(0, 1), [fs.Initial(1), fs.Initial(0, order=1)]),
    ],
)
def test_known_to_be_one(problem: fs.Problem) -> None:
    assert why_unique(problem)


@pytest.mark.parametrize(
    "problem",
    [
        at_rest(LAPLACE + AT_REST**3),
        at_rest(LAPLACE + sp.exp(AT_REST)),
        at_rest(LAPLACE - AT_REST**2),
        at_rest(LAPLACE - AT_REST**3 + 5 * AT_REST),
        at_rest(LAPLACE - AT_REST * ux()),
        at_rest(AT_REST.diff(x, 2) - AT_REST.diff(y, 2) - AT_REST**3),
        at_rest(LAPLACE - AT_REST**3, fs.Neumann(0)),
        at_rest(LAPLACE - AT_REST, fs.Condition(sp.Eq(fs.normal_derivative(AT_REST) + AT_REST**2, 0))),
        at_rest((AT_REST * ux()).diff(x) + (AT_REST * uy()).diff(y)),
        moving(MOVING.diff(t) - (MOVING * MOVING.diff(x)).diff(x)),
        moving(MOVING.diff(t) + MOVING.diff(x, 2) + MOVING**2),
        moving(MOVING.diff(t, 2) - (MOVING * MOVING.diff(x)).diff(x)),
        fs.Problem(sp.Eq(sp.sqrt(1 + u(t)) * u(t).diff(t), u(t)), fs.Time(0, 1), [fs.Initial(1)]),
        fs.Problem(
            [sp.Eq(LAPLACE - AT_REST**3, v(x, y)), sp.Eq(v(x, y).diff(x, 2) + v(x, y).diff(y, 2), AT_REST)],
            SQUARE,
            [fs.Dirichlet({AT_REST: 0, v(x, y): 0})],
        ),
        fs.Problem(sp.Eq(LAPLACE - sp.I * AT_REST**3, 0), SQUARE, [fs.Dirichlet(1)]),
    ],
)
def test_not_known(problem: fs.Problem) -> None:
    assert not why_unique(problem)


def test_the_report_tells() -> None:
    line = fs.Interval(0, 1)
    one = fs.solve(fs.Problem(sp.Eq(u(x).diff(x, 2), u(x) ** 3), line, [fs.Dirichlet(1)]), rng=0)
    assert re.search(r"no other solution.*comparison", str(one.report))
    several = fs.solve(fs.Problem(sp.Eq(u(x).diff(x, 2), -(u(x) ** 3)), line, [fs.Dirichlet(1)]), rng=0)
    assert "one of possibly several" in str(several.report)
