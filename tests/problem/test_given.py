"""What is supplied beside an equation: numbers for symbols, callables for functions and their derivatives."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.collocation import Points, make_blocks
from fspielm.geometry import Sites

x, y, k, w = sp.symbols("x y k w")
a, f, g = sp.symbols("a f g", cls=sp.Function)
u = sp.Function("u")(x, y)
LAPLACE = u.diff(x, 2) + u.diff(y, 2)
DIVERGENCE = (a(x) * u.diff(x)).diff(x) + u.diff(y, 2)
SQUARE = fs.Box((0, 0), (1, 1))
POINTS = np.random.default_rng(2).random((6, 2))


def state(equation: Any, given: Any = None, value: Any = 0) -> fs.Problem:
    return fs.Problem(equation, SQUARE, [fs.Dirichlet(value)], given=given)


def coefficients(problem: fs.Problem) -> dict[tuple[int, ...], Any]:
    return {term.orders: term.at(Sites(POINTS)) for term in problem.operator.terms}


def square(points: Any) -> Any:
    return points[:, 0] ** 2


def twice(points: Any) -> Any:
    return 2 * points[:, 0]


def readable(value: object) -> str:
    """Its representation without addresses, which differ from process to process."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


class TestNumbers:
    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            (3, 9),
            (3.0, 9),
            (sp.pi, np.pi**2),
            (sp.Rational(1, 2), 0.25),
            (np.float64(0.5), 0.25),
            (sp.sqrt(2), 2),
        ],
        ids=readable,
    )
    def test_take_the_place_of_symbols(self, value: Any, expected: float) -> None:
        problem = state(sp.Eq(LAPLACE + k**2 * u, k * x), {k: value}, value=k * y)
        assert coefficients(problem)[(0, 0)][0] == pytest.approx(expected, rel=1e-15)
        np.testing.assert_allclose(problem.right_hand_side(POINTS), float(value) * POINTS[:, 0])
        np.testing.assert_allclose(problem.constraints[0].value(POINTS), float(value) * POINTS[:, 1])

    def test_may_be_written_with_each_other(self) -> None:
        problem = state(LAPLACE + k * u, {k: 2 * w + 1, w: sp.Symbol("c") ** 2, sp.Symbol("c"): 3})
        assert coefficients(problem)[(0, 0)][0] == 19

    def test_an_imaginary_wavenumber_is_fine_where_its_square_stands(self) -> None:
        assert coefficients(state(LAPLACE + k**2 * u, {k: 2j}))[(0, 0)][0] == -4

    def test_reach_relations(self) -> None:
        problem = fs.Problem(LAPLACE, SQUARE, [fs.Dirichlet(0, on=x < k), fs.Dirichlet(1, on=x >= k)], given={k: 0.25})
        measures = {c.name: c.measure for c in problem.constraints}
        assert measures["dirichlet y-"] == pytest.approx(0.25, abs=2e-3)

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({k: x}, r"given\[k\] = x depends.*symbol"),
            ({k: w, w: x + 1}, r"given\[k\] = x \+ 1 depends"),
            ({k: k + 1}, r"given\[k\].*by itself"),
            ({k: w, w: 2 * k}, r"is defined by itself"),
            ({k: float("nan")}, r"given\[k\].*finite.*nan"),
            ({k: sp.oo}, r"given\[k\].*finite.*oo"),
            ({k: "3"}, r"given\[k\].*number.*got '3'"),
            ({k: None}, r"given\[k\] must be a number"),
            ({k: True}, r"given\[k\] must be a number"),
            ({k: [1, 2]}, r"given\[k\] must be a number"),
            ({k: np.ones(3)}, r"given\[k\] must be a number"),
            ({k: f(x)}, r"given\[k\] must be a number"),
            ({k: square}, r"given\[k\].*callable.*Function\('k'\)"),
            ({k: 1, x: 2}, r"given\[x\].*coordinate of u"),
            ({k: 1, w: 2}, r"given names w.*no equation"),
            ({sp.Symbol("k", real=True): 1}, r"given names k.*assumptions"),
            ({"k": 1}, r"given keys.*symbols.*'k'"),
            ({1: 1}, r"given keys must be"),
            ({k + 1: 1}, r"given keys must be"),
            ([(k, 1)], "given must be a mapping"),
            (3, r"given must be a mapping"),
        ],
        ids=readable,
    )
    def test_misuse(self, given: Any, message: str) -> None:
        with pytest.raises(fs.ProblemError, match=message):
            state(LAPLACE + k * u, given)

    def test_what_a_number_is_written_with_may_be_open(self) -> None:
        problem = state(LAPLACE + k * u, {k: 2 * w})
        assert problem.open_symbols == (w,)
        assert 6.0 in [term.coefficient for term in problem.at({w: 3}).operator.terms]

    def test_a_symbol_with_other_assumptions_is_called_idle(self) -> None:
        with pytest.raises(fs.ProblemError, match=r"given names k.*assumptions"):
            state(LAPLACE + k * u, {k: 1, sp.Symbol("k", real=True): 1})


class TestFunctions:
    @pytest.mark.parametrize("key", [f, f(x, y)], ids=["by class", "by application"])
    def test_in_the_right_hand_side(self, key: Any) -> None:
        problem = state(sp.Eq(LAPLACE, 3 * f(x, y) + x), {key: lambda p: p[:, 1]})
        np.testing.assert_allclose(problem.right_hand_side(POINTS), 3 * POINTS[:, 1] + POINTS[:, 0])

    @pytest.mark.parametrize("key", [f, f(y)], ids=["by class", "by application"])
    def test_receive_every_coordinate_also_where_they_are_written_with_one(self, key: Any) -> None:
        problem = state(sp.Eq(LAPLACE, f(y)), {key: lambda p: p[:, 0] + 10 * p[:, 1]})
        np.testing.assert_array_equal(problem.right_hand_side(POINTS), POINTS[:, 0] + 10 * POINTS[:, 1])

    def test_in_coefficients_and_inside_other_functions(self) -> None:
        problem = state(LAPLACE + sp.exp(a(x)) * u.diff(x) - a(x) ** 2 * u, {a: square})
        np.testing.assert_allclose(coefficients(problem)[(1, 0)], np.exp(POINTS[:, 0] ** 2))
        np.testing.assert_allclose(coefficients(problem)[(0, 0)], -(POINTS[:, 0] ** 4))

    def test_in_the_values_of_conditions(self) -> None:
        problem = state(LAPLACE, {g: twice}, value=g(x, y) + y)
        np.testing.assert_array_equal(problem.constraints[0].value(POINTS), 2 * POINTS[:, 0] + POINTS[:, 1])

    def test_one_application_each(self) -> None:
        problem = state(sp.Eq(LAPLACE, f(x) - f(y)), {f(x): lambda p: p[:, 0], f(y): lambda p: p[:, 1] ** 2})
        np.testing.assert_array_equal(problem.right_hand_side(POINTS), POINTS[:, 0] - POINTS[:, 1] ** 2)

    def test_one_callable_for_two_applications_is_refused(self) -> None:
        with pytest.raises(fs.ProblemError, match=r"given\[f\].*f\(x\) and f\(y\), and"):
            state(sp.Eq(LAPLACE, f(x) + f(y)), {f: square})
        with pytest.raises(fs.ProblemError, match=r"given\[f\].*f\(x\) and f\(y\)"):
            state(sp.Eq(LAPLACE, f(x)), {f: square}, value=f(y))

    @pytest.mark.parametrize("applied", [f(y, x), f(0, y), f(x - 1, y), f(x, x), f(x, w), f(2)], ids=str)
    def test_are_written_with_plain_coordinates(self, applied: Any) -> None:
        with pytest.raises(fs.ProblemError, match=r"given function f.*plain"):
            state(sp.Eq(LAPLACE, applied), {f: square})

    def test_an_application_that_is_not_given_is_named(self) -> None:
        with pytest.raises(fs.ProblemError, match=r"right-hand side needs f\(y\)"):
            state(sp.Eq(LAPLACE, f(x) + f(y)), {f(x): square})

    @pytest.mark.parametrize("value", [3.0, x**2, "x", None, [1], f, sp.Lambda(x, x)], ids=repr)
    @pytest.mark.parametrize("key", [f, f(x, y), f(x, y).diff(x)], ids=str)
    def test_must_be_callables(self, key: Any, value: Any) -> None:
        with pytest.raises(fs.ProblemError, match=r"given\[.*f.*callable.*itself"):
            state(sp.Eq(LAPLACE, f(x, y)), {key: value})

    @pytest.mark.parametrize("key", [g, g(x, y), g(x, y).diff(x), f(x)], ids=str)
    def test_must_be_used(self, key: Any) -> None:
        with pytest.raises(fs.ProblemError, match=r"given names .*no equation"):
            state(sp.Eq(LAPLACE, f(x, y)), {f(x, y): square, key: square})

    def test_use_in_a_condition_is_use(self) -> None:
        state(LAPLACE, {k: 2, g: square}, value=k * g(x, y))

    def test_the_unknown_cannot_be_given(self) -> None:
        with pytest.raises(fs.ProblemError, match=r"no unknown function.*given"):
            state(LAPLACE, {u: square})


class TestDerivativesOfGivenFunctions:
    def test_are_needed(self) -> None:
        with pytest.raises(fs.ProblemError, match=r"u_x needs Derivative\(a\(x\), x\).*as in given"):
            state(DIVERGENCE, {a: square})

    @pytest.mark.parametrize("key", [a(x).diff(x), sp.Derivative(a(x), x), sp.Derivative(a(x), (x, 1))])
    def test_are_used(self, key: Any) -> None:
        found = coefficients(state(DIVERGENCE, {a: square, key: twice}))
        np.testing.assert_array_equal(found[(1, 0)], 2 * POINTS[:, 0])
        np.testing.assert_array_equal(found[(2, 0)], POINTS[:, 0] ** 2)

    def test_of_second_order(self) -> None:
        equation = sp.Derivative(a(x) * u, x, x) + u.diff(y, 2)
        with pytest.raises(fs.ProblemError, match=r"needs Derivative\(a.*\(x, 2\)\)"):
            state(equation, {a: square, a(x).diff(x): twice})
        found = coefficients(state(equation, {a: square, a(x).diff(x): twice, a(x).diff(x, 2): lambda p: 2.0}))
        np.testing.assert_array_equal(found[(0, 0)], 2.0)
        np.testing.assert_array_equal(found[(1, 0)], 4 * POINTS[:, 0])

    def test_may_stand_without_the_function(self) -> None:
        problem = state(sp.Eq(LAPLACE, a(x).diff(x)), {a(x).diff(x): twice})
        np.testing.assert_array_equal(problem.right_hand_side(POINTS), 2 * POINTS[:, 0])

    def test_of_an_expression_are_no_key(self) -> None:
        with pytest.raises(fs.ProblemError, match="given keys must be"):
            state(DIVERGENCE, {a: square, sp.Derivative(x * a(x), x): twice})


def blocks(problem: fs.Problem) -> Any:
    """What a solve does with a problem before any long computation, the equation's coefficients included."""
    sites = Points(interior=50, boundary=5).draw(problem, np.random.default_rng(0))
    made = make_blocks(problem, sites)
    for term in problem.operator.terms:
        term.at(sites["equation"])
    return made


class TestBadCallables:
    """Each error names the block, and the first bad point where there is one."""

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    @pytest.mark.parametrize(
        ("make", "block"),
        [
            (lambda c: state(sp.Eq(LAPLACE, f(x, y)), {f: c}), "the equation's right-hand side"),
            (lambda c: state(LAPLACE + f(x, y) * u, {f: c}), r"the equation's coefficient f\(x, y\) of u"),
            (lambda c: state(LAPLACE, value=c), "the value of 'dirichlet x\\+'"),
            (lambda c: state(LAPLACE, {f: c}, value=f(x, y)), "the value of 'dirichlet x\\+'"),
        ],
        ids=["right-hand side", "coefficient", "condition", "named in a condition"],
    )
    def test_not_finite(self, make: Callable[[Any], fs.Problem], block: str, bad: float) -> None:
        problem = make(lambda p: np.where(p[:, 0] > 0.5, bad, 1.0))
        with pytest.raises(fs.ProblemError, match=rf"^{block} is {bad} at x=(0\.[5-9]|1).*\d+ of "):
            blocks(problem)

    @pytest.mark.parametrize("result", [np.zeros(3), np.zeros((50, 1)), np.zeros((50, 2)), "no", None, [1j] * 49])
    @pytest.mark.parametrize(
        ("make", "block"),
        [
            (
                lambda c: state(sp.Eq(LAPLACE, f(x, y)), {f: c}),
                r"the equation's right-hand side: .*f\(x, y\)",
            ),
            (
                lambda c: state(LAPLACE + f(x, y) * u, {f: c}),
                r"the equation's coefficient f\(x, y\) of u: .*",
            ),
            (lambda c: state(LAPLACE, value=c), "the value of 'dirichlet x-': the callable <lambda>"),
        ],
        ids=["right-hand side", "coefficient", "condition"],
    )
    def test_wrong_shape_or_type(self, make: Callable[[Any], fs.Problem], block: str, result: Any) -> None:
        with pytest.raises(fs.ProblemError, match=rf"^{block}.*(one value per point|numbers)"):
            blocks(make(lambda p: result))

    def test_an_expression_singular_on_a_block(self) -> None:
        with pytest.raises(fs.ProblemError, match=r"'dirichlet x-' is inf.*\(5 of 5"):
            blocks(state(LAPLACE, value=1 / x))
