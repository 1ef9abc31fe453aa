"""SymPy equations read as operators: forms, signs, orders, products, hidden linearity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.geometry import Sites

x, y, z, t, k = sp.symbols("x y z t k")
U = sp.Function("u")
u = U(x, y)
LAPLACE = u.diff(x, 2) + u.diff(y, 2)
SQUARE = fs.Box((0, 0), (1, 1))
POINTS = np.random.default_rng(1).uniform(0.1, 0.9, (5, 2))

Residual = Callable[[fs.Problem, sp.Expr, Any], Any]


def state(equation: Any, **options: Any) -> fs.Problem:
    """A problem on the unit square; any number of conditions, as orders differ from test to test."""
    value = options.pop("conditions", [fs.Dirichlet(0)])
    return fs.Problem(equation, SQUARE, value, **options)


def constants(problem: fs.Problem) -> dict[tuple[int, ...], Any]:
    return {term.orders: term.coefficient for term in problem.operator.terms}


class TestForms:
    @pytest.mark.parametrize(
        "equation",
        [
            sp.Eq(LAPLACE + 3 * u, sp.sin(x)),
            LAPLACE + 3 * u - sp.sin(x),
            sp.Eq(LAPLACE, sp.sin(x) - 3 * u),
            sp.Eq(sp.sin(x), LAPLACE + 3 * u),
            sp.Eq(0, LAPLACE + 3 * u - sp.sin(x), evaluate=False),
            sp.Eq(3 * u - sp.sin(x), -LAPLACE),
        ],
        ids=str,
    )
    def test_the_same_equation_in_many_forms(self, equation: Any, residual: Residual) -> None:
        problem = state(equation)
        trial = sp.exp(x) * sp.cos(2 * y)
        sign = constants(problem)[(2, 0)]
        assert sign in (1.0, -1.0)
        expected = trial.diff(x, 2) + trial.diff(y, 2) + 3 * trial - sp.sin(x)
        got = residual(problem, trial, POINTS)
        np.testing.assert_allclose(got, [sign * float(expected.subs({x: a, y: b})) for a, b in POINTS])

    def test_the_sign_is_that_of_left_minus_right(self) -> None:
        problem = state(sp.Eq(-LAPLACE, k * u + x), given={k: 2})
        assert constants(problem) == {(0, 0): -2.0, (0, 2): -1.0, (2, 0): -1.0}
        np.testing.assert_array_equal(problem.right_hand_side(POINTS), POINTS[:, 0])

    def test_coordinates_are_the_arguments_of_the_unknown_in_their_order(self) -> None:
        v = sp.Function("v")(y, x)
        problem = state(v.diff(x, 2) + 5 * v.diff(y, 2) - x)
        assert problem.coordinates == (y, x)
        assert problem.unknown == v
        assert constants(problem) == {(0, 2): 1.0, (2, 0): 5.0}
        np.testing.assert_array_equal(problem.right_hand_side(POINTS), POINTS[:, 1])

    @pytest.mark.parametrize("assumptions", [{"real": True}, {"positive": True}, {"nonnegative": True}])
    def test_symbols_and_functions_with_assumptions(self, assumptions: dict[str, bool]) -> None:
        r, s = sp.symbols("r s", **assumptions)
        w = sp.Function("w", real=True)(r, s)
        problem = state((r * w.diff(r)).diff(r) + w.diff(s, 2) - sp.sqrt(r**2) * w)
        np.testing.assert_array_equal(problem.operator.terms[0].at(Sites(POINTS)), -POINTS[:, 0])


class TestOrders:
    def test_any_order_and_mixed_derivatives(self) -> None:
        w = U(x, y, z)
        problem = fs.Problem(
            w.diff(x, 5) + 2 * w.diff(x, y, y, z) - w.diff(z) + 7 * sp.Derivative(w, z, y, x, y) + w,
            fs.Box((0, 0, 0), (1, 1, 1)),
            [fs.Dirichlet(0)],
        )
        assert constants(problem) == {(0, 0, 0): 1.0, (0, 0, 1): -1.0, (1, 2, 1): 9.0, (5, 0, 0): 1.0}
        assert problem.operator.order == 5
        assert problem.operator.order_along(range(1, 3)) == 3

    def test_a_given_order(self) -> None:
        n = sp.Symbol("n", integer=True, positive=True)
        assert constants(state(LAPLACE + u.diff((x, n)), given={n: 2})) == {(0, 2): 1.0, (2, 0): 2.0}

    def test_a_symbolic_order_is_refused(self) -> None:
        n = sp.Symbol("n", integer=True, positive=True)
        with pytest.raises(fs.ProblemError, match=r"order n of.*whole.*\{n: 2\}"):
            state(LAPLACE + u.diff((x, n)))


class TestProducts:
    def test_an_expression_under_a_derivative(self, residual: Residual) -> None:
        a = 1 + x**2 * sp.cos(y)
        problem = state((a * u.diff(x)).diff(x) + (a * u.diff(y)).diff(y) - (x * u).diff(x, 2))
        trial = sp.sin(3 * x) * sp.exp(y)
        expected = (a * trial.diff(x)).diff(x) + (a * trial.diff(y)).diff(y) - (x * trial).diff(x, 2)
        got = residual(problem, trial, POINTS)
        np.testing.assert_allclose(got, [float(expected.subs({x: p, y: q})) for p, q in POINTS])

    @pytest.mark.parametrize(
        "form",
        [
            sp.Derivative(x**2 * sp.Derivative(u, x), x) + u.diff(y, 2),
            sp.Derivative(x**2 * u.diff(x), x, evaluate=False) + u.diff(y, 2),
            sp.UnevaluatedExpr((x**2 * u.diff(x)).diff(x)) + u.diff(y, 2),
            x**2 * (u.diff(x, 2) + 2 * u.diff(x) / x) + u.diff(y, 2),
        ],
        ids=str,
    )
    def test_unevaluated_derivatives(self, form: sp.Expr) -> None:
        problem = state(form)
        assert [term.orders for term in problem.operator.terms] == [(0, 2), (1, 0), (2, 0)]
        second, first, both = (term.at(Sites(POINTS)) for term in problem.operator.terms)
        np.testing.assert_allclose(second, 1.0)
        np.testing.assert_allclose(first, 2 * POINTS[:, 0])
        np.testing.assert_allclose(both, POINTS[:, 0] ** 2)

    def test_the_absolute_value_of_a_coordinate_may_be_differentiated(self) -> None:
        problem = fs.Problem(
            (sp.Abs(x) * u.diff(x)).diff(x) + u.diff(y, 2), fs.Box((-1, -1), (1, 1)), [fs.Dirichlet(0)]
        )
        points = np.array([[-0.5, 0.0], [0.25, 0.5]])
        first = next(term for term in problem.operator.terms if term.orders == (1, 0))
        np.testing.assert_array_equal(first.at(Sites(points)), [-1.0, 1.0])


class TestHiddenLinearity:
    @pytest.mark.parametrize(
        ("form", "expected"),
        [
            (LAPLACE + (u + 1) ** 2 - u**2, {(0, 0): 2.0}),
            (LAPLACE + u * (u.diff(x) + 3) - u.diff(x) * u, {(0, 0): 3.0}),
            (LAPLACE + (u + u.diff(x)) * (u - u.diff(x)) - u**2 + u.diff(x) ** 2 + u.diff(x), {(1, 0): 1.0}),
            (LAPLACE + (u**2 + u) / u, {(0, 0): 1.0}),
            (sp.Derivative(u**2, x) - 2 * u * u.diff(x) + LAPLACE, {}),
            (2 * (LAPLACE - (3 - u)) / 2, {(0, 0): 1.0}),
            (LAPLACE + sp.log(sp.exp(u)), {(0, 0): 1.0}),
        ],
        ids=str,
    )
    def test_what_cancels_is_not_refused(self, form: sp.Expr, expected: dict[Any, float]) -> None:
        assert constants(state(form)) == {(0, 2): 1.0, (2, 0): 1.0} | expected

    @pytest.mark.parametrize(
        "zero",
        [
            (x + 1) ** 2 - x**2 - 2 * x - 1,
            sp.sin(x) ** 2 + sp.cos(x) ** 2 - 1,
            sp.sin(1) ** 2 + sp.cos(1) ** 2 - 1,
            sp.exp(x + y) - sp.exp(x) * sp.exp(y),
            k - 2,
        ],
        ids=str,
    )
    def test_coefficients_that_cancel_to_zero_leave_no_term(self, zero: sp.Expr) -> None:
        given = {k: 2} if zero.has(k) else None
        problem = state(LAPLACE + zero * u.diff(x, 4) + zero * u, given=given)
        assert constants(problem) == {(0, 2): 1.0, (2, 0): 1.0}

    @pytest.mark.parametrize(
        "coefficient",
        [sp.Heaviside(x - 2), sp.Piecewise((1, x > 0.9), (0, True)), 1e-30 * x, sp.Max(0, x - 5)],
    )
    def test_coefficients_that_are_zero_in_places_stay(self, coefficient: sp.Expr) -> None:
        assert len(state(LAPLACE + coefficient * u).operator.terms) == 3

    def test_a_piecewise_equation(self) -> None:
        form = sp.Piecewise((LAPLACE + u, x < 0.5), (LAPLACE + y, True))
        problem = state(form)
        left = POINTS[:, 0] < 0.5
        coefficients = {term.orders: term.at(Sites(POINTS)) for term in problem.operator.terms}
        np.testing.assert_array_equal(coefficients[(0, 0)], np.where(left, 1, 0))
        np.testing.assert_array_equal(coefficients[(2, 0)], np.ones(len(POINTS)))
        np.testing.assert_array_equal(problem.right_hand_side(POINTS), np.where(left, 0, -POINTS[:, 1]))


class TestWhatIsNoDifferentialEquation:
    @pytest.mark.parametrize(
        ("equation", "message"),
        [
            (sp.Eq(x**2, y), r"no unknown function.*sp\.Function"),
            (x + 1, r"no unknown function"),
            (sp.S.Zero, r"no unknown function"),
            (LAPLACE + sp.Function("f")(x, y), r"2 unknown.*f\(x, y\), u.*given=\{f"),
            (LAPLACE + sp.Function("f")(x).diff(x), r"2 unknown.*\(f\(x\), u\(x, y\)\)"),
            (u + x, r"no derivative of u.*: x \+ u\(x, y\)"),
            (u + 0 * u.diff(x), r"no derivative"),
            (u + (sp.sin(x) ** 2 + sp.cos(x) ** 2 - 1) * u.diff(x), r"no derivative"),
            (LAPLACE + U(0, y), r"arguments \(u\(0, y\).*other places"),
            (LAPLACE + U(y, x), r"arguments.*u\(x, y\), u\(y, x\)"),
            (LAPLACE + U(x - 1, y), r"different arguments"),
            (LAPLACE + u.diff(x).subs(x, 0), r"Subs\(.*u\(x, y\) at other places"),
            (LAPLACE + sp.Integral(u, (x, 0, 1)), r"Integral\(u.*0, 1\).*differential"),
            (LAPLACE + sp.Sum(u * x, (x, 0, 3)), r"term Sum\("),
            (U(2 * x, y).diff(y, 2), r"distinct symbols.*u\(2\*x, y\)"),
            (U(x, x).diff(x, 2), r"distinct symbols|at other places"),
            (LAPLACE + sp.Function("u", real=True)(x, y), r"different assumptions.*once"),
            (LAPLACE + U(sp.Symbol("x", real=True), y), r"different assumptions.*once"),
            (sp.Eq(LAPLACE, LAPLACE), r"truth value True.*sp\.Eq\(left"),
            (LAPLACE == 0, r"truth value False.*left == right"),
            (LAPLACE < 0, r"equation must be a SymPy Eq"),
            ("u_xx + u_yy", r"equation must be.*Eq\(.*'u_xx \+ u_yy'"),
            (None, r"equation must be"),
            (3.0, r"equation must be"),
            (LAPLACE + sp.oo * u, r"coefficient oo of u.*finite"),
            (LAPLACE + sp.DiracDelta(x), r"right-hand side:.*DiracDelta\(x\)"),
        ],
        ids=str,
    )
    def test_is_refused_with_the_remedy(self, equation: Any, message: str) -> None:
        with pytest.raises(fs.ProblemError, match=message):
            state(equation)
