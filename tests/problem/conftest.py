"""What the tests of equations share: operators applied to expressions by SymPy alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp

from fspielm import Problem
from fspielm.arrays import FloatArray
from fspielm.geometry import Sites


def _values(expression: sp.Expr, coordinates: tuple[sp.Symbol, ...], points: FloatArray) -> FloatArray:
    """Point by point and at 30 digits: nothing of the package takes part."""
    return np.array(
        [float(expression.xreplace(dict(zip(coordinates, map(sp.Float, p), strict=True))).evalf(30)) for p in points]
    )


@pytest.fixture
def values() -> Callable[[sp.Expr, tuple[sp.Symbol, ...], FloatArray], FloatArray]:
    """An expression at points."""
    return _values


@pytest.fixture
def residual() -> Callable[[Problem, sp.Expr, FloatArray], FloatArray]:
    """What a problem's operator and right-hand side make of a trial function: ``operator(v) - rhs``."""

    def compute(problem: Problem, trial: sp.Expr, points: FloatArray) -> FloatArray:
        total = -problem.right_hand_side(points)
        for term in problem.operator.terms:
            derivative = trial
            for symbol, order in zip(problem.coordinates, term.orders, strict=True):
                derivative = derivative.diff(symbol, order) if order else derivative
            total += term.at(Sites(points)) * _values(derivative, problem.coordinates, points)
        return total

    return compute
