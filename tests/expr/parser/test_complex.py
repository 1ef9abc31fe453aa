"""Complex numbers and several unknowns in the notation."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from fspielm.errors import ProblemError, TextError
from fspielm.expr import (
    Scope,
    make_field,
    parse_condition,
    parse_equation,
    parse_expression,
    parse_real,
    print_equation,
    print_expression,
)

x, y, k, i = sp.symbols("x y k i")
u, v = (sp.Function(name)(x, y) for name in "uv")
SCOPE = Scope((x, y), None, (u, v), {"k": k})
POINTS = np.random.default_rng(0).uniform(-1, 1, (50, 2))


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("i", sp.I),
        ("I", sp.I),
        ("2 + 3*i", 2 + 3 * sp.I),
        ("i*i", sp.Integer(-1)),
        ("exp(i*k*x)", sp.exp(sp.I * k * x)),
        ("(1 + i)**2*u", (1 + sp.I) ** 2 * u),
        ("sqrt(2*i)", sp.sqrt(2 * sp.I)),
        ("(2*i)**(1/2 + i)", (2 * sp.I) ** (sp.Rational(1, 2) + sp.I)),
        ("conjugate(x + i*y)", x - sp.I * y),
        ("re((x + i*y)**2)", x**2 - y**2),
        ("im((x + i*y)**2)", 2 * x * y),
        ("abs(x + i*y)", sp.sqrt(x**2 + y**2)),
        ("abs(exp(i*x))", sp.Integer(1)),
        ("re(k*x)", x * sp.re(k)),
        ("besselj(0, (1 + i)*x)", sp.besselj(0, (1 + sp.I) * x)),
        ("conjugate(u)", sp.conjugate(u)),
    ],
)
def test_meaning(text: str, meaning: sp.Expr) -> None:
    assert sp.expand(parse_expression(text, SCOPE) - meaning) == 0


def test_a_declared_name_wins() -> None:
    scope = Scope((i,), parameters={"I": sp.Symbol("I"), "re": sp.Symbol("re")})
    assert parse_expression("i*I*re", scope) == i * sp.Symbol("I") * sp.Symbol("re")
    with pytest.raises(TextError, match=r"re is no function.*re\*"):
        parse_expression("re(i)", scope)
    with pytest.raises(ProblemError, match=r"i and I both.*imaginary unit"):
        print_expression(sp.I * i, scope)
    with pytest.raises(ProblemError, match=r"has no word for re\("):
        print_expression(sp.re(i), scope)


@pytest.mark.parametrize(
    "expression",
    [
        sp.I * x,
        -sp.I,
        1 + 2 * sp.I,
        0.1 - 0.3 * sp.I,
        (1 + sp.I) * sp.exp(-sp.I * k * x),
        sp.exp(sp.I * (0.6 * x + 0.8 * y)) / (2 - sp.I),
        sp.conjugate(sp.besselj(0, (1 + sp.I) * x)),
        sp.re(k) * x + sp.im(k),
    ],
)
def test_printed_and_read_again(expression: sp.Expr) -> None:
    assert parse_expression(print_expression(expression, SCOPE), SCOPE) == expression


def test_values_are_those_of_numpy() -> None:
    text = "where(x < 0, exp(i*x), conjugate(1/(x + i))) + abs(x + 2*i*y)*re(exp((1 + i)*x)) + im(sin(x + i*y))"
    z = POINTS[:, 0] + 1j * POINTS[:, 1]
    branch = np.where(z.real < 0, np.exp(1j * z.real), 1 / (z.real - 1j))
    expected = branch + np.abs(z.real + 2j * z.imag) * np.exp((1 + 1j) * z.real).real + np.sin(z).imag
    found = make_field(parse_expression(text, SCOPE), (x, y), what="text")(POINTS)
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_derivatives_of_parts_are_parts_of_derivatives() -> None:
    derived = parse_expression("dx(re(exp((2 + i)*x)*besselj(1, i*x)))", SCOPE)
    whole = parse_expression("re(dx(exp((2 + i)*x)*besselj(1, i*x)))", SCOPE)
    found, expected = (make_field(e, (x, y), what="text")(POINTS) for e in (derived, whole))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("floor(i*x)", r"floor.*real numbers.*imaginary"),
        ("atan2(i, x)", "atan2 takes real numbers"),
        ("max(i, x)", "max takes real numbers"),
        ("where(i*x < 1, 1, 2)", r"comparison.*real numbers"),
        ("besselj(i, x)", r"order of besselj.*real"),
        ("1/(i - i)", "division by zero"),
        ("0**i", "division by zero"),
        ("(10*i)**1000", r"power is larger.*precision"),
        ("exp(1000 + i)", r"not a complex number.*double"),
        ("dx(abs(besselj(0, (1 + i)*x)))", r"abs of.*complex.*sqrt\(re\(f"),
        ("sign(u)", "sign of the unknown has jumps"),
        ("2i", r"number ends.*write 2\*i"),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(TextError, match=message):
        parse_expression(text, SCOPE)


def test_where_a_real_value_is_needed() -> None:
    assert parse_real("abs(3 + 4*i) + im(2*i)", SCOPE) == 7
    with pytest.raises(TextError, match=r"expected.*real.*imaginary unit"):
        parse_real("1 + i", SCOPE)
    with pytest.raises(TextError, match=r"comparison.*real numbers"):
        parse_condition("x < i", SCOPE)


def test_several_unknowns() -> None:
    equation = parse_equation("div([u, v]) + u(x, y) = dot([1, x], grad(v))", SCOPE)
    assert equation.lhs == u.diff(x) + v.diff(y) + u
    assert equation.rhs == v.diff(x) + x * v.diff(y)
    assert parse_equation(print_equation(equation, SCOPE), SCOPE) == equation
    assert parse_equation("u*v = 0", SCOPE).lhs == u * v
    with pytest.raises(TextError, match="at the point itself; write v"):
        parse_equation("v(y, x) = 0", SCOPE)
    with pytest.raises(ProblemError, match="'u' stands for two things"):
        Scope((x, y), None, (u, u))
