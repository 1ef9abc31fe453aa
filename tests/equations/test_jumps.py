"""A coefficient that jumps under a derivative is refused, not silently read without its jump."""

from __future__ import annotations

import pytest
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
u = sp.Function("u")(x)
v = sp.Function("u")(x, y)
ENDS = [fs.Dirichlet(0, on="x-"), fs.Dirichlet(1, on="x+")]


def on_interval(equation: sp.Expr) -> fs.Problem:
    return fs.Problem(equation, fs.Interval(0, 1), ENDS)


@pytest.mark.parametrize(
    "a",
    [
        sp.Piecewise((1, x < 0.5), (10, True)),
        1 + sp.Heaviside(x - 0.5),
        2 + sp.sign(x - 0.3),
        1 + sp.floor(2 * x),
        sp.Piecewise((1, sp.sin(x) + x < 0.5), (2, True)),  # where it jumps, SymPy cannot say
    ],
)
def test_a_jumping_flux_is_refused(a: sp.Expr) -> None:
    with pytest.raises(fs.ProblemError, match=r"jumps; what happens there is lost .* tanh.*, or split the domain"):
        on_interval((a * u.diff(x)).diff(x))


def test_in_two_dimensions() -> None:
    a = sp.Piecewise((1, x + y < 1), (3, True))
    flux = (a * v.diff(x)).diff(x) + (a * v.diff(y)).diff(y)
    with pytest.raises(fs.ProblemError, match="jumps"):
        fs.Problem(flux, fs.Box((0, 0), (1, 1)), [fs.Dirichlet(0)])


@pytest.mark.parametrize(
    "equation",
    [
        (sp.Piecewise((1, x < 0.5), (x + sp.Rational(1, 2), True)) * u.diff(x)).diff(x),  # a kink, not a jump
        u.diff(x, 2) + sp.Piecewise((1, x < 0.5), (9, True)) * u,
        u.diff(x, 2) + sp.Heaviside(x - 0.5) * u.diff(x),
        sp.Eq(u.diff(x, 2), sp.Heaviside(x - 0.5)),
    ],
)
def test_what_loses_nothing_is_taken(equation: sp.Basic) -> None:
    on_interval(equation)
