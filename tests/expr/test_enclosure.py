"""Enclosures over boxes: nothing is outside, against mpmath; sharp where that can be had; each step made once."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from fspielm.arrays import FloatArray
from fspielm.expr import Enclosure, Intervals, enclose
from fspielm.expr.functions import numeric_function

x, y = sp.symbols("x y")
THIRD = sp.Rational(1, 3)
INF = np.inf

UNARY = [
    sp.exp,
    sp.log,
    sp.sqrt,
    sp.Abs,
    sp.sign,
    sp.Heaviside,
    sp.sin,
    sp.cos,
    sp.tan,
    sp.cot,
    sp.sec,
    sp.csc,
    sp.asin,
    sp.acos,
    sp.atan,
    sp.sinh,
    sp.cosh,
    sp.tanh,
    sp.sech,
    sp.csch,
    sp.coth,
    sp.asinh,
    sp.acosh,
    sp.atanh,
    sp.erf,
    sp.erfc,
    sp.floor,
    sp.ceiling,
    lambda e: e**2,
    lambda e: e**3,
    lambda e: e**-1,
    lambda e: e**-2,
    lambda e: e**7,
    lambda e: e**THIRD,
    lambda e: e ** sp.Rational(-3, 2),
    lambda e: e**sp.pi,
    lambda e: 2**e,
]


def compiled(*expressions: sp.Expr, arguments: tuple[sp.Symbol, ...] = (x, y)) -> Enclosure:
    enclosure = enclose(expressions, arguments)
    assert enclosure is not None
    return enclosure


def over(expression: sp.Expr, *box: tuple[float, float]) -> tuple[float, float]:
    """The enclosure over one box."""
    lower, upper = np.array(box, dtype=np.float64).T[:, None]
    (result,) = compiled(expression, arguments=(x, y)[: len(box)])(lower, upper)
    return float(result.lower[0]), float(result.upper[0])


def random_boxes(seed: int, count: int, dimension: int) -> tuple[FloatArray, FloatArray]:
    """Boxes of all sizes about the origin, some with a corner on a grid, where functions have their corners."""
    rng = np.random.default_rng(seed)
    lower = rng.uniform(-4, 4, (count, dimension))
    lower = np.where(rng.random(lower.shape) < 0.3, np.round(lower), lower)
    return lower, lower + 10 ** rng.uniform(-8, 0.9, (count, 1)) * rng.random(lower.shape)


def inside(result: Intervals, values: ArrayLike, rounding: float = 1e-12) -> bool:
    values = np.asarray(values)
    slack = rounding * np.abs(values) + 1e-300
    return bool(np.all((result.lower <= values + slack) & (values - slack <= result.upper)))


# --- nothing is outside -------------------------------------------------------------------------


def _step(value: Any, at_zero: Any = 0.5) -> Any:
    return at_zero if value == 0 else mpmath.mpf(value > 0)


def precise(expression: sp.Expr, points: FloatArray) -> list[complex]:
    function = sp.lambdify([x, y], expression, modules=[{"Heaviside": _step}, "mpmath"])

    def value(point: FloatArray) -> complex:
        try:
            return complex(function(*map(mpmath.mpf, point)))
        except (ValueError, ArithmeticError, TypeError, AttributeError):  # not defined there, or complex on the way
            return complex(np.nan)

    with mpmath.workdps(60):
        return [value(p) for p in points]


NUMBERS = st.sampled_from(
    [sp.Integer(-2), sp.Integer(3), THIRD, sp.Rational(7, 2), sp.Float(0.3), sp.Float(-1.7), sp.pi]
)
RELATIONS = st.sampled_from([sp.Lt, sp.Le, sp.Gt, sp.Ge, sp.Ne])


def _combined(kind: Any, parts: tuple[sp.Expr, ...]) -> sp.Expr:
    try:
        return kind(*parts)
    except (TypeError, ValueError):  # complex numbers have no order
        return sp.nan


def _composed(parts: st.SearchStrategy[sp.Expr]) -> st.SearchStrategy[sp.Expr]:
    two = st.tuples(parts, parts)
    return st.one_of(
        st.builds(_combined, st.sampled_from(UNARY), st.tuples(parts)),
        st.builds(_combined, st.sampled_from([sp.Add, sp.Mul, sp.Max, sp.Min, sp.atan2, sp.Pow]), two),
        st.builds(lambda p, r, n: sp.Piecewise((p[0], r(x + y, n)), (p[1], True)), two, RELATIONS, NUMBERS),
    )


EXPRESSIONS = st.recursive(st.one_of(st.sampled_from([x, y]), NUMBERS), _composed, max_leaves=6)


@given(EXPRESSIONS, st.integers(0, 10**6))
def test_values_are_inside(expression: sp.Expr, seed: int) -> None:
    numbers = [e for e in sp.preorder_traversal(expression) if isinstance(e, sp.Expr) and e.is_number]
    assume(all(number.is_comparable for number in numbers))  # real
    assume(not expression.has(sp.I, sp.oo, -sp.oo, sp.re, sp.im, sp.arg))
    enclosure = enclose([expression], [x, y])
    assert enclosure is not None
    lower, upper = random_boxes(seed, 20, 2)
    rng = np.random.default_rng(seed)
    points = np.clip(lower + rng.choice([0.0, 1.0, 0.5, 0.3], lower.shape) * (upper - lower), lower, upper)
    (result,) = enclosure(lower, upper)
    assert np.all(result.lower <= result.upper)
    # where the expression has a real value all along
    defined = np.isfinite(numeric_function((x, y), expression, "")(*points.T) + np.zeros(20))
    exact = np.array(precise(expression, points))
    defined &= np.isfinite(exact) & (exact.imag == 0)
    assert inside(Intervals(result.lower[defined], result.upper[defined]), exact[defined].real)


ONE_FUNCTION = [
    *UNARY,
    sp.acot,
    sp.asec,
    sp.acsc,
    sp.acoth,
    sp.asech,
    sp.acsch,
    lambda e: sp.Max(e, THIRD),
    lambda e: sp.Min(e, -1, evaluate=False),
    lambda e: sp.Piecewise((2, e < 0), (3, e < 1), (4, True)),
]


@pytest.mark.parametrize("function", ONE_FUNCTION, ids=lambda f: str(f(x)))
def test_the_range_of_one_function_is_sharp(function: Any) -> None:
    expression = function(x)
    lower, upper = random_boxes(3, 300, 1)
    (result,) = compiled(expression, arguments=(x,))(lower, upper)
    # ends and a grid between: next to an extremum h away from a grid point, a function with second derivative M is
    # wrong by M h**2 / 8, and where it has a pole or jump the grid is next to it
    grid = lower + np.linspace(0, 1, 2001) * (upper - lower)
    grid[:, -1] = upper[:, 0]
    # SymPy evaluates these two by differences of exponentials, which cancel
    stable = expression.replace(sp.csch, lambda e: 1 / sp.sinh(e)).replace(sp.coth, lambda e: 1 / sp.tanh(e))
    values = np.asarray(numeric_function((x,), stable, "")(grid) + np.zeros_like(grid))
    finite = np.isfinite(values)
    some = finite.any(axis=1)
    least = np.where(finite, values, INF).min(axis=1)
    most = np.where(finite, values, -INF).max(axis=1)
    assert inside(Intervals(result.lower[some], result.upper[some]), least[some])
    assert inside(Intervals(result.lower[some], result.upper[some]), most[some])
    assert np.all(result.lower[~some] < result.upper[~some])
    # bounded over the whole box, and its neighbourhood: then nothing is given away
    steep = np.where(finite.all(axis=1), np.abs(np.diff(values, axis=1)).max(axis=1), INF)
    tame = (steep < 0.01) & (np.abs(values).max(axis=1) < 100)
    assert tame.sum() > 20
    assert np.all(least[tame] - result.lower[tame] <= steep[tame] + 1e-12)
    assert np.all(result.upper[tame] - most[tame] <= steep[tame] + 1e-12)


# --- known results ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "box", "expected"),
    [
        (x**2, (-1, 2), (0, 4)),
        (sp.Mul(x, x, evaluate=False), (-1, 2), (0, 4)),
        (x**3, (-1, 2), (-1, 8)),
        (x**4.0, (-2, 1), (0, 16)),
        (sp.sin(x), (0, np.pi), (0, 1)),
        (sp.sin(x), (2, 4), (np.sin(4), np.sin(2))),
        (sp.cos(x), (3, 4), (-1, np.cos(4))),
        (sp.cos(x), (100, 106.5), (-1, 1)),
        (sp.sin(x), (1e300, 2e300), (-1, 1)),
        (sp.cosh(x), (-1, 2), (1, np.cosh(2))),
        (sp.Abs(x - 1), (0, 3), (0, 2)),
        (sp.exp(-(x**2)), (-1, 2), (np.exp(-4), 1)),
        (1 / (1 + x**2), (-1, 2), (0.2, 1)),
        (sp.tan(x), (-1, 1), (-np.tan(1), np.tan(1))),
        (sp.cot(x), (1, 2), (1 / np.tan(2), 1 / np.tan(1))),
        (sp.sec(x), (-1, 0.5), (1, 1 / np.cos(1))),
        (sp.floor(x), (0.5, 2.5), (0, 2)),
        (sp.Heaviside(x), (-1, 1), (0, 1)),
        (sp.Heaviside(x, 0), (0, 1), (0, 1)),
        (2**x, (-1, 3), (0.5, 8)),
        (sp.pi * x / 3 - sp.sqrt(2), (0, 1), (-np.sqrt(2), np.pi / 3 - np.sqrt(2))),
        (sp.Integer(7), (0, 1), (7, 7)),
    ],
    ids=str,
)
def test_known_ranges(expression: sp.Expr, box: tuple[float, float], expected: tuple[float, float]) -> None:
    lower, upper = over(expression, box)
    assert lower <= expected[0] + 1e-15
    assert upper >= expected[1] - 1e-15
    np.testing.assert_allclose((lower, upper), expected, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize(
    ("expression", "box", "expected"),
    [
        (1 / x, (-1, 1), (-INF, INF)),
        (1 / x, (0, 2), (0.5, INF)),
        (1 / x, (-2, 0), (-INF, -0.5)),
        (1 / x, (-2, -0.0), (-INF, -0.5)),
        (1 / x, (0, 0), (-INF, INF)),
        (x**-2, (-1, 2), (0.25, INF)),
        (1 / sp.sqrt(x), (-1, 4), (0.5, INF)),
        (sp.tan(x), (1, 2), (-INF, INF)),
        (sp.sec(x), (1, 2), (-INF, INF)),
        (sp.log(x), (0, 1), (-INF, 0)),
        (sp.exp(x), (-1e4, 1e4), (0, INF)),
        (sp.exp(x) - sp.exp(x + 1), (1e4, 2e4), (-INF, INF)),
        (x / x**2 * 0.5, (-1, 1), (-INF, INF)),
        (sp.atanh(x), (0, 1), (0, INF)),
    ],
    ids=str,
)
def test_poles_and_overflow(expression: sp.Expr, box: tuple[float, float], expected: tuple[float, float]) -> None:
    np.testing.assert_allclose(over(expression, box), expected, rtol=1e-13, atol=1e-300)


@pytest.mark.parametrize(
    "expression",
    [sp.log(x), sp.sqrt(x), x**THIRD, x ** sp.Rational(-1, 2), sp.asin(x), sp.acosh(x), sp.Piecewise((1, x > 0))],
    ids=str,
)
def test_nothing_is_known_outside_of_the_domain(expression: sp.Expr) -> None:
    assert over(expression, (-4, -3)) == (-INF, INF)


def test_an_argument_is_cut_to_the_domain() -> None:
    np.testing.assert_allclose(over(sp.sqrt(x), (-3, 4)), (0, 2), rtol=1e-14)
    np.testing.assert_allclose(over(sp.acos(x), (-3, 0)), (np.pi / 2, np.pi), rtol=1e-14)
    np.testing.assert_allclose(over(sp.log(x), (-3, 1)), (-INF, 0), atol=1e-14)


@pytest.mark.parametrize(
    ("sides", "expected"),
    [
        (((1, 2), (1, 2)), (np.arctan2(1, 2), np.arctan2(2, 1))),
        (((1, 2), (-3, -1)), (np.arctan2(2, -1), np.arctan2(1, -3))),
        (((-1, 1), (1, 2)), (-np.pi / 4, np.pi / 4)),
        (((-1, 1), (-2, -1)), (-np.pi, np.pi)),
        (((0, 1), (-2, -1)), (3 * np.pi / 4, np.pi)),
        (((-1, 0), (-2, -1)), (-np.pi, np.pi)),
        (((0, 1), (-1, 1)), (0, np.pi)),
    ],
)
def test_angles(sides: Any, expected: tuple[float, float]) -> None:
    np.testing.assert_allclose(over(sp.atan2(x, y), *sides), expected, rtol=1e-14)


@pytest.mark.parametrize(
    "expression", [x**49, x * x**31 * y, 1e-200 * x**11, -((x**2) ** 40), sp.erfc(1 / x**2), (x**2) ** 20.5], ids=str
)
@pytest.mark.parametrize("end", [-1e-9, 1e-9])
def test_what_underflows_keeps_its_sign(expression: sp.Expr, end: float) -> None:
    box, point = ((end, end / 2), sp.Rational(end) * 3 / 4)
    exact = sp.N(expression.xreplace({x: point, y: point}), 20)
    lower, upper = over(expression, tuple(sorted(box)), tuple(sorted(box)))
    assert lower < exact < upper
    assert upper - lower < 1e-200
    assert lower >= 0 or exact < 0
    assert upper <= 0 or exact > 0


def test_products_of_all_signs() -> None:
    rng = np.random.default_rng(4)
    lower = rng.uniform(-1, 1, (200, 2))
    upper = lower + rng.random((200, 2))
    (result,) = compiled(x * y)(lower, upper)
    corners = np.stack([a * b for a in (lower[:, 0], upper[:, 0]) for b in (lower[:, 1], upper[:, 1])])
    np.testing.assert_allclose(result.lower, corners.min(axis=0), rtol=1e-14)
    np.testing.assert_allclose(result.upper, corners.max(axis=0), rtol=1e-14)


# --- conditions ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "box", "expected"),
    [
        (x < 1, (0, 0.5), (1, 1)),
        (x < 1, (1, 2), (2, 2)),
        (x < 1, (0.5, 2), (1, 2)),
        (x <= 1, (1, 2), (1, 2)),
        (x > 1, (0, 1), (2, 2)),
        (x >= 1, (0, 1), (1, 2)),
        (sp.Eq(x, 1), (0, 0.5), (2, 2)),
        (sp.Eq(x, 1), (1, 1), (1, 1)),
        (sp.Ne(x, 1), (0, 0.5), (1, 1)),
        (sp.Ne(x, 1), (0.5, 2), (1, 2)),
        (sp.And(x > 1, x < 3), (1.5, 2), (1, 1)),
        (sp.And(x > 1, x < 3), (4, 5), (2, 2)),
        (sp.Or(x < 1, x > 3), (1.5, 2), (2, 2)),
        (sp.Or(x < 1, x > 3), (1.5, 4), (1, 2)),
        (sp.Not(sp.And(x > 1, x**2 < 9)), (1.5, 2), (2, 2)),
    ],
    ids=str,
)
def test_conditions(condition: Any, box: tuple[float, float], expected: tuple[float, float]) -> None:
    assert over(sp.Piecewise((1, condition), (2, True)), box) == expected


def test_branches_that_cannot_be_reached_do_not_count() -> None:
    expression = sp.Piecewise((x, x < 1), (10 + x, x < 2), (100 + x, True))
    assert over(expression, (0, 0.5)) == (0, 0.5)
    np.testing.assert_allclose(over(expression, (0.5, 1.5)), (0.5, 11.5))
    np.testing.assert_allclose(over(expression, (3, 4)), (103, 104))
    np.testing.assert_allclose(over(expression, (0, 4)), (0, 104))


# --- how it is used -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expression", [sp.exp(-x * y) / (x + y), sp.sin(9 * x) * y - x**3 / y, sp.tanh(x / y) ** 2], ids=str
)
def test_enclosures_shrink_with_their_boxes(expression: sp.Expr) -> None:
    centers = np.random.default_rng(5).uniform(1, 2, (50, 2))
    enclosure, sizes = compiled(expression), 2.0 ** -np.arange(1, 30)
    widths = []
    for size in sizes:
        (result,) = enclosure(centers - size / 2, centers + size / 2)
        widths.append(np.max(result.upper - result.lower))
    rate = np.polyfit(np.log(sizes[4:]), np.log(widths[4:]), 1)[0]
    assert rate == pytest.approx(1, abs=0.01)
    (result,) = enclosure(centers, centers)
    values = numeric_function((x, y), expression, "")(*centers.T)
    np.testing.assert_allclose(result.lower, values, rtol=1e-13, atol=1e-13)  # rounding, of terms of size 1
    np.testing.assert_allclose(result.upper, values, rtol=1e-13, atol=1e-13)


def test_a_narrow_bump_is_seen_from_afar() -> None:
    bump = sp.exp(-((x - 0.3) ** 2 + (y - 0.4) ** 2) / 1e-12)
    lower, upper = over(bump, (0, 1), (0, 1))
    assert 0 <= lower <= 1e-300
    assert 1 <= upper < 1 + 1e-13
    assert over(bump, (0, 0.25), (0, 1))[1] < 1e-289


def test_many_boxes_are_the_same_as_one_by_one() -> None:
    lower, upper = random_boxes(6, 10_000, 2)
    enclosure = compiled(sp.sin(x * y) / (x + 2), sp.Piecewise((sp.log(x), x > y), (y, True)), sp.Integer(2), x)
    some = np.arange(0, 10_000, 997)
    for many, few in zip(enclosure(lower, upper), enclosure(lower[some], upper[some]), strict=True):
        assert many.lower.shape == many.upper.shape == (10_000,)
        np.testing.assert_allclose(many.lower[some], few.lower, rtol=1e-14, atol=1e-14)
        np.testing.assert_allclose(many.upper[some], few.upper, rtol=1e-14, atol=1e-14)


def test_no_boxes() -> None:
    (result,) = compiled(sp.sin(x) / y)(np.empty((0, 2)), np.empty((0, 2)))
    assert result.lower.shape == result.upper.shape == (0,)


def test_each_subexpression_is_evaluated_once(count_calls: Any) -> None:
    bump = sp.exp(-((x - 3) ** 2) - (y - 4) ** 2)
    family = [bump, bump.diff(x), bump.diff(y), bump.diff(x, y)]
    nodes = {node for e in family for node in sp.preorder_traversal(e)} - {x, y}
    # numbers that are factors or exponents are part of an operation
    assert len(compiled(*family).steps) <= len(nodes)
    one, twice = compiled(bump), compiled(bump, bump)
    assert len(one.steps) == len(twice.steps)
    shared = sum((sp.cos(k * sp.sin(bump)) for k in range(1, 6)), sp.Integer(0))
    # k times, cosine, for five k but the first, which has no factor; the sine and the sum
    assert len(compiled(shared).steps) == len(one.steps) + 4 + 5 + 2
    assert len(compiled(shared, shared**2).steps) == len(one.steps) + 4 + 5 + 3
    box = np.zeros((1, 2)), np.ones((1, 2))
    crowd = np.zeros((4000, 2)), np.ones((4000, 2))
    enclosure = compiled(shared)
    assert count_calls(lambda: enclosure(*crowd)) == count_calls(lambda: enclosure(*box))


def test_derivatives_are_carried_out() -> None:
    np.testing.assert_allclose(over(sp.Derivative(x**2 * sp.Abs(x), x), (1, 2)), (3, 12), rtol=1e-14)
    assert over(sp.Abs(x).diff(x), (-1, 2)) == (-1, 1)


@pytest.mark.parametrize(
    "expression",
    [
        sp.Function("f")(x),
        sp.Function("f")(x).diff(x),
        sp.DiracDelta(x),
        sp.re(x),
        sp.conjugate(x),
        sp.besselj(0, x),
        sp.I * x,
        sp.cos(sp.asin(2) * x),
        sp.Abs(sp.sqrt(sp.Integer(-2)) + x),
        sp.cosh((-2) ** THIRD * x),
        sp.zoo,
        sp.oo * x,
        sp.Symbol("q"),
        sp.Integer(10) ** 400 * x,
        x / sp.Integer(10) ** 400,
        sp.Heaviside(x, 3),
        sp.Integral(sp.exp(-(y**2)), (y, 0, x)),
        sp.Piecewise((1, sp.Symbol("x")), (2, True)),
    ],
    ids=lambda e: str(e)[:40],
)
def test_what_cannot_be_enclosed(expression: sp.Expr) -> None:
    assert enclose([x, expression], [x, y]) is None


def test_what_is_too_long_is_not_enclosed() -> None:
    assert enclose([x, sp.Add(*(sp.sin(k * x) for k in range(1, 1500)))], [x, y]) is None


def test_deep_expressions_need_no_recursion() -> None:
    expression = x
    for _ in range(1500):
        expression = sp.sin(expression, evaluate=False)
    assert 0 < over(expression, (0.5, 1))[0] < over(expression, (0.5, 1))[1] < 0.1
