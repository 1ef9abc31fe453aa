"""Sums of waves in many dimensions, found from their frequencies along single axes."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.estimate import find_peaks
from fspielm.expr import make_field

V = sp.symbols("x1:6", real=True)
CUBE = fs.Box([0] * 5, [1] * 5)


def waves(expression: sp.Expr, highest: float = 7.0) -> set[tuple[float, ...]] | None:
    field = make_field(expression, V)
    peaks = find_peaks(field, CUBE, np.full(5, highest), np.random.default_rng(0))
    if peaks is None:
        return None
    assert all(peak.exact for peak in peaks)
    # one of each pair: the sign that makes the first entry positive
    centers = [peak.center.round(9) + 0.0 for peak in peaks]
    return {tuple(c if c[np.argmax(c != 0)] >= 0 else -c) for c in centers}


def test_one_sine_along_every_axis() -> None:
    """Half a period each, which no window could tell from a constant."""
    expected = {tuple(np.pi * row) for row in np.eye(5).round(9)}
    found = waves(sum(sp.sin(sp.pi * v) for v in V))
    assert found is not None
    np.testing.assert_allclose(sorted(found), sorted(expected), atol=1e-8)


def test_waves_aslant_and_a_constant() -> None:
    found = waves(3 + sp.cos(2 * V[0] - 3 * V[3] + 1) + sp.sin(5 * V[4]) / 4)
    assert found is not None
    expected = [(0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 5.0), (2.0, 0.0, 0.0, -3.0, 0.0)]
    np.testing.assert_allclose(sorted(found), expected, atol=1e-8)


@pytest.mark.parametrize(
    "expression",
    [
        sp.exp(V[0]) * sp.sin(V[1]),  # grows
        sp.sin(V[0] * V[1]),  # no sum of waves
        sum(sp.sin((k + 1) * V[0]) for k in range(9)),  # too many along an axis
        sum(sp.sin(V[0] + k * v) for k, v in enumerate(V[1:], 1)) * sp.cos(3 * V[0]) * sp.cos(V[2]) * sp.cos(2 * V[3]),
    ],
)
def test_what_is_no_sum_of_a_few_waves_is_left_alone(expression: sp.Expr) -> None:
    assert waves(expression) is None


@pytest.mark.slow
def test_poisson_in_five_dimensions() -> None:
    u = sp.Function("u")(*V)
    exact = sum(sp.sin((1 + k % 2) * sp.pi * v) for k, v in enumerate(V))
    equation = sp.Eq(-sum(u.diff(v, 2) for v in V), -sum(exact.diff(v, 2) for v in V))
    solution = fs.solve(fs.Problem(equation, CUBE, [fs.Dirichlet(exact)]), rng=0)
    assert solution.converged
    points = np.random.default_rng(1).random((200, 5))
    np.testing.assert_allclose(solution(points), make_field(exact, V)(points), atol=1e-9)


def test_nothing_along_any_chord() -> None:
    ball = sp.Piecewise((1, sum((v - sp.Rational(1, 2)) ** 2 for v in V) < sp.Rational(1, 10**4)), (0, True))
    assert waves(ball) is None
