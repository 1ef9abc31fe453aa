"""Real and imaginary parts of expressions, by rules."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from fspielm.expr import complex_parts, make_field

x, y = sp.symbols("x y")
i = sp.I
POINTS = np.random.default_rng(0).uniform(-1, 1, (40, 2))


@pytest.mark.parametrize(
    "expression",
    [
        x * y,
        i * x,
        3 + 2 * i,
        (x + i * y) ** 3,
        (x + i * y) ** 13,
        1 / (2 + x + i * y) ** 2,
        x / (3 - i),
        sp.exp(i * x * y - x) * (1 + i * y),
        sp.sin(x + i * y),
        sp.cos(i * x - y) * sp.sinh(y + i * x),
        sp.cosh(2 * x - i * y) + sp.exp(x),
        sp.Abs(x + i * y + 1),
        sp.re(x + i * sp.sin(y)),
        sp.conjugate(sp.exp(i * x * y)),
        sp.Piecewise((i * x, x > 0.3), (y, True)) * (1 + i),
        sp.exp(sp.exp(i * x)),
    ],
    ids=str,
)
def test_they_make_up_the_whole(expression: sp.Expr) -> None:
    parts = complex_parts(expression)
    assert parts is not None
    assert not any(part.has(sp.I) for part in parts)
    whole, real, imaginary = (make_field(e, (x, y))(POINTS) for e in (expression, *parts))
    assert not np.iscomplexobj(real)
    assert not np.iscomplexobj(imaginary)
    np.testing.assert_allclose(real + 1j * imaginary, whole, rtol=1e-12, atol=1e-13)


def test_what_is_real_stays_as_it_is() -> None:
    expression = sp.sqrt(x) * sp.besselj(0, y)
    assert complex_parts(expression) == (expression, 0)


@pytest.mark.parametrize(
    "expression", [sp.sqrt(i + x), sp.log(i + x), (i + x) ** y, sp.besselj(0, x + i), i**x], ids=str
)
def test_no_rule_no_parts(expression: sp.Expr) -> None:
    assert complex_parts(expression) is None


def test_it_does_not_take_long() -> None:
    assert complex_parts(sp.Mul(*((x + k * i * y + k) for k in range(1, 40)))) is None
    assert complex_parts((x + i * y) ** 10**6) is None
