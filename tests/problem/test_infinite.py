"""What is infinite, or no number, is refused by name."""

from __future__ import annotations

from typing import Any

import pytest
import sympy as sp

import fspielm as fs

x, y, k = sp.symbols("x y k")
u = sp.Function("u")(x, y)
LAPLACE = u.diff(x, 2) + u.diff(y, 2)
SQUARE = fs.Box((0, 0), (1, 1))
INFINITE = [sp.oo, -sp.oo, sp.zoo, float("inf")]


def state(equation: Any, *conditions: Any, **given: Any) -> fs.Problem:
    return fs.Problem(equation, SQUARE, conditions or [fs.Dirichlet(0)], **given)


@pytest.mark.parametrize("value", [*INFINITE, sp.nan], ids=str)
class TestEveryPlace:
    def test_a_right_hand_side(self, value: Any) -> None:
        for right in (value, x * value, sp.sin(y) + value):
            with pytest.raises(fs.ProblemError, match=r"right-hand.*term.*finite"):
                state(sp.Eq(LAPLACE, right, evaluate=False))

    def test_an_expression_meant_to_be_zero(self, value: Any) -> None:
        with pytest.raises(fs.ProblemError, match=r"equation: the term.*(oo|nan), which"):
            state(LAPLACE - value)

    def test_a_coefficient(self, value: Any) -> None:
        # a sum with nan is nan
        named = r"left-hand side.*nan" if value is sp.nan else r"coefficient.*of u(_x)?"
        for term in (value * u, value * x * u.diff(x)):
            with pytest.raises(fs.ProblemError, match=rf"{named}.*finite"):
                state(sp.Eq(LAPLACE + term, 1, evaluate=False))

    def test_a_value_of_a_condition(self, value: Any) -> None:
        for prescribed in (value, x * value):
            for condition, name in (
                (fs.Dirichlet(prescribed), "the value of Dirichlet"),
                (fs.Neumann(prescribed), "the value of Neumann"),
                (fs.Robin(1, prescribed, 0), "the beta of Robin"),
            ):
                with pytest.raises(fs.ProblemError, match=rf"{name}.*finite"):
                    state(LAPLACE, condition)

    def test_a_condition(self, value: Any) -> None:
        with pytest.raises(fs.ProblemError, match=r"Condition: equation:.*right.*term"):
            state(LAPLACE, fs.Condition(sp.Eq(u, x * value, evaluate=False)))

    def test_what_is_given(self, value: Any) -> None:
        with pytest.raises(fs.ProblemError, match=r"given\[k\] must be finite"):
            state(LAPLACE + k * u, given={k: value})


@pytest.mark.parametrize("value", [sp.nan, sp.zoo])
def test_what_sympy_has_made_false_of_is_explained(value: sp.Expr) -> None:
    with pytest.raises(fs.ProblemError, match=r"truth value False.*infinite"):
        state(sp.Eq(LAPLACE, value))


@pytest.mark.parametrize("value", [sp.Integer(10) ** 400, sp.Float("1e400")])
def test_numbers_beyond_the_range_of_doubles(value: sp.Expr) -> None:
    for equation in (sp.Eq(LAPLACE, value * x), LAPLACE + value * x * u, LAPLACE - value):
        with pytest.raises(fs.ProblemError, match="floating-point"):
            state(equation)
    with pytest.raises(fs.ProblemError, match=r"Dirichlet.*finite.*range"):
        state(LAPLACE, fs.Dirichlet(value * x))


def test_the_limits_of_an_integral_may_be_infinite() -> None:
    integral = sp.Integral(sp.exp(-(k**2)), (k, -sp.oo, sp.oo))
    state(sp.Eq(LAPLACE, integral))
    state(sp.Eq(LAPLACE, integral * x))
