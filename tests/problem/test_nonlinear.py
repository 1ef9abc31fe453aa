"""Nonlinear terms are seen, and that very term is named."""

from __future__ import annotations

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
    sp.besselj(0, u),
    sp.Piecewise((u**2, x > 0), (u, True)),
    u / (1 + u),
    sp.atan2(u, x),
]


def reason(equation: sp.Basic) -> str:
    """Why a problem is not linear."""
    problem = fs.Problem(equation, fs.Box((0, 0), (1, 1)), [fs.Dirichlet(1)])
    assert not problem.is_linear
    assert problem.nonlinear is not None
    return problem.nonlinear.reason


@pytest.mark.parametrize("term", TERMS, ids=str)
def test_the_term_is_named(term: sp.Expr) -> None:
    assert f"not linear: the term {term} is not" in reason(LAPLACE + 2 * u + term - x)


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
    assert f"the term {named} is not" in reason(LAPLACE + form)


def test_linear_neighbours_are_not_blamed() -> None:
    equation = sp.Eq(x * LAPLACE + sp.sin(x) * u + sp.Abs(x) * ux, -(u**3))
    assert "the term u(x, y)**3 is not" in reason(equation)
