"""Identities are seen, and what only looks like one is not."""

from __future__ import annotations

import pytest
import sympy as sp

from fspielm.expr import is_multiple, is_zero

x, y, h = sp.symbols("x y h")
real = sp.Symbol("x", real=True)
f = sp.Function("f")
NESTED = sp.sqrt(1 + sp.sqrt(1 + sp.sqrt(x**2 + y**2 + 1)))
STEEP = sp.tanh(10**6 * (x - sp.Rational(1, 2)))
SUM = sum((sp.tanh(s * (x - y / s)) for s in (3, 50, 700, 9000, 10**6)), sp.Integer(6))


@pytest.mark.parametrize(
    "zero",
    [
        (x + 1) ** 2 - x**2 - 2 * x - 1,
        (x + y + 1) ** 1000 * (x - 1) - x * (x + y + 1) ** 1000 + (1 + y + x) ** 1000,
        (x + 0.5) ** 2 - x**2 - x - 0.25,
        sp.sin(x) ** 2 + sp.cos(x) ** 2 - 1,
        sp.sin(1) ** 2 + sp.cos(1) ** 2 - 1,
        sp.sin(2 * x) - 2 * sp.sin(x) * sp.cos(x),
        1 + sp.tan(x) ** 2 - sp.sec(x) ** 2,
        1 / sp.cot(x) - sp.sin(x) * sp.csc(sp.pi / 2 - x),
        sp.cosh(x) ** 2 - sp.sinh(x) ** 2 - 1,
        sp.tanh(x) - (sp.exp(2 * x) - 1) / (sp.exp(2 * x) + 1),
        sp.exp(x + y) - sp.exp(x) * sp.exp(y),
        sp.exp(-((x - 1) ** 2)) - sp.exp(-(x**2)) * sp.exp(2 * x) / sp.E,
        sp.exp(sp.exp(x) + sp.exp(y)) - sp.exp(sp.exp(x)) * sp.exp(sp.exp(y)),
        sp.exp(sp.sin(x) ** 2) * sp.exp(sp.cos(x) ** 2) - sp.E,
        sp.cos(x) + sp.I * sp.sin(x) - sp.exp(sp.I * x),
        (sp.sqrt(x + 1) - 1) * (sp.sqrt(x + 1) + 1) - x,
        (x ** sp.Rational(1, 3) - 1) * (x ** sp.Rational(2, 3) + x ** sp.Rational(1, 3) + 1) - x + 1,
        (x ** sp.Rational(1, 4) - 1) * (x ** sp.Rational(1, 4) + 1) - sp.sqrt(x) + 1,
        (x + 1) * x**h - x ** (h + 1) - x**h,
        sp.Abs(real) * sp.sign(real) - real,
        (1 + sp.Heaviside(x)) * (1 - sp.Heaviside(x)) - 1 + sp.Heaviside(x),
        sp.Piecewise((x**2 - 1, x < y), (0, True)) - (x - 1) * sp.Piecewise((x + 1, x < y), (0, True)),
        sp.Piecewise((0, sp.And(x < y, sp.Ne(x, 0))), (x**2 - x * x * sp.E / sp.exp(1), True)),
        sp.besselj(0, (x + 1) ** 2) - sp.besselj(0, x**2 + 2 * x + 1),
        f(x) * (x + 1) - x * f(x) - f(x),
    ],
)
def test_identities_are_seen(zero: sp.Expr) -> None:
    assert is_zero(zero)


@pytest.mark.parametrize(
    "a",
    [
        NESTED,
        STEEP,
        SUM,
        NESTED * SUM,
        # it takes SymPy seconds to differentiate and expand these
        pytest.param(sp.exp(STEEP * SUM) / NESTED, marks=pytest.mark.slow),
        pytest.param(sp.erf(NESTED), marks=pytest.mark.slow),
    ],
)
def test_mixed_derivatives_commute(a: sp.Expr) -> None:
    assert is_zero(a.diff(x).diff(y).expand() - a.diff(y).diff(x))
    assert not is_zero(a.diff(x))


@pytest.mark.parametrize(
    "something",
    [
        x,
        sp.sqrt(x**2) - x,
        sp.Abs(real) - real,
        sp.Abs(1 + sp.I * real) ** 2 - (1 + sp.I * real) ** 2,
        sp.sqrt(x) * sp.sqrt(y) - sp.sqrt(x * y),
        1 - STEEP**2,  # zero to every double, but close to x = 1/2
        (1 - STEEP**2) * (1 - sp.tanh(10**6 * (x - sp.Rational(1, 3))) ** 2),
        sp.exp(-(10**8) * x**2),
        1e-30 * x,
        sp.sin(x) - x,
        sp.besselj(0, x) - sp.besselj(1, x),
        f(x) - f(y),
        sp.Heaviside(x - 2),
        sp.Max(0, x - 5),
        sp.Piecewise((0, x < 1), (0, y < 1), (0, x < 2), (1, y < 2), (0, True)),
        x - real,
        sp.sqrt(2) - sp.Float(2**0.5),
        sp.oo * x,
        sp.zoo * x,
        sp.Integral(sp.exp(-(h**2)), (h, 0, 1)),
        sp.Float("1e-5000") * x,
    ],
)
def test_what_is_no_identity_is_not(something: sp.Expr) -> None:
    assert not is_zero(something)


THIRD = sp.Rational(1, 3)


@pytest.mark.parametrize(
    "something",
    [
        (x**3) ** THIRD - x,
        (real**3) ** THIRD - real,
        2 + sp.Integer(-8) ** THIRD,
        (x**5) ** (THIRD * 3 / 5) - x,
        (x**9) ** (1 / sp.Integer(9)) - x,
        (x**11) ** (1 / sp.Integer(11)) - x,
        sp.exp(sp.I * x) ** THIRD - sp.exp(sp.I * x / 3),
        ((x**4) ** (THIRD * 3 / 4) - x) * ((x**4) ** (THIRD * 3 / 4) + x * sp.I),
        (x**THIRD * y**THIRD) - (x * y) ** THIRD,
        sp.Pow(sp.Pow(x, h), y) - x ** (h * y),
        sp.Abs(sp.sqrt(x)) ** 2 - x,
        sp.Abs(sp.log(x)) ** 2 - sp.log(x) ** 2,
        sp.sign(sp.sqrt(x)) ** 2 - 1,
        sp.log(x * y) - sp.log(x) - sp.log(y),
        sp.atan(sp.tan(x)) - x,
        sp.acos(sp.cos(x)) - x,
        (sp.sqrt(x**2) - x) * (sp.exp(sp.sqrt(x**2)) - sp.exp(x)),
        sp.sqrt(1 + sp.sqrt(x**2)) - sp.sqrt(1 + x),
    ],
    ids=str,
)
def test_principal_values_alone_decide(something: sp.Expr) -> None:
    """Each of them is zero for positive arguments, and not for some others."""
    for shift in range(6):  # elsewhere the random places are others
        assert not is_zero(something.subs(x, x + shift))


@pytest.mark.parametrize(
    "zero",
    [
        (1 + x**THIRD) ** 3 - 1 - 3 * x**THIRD - 3 * x ** (2 * THIRD) - x,
        sp.sqrt(x) * x**THIRD - x ** sp.Rational(5, 6),
        sp.Integer(-1) ** THIRD * x - x * sp.Integer(-1) ** sp.Rational(-2, 3) * -1,
        x ** sp.Rational(1, 100) * x ** sp.Rational(1, 50) * (1 + x)
        - x ** sp.Rational(3, 100)
        - x ** sp.Rational(103, 100),
        sp.Abs(sp.tanh(x) - y) ** 2 - (sp.tanh(x) - y) ** 2,
    ],
    ids=str,
)
def test_identities_of_principal_values_are_seen(zero: sp.Expr) -> None:
    assert is_zero(zero)


def test_more_roots_than_can_be_tried_are_not_decided() -> None:
    roots = sp.Add(*(sp.sqrt(x + n) for n in range(20)))
    assert not is_zero(roots)
    assert not is_zero((roots - 1) * (roots + 1) - sp.expand((roots - 1) * (roots + 1)))


def test_an_expression_too_deep_to_walk_is_not_decided() -> None:
    deep = x
    for _ in range(300):
        deep = sp.sin(deep)
    assert not is_zero(deep)


@pytest.mark.parametrize(
    ("above", "below", "expected"),
    [
        (sp.pi * (x + 1) ** 2, x**2 + 2 * x + 1, True),
        (2 * SUM, SUM, True),
        (sp.S.Zero, x, True),
        (4 * f(x), f(x), True),
        (x, y, False),
        (sp.S.One, x, False),
        (x, sp.S.Zero, False),
        (sp.Abs(real), real, False),
        (STEEP, 2 + STEEP, False),
        (sp.oo * x, x, False),
    ],
)
def test_multiples(above: sp.Expr, below: sp.Expr, expected: bool) -> None:
    assert is_multiple(above, below) is expected
