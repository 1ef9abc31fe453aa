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
from fspielm.expressions import Enclosure, Intervals, enclose
from fspielm.expressions.numeric import numeric_function

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
    sp.acot,
    sp.sinh,
    sp.cosh,
    sp.tanh,
    sp.sech,
    sp.csch,
    sp.coth,
    sp.asinh,
    sp.acosh,
    sp.atanh,
    sp.acoth,
    sp.asech,
    sp.acsch,
    sp.asec,
    sp.acsc,
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
        except (ValueError, ArithmeticError, TypeError):  # not defined there; an order of complex numbers
            return complex(np.nan)

    with mpmath.workdps(60):
        return [value(p) for p in points]


NUMBERS = st.sampled_from(
    [sp.Integer(-2), sp.Integer(3), THIRD, sp.Float(0.3), sp.Float(-1.7), sp.pi, sp.Rational(7, 2)]
)
RELATIONS = st.sampled_from([sp.Lt, sp.Le, sp.Gt, sp.Ge, sp.Ne])


def _composed(parts: st.SearchStrategy[sp.Expr]) -> st.SearchStrategy[sp.Expr]:
    two = st.tuples(parts, parts)
    return st.one_of(
        st.tuples(st.sampled_from(UNARY), parts).map(lambda p: p[0](p[1])),
        st.tuples(st.sampled_from([sp.Add, sp.Mul]), two).map(lambda p: p[0](*p[1])),
        st.tuples(st.sampled_from([sp.Max, sp.Min, sp.atan2]), two).map(
            lambda p: p[0](*p[1]) if not any(e.has(sp.I) for e in p[1]) else sp.I
        ),
        st.tuples(two, RELATIONS, NUMBERS).map(lambda p: sp.Piecewise((p[0][0], p[1](x + y, p[2])), (p[0][1], True))),
    )


EXPRESSIONS = st.recursive(st.one_of(st.sampled_from([x, y]), NUMBERS), _composed, max_leaves=6)


@given(EXPRESSIONS, st.integers(0, 10**6))
def test_values_are_inside(expression: sp.Expr, seed: int) -> None:
    assume(not expression.has(sp.I, sp.oo, sp.zoo, sp.nan, sp.re, sp.im, sp.arg))
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
