"""Printed and parsed again, an expression is the same to the last bit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from fspielm.errors import ProblemError
from fspielm.expr import (
    Scope,
    make_field,
    parse_condition,
    parse_equation,
    parse_expression,
    print_equation,
    print_expression,
)

x, y, t, k = sp.symbols("x y t k")
u = sp.Function("u")(x, y, t)
SCOPE = Scope((x, y, t), t, (u,), {"k": k})

TEXTS = [
    (x / 2, "x/2"),
    (-x * y / 3, "-x*y/3"),
    (sp.Rational(-2, 3) * x, "-2*x/3"),
    (1 / x, "1/x"),
    (1 / (2 * sp.sqrt(x)), "1/2/sqrt(x)"),
    (x ** sp.Rational(-3, 2), "1/x**(3/2)"),
    (x ** (-y), "x**(-y)"),
    ((x + y) ** 2, "(x + y)**2"),
    ((-x) ** y, "(-x)**y"),
    (sp.Integer(-2) ** x, "(-2)**x"),
    (2 ** (x + 1), "2**(x + 1)"),
    (x ** (y**2), "x**(y**2)"),
    (-2 * x * (y + 1), "-2*x*(y + 1)"),
    (0.1 * x - 1e-20, "0.1*x - 1e-20"),
    (sp.exp(1) * sp.pi, "e*pi"),
    (sp.Abs(x) + sp.sign(y), "abs(x) + sign(y)"),
    (sp.Heaviside(x), "heaviside(x)"),
    (sp.Max(x, 0), "max(0, x)"),
    (sp.Piecewise((1, x < 0), (x, sp.And(x < 1, y > 0)), (2, True)), "where(x < 0, 1, x < 1 and y > 0, x, 2)"),
    (u.diff(x, 2, y) - k**2 * u, "-k**2*u + dy(dx(u, 2))"),
    (sp.Derivative(sp.sin(x), x, evaluate=False), "dx(sin(x))"),
]


@pytest.mark.parametrize(("expression", "text"), TEXTS)
def test_text(expression: sp.Expr, text: str) -> None:
    assert print_expression(expression, SCOPE) == text
    assert parse_expression(text, SCOPE) == expression.doit()


@pytest.mark.parametrize(
    ("relation", "text"),
    [
        (x < 0.5, "x < 0.5"),
        (sp.Eq(x, 0), "x == 0"),
        (sp.Or(sp.And(x < 0, y > 1), sp.Ne(t, 2)), "t != 2 or x < 0 and y > 1"),
        (sp.And(sp.Or(x < 0, y > 1), t >= 2), "(x < 0 or y > 1) and t >= 2"),
        (sp.Not(sp.And(x < 0, y > 1), evaluate=False), "not (x < 0 and y > 1)"),
    ],
)
def test_condition(relation: sp.Basic, text: str) -> None:
    assert print_expression(relation, SCOPE) == text
    assert parse_condition(text, SCOPE) == relation


def test_a_choice_between_conditions_becomes_and_and_or() -> None:
    # what SymPy makes of a comparison with a Piecewise
    assert print_expression(sp.ITE(x < 0, y < 1, t < 2), SCOPE) == "(t < 2 or x < 0) and (x >= 0 or y < 1)"


def test_equation() -> None:
    equation = sp.Eq(u.diff(t) - u.diff(x, 2), sp.sin(x))
    assert print_equation(equation, SCOPE) == "dt(u) - dx(u, 2) = sin(x)"
    assert parse_equation(print_equation(equation, SCOPE), SCOPE) == equation


def test_shadowed_constants() -> None:
    scope = Scope(tuple(sp.symbols("pi e")))
    text = print_expression(sp.pi + sp.E * sp.Symbol("e"), scope)
    assert text == "exp(1)*e + acos(-1)"
    assert parse_expression(text, scope) == sp.pi + sp.E * sp.Symbol("e")


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (sp.Function("f")(x), r"f\(x\).*not a known function"),
        (sp.Symbol("q") * x, r"symbol q.*neither.*parameter"),
        (sp.Symbol("x", real=True), r"symbol x.*neither.*parameter"),
        (sp.zeta(x), r"no word for zeta\(x\)"),
        (sp.Integral(sp.sin(x) / x, (x, 0, y)), "no word for Integral"),
        (sp.oo, "no word for oo"),
        (x + sp.Float("2e308"), "no word for 2"),
        (x * sp.Float("-2e308"), "no word for -2"),
        (sp.Heaviside(x, 1), r"no word for Heaviside\(x, 1"),
        (sp.Derivative(u, (x, k)), "has no word for Derivative"),
        (sp.Xor(x < 0, y < 0), "has no word for"),
    ],
)
def test_no_word(expression: sp.Basic, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        print_expression(expression, SCOPE)


def _nodes(children: Any) -> Any:
    unary = st.sampled_from([sp.sin, sp.cos, sp.exp, sp.tanh, sp.atan, sp.erf, sp.Abs, lambda a: -a, lambda a: a**2])
    binary = st.sampled_from(
        [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / (2 + sp.cos(b)), sp.atan2]
    )
    return st.one_of(
        st.builds(lambda f, a: f(a), unary, children),
        st.builds(lambda f, a, b: f(a, b), binary, children, children),
        st.builds(lambda a, b, c: sp.Piecewise((a, x < y), (b, y > 1), (c, True)), children, children, children),
        st.builds(lambda a, n: (3 + sp.sin(a)) ** sp.Rational(n, 3), children, st.integers(-4, 4)),
    )


LEAVES = st.one_of(
    st.sampled_from([x, y, t, sp.pi, sp.E]),
    st.integers(-30, 30).map(sp.Integer),
    st.fractions(-5, 5, max_denominator=9).map(sp.Rational),
    st.floats(-1e3, 1e3).filter(lambda v: v == 0 or abs(v) > 1e-9).map(sp.Float),
)
EXPRESSIONS = st.recursive(LEAVES, _nodes, max_leaves=8).filter(lambda e: not e.has(sp.zoo, sp.nan, sp.oo, sp.I))


@given(EXPRESSIONS)
def test_the_same_values_to_the_last_bit(expression: sp.Expr) -> None:
    if not expression.free_symbols and not math.isfinite(abs(complex(expression))):
        return
    if any(math.isinf(float(number)) for number in expression.atoms(sp.Float)):
        return  # has no text; see above
    again = parse_expression(print_expression(expression, SCOPE), SCOPE)
    points = np.random.default_rng(5).uniform(-2, 2, (20, 3))
    first, second = (make_field(e, (x, y, t))(points) for e in (expression, again))
    if again == expression:
        np.testing.assert_array_equal(first, second)
    else:
        # an expression that SymPy writes in another way once its parts are put together again
        np.testing.assert_allclose(first, second, rtol=1e-13, atol=1e-13)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_double(value: float) -> None:
    again = parse_expression(print_expression(sp.Float(value), SCOPE), SCOPE)
    assert float(again) == value
