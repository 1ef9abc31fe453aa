"""How many periodic functions an operator makes zero, against factored polynomials."""

from __future__ import annotations

from typing import Any

import pytest
import sympy as sp

import fspielm as fs
from fspielm.problem.wellposed import periodic_solutions

x = sp.Symbol("x")
u = sp.Function("u")(x)
w = 2 * sp.pi / 3


@pytest.mark.parametrize(
    ("equation", "expected"),
    [
        (u.diff(x), 1),
        (u.diff(x, 2), 1),  # a double zero: x is not periodic
        (u.diff(x, 2) + u, 0),
        (u.diff(x, 2) - w**2 * u, 0),
        (u.diff(x, 2) + (2 * w) ** 2 * u, 2),
        (u.diff(x, 3) + w**2 * u.diff(x), 3),
        (u.diff(x, 4) + 5 * w**2 * u.diff(x, 2) + 4 * w**4 * u, 4),
        (u.diff(x, 2) + 2 * u.diff(x) + (1 + w**2) * u, 0),  # it decays
        (sp.exp(x) * (u.diff(x, 2) + w**2 * u), 2),
        ((2 + sp.sin(x)) * u.diff(x, 2) + u.diff(x), 1),
        ((2 + sp.sin(x)) * u.diff(x, 2) + u, 0),
    ],
    ids=str,
)
def test_counted(equation: Any, expected: int) -> None:
    ends = [fs.Measured([[0.1 * i] for i in range(4)], 0)]
    operator = fs.Problem(equation, fs.Interval(0, 3), ends).operator
    assert periodic_solutions(operator, 3.0) == expected


@pytest.mark.parametrize(
    ("equation", "factor", "expected"),
    [
        (u.diff(x), -1.0, 0),
        (u.diff(x) - 2 * u, sp.exp(6), 1),
        (u.diff(x, 2) + u, sp.exp(3 * sp.I), 1),
        (u.diff(x, 2) + (w / 2) ** 2 * u, -1.0, 2),
        ((2 + sp.sin(x)) * u.diff(x, 2) + u.diff(x), -1.0, 0),
    ],
    ids=str,
)
def test_counted_with_a_factor(equation: Any, factor: Any, expected: int) -> None:
    ends = [fs.Measured([[0.1 * i] for i in range(4)], 0)]
    operator = fs.Problem(equation, fs.Interval(0, 3), ends).operator
    assert periodic_solutions(operator, 3.0, complex(factor)) == expected


def test_a_pinned_period_is_solved() -> None:
    k = 2 * sp.pi
    equation = sp.Eq(u.diff(x, 2), -(k**2) * sp.sin(k * x))
    solution = fs.solve(fs.Problem(equation, fs.Interval(0, 1), [fs.Periodic("x"), fs.Dirichlet(3, on="x-")]), rng=0)
    assert solution.converged
    assert solution([[0.25]])[0] == pytest.approx(4.0, abs=1e-8)
