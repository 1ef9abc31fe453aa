"""Fields: numbers, expressions and callables as functions of points, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.special import hankel1

from fspielm import ProblemError
from fspielm.expr import describe, evaluate_derivatives, make_field

x, y, k = sp.symbols("x y k")
f, g = sp.Function("f"), sp.Function("g")
POINTS = np.array([[0.25, 0.5], [0.5, 1.0], [1.0, 2.0]])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2, 2.0),
        (2.5, 2.5),
        (Fraction(1, 4), 0.25),
        (np.float32(0.5), 0.5),
        (np.int64(-3), -3.0),
        (np.array(1.5), 1.5),
        (sp.pi, np.pi),
        (sp.Rational(1, 8), 0.125),
        (sp.besselj(0, 0), 1.0),
        (sp.Integral(x, (x, 0, 1)), 0.5),
        ((-sp.I) ** 2, -1.0),
        (sp.sqrt(2) ** 2 - 2, 0.0),
        (1j, 1j),
        (np.complex64(2 - 1j), 2 - 1j),
        (np.array(1j), 1j),
        (1 + sp.I * sp.pi, 1 + np.pi * 1j),
    ],
    ids=repr,
)
def test_numbers_are_constants(value: Any, expected: complex) -> None:
    field = make_field(value, (x, y))
    assert field.constant == expected
    np.testing.assert_array_equal(field(POINTS), [expected] * 3)


def test_a_real_root_found_through_complex_numbers_is_real() -> None:
    root = sp.solve(x**3 - 3 * x + 1, x)[0]
    assert root.has(sp.I)
    constant = make_field(root, (x, y)).constant
    assert constant is not None
    assert abs(constant**3 - 3 * constant + 1) < 1e-14


def test_expressions_and_callables_are_not_constant() -> None:
    assert make_field(x + 1, (x, y)).constant is None
    assert make_field(lambda p: 1.0, (x, y)).constant is None


def test_columns_follow_the_arguments() -> None:
    np.testing.assert_array_equal(make_field(x - 10 * y, (y, x))(POINTS), POINTS[:, 1] - 10 * POINTS[:, 0])


@pytest.mark.parametrize(
    "function",
    [
        lambda p: p[:, 0] * p[:, 1],
        lambda p: (p[:, 0] * p[:, 1]).tolist(),
        lambda p: (p[:, 0] * p[:, 1]).astype(complex),
        lambda p: p[:, 0] * p[:, 1] * (1 + 1e-15j),
    ],
)
def test_callables(function: Callable[[Any], Any]) -> None:
    np.testing.assert_array_equal(make_field(function, (x, y))(POINTS), [0.125, 0.5, 2.0])


@pytest.mark.parametrize(
    ("result", "expected"), [(3, 3.0), (np.float32(0.5), 0.5), (True, 1.0), (np.array([1, 2, 3]), [1, 2, 3])]
)
def test_what_callables_may_return(result: Any, expected: Any) -> None:
    values = make_field(lambda p: result, (x, y))(POINTS)
    assert values.dtype == np.float64
    np.testing.assert_array_equal(values, np.broadcast_to(expected, 3))


def test_no_points_no_calls() -> None:
    def fail(points: Any) -> Any:
        raise AssertionError

    for value in (fail, f(x) + x, 1.0, x):
        assert make_field(value, (x, y), {f(x): fail})(np.empty((0, 2))).shape == (0,)


def test_a_callable_cannot_move_the_points() -> None:
    def careless(points: Any) -> Any:
        points -= 1.0
        return points[:, 0]

    for field in (make_field(careless, (x, y)), make_field(2 * f(x, y), (x, y), {f(x, y): careless})):
        points = POINTS.copy()
        field(points)
        np.testing.assert_array_equal(points, POINTS)


def test_named_functions_are_looked_up() -> None:
    calls = {f(x): lambda p: p[:, 0], f(x).diff(x): lambda p: 10 + p[:, 0], g(x, y): lambda p: 5.0}
    field = make_field(f(x) + f(x).diff(x) * g(x, y), (x, y), calls)
    np.testing.assert_array_equal(field(POINTS), POINTS[:, 0] + 5 * (10 + POINTS[:, 0]))


def test_products_with_named_functions_are_differentiated() -> None:
    calls = {f(x): lambda p: p[:, 0] ** 2, f(x).diff(x): lambda p: 2 * p[:, 0]}
    field = make_field(sp.Derivative(x * f(x), x), (x, y), calls)
    np.testing.assert_array_equal(field(POINTS), 3 * POINTS[:, 0] ** 2)


@pytest.mark.parametrize(
    ("expression", "needs"),
    [
        (f(x), r"f\(x\)"),
        (g(x, y) + x, r"g\(x, y\)"),
        (f(x).diff(x, 2), r"Derivative\(f\(x\), \(x, 2\)\)"),
        ((x * g(x, y)).diff(y), r"Derivative\(g\(x, y\), y\)"),
    ],
    ids=str,
)
def test_what_is_not_supplied_is_named(expression: sp.Expr, needs: str) -> None:
    calls = {f(y): lambda p: p[:, 1], g(x): lambda p: p[:, 0]} | (
        {expression.atoms(sp.core.function.AppliedUndef).pop(): lambda p: 1.0} if expression.has(sp.Derivative) else {}
    )
    with pytest.raises(ProblemError, match=rf"^the load needs {needs}.*given=\{{{needs}: "):
        make_field(expression, (x, y), calls, what="the load")


@pytest.mark.parametrize(
    "expression", [sp.Integral(f(x), (x, 0, 1)), f(x).diff(x).subs(x, 0), sp.Sum(f(x), (x, 0, 3))], ids=str
)
def test_a_callable_has_values_at_the_points_alone(expression: sp.Expr) -> None:
    calls = {f(x): lambda p: p[:, 0], f(x).diff(x): lambda p: p[:, 0]}
    with pytest.raises(ProblemError, match=r"callable.*f\(x\).*points alone"):
        make_field(expression + y, (x, y), calls)


@pytest.mark.parametrize(
    "value",
    [
        "1",
        None,
        True,
        [1, 2],
        np.ones(2),
        sp.Eq(x, 1),
        sp.Matrix([1]),
        {1: 2},
        np.array("1"),
        np.bool_(1),
    ],
    ids=repr,
)
def test_what_is_no_value_is_refused(value: Any) -> None:
    with pytest.raises(ProblemError, match=r"^the load must be.*callable"):
        make_field(value, (x, y), what="the load")


def test_a_bare_function_is_refused_with_the_remedy() -> None:
    with pytest.raises(ProblemError, match=r"coordinates, as in f\(x, y\)"):
        make_field(f, (x, y))


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), -np.inf, sp.oo, sp.zoo, sp.nan, complex("inf+1j"), sp.log(0)]
)
def test_constants_must_be_finite(value: Any) -> None:
    with pytest.raises(ProblemError, match=r"^the load.*finite number"):
        make_field(value, (x, y), what="the load")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (sp.Integral(sp.exp(sp.sin(k)) * sp.log(1 + k**5) / (1 + k**3), (k, 0, 1)), 0.174624561129414609),
        (sp.Integral(sp.exp(-(k**2)), (k, -sp.oo, sp.oo)), np.sqrt(np.pi)),
        (sp.Sum(1 / sp.factorial(k), (k, 0, sp.oo)), np.e),
        (sp.Sum(sp.sin(k), (k, 1, 50)), np.sin(np.arange(1, 51)).sum()),
        (1 + sp.Derivative(k**2, k).subs(k, 3), 7.0),
    ],
    ids=str,
)
def test_integrals_and_sums_have_values_without_a_closed_form(value: sp.Expr, expected: float) -> None:
    assert make_field(value, (x, y)).constant == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(
    "value",
    [
        # oscillates without end, as the next one
        pytest.param(sp.Integral(sp.sin(k) / k, (k, 0, sp.oo)), marks=pytest.mark.slow),
        sp.Integral(sp.cos(k**2), (k, 0, sp.oo)),
        sp.Integral(1 / k, (k, 0, 1)),
        sp.Sum(sp.sin(k) / k**2, (k, 1, sp.oo)),
    ],
    ids=str,
)
def test_what_cannot_be_computed_reliably_is_refused(value: sp.Expr) -> None:
    with pytest.raises(ProblemError, match=r"^the load.*evaluated reliably"):
        make_field(value, (x, y), what="the load")


def test_constants_without_a_value_are_refused() -> None:
    with pytest.raises(ProblemError, match=r"^the load.*marcumq.*no numerical"):
        make_field(sp.marcumq(1, 2, 3), (x, y), what="the load")


def test_unknown_symbols_are_named_with_the_remedy() -> None:
    with pytest.raises(ProblemError, match=r"symbol k.*neither.*given="):
        make_field(k * x, (x, y))
    with pytest.raises(ProblemError, match=r"symbols a, k.*neither"):
        make_field(k * x + sp.Symbol("a"), (x, y))


def test_a_symbol_that_only_looks_like_a_coordinate_is_explained() -> None:
    with pytest.raises(ProblemError, match=r"different assumptions.*one x"):
        make_field(sp.Symbol("x", real=True) + y, (x, y))


class TestCheckedValues:
    def test_good_values_pass(self) -> None:
        np.testing.assert_array_equal(make_field(x, (x, y)).checked(POINTS, "v"), POINTS[:, 0])

    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
    def test_the_first_bad_point_is_named(self, bad: float) -> None:
        def spotty(points: Any) -> Any:
            return np.where(points[:, 0] > 0.3, bad, 1.0)

        with pytest.raises(ProblemError, match=rf"'dirichlet x-' is {bad} at x=0\.5, y=1 \(2 of 3.*spotty"):
            make_field(spotty, (x, y)).checked(POINTS, "the value of 'dirichlet x-'")

    def test_an_expression_too(self) -> None:
        with pytest.raises(ProblemError, match=r"^v is -?inf.*1 of 3.*\(x - 1/2"):
            make_field(1 / (x - sp.Rational(1, 2)), (x, y)).checked(POINTS, "v")

    @pytest.mark.parametrize("shape", [(2,), (3, 1), (1, 3), (1,), (3, 2)])
    def test_a_wrong_shape_is_refused_by_the_name_of_the_block(self, shape: tuple[int, ...]) -> None:
        def wrong(points: Any) -> Any:
            return np.zeros(shape)

        shown = ", ".join(map(str, shape))
        expected = rf"^block:.*wrong.*one value.*\(3,\).*\({shown}"
        with pytest.raises(ProblemError, match=expected):
            make_field(wrong, (x, y)).checked(POINTS, "block")

    @pytest.mark.parametrize("shape", [(2,), (3, 1)])
    def test_a_named_function_of_wrong_shape_is_named(self, shape: tuple[int, ...]) -> None:
        field = make_field(2 * f(x, y), (x, y), {f(x, y): lambda p: np.zeros(shape)})
        with pytest.raises(ProblemError, match=r"^block:.*f\(x, y\).*one value"):
            field.checked(POINTS, "block")

    @pytest.mark.parametrize("result", ["a", None, [1, "b", 2], [[1], [2, 3], 4], [sp.pi] * 3])
    def test_what_is_no_number_is_refused(self, result: Any) -> None:
        field = make_field(lambda p: result, (x, y))
        with pytest.raises(ProblemError, match=r"^block:.*<lambda>.*numbers"):
            field.checked(POINTS, "block")

    def test_complex_values(self) -> None:
        for field in (make_field(sp.hankel1(0, x), (x, y)), make_field(lambda p: hankel1(0, p[:, 0]), (x, y))):
            values = field.checked(POINTS, "block")
            assert values.dtype == np.complex128
            np.testing.assert_array_equal(values, hankel1(0, POINTS[:, 0]))

    def test_imaginary_parts_that_cancel_are_none(self) -> None:
        values = make_field(sp.exp(sp.I * x) + sp.exp(-sp.I * x), (x, y)).checked(POINTS, "block")
        np.testing.assert_allclose(values, 2 * np.cos(POINTS[:, 0]))

    def test_errors_of_the_callable_itself_are_left_alone(self) -> None:
        with pytest.raises(ZeroDivisionError):
            make_field(lambda p: 1 / 0, (x, y)).checked(POINTS, "block")


def test_descriptions_stay_short() -> None:
    assert describe(x + 1) == "x + 1"
    assert describe(np.sin) == "the callable sin"
    assert describe(("x-", "x+")) == "('x-', 'x+')"
    long = describe(sum(x**i for i in range(200)))
    assert len(long) == 120
    assert long.endswith("...")


def test_a_callable_of_other_arguments_is_named() -> None:
    def of_three(a: float, b: float, c: float) -> float:
        return a + b + c

    field = make_field(of_three, (x, y))
    with pytest.raises(ProblemError, match=r"of_three.*one array.*\(3, 2\)"):
        field(np.zeros((3, 2)))


@pytest.mark.parametrize(
    "inner",
    [x - 0.3, (x - 0.3) * (x - 0.7), (x - 1) * y, sp.sin(7 * x), sp.exp(x) - y, x + sp.I * y],
    ids=str,
)
@pytest.mark.parametrize(
    "outer", [lambda a: a, lambda a: sp.exp(-a), lambda a: (1 + a) ** 2], ids=["Abs", "exp", "square"]
)
def test_slopes_of_moduli_are_those_of_real_numbers(inner, outer):
    """SymPy's own, for symbols that may be complex, are 0/0 where the modulus vanishes."""
    real = {x: sp.Symbol("x", real=True), y: sp.Symbol("y", real=True)}
    slope = make_field((y * outer(sp.Abs(inner))).diff(x), (x, y))
    exact = sp.lambdify(tuple(real.values()), (y * outer(sp.Abs(inner))).xreplace(real).diff(real[x]), "numpy")
    points = np.array([[0.31, 0.2], [0.29, -0.4], [0.72, 2.0], [-1.3, 0.8]])
    np.testing.assert_allclose(slope(points), exact(*points.T), rtol=1e-12)


@pytest.mark.parametrize("zero", [0.3, 0.7])
def test_slopes_of_moduli_have_values_where_these_vanish(zero):
    slope = make_field(sp.Abs((x - 0.3) * (x - 0.7)).diff(x), (x,))
    assert np.isfinite(slope(np.array([[zero]]))).all()
    assert "re(" not in str(evaluate_derivatives(slope.source))
