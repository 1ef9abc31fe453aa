"""A callable that jumps between the places at which it is looked at."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.arrays import FloatArray

x = sp.Symbol("x")
u, f = sp.Function("u")(x), sp.Function("f")(x)
PLACES = np.linspace(0, 1, 2001)[:, None]


@pytest.mark.filterwarnings("ignore::fspielm.AccuracyWarning")
@pytest.mark.parametrize(
    ("place", "height"), [(0.18, 1.0), (0.42, 5.0), (0.46, 0.3), (0.54, 0.3), (0.62, 1.0), (0.82, 1.0)]
)
def test_the_estimate_is_no_less_than_the_error_wherever_a_source_jumps(place: float, height: float) -> None:
    def exact(points: FloatArray) -> FloatArray:
        return np.sin(3 * points[:, 0]) + height * np.maximum(points[:, 0] - place, 0) ** 2 / 2

    def source(points: FloatArray) -> FloatArray:
        return 9 * np.sin(3 * points[:, 0]) - height * (points[:, 0] > place)

    end = float(exact(np.array([[1.0]]))[0])
    conditions = [fs.Dirichlet(0, on="x-"), fs.Dirichlet(end, on="x+")]
    problem = fs.Problem(sp.Eq(-u.diff(x, 2), f), fs.Interval(0, 1), conditions, given={f: source})
    solution = fs.solve(problem, tol=3e-3, rng=0)
    error = np.linalg.norm(solution(PLACES) - exact(PLACES)) / np.linalg.norm(exact(PLACES))
    assert error <= solution.error_estimate
