"""Clamped plates: every zero of the biharmonic symbol is a double one."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
EXACT = sp.sin(10 * x + 3) * sp.cos(8 * y)


def bilaplacian(f: sp.Expr) -> sp.Expr:
    return f.diff(x, 4) + 2 * f.diff(x, 2, y, 2) + f.diff(y, 4)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 6))])
def test_a_clamped_plate_with_a_load(seed: int) -> None:
    """With a linear factor, functions at a double zero still satisfy the equation: no probe may be made of them.

    There the gradient of the symbol vanishes, exactly so at some seeds.
    """
    slopes = {"x-": -EXACT.diff(x), "x+": EXACT.diff(x), "y-": -EXACT.diff(y), "y+": EXACT.diff(y)}
    problem = fs.Problem(
        sp.Eq(bilaplacian(u), bilaplacian(EXACT)),
        fs.Box((0, 0), (1, 1)),
        [fs.Dirichlet(EXACT), *(fs.Neumann(slope, on=side) for side, slope in slopes.items())],
    )
    solution = fs.solve(problem, rng=seed)
    points = problem.domain.sample(500, np.random.default_rng(seed))
    exact = sp.lambdify((x, y), EXACT)(*points.T)
    error = np.linalg.norm(solution(points) - exact) / np.linalg.norm(exact)
    assert solution.converged
    assert solution.report.features.startswith("Joined(")
    assert error < 1e-12
    assert error <= solution.error_estimate <= 1e-8
