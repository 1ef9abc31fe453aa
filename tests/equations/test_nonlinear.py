"""Nonlinear terms are refused, and the message names that very term."""

from __future__ import annotations

import re

import pytest
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
ux = u.diff(x)
LAPLACE = u.diff(x, 2) + u.diff(y, 2)

TERMS = [
    u**2,
    u * ux,
    -3 * x * u * ux,
    ux**2,
    ux * u.diff(y),
    u * u.diff(x, 2),
    1 / u,
    sp.sqrt(u),
    u**x,
    2**u,
    sp.sin(u),
    x * sp.exp(u),
    sp.exp(u + x),
    sp.log(ux),
    sp.Abs(u),
    sp.Abs(ux),
    sp.sign(u),
    sp.floor(u),
    sp.Heaviside(u),
    sp.DiracDelta(u),
    sp.Max(0, u),
    sp.Min(u, ux),
    sp.besselj(0, u),
    sp.Mod(u, 1),
    sp.Piecewise((1, u > 0), (0, True)),
    sp.Piecewise((u, u > 0), (-u, True)),
    sp.Piecewise((u**2, x > 0), (u, True)),
    u / (1 + u),
    sp.atan2(u, x),
    sp.Function("g")(u),
]


@pytest.mark.parametrize("term", TERMS, ids=str)
def test_the_term_is_named(term: sp.Expr) -> None:
    given = {sp.Function("g"): lambda points: 1.0} if term.func.__name__ == "g" else None
    with pytest.raises(fs.ProblemError, match=rf"not linear: the term {re.escape(str(term))} is not .* only linear"):
        fs.Problem(LAPLACE + 2 * u + term - x, fs.Box((0, 0), (1, 1)), [fs.Dirichlet(0)], given=given)


@pytest.mark.parametrize(
    ("form", "named"),
    [
        (sp.Derivative(u**2, x), 2 * u * ux),
        ((u**2).diff(x, 2) - 2 * u * u.diff(x, 2), 2 * ux**2),
        (u * (ux + 1), u * ux),
        ((u + 1) ** 2, u**2),
        (sp.Derivative(sp.sin(u), y), sp.cos(u) * u.diff(y)),
        ((1 + u**2) * u.diff(x, 2), u**2 * u.diff(x, 2)),
        ((u**2 * ux).diff(x) - u**2 * u.diff(x, 2), 2 * u * ux**2),
    ],
    ids=str,
)
def test_the_term_is_named_as_it_is_after_derivatives_and_products(form: sp.Expr, named: sp.Expr) -> None:
    with pytest.raises(fs.ProblemError, match=rf"the term {re.escape(str(named))} is not"):
        fs.Problem(LAPLACE + form, fs.Box((0, 0), (1, 1)), [fs.Dirichlet(0)])


def test_linear_neighbours_are_not_blamed() -> None:
    with pytest.raises(fs.ProblemError, match=re.escape("the term u(x, y)**3 is not")):
        fs.Problem(
            sp.Eq(x * LAPLACE + sp.sin(x) * u + sp.Abs(x) * ux, -(u**3)),
            fs.Box((0, 0), (1, 1)),
            [fs.Dirichlet(0)],
        )
