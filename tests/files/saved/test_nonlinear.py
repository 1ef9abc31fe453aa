"""Solutions of nonlinear problems, kept in files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x = sp.Symbol("x")
u = sp.Function("u")(x)


@pytest.fixture
def solution() -> fs.Solution:
    problem = fs.Problem(u.diff(x, 2) - u**3, fs.Interval(0, 1), [fs.Dirichlet(1)])
    linear = problem.linearised(1)
    found = fs.solve(
        linear, features=fs.FrequencyShift(30, mu=(1, 4)), points=fs.Points(interior=60, boundary=1), rng=0
    )
    return replace(found, problem=problem)


def test_loaded(solution: fs.Solution, tmp_path: Path) -> None:
    solution.save(tmp_path / "it.fspielm")
    loaded = fs.load(tmp_path / "it.fspielm")
    points = np.linspace(0, 1, 20)[:, None]
    assert not loaded.problem.is_linear
    np.testing.assert_array_equal(loaded(points), solution(points))
    np.testing.assert_array_equal(loaded.residual(points), solution.residual(points))


def test_the_residual_is_drawn(solution: fs.Solution) -> None:
    (axes,) = solution.plot_residual().axes
    assert "root mean square" in axes.get_title()
