"""The cells that a problem is begun with."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.estimate.bands import decays_at

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)


def medium(k: float) -> tuple[fs.Problem, sp.Expr]:
    exact = sp.sin(k * (x + y**2 / 2))

    def operator(v: sp.Expr) -> sp.Expr:
        return v.diff(x, 2) + v.diff(y, 2) + (k * (1 + x / 4)) ** 2 * v

    domain = fs.Box((0, 0), (1, 1))
    return fs.Problem(sp.Eq(operator(u), operator(exact)), domain, [fs.Dirichlet(exact)]), exact


@pytest.mark.parametrize("tol", [1e-3, 1e-5, 1e-7])
def test_a_medium_that_varies_takes_one_round(tol: float) -> None:
    problem, exact = medium(20)
    solution = fs.solve(problem, tol=tol, approach="patches", rng=1)
    assert solution.converged
    assert len(solution.report.rounds) == 1
    points = problem.domain.sample(300, np.random.default_rng(0))
    known = sp.lambdify((x, y), exact)(*points.T)
    assert np.linalg.norm(solution(points) - known) < tol * np.linalg.norm(known)


def test_few_digits_take_fewer_cells() -> None:
    problem, _ = medium(22)
    loose, tight = (fs.solve(problem, tol=tol, approach="patches", rng=1) for tol in (1e-3, 1e-7))
    assert loose.report.cells is not None
    assert tight.report.cells is not None
    assert loose.report.cells < tight.report.cells


SQUARE = fs.Box((0, 0), (1, 1))
MANY_HOLES = SQUARE - fs.Disk((0.3, 0.3), 0.08)
for place in [(0.7, 0.3), (0.5, 0.5), (0.3, 0.7), (0.7, 0.7), (0.5, 0.15)]:
    MANY_HOLES -= fs.Disk(place, 0.08)
LAYER = sp.exp(-30 * x) + sp.exp(30 * (y - 1))
STEEP = sp.sin(3 * x) * sp.exp(y) + sp.log((x - 0.3) ** 2 + (y - 0.3) ** 2)


@pytest.mark.parametrize(
    ("operator", "exact", "domain"),
    [
        (lambda v: v.diff(x, 2) + v.diff(y, 2) - 900 * v, LAYER, SQUARE - fs.Disk((0.6, 0.55), 0.2)),
        (lambda v: v.diff(x, 2) + v.diff(y, 2) - 20 * v.diff(x), sp.exp(20 * (x - 1)) + y, SQUARE),
        (lambda v: v.diff(x, 2) + v.diff(y, 2) + v, STEEP, MANY_HOLES),
    ],
    ids=["layers", "flow", "holes"],
)
def test_layers_and_many_holes_take_one_round_for_few_digits(
    operator: Callable[[sp.Expr], sp.Expr], exact: sp.Expr, domain: fs.Domain
) -> None:
    problem = fs.Problem(sp.Eq(operator(u), sp.simplify(operator(exact))), domain, [fs.Dirichlet(exact)])
    solution = fs.solve(problem, tol=1e-3, rng=1)
    assert solution.converged
    assert len(solution.report.rounds) == 1
    points = domain.sample(300, np.random.default_rng(0))
    known = sp.lambdify((x, y), exact)(*points.T)
    error = np.linalg.norm(solution(points) - known) / np.linalg.norm(known)
    assert error <= solution.error_estimate <= 1e-3


def test_a_clamped_plate_takes_cells_at_its_corners_at_once() -> None:
    loaded = u.diff(x, 4) + 2 * u.diff(x, 2, y, 2) + u.diff(y, 4)
    problem = fs.Problem(sp.Eq(loaded, 1), SQUARE, [fs.Dirichlet(0), fs.Neumann(0)])
    loose, tight = (fs.solve(problem, tol=tol, approach="patches", rng=1) for tol in (1e-3, 1e-6))
    assert loose.converged
    assert len(loose.report.rounds) == 1
    # Timoshenko: the deflection in the middle
    assert tight(np.array([[0.5, 0.5]])) == pytest.approx(0.00126532, rel=1e-5)
    points = SQUARE.sample(300, np.random.default_rng(0))
    assert np.linalg.norm(loose(points) - tight(points)) <= loose.error_estimate * np.linalg.norm(tight(points))


def test_how_fast_solutions_decay() -> None:
    problem = fs.Problem(
        sp.Eq(u.diff(x, 2) + 4 * u.diff(y, 2) - 30 * u.diff(x) - 100 * u, 1), SQUARE, [fs.Dirichlet(0)]
    )
    _, decays = decays_at(problem)
    # roots of z^2 - 30 z - 100 and of 4 z^2 - 100
    np.testing.assert_allclose(decays, np.tile([15 + np.sqrt(325), 5], (len(decays), 1)), rtol=1e-9)
