"""Errors of a complex unknown whose real and imaginary part are solved for."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
U = sp.Function("u")(x, y)


@pytest.mark.parametrize("share", [*(pytest.param(share, marks=pytest.mark.slow) for share in (1.0, 1e-12)), 1e-5])
def test_parts_are_measured_by_both_of_them(share: float) -> None:
    real, imaginary = sp.exp(x) * sp.cos(2 * y), share * sp.sin(x * y)
    right = real.diff(x, 2) + real.diff(y, 2) + real
    right += sp.I * (imaginary.diff(x, 2) + imaginary.diff(y, 2) - imaginary)
    equation = sp.Eq(U.diff(x, 2) + U.diff(y, 2) + sp.conjugate(U), right)
    problem = fs.Problem(equation, fs.Box((0, 0), (1, 1)), [fs.Dirichlet(real + sp.I * imaginary)])
    solution = fs.solve(problem, tol=1e-10, rng=0)
    points = problem.domain.sample(500, np.random.default_rng(1))
    exact = sp.lambdify((x, y), real + sp.I * imaginary)(*points.T)
    assert solution.converged
    assert solution.error_estimate == solution[U].error_estimate
    assert np.linalg.norm(solution(points) - exact) <= solution.error_estimate * np.linalg.norm(exact)
    assert solution.report.scale == pytest.approx(np.sqrt(np.mean(np.abs(exact) ** 2)), rel=0.1)
