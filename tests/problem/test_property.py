"""Random linear operators: what is read agrees with SymPy, and with the features the solver applies it to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from fspielm.basis import RidgeBasis, Sinusoid
from fspielm.geometry import Box, Sites
from fspielm.problem import Unknown
from fspielm.problem.linear import read_equation
from fspielm.problem.setting import Setting
from fspielm.problem.substitutions import Substitutions

COORDINATES = sp.symbols("x y z")
small = st.integers(-3, 3)


@st.composite
def polynomials(draw: Any, coordinates: tuple[sp.Symbol, ...]) -> sp.Expr:
    monomials = [sp.S.One, *coordinates, coordinates[0] * coordinates[-1], coordinates[0] ** 2]
    return sp.Add(*(draw(small) * m for m in monomials))


@st.composite
def statements(draw: Any) -> tuple[tuple[sp.Symbol, ...], Callable[[sp.Expr], sp.Expr], sp.Expr]:
    """Coordinates, a random linear operator as a function of expressions, and a right-hand side."""
    coordinates = COORDINATES[: draw(st.integers(1, 3))]
    orders = st.tuples(*[st.integers(0, 2)] * len(coordinates))
    count = draw(st.integers(1, 4))
    terms = [(draw(polynomials(coordinates)), draw(orders), draw(st.integers(-1, 2))) for _ in range(count)]
    source = draw(polynomials(coordinates)) * sp.cos(coordinates[0])

    def operator(v: sp.Expr) -> sp.Expr:
        total = v.diff(coordinates[-1], 4)
        for coefficient, along, outer in terms:
            inner = coefficient * v.diff(*zip(coordinates, along, strict=True)) if any(along) else coefficient * v
            # some under a derivative, and of those some left unevaluated
            if 0 <= outer < len(coordinates):
                inner = sp.Derivative(inner, coordinates[outer], evaluate=bool(outer))
            total += inner
        return total

    return coordinates, operator, source


@settings(max_examples=15)
@given(statement=statements(), seed=st.integers(0, 2**16))
def test_reading_agrees_with_sympy_on_random_ridge_functions(statement: Any, seed: int) -> None:
    coordinates, operator, source = statement
    rng = np.random.default_rng(seed)
    dimension = len(coordinates)
    W, b = rng.uniform(-3, 3, (2, dimension)), rng.uniform(-3, 3, 2)
    points = rng.uniform(-1, 1, (3, dimension))

    unknown = sp.Function("u")(*coordinates)
    box = Box((-1,) * dimension, (1,) * dimension)
    setting = Setting((Unknown(unknown, box),), Substitutions(), box)
    equation = read_equation(sp.Eq(operator(unknown), source), setting)
    matrix = RidgeBasis(W, b, Sinusoid(0.0)).matrix(equation.operator, Sites(points))
    got = matrix - equation.value(points)[:, None]

    for j in range(2):
        ridge = sp.cos(sp.Add(*(sp.Float(v) * c for v, c in zip(W[j], coordinates, strict=True))) + sp.Float(b[j]))
        exact = sp.lambdify(coordinates, (operator(ridge) - source).doit())
        expected = [exact(*point) for point in points]
        np.testing.assert_allclose(got[:, j], expected, rtol=1e-10, atol=1e-10)
