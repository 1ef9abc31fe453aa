"""Features for the right-hand side beside features that satisfy the equation, by hand."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from scipy.special import jn_zeros

import fspielm as fs
from fspielm.collocation import allot_conditions
from fspielm.solvers.by_hand import default_points

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)


def helmholtz(kappa: float, source: sp.Expr, data: sp.Expr, domain: fs.Box | fs.Disk) -> fs.Problem:
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + kappa**2 * u, source)
    return fs.Problem(equation, domain, [fs.Dirichlet(data)])


def clouds(neurons: int, width: float, *centers: tuple[float, float]) -> list[fs.Band]:
    return [fs.Band(neurons, (width, width), center=center) for center in centers]


def test_clouds_beside_waves_solve_a_thin_problem() -> None:
    exact = sp.sin(30.2 * x) * sp.cos(25.7 * y) + sp.cos(20 * (0.6 * x + 0.8 * y))
    problem = helmholtz(20.0, exact.diff(x, 2) + exact.diff(y, 2) + 400 * exact, exact, fs.Disk((0, 0), 1))
    features = fs.Joined([fs.Characteristic(90), *clouds(110, 1.5, (30, 26), (30, -26))])
    solution = fs.solve(problem, features=features, tol=1e-6, rng=1)
    points = problem.domain.sample(500, np.random.default_rng(0))
    true = sp.lambdify((x, y), exact)(*points.T)
    error = np.linalg.norm(solution(points) - true) / np.linalg.norm(true)
    assert error < 1e-7
    assert error <= solution.error_estimate < 1e-6


def test_waves_alone_do_not_solve_an_equation_with_a_right_hand_side() -> None:
    problem = helmholtz(20.0, sp.sin(x), sp.S.Zero, fs.Disk((0, 0), 1))
    both = fs.Joined([fs.Characteristic(50), fs.Characteristic(20)])
    with pytest.raises(fs.ProblemError, match=r"right-hand side.*zero; got sin\(x"):
        fs.solve(problem, features=both)


def test_points_are_those_of_the_parts_together() -> None:
    problem = helmholtz(20.0, sp.sin(x), sp.S.Zero, fs.Box((0, 0), (1, 1)))
    waves, cloud = fs.Characteristic(60), fs.Band(40, (2, 2), center=(1, 0))
    joined, band = default_points(problem, fs.Joined([waves, cloud])), default_points(problem, cloud)
    assert joined.interior >= band.interior > 0
    counts = [points.counts(problem) for points in (allot_conditions(problem, 60), band, joined)]
    for constraint in problem.constraints:
        assert counts[2][constraint.name] == counts[0][constraint.name] + counts[1][constraint.name]


@pytest.mark.parametrize("seed", range(3))
def test_a_resonance_outside_the_span_is_seen(seed: int) -> None:
    """Within 1e-9 of an eigenvalue of order 20, with features too few to hold its function."""
    kappa = float(jn_zeros(20, 3)[-1]) * (1 + 1e-9)
    problem = helmholtz(kappa, sp.sin(60.3 * x), sp.S.Zero, fs.Disk((0, 0), 1))
    features = fs.Joined([fs.Characteristic(60), *clouds(80, 2.0, (60, 0))])
    with pytest.warns(fs.AccuracyWarning):
        solution = fs.solve(problem, features=features, rng=seed)
    assert not solution.converged
    assert solution.error_estimate > 1e-3
