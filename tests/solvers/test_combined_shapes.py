"""Combined, moved and rotated shapes through the automatic solver."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y, z = sp.symbols("x y z")
EXACT = sp.exp(x - y**2) + sp.sin(3 * x * y)


def laplace(u: sp.Expr) -> sp.Expr:
    return -u.diff(x, 2) - u.diff(y, 2)


SHAPES: dict[str, Callable[[], Any]] = {
    "hole": lambda: fs.Box((0, 0), (1, 1)) - fs.Disk((0.4, 0.6), 0.25),
    "bite": lambda: fs.Box((0, 0), (1, 1)) - fs.Disk((0.5, 0), 0.25),  # cuts one side in two
    "turned": lambda: (fs.Box((0, 0), (1, 0.5)) | fs.Disk((1, 0.25), 0.25)).rotated(0.5),
}


@pytest.mark.parametrize("shape", ["hole", pytest.param("bite", marks=pytest.mark.slow), "turned"])
def test_poisson_with_a_solution_that_is_not_separable(shape: str, manufacture: Any) -> None:
    case = manufacture(laplace, EXACT, SHAPES[shape](), (x, y))
    solution = fs.solve(case.problem, rng=1)
    assert solution.converged
    assert case.error(solution) <= 1e-8


def test_mixed_conditions_on_named_parts() -> None:
    domain = fs.Box((0, 0), (1, 1)) - fs.Disk((0.5, 0.5), 0.25, name="hole")
    u = sp.Function("u")(x, y)
    radius = sp.sqrt((x - sp.Rational(1, 2)) ** 2 + (y - sp.Rational(1, 2)) ** 2)
    # outward is toward the center of the hole
    slope = -(EXACT.diff(x) * (x - 0.5) + EXACT.diff(y) * (y - 0.5)) / radius
    problem = fs.Problem(
        sp.Eq(laplace(u), laplace(EXACT)),
        domain,
        [fs.Dirichlet(EXACT, on=["x-", "x+", "y-", "y+"]), fs.Neumann(slope, on="hole.circle")],
    )
    solution = fs.solve(problem, rng=1)
    points = domain.sample(2000, np.random.default_rng(3))
    exact = sp.lambdify((x, y), EXACT)(*points.T)
    assert solution.converged
    assert abs(solution(points) - exact).max() <= 1e-8 * abs(exact).max()


@pytest.mark.slow
def test_laplace_in_a_notched_cube(manufacture: Any) -> None:
    domain = fs.Box((0, 0, 0), (1, 1, 1)) - fs.Box((0.5, 0.5, 0.5), (2, 2, 2))
    exact = sp.exp(x) * sp.sin(y + z / 2) * sp.Rational(1, 2) + x * y * z
    case = manufacture(lambda u: laplace(u) - u.diff(z, 2), exact, domain, (x, y, z))
    solution = fs.solve(case.problem, tol=1e-5, rng=1)
    assert solution.converged
    assert case.error(solution) <= 1e-5
