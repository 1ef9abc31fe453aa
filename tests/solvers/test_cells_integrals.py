"""Cells with conditions on integrals: what a problem leaves open is pinned by its mean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.basis import evaluate
from fspielm.cells import Patchwork, tile
from fspielm.collocation.nested import NestedQR
from fspielm.geometry import Sites
from fspielm.problem import identity

x, y, t = sp.symbols("x y t")
u, v, p = (sp.Function(name)(x, y) for name in "uvp")
SQUARE = fs.Box((-1, -1), (1, 1))


def laplacian(w: sp.Expr) -> sp.Expr:
    return w.diff(x, 2) + w.diff(y, 2)


def stokes(domain: fs.Domain) -> tuple[fs.Problem, list[sp.Expr]]:
    stream, pressure = sp.sin(3 * x) * sp.cos(2 * y) + x * y**2, sp.sin(4 * x) * y
    first, second = stream.diff(y), -stream.diff(x)
    equations = [
        sp.Eq(-laplacian(u) + p.diff(x), -laplacian(first) + pressure.diff(x)),
        sp.Eq(-laplacian(v) + p.diff(y), -laplacian(second) + pressure.diff(y)),
        sp.Eq(u.diff(x) + v.diff(y), 0),
    ]
    return fs.Problem(equations, domain, [fs.Dirichlet({u: first, v: second})]), [first, second, pressure]


def check(solution: fs.Solution, exact: Sequence[sp.Expr], tol: float) -> None:
    points = solution.problem.domain.sample(500, np.random.default_rng(0))
    known = np.stack([sp.lambdify(solution.problem.coordinates, one)(*points.T) for one in exact], axis=1)
    errors = np.linalg.norm(solution(points) - known, axis=0) / np.linalg.norm(known, axis=0)
    assert solution.converged
    assert solution.error_estimate is not None
    assert errors.max() < solution.error_estimate < tol


@pytest.mark.parametrize("tol", [1e-4, pytest.param(1e-6, marks=pytest.mark.slow)])
def test_a_neumann_problem_of_mean_zero(tol: float) -> None:
    first = sp.cos(11 * sp.pi * x) * sp.cos(sp.pi * y)
    second = sp.cos(sp.pi * x) + first
    equations = [
        sp.Eq(laplacian(u), laplacian(first)),
        sp.Eq(laplacian(v) - v + u, laplacian(second) - second + first),
    ]
    problem = fs.Problem(equations, fs.Box((0, 0), (1, 1)), [fs.Neumann({u: 0, v: 0})])
    solution = fs.solve(problem, approach="patches", rng=1, tol=tol)
    assert solution.report.cells is not None
    assert solution.report.cells > 1
    check(solution, [first, second], tol)


def test_the_pressure_of_a_flow() -> None:
    problem, exact = stokes(SQUARE)
    check(fs.solve(problem, approach="patches", rng=1, tol=1e-6), exact, 1e-6)


def test_a_mean_at_all_times() -> None:
    w, q = (sp.Function(name)(x, t) for name in "wq")
    flow, pressure = sp.sin(x) * sp.cos(t), sp.cos(8 * sp.pi * x) * (1 + t)
    equations = [sp.Eq(w.diff(x), flow.diff(x)), sp.Eq(w.diff(t) + q.diff(x), flow.diff(t) + pressure.diff(x))]
    domain = fs.Interval(0, 1) * fs.Time(0, 1)
    problem = fs.Problem(equations, domain, [fs.Dirichlet({w: flow}, on="x-"), fs.Initial({w: flow.subs(t, 0)})])
    assert any(relation.sum_weights is not None for relation in problem.relations)
    check(fs.solve(problem, approach="patches", rng=1, tol=1e-6), [flow, pressure], 1e-6)


def test_means_at_all_times_follow_the_cells() -> None:
    """However many cells there are along time, and of which lengths: a mean that is not zero would be found."""
    w, q = (sp.Function(name)(x, t) for name in "wq")
    equations = [sp.Eq(w.diff(x), 0), sp.Eq(w.diff(t) + q.diff(x), 1)]
    domain = fs.Interval(0, 1) * fs.Time(0, 1)
    problem = fs.Problem(equations, domain, [fs.Dirichlet({w: 0}, on="x-"), fs.Initial({w: 0})])
    tiling = tile(domain, (2, 16))
    tiling = tiling.halve({3: [0, 1], 8: [1]})
    patchwork = Patchwork(problem, tiling, np.full((len(tiling.cells), 2), 8), (1.0, 1.0), 1)
    factored = NestedQR(patchwork.nested())
    points = domain.sample(200, np.random.default_rng(0))
    basis, coefficients = patchwork.basis.field(problem.names.index("q"), factored.coefficients)
    pressure = evaluate(basis, coefficients, identity(2), Sites(points), threads=1)
    np.testing.assert_allclose(pressure, points[:, 0] - 0.5, atol=1e-10)


@pytest.mark.parametrize("shape", [(1, 1), (2, 1), (3, 2)])
@pytest.mark.parametrize("domain", [SQUARE, fs.Disk((0, 0), 1)], ids=["box", "disk"])
def test_parts_add_up_whatever_the_cells(shape: tuple[int, int], domain: fs.Domain) -> None:
    """Polynomials are met exactly, so the pressure has the mean zero in any number of cells."""
    flow = {u: y**2, v: x**2}
    equations = [
        sp.Eq(-laplacian(u) + p.diff(x), -2 + y),
        sp.Eq(-laplacian(v) + p.diff(y), -2 + x),
        sp.Eq(u.diff(x) + v.diff(y), 0),
    ]
    problem = fs.Problem(equations, domain, [fs.Dirichlet(flow)])
    tiling = tile(domain, shape)
    patchwork = Patchwork(problem, tiling, np.full((len(tiling.cells), 2), 6), (1.0, 1.0, 1.0), 1)
    factored = NestedQR(patchwork.nested(keep=True))
    points = domain.sample(100, np.random.default_rng(0))
    basis, coefficients = patchwork.basis.field(problem.names.index("p"), factored.coefficients)
    pressure = evaluate(basis, coefficients, identity(2), Sites(points), threads=1)
    np.testing.assert_allclose(pressure, np.prod(points, axis=1), atol=1e-9)
    again = factored.solve(patchwork.values(()))
    np.testing.assert_allclose(again, factored.coefficients, atol=1e-9)
