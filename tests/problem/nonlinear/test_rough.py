"""What is not smooth is named, with what to write in its place."""

from __future__ import annotations

import re
from typing import Any

import pytest
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
ux = u.diff(x)
LAPLACE = u.diff(x, 2) + u.diff(y, 2)
SQUARE = fs.Box((0, 0), (1, 1))

ROUGH = [
    (sp.Abs(u), "Abs(u(x, y))", r"its square is, u\(x, y\)\*\*2 of a real function"),
    (sp.Abs(u) ** 3, "Abs(u(x, y))", "the root of that and eps"),
    (sp.Abs(ux), "Abs(Derivative(u(x, y), x))", "its square is"),
    (sp.sqrt(u**2), "sqrt(u(x, y)**2)", r"write sqrt\(\(u\(x, y\)\)\*\*2 \+ eps\*\*2\)"),
    (sp.sign(u), "sign(u(x, y))", r"write tanh\(\(u\(x, y\)\)/eps\)"),
    (sp.Heaviside(u), "Heaviside(u(x, y))", r"\(1 \+ tanh\(\(u\(x, y\)\)/eps\)\)/2"),
    (sp.Max(x, u), "Max(x, u(x, y))", r"write \(u\(x, y\) \+ x \+ sqrt\(\(-x \+ u\(x, y\)\)\*\*2 \+ eps"),
    (sp.Min(u, ux), "Min(u(x, y), Derivative(u(x, y), x))", r" - sqrt\("),
    (sp.Max(0, u, x), "Max(0, x, u(x, y))", "two arguments at a time"),
    (sp.floor(u), "floor(u(x, y))", "no linearisation$"),
    (sp.Mod(u, 1), "Mod(u(x, y), 1)", ""),
    (sp.DiracDelta(u), "DiracDelta(u(x, y))", ""),
    (sp.arg(u), "arg(u(x, y))", "re and im"),
    (sp.Piecewise((1, u > 0), (0, True)), "Piecewise((1, u(x, y) > 0), (0, True))", "join the pieces smoothly"),
    (sp.exp(sp.Max(u, x)) ** 2, "Max(x, u(x, y))", ""),
]


@pytest.mark.parametrize(("term", "named", "remedy"), ROUGH, ids=[str(term) for term, _, _ in ROUGH])
def test_refused(term: sp.Expr, named: str, remedy: str) -> None:
    with pytest.raises(fs.ProblemError, match=rf"^the equation.*{re.escape(named)}.*not smooth") as got:
        fs.Problem(LAPLACE + term, SQUARE, [fs.Dirichlet(0)])
    assert re.search(remedy, str(got.value))


def test_in_a_condition() -> None:
    with pytest.raises(fs.ProblemError, match=r"^the condition contains Max"):
        fs.Problem(LAPLACE, SQUARE, [fs.Condition(sp.Max(fs.normal_derivative(u), u))])


def test_the_square_of_the_modulus_of_a_real_function() -> None:
    with pytest.raises(fs.ProblemError, match=r"Abs\(u.*but.* write u\(x, y\)\*\*2"):
        fs.Problem(LAPLACE + sp.Abs(u) ** 2 * u, SQUARE, [fs.Dirichlet(0)])


@pytest.mark.parametrize("value", [1j, sp.exp(sp.I * x), lambda points: points[:, 0]])
def test_the_square_of_the_modulus_of_a_complex_function(value: Any) -> None:
    problem = fs.Problem(LAPLACE + sp.Abs(u) ** 2 * u, SQUARE, [fs.Dirichlet(value)])
    assert [str(one.symbol.func) for one in problem.unknowns] == ["re u", "im u"]
    assert problem.names == ("u",)


OTHERS: list[tuple[sp.Expr, dict[Any, Any] | None, str]] = [
    (sp.Function("g")(u), {sp.Function("g"): lambda points: 1.0}, r"g\(u\(x, y\)\), a given function"),
    (u * sp.Integral(u, x), None, "at other places than the point"),
    (sp.besselj(u, x), None, r"derivative.*unknown.*not known"),
    (sp.conjugate(sp.hankel1(0, u)) + u**2, None, "conjugate of hankel1"),
    (u * sp.Derivative(u, (x, sp.Symbol("n"))), None, r"order n of.*whole number"),
]


@pytest.mark.parametrize(("term", "given", "message"), OTHERS)
def test_other_things_that_cannot_be(term: sp.Expr, given: dict[Any, Any] | None, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        fs.Problem(LAPLACE + term, SQUARE, [fs.Dirichlet(0)], given=given)


@pytest.mark.parametrize(
    ("equation", "conditions", "message"),
    [
        (u**2 - 1, [fs.Dirichlet(0)], r"no derivative of u.*\*\*2 - 1$"),
        (LAPLACE + u**2, [], "^conditions is empty"),
        (LAPLACE + u**2, [fs.Dirichlet(0, on="x-")], r"'x\+' has 0 of the 1 condition"),
        (LAPLACE + u**2, [fs.Dirichlet(u)], r"unknown .*equation.*fs.Condition"),
        (LAPLACE + u**2, [fs.Condition(sp.Function("u")(0, y) ** 2 - 1)], r"^the condition contains u\(0, y\)"),
        (LAPLACE + fs.normal_derivative(u) ** 2, [fs.Dirichlet(0)], r"normal_derivative.*a meaning"),
    ],
)
def test_statements_are_checked_as_linear_ones_are(equation: sp.Expr, conditions: list[Any], message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        fs.Problem(equation, SQUARE, conditions)
