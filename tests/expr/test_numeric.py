"""SymPy expressions as numbers: against mpmath at high precision, and to the last bit where that is due."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import sympy as sp

from fspielm import ProblemError
from fspielm.expr import compile_together, make_field

x, y = sp.symbols("x y")
s, n = sp.symbols("s n")
HALF = sp.Rational(1, 2)

POINTS = np.array([[0.3, 0.7], [0.6, 0.2], [0.45, 0.9]])

EXPRESSIONS = [
    sp.sin(3 * sp.pi * x) * sp.exp(-y),
    sp.besselj(0, 10 * x) + sp.bessely(HALF, y),
    sp.besselj(1, x).diff(x, 2),
    sp.erf(x - y) + sp.erfc(x),
    sp.airyai(-5 * x) * sp.airybiprime(y),
    sp.gamma(x) * sp.loggamma(y),
    sp.polygamma(1, x),
    sp.elliptic_k(x) + sp.fresnels(y),
    sp.Ei(x) + sp.Si(y) + sp.expint(2, x),
    sp.uppergamma(HALF, x) + sp.lowergamma(HALF, y),
    sp.LambertW(x),
    sp.sinc(x) + sp.legendre(5, x) + sp.chebyshevt(7, y),
    sp.zeta(2, x + 1),
    sp.polylog(2, x) * y,
    sp.hyper([1, HALF], [2], x),
    sp.dirichlet_eta(x),
    sp.Integral(sp.exp(-(s**2)), (s, 0, x)),
    sp.Sum(sp.sin(n * x) / n, (n, 1, 5)),
    sp.Abs(x - HALF) + sp.sign(y - HALF) + sp.Max(x, y, HALF) - sp.Min(x, y),
    sp.Heaviside(x - HALF) + sp.floor(3 * y) + sp.Mod(x, sp.Rational(1, 7)),
    sp.Piecewise((x**2, x < HALF), (y, True)),
    sp.Piecewise((sp.log(x - HALF), x > HALF), (sp.polylog(3, x), True)),
    sp.Heaviside(y - HALF) * sp.polylog(2, x),
    sp.pi * x + sp.E * y + sp.EulerGamma + sp.Catalan * x + sp.GoldenRatio + sp.Rational(1, 3),
    sp.cbrt(x) + sp.root(y, 5),
    sp.atan2(y, x) + sp.acosh(1 + x) + sp.sec(y),
    sp.re(x) + sp.im(y) + sp.conjugate(x) + sp.arg(y),
]


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_expressions_agree_with_high_precision(expression: sp.Expr) -> None:
    exact = [float(expression.xreplace({x: sp.Float(a, 30), y: sp.Float(b, 30)}).evalf(30)) for a, b in POINTS]
    np.testing.assert_allclose(make_field(expression, (x, y))(POINTS), exact, rtol=1e-12, atol=1e-14)


def test_a_function_that_scipy_lacks_is_evaluated_by_mpmath() -> None:
    values = make_field(sp.polylog(2, x), (x, y))(POINTS)
    np.testing.assert_allclose(values, [float(mpmath.polylog(2, p)) for p in POINTS[:, 0]], rtol=1e-15)


def test_mpmath_gives_nan_where_it_raises() -> None:
    values = make_field(sp.polylog(2, x) + 1 / (x - 1), (x,))(np.array([[0.5], [1.0], [3.0]]))
    assert np.isfinite(values[0])
    assert np.isnan(values[1])  # a division by zero
    assert np.isnan(values[2])  # complex there


@pytest.mark.parametrize("number", [0.1 + 0.2, 1 / 3, 1e-300, 123456.78901234567, -(2**0.5), 1e22])
def test_floating_point_numbers_keep_every_bit(number: float) -> None:
    one = np.array([[1.0, 1.0]])
    assert make_field(number, (x, y))(one)[0] == number
    assert make_field(sp.Float(number) * x, (x, y))(one)[0] == number
    assert make_field(np.float64(number) * y, (x, y))(one)[0] == number


@pytest.mark.parametrize("name", ["gamma", "sin", "pi", "E", "lambda", "numpy", r"\theta", "x'", "select"])
def test_a_coordinate_may_have_any_name(name: str) -> None:
    q = sp.Symbol(name)
    field = make_field(sp.gamma(q) + sp.sin(q) * sp.pi + sp.Piecewise((q, q < 1), (0, True)), (q, y))
    from scipy.special import gamma

    a = POINTS[:, 0]
    np.testing.assert_allclose(field(POINTS), gamma(a) + np.sin(a) * np.pi + a, rtol=1e-14)


@pytest.mark.parametrize("assumption", ["real", "positive", "nonnegative"])
def test_coordinates_may_have_assumptions(assumption: str) -> None:
    q = sp.Symbol("q", **{assumption: True})
    np.testing.assert_array_equal(make_field(sp.sqrt(q**2) + q, (q, y))(POINTS), 2 * POINTS[:, 0])


def test_the_derivative_of_an_absolute_value_is_taken_on_the_real_line() -> None:
    points = np.array([[-0.5], [0.25]])
    np.testing.assert_array_equal(make_field(sp.Abs(x).diff(x), (x,))(points), [-1.0, 1.0])
    np.testing.assert_array_equal(make_field(sp.Derivative(x**2 * sp.Abs(x), x), (x,))(points), [-0.75, 0.1875])


def test_nothing_warns_where_a_branch_is_not_defined() -> None:
    field = make_field(sp.Piecewise((1 / x, x > 0), (sp.log(y), True)), (x, y))
    np.testing.assert_array_equal(field(np.array([[0.0, 1.0], [0.5, 0.0]])), [0.0, 2.0])


@pytest.mark.parametrize("expression", [sp.DiracDelta(x), sp.marcumq(1, x, y), sp.mathieuc(1, 2, x)], ids=str)
def test_what_cannot_be_evaluated_is_refused_at_once(expression: sp.Expr) -> None:
    with pytest.raises(ProblemError, match=r"^the load:.*cannot.*\{f: callable"):
        make_field(expression, (x, y), what="the load")


@pytest.mark.parametrize("third", [sp.sin(x * y), sp.polylog(2, x * y)], ids=["SciPy", "mpmath"])
def test_several_at_once_are_each_as_alone(third: sp.Expr) -> None:
    z = sp.Dummy("z")
    functions = {sp.Function("k")(x, y): lambda points: points[:, 0]}
    expressions = [sp.exp(x * y) * z, sp.Function("k")(x, y) + z**2, third, sp.Integer(3)]
    together = compile_together(expressions, (x, y), (z,), functions, "it")
    values = 1j * np.arange(3.0)
    found = together(POINTS, [values])
    a, b = POINTS.T
    alone = make_field(third, (x, y))(POINTS)
    for one, other in zip(found, [np.exp(a * b) * values, a + values**2, alone, np.full(3, 3)], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)
