"""What a text in the notation means."""

from __future__ import annotations

import pickle

import pytest
import sympy as sp
from scipy import special

from fspielm.errors import TextError
from fspielm.expr import Scope, parse_condition, parse_equation, parse_expression, print_equation
from fspielm.expr.scope import FUNCTIONS

x, y, t, k = sp.symbols("x y t k")
u = sp.Function("u")(x, y, t)

EXPRESSIONS = {
    "1": sp.Integer(1),
    "007": sp.Integer(7),
    "0.1": sp.Float(0.1),
    ".5": sp.Float(0.5),
    "3.": sp.Float(3.0),
    "1e3": sp.Float(1000.0),
    "2.5E-3": sp.Float(0.0025),
    "1/3": sp.Rational(1, 3),
    "pi": sp.pi,
    "e": sp.E,
    "x + y - 2": x + y - 2,
    "x*y/t": x * y / t,
    "x/-y*t": -x * t / y,
    "x - -y": x + y,
    "+x": x,
    "-x**2": -(x**2),
    "(-x)**2": x**2,
    "2**3**2": sp.Integer(512),
    "2^-1": sp.Rational(1, 2),
    "x^2": x**2,
    "-2*x*(y + 1)": -2 * x * (y + 1),
    "k*x": k * x,
    "sin(k*x)**2": sp.sin(k * x) ** 2,
    "atan2(y, x)": sp.atan2(y, x),
    "besselj(2, k*x)": sp.besselj(2, k * x),
    "min(x, 0)": sp.Min(x, 0),
    "max(x, y, 1)": sp.Max(x, y, 1),
    "max(1, 2.5, 2)": sp.Float(2.5),
    "exp(-1000)": sp.Integer(0),
    "where(x < 0, 1, 2)": sp.Piecewise((1, x < 0), (2, True)),
    "where(x < 0, 1, y >= 1, k, 2)": sp.Piecewise((1, x < 0), (k, y >= 1), (2, True)),
    "where(x < 0, 1, x >= 0, 2)": sp.Piecewise((1, x < 0), (2, x >= 0), evaluate=False),
    "where(1 < 2, x, y)": x,
    "where(1 > 2, x, x < y, 3, y)": sp.Piecewise((3, x < y), (y, True)),
    "where(0 < x < 1 or not y == 0, 1, 0)": sp.Piecewise((1, sp.Or(sp.And(x > 0, x < 1), sp.Ne(y, 0))), (0, True)),
    "dx(x**3)": 3 * x**2,
    "dx(sin(x)*y, 2)": -y * sp.sin(x),
    "diff(x*t, t)": x,
    "dx(abs(x - y)*y)": y * sp.sign(x - y),
    "laplacian(x**2*y**2 + t**2)": 2 * x**2 + 2 * y**2,
    "div([x*y, y**2])": 3 * y,
    "div(k*grad(x**2)/2)": k,
    "dot([1, x], [y, 2] - grad(x))": y - 1 + 2 * x,
    "dot(-[1, x], [y, 2])": -y - 2 * x,
}


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_expression(text: str, scope: Scope) -> None:
    expected = EXPRESSIONS[text]
    parsed = parse_expression(text, scope)
    assert parsed == expected or sp.simplify(parsed - expected) == 0
    assert not expected.is_Number or parsed == expected


EQUATIONS = {
    "u": u,
    "u(x, y, t) = 0": sp.Eq(u, 0),
    "dt(u, 2) == x": sp.Eq(u.diff(t, 2), x),
    "-laplacian(u) - k**2*u = y": sp.Eq(-u.diff(x, 2) - u.diff(y, 2) - k**2 * u, y),
    "dx(dy(u)) + dy(u, 2)": u.diff(x, y) + u.diff(y, 2),
    "diff(u, x, 3)": u.diff(x, 3),
    "laplacian(laplacian(u))": u.diff(x, 4) + 2 * u.diff(x, 2, y, 2) + u.diff(y, 4),
    "div((1 + x)*grad(u))": u.diff(x) + (1 + x) * u.diff(x, 2) + (1 + x) * u.diff(y, 2),
    "dot([k, x], grad(u))": k * u.diff(x) + x * u.diff(y),
    "where(x < 0, u, 2*u)": sp.Piecewise((u, x < 0), (2 * u, True)),
}


@pytest.mark.parametrize("text", EQUATIONS)
def test_equation(text: str, scope: Scope) -> None:
    assert parse_equation(text, scope) == EQUATIONS[text]


CONDITIONS = {
    "x < 0.5": x < 0.5,
    "x = 0": sp.Eq(x, 0),
    "x == 0": sp.Eq(x, 0),
    "x != k": sp.Ne(x, k),
    "0 <= x < 1": sp.And(x >= 0, x < 1),
    "x > 0 and y > 0 or t > 0": sp.Or(sp.And(x > 0, y > 0), t > 0),
    "not (x > 0 and y > 0)": sp.Not(sp.And(x > 0, y > 0)),
}


@pytest.mark.parametrize("text", CONDITIONS)
def test_condition(text: str, scope: Scope) -> None:
    parsed = parse_condition(text, scope)
    for place in ((0.25, 1.0, -1.0), (-1.0, 0.5, 1.0), (0.0, 0.0, 0.0), (2.0, -3.0, -1.0)):
        values = dict(zip((x, y, t), place, strict=True)) | {k: 2.0}
        assert bool(parsed.subs(values)) == bool(CONDITIONS[text].subs(values))


def test_decimals_are_the_doubles_of_python(scope: Scope) -> None:
    for text in ("0.1", "0.1 + 0.2", "0.1*3.0", "0.1/0.3", "1.1**2", "2.0/3.0/7.0", "-0.7 - 1e-3"):
        assert float(parse_expression(text, scope)) == eval(text)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_has_the_values_of_its_symbol(name: str) -> None:
    # SciPy's or NumPy's values beside SymPy's own
    function = FUNCTIONS[name]
    arguments = [1.5, 0.75][-function.arguments :] if name != "acosh" else [1.75]
    symbolic = function.symbolic(*(sp.Float(a, 30) for a in arguments))
    assert float(symbolic.evalf(30)) == pytest.approx(float(function.numeric(*arguments)), rel=1e-13)


def test_a_constant_may_be_shadowed() -> None:
    e = sp.Symbol("e")
    assert parse_expression("e*pi", Scope((e,), parameters={"pi": sp.Integer(3)})) == 3 * e


def test_without_time_all_coordinates_are_of_space() -> None:
    v = sp.Function("v")(x, t)
    assert parse_equation("laplacian(v)", Scope((x, t), None, (v,))) == v.diff(x, 2) + v.diff(t, 2)


class Slope(sp.Function):  # type: ignore[misc]
    """Stands for the derivative along a normal."""


def test_the_normal_derivative_is_what_the_scope_says(scope: Scope) -> None:
    hooked = Scope((x, y, t), t, (u,), {}, Slope)
    for text in ("dn(u) + u", "dn(u, 2) + u", "x*dn(dx(u))"):
        assert print_equation(parse_equation(text, hooked), hooked) == text
    assert parse_equation("u + dn(u, 2)", hooked) == u + Slope(u, 2)
    with pytest.raises(TextError, match=r"dn.*normal.*conditions only"):
        parse_equation("dn(u)", scope)
    with pytest.raises(TextError, match=r"at most order 8.*order 9"):
        parse_equation("dn(dx(u), 8)", hooked)


def test_lines_may_be_broken(scope: Scope) -> None:
    assert parse_expression("x +\n\t y", scope) == x + y


def test_greek_names() -> None:
    theta = sp.Symbol("θ")
    assert parse_expression("sin(θ)", Scope((theta,))) == sp.sin(theta)


def test_an_error_survives_pickling(scope: Scope) -> None:
    with pytest.raises(TextError) as caught:
        parse_expression("x + zz", scope)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value)
    assert (copy.line, copy.column) == (1, 5)


def test_scipy_agrees_on_the_half() -> None:
    # heaviside(0) is 1/2 in SymPy and here
    assert FUNCTIONS["heaviside"].numeric(0.0) == 0.5 == float(sp.Heaviside(0))
    assert special.gamma(5) == 24
