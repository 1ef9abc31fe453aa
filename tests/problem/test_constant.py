"""Operators that are constant up to one common factor."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.errors import UnsuitableError
from fspielm.problem import Operator, Term, constant_operator

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
f = sp.Function("f")


def operator(expression: sp.Expr, **given: object) -> Operator:
    problem = fs.Problem(
        sp.Eq(expression, 0),
        domain=fs.Disk((0, 0), 1),
        conditions=[fs.Dirichlet(0)],
        given={f: given["f"]} if given else None,
    )
    return problem.operator


def coefficients(found: Operator) -> dict[tuple[int, ...], float]:
    return {term.orders: float(term.coefficient) for term in found.terms}  # type: ignore[arg-type]


def test_numbers_are_left_as_they_are() -> None:
    found = constant_operator(operator(2 * u.diff(x, 2) + 3 * u.diff(y, 2) - u))
    assert found.factor is None
    assert coefficients(found.operator) == {(2, 0): 2.0, (0, 2): 3.0, (0, 0): -1.0}


@pytest.mark.parametrize(
    ("factor", "ratio"), [(1 + x**2, 9), (sp.exp(x * y), sp.pi), (2 + sp.sin(x) ** 2 + sp.cos(x) ** 2 * x, -4)]
)
def test_a_common_factor_is_divided_out(factor: sp.Expr, ratio: sp.Expr) -> None:
    written = factor * u.diff(x, 2) + sp.expand(ratio * factor) * u.diff(y, 2)
    found = constant_operator(operator(written))
    assert found.factor is not None
    points = np.random.default_rng(0).uniform(-0.5, 0.5, (5, 2))
    got = coefficients(found.operator)
    assert got[2, 0] / got[0, 2] == pytest.approx(float(1 / ratio))
    divided = sum(found.factor(points) * got[orders] for orders in got)
    assert divided == pytest.approx(sp.lambdify((x, y), factor * (1 + ratio))(*points.T))


def test_a_given_callable_may_be_the_factor() -> None:
    found = constant_operator(operator(f(x, y) * (u.diff(x, 2) + 4 * u.diff(y, 2)), f=lambda p: 1 + p[:, 0] ** 2))
    got = coefficients(found.operator)
    assert got[0, 2] == 4 * got[2, 0]


@pytest.mark.parametrize(
    ("expression", "named"),
    [(u.diff(x, 2) + (1 + y) * u.diff(y, 2), r"y \+ 1"), (x * u.diff(x, 2) + y * u.diff(y, 2), "y and x")],
)
def test_coefficients_that_vary_by_themselves_are_refused(expression: sp.Expr, named: str) -> None:
    with pytest.raises(UnsuitableError, match=rf"constant.*got.*{named}"):
        constant_operator(operator(expression))


def test_a_callable_that_looks_constant_is_refused() -> None:
    looks = operator(u.diff(x, 2) + u.diff(y, 2) + f(x, y) * u, f=lambda p: np.full(len(p), 7.0))
    with pytest.raises(UnsuitableError, match=r"constant.*got.*f\(x, y\)"):
        constant_operator(looks)


def test_bare_functions_of_sites_are_refused() -> None:
    with pytest.raises(UnsuitableError, match="one that is not an expression"):
        constant_operator(Operator(1, (Term(lambda sites: np.ones(len(sites)), (2,)),)))


def test_terms_of_one_derivative_are_one_and_may_cancel() -> None:
    terms = (Term(2.0, (1, 0)), Term(1.0, (0, 1)), Term(-2.0, (1, 0)))
    assert coefficients(constant_operator(Operator(2, terms)).operator) == {(0, 1): 1.0}
    with pytest.raises(UnsuitableError, match="vanishes identically"):
        constant_operator(Operator(2, (Term(2.0, (1, 0)), Term(-2.0, (1, 0)))))
