"""Factored once, solved for other data: systems, and complex data of real and complex problems."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
u, v, p = (sp.Function(name)(x, y) for name in "uvp")
DISK = fs.Disk((0, 0), 1)


def laplacian(f: sp.Expr) -> sp.Expr:
    return f.diff(x, 2) + f.diff(y, 2)


def flow(stream: sp.Expr, pressure: sp.Expr) -> tuple[dict[sp.Expr, sp.Expr], list[sp.Expr]]:
    """A velocity without divergence, with its pressure, and the right-hand sides of Stokes' equations."""
    known = {u: stream.diff(y), v: -stream.diff(x), p: pressure}
    return known, [-laplacian(known[f]) + pressure.diff(s) for f, s in ((u, x), (v, y))] + [sp.Integer(0)]


def values(expression: sp.Expr, points: np.ndarray) -> np.ndarray:
    return np.broadcast_to(sp.lambdify((x, y), expression)(*points.T), len(points))


@pytest.fixture
def points() -> np.ndarray:
    return np.random.default_rng(0).uniform(-0.6, 0.6, (40, 2))


@pytest.fixture(scope="module")
def prepared() -> fs.Prepared:
    known, forces = flow(sp.sin(2 * x + y) * sp.exp(x * y / 2), sp.sin(x - 2 * y) * sp.cos(x * y))
    lefts = [-laplacian(u) + p.diff(x), -laplacian(v) + p.diff(y), u.diff(x) + v.diff(y)]
    equations = [sp.Eq(left, right) for left, right in zip(lefts, forces, strict=True)]
    walls = [fs.Dirichlet({u: known[u], v: known[v]})]
    return fs.prepare(fs.Problem(equations, DISK, walls, unknowns=[u, v, p]), rng=0)


@pytest.mark.parametrize("by", ["kind", "block"])
def test_other_data_of_a_system(prepared: fs.Prepared, points: np.ndarray, by: str) -> None:
    known, forces = flow(sp.cos(x - y) * sp.exp(x * y / 3), sp.sin(x + x * y))
    blocks = {"dirichlet circle u": known[u], "dirichlet circle v": known[v]}
    solution = prepared.solve(forces, {"dirichlet": {u: known[u], "v": known[v]}} if by == "kind" else blocks)
    assert solution.converged
    for unknown in (u, v):
        assert np.abs(solution[unknown](points) - values(known[unknown], points)).max() < 1e-8
    assert set(solution.report.fields) == {"u", "v", "p"}
    assert solution.report.fields["u"].error_estimate == solution.estimate.fields[0].relative
    if by == "kind":
        # what is stated is what was solved
        restated = fs.Problem(list(solution.problem.statement.equations), DISK, list(solution.problem.conditions))
        again = fs.solve(restated, rng=0)
        assert np.abs(again[u](points) - solution[u](points)).max() < 1e-8


def test_some_unknowns_keep_their_values(prepared: fs.Prepared) -> None:
    stated = prepared.problem.conditions[0].value
    renewed = prepared.solve(values={"dirichlet": {u: stated[u]}}).problem
    assert [dict(condition.value) for condition in renewed.conditions] == [{u: stated[u]}, {v: stated[v]}]
    places = np.random.default_rng(0).uniform(-1, 1, (5, 2))
    for one, other in zip(renewed.constraints, prepared.problem.constraints, strict=True):
        np.testing.assert_array_equal(one.value(places), other.value(places))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (((0, 0), None), r"right_hand_side.*of 3.*\(0, 0\)"),
        ((1, None), r"right_hand_side.*list of 3"),
        ((None, {"dirichlet": {"q": 1}}), r"values:.*q, which is no unknown"),
        ((None, {"neumann": 1}), "values names 'neumann'"),
    ],
)
def test_refuses_other_shapes(prepared: fs.Prepared, data: tuple[object, object], message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        prepared.solve(*data)  # type: ignore[arg-type]


WAVE = sp.exp(sp.I * x * y / 2) * sp.cos(x + 2 * y)


def test_other_complex_data(points: np.ndarray) -> None:
    field, index = sp.exp(sp.I * x * y) * sp.sin(2 * x + y), 9 + sp.I * (2 + x)
    left = laplacian(u) + index * u
    problem = fs.Problem(sp.Eq(left, laplacian(field) + index * field), DISK, [fs.Dirichlet(field)])
    solution = fs.prepare(problem, rng=0).solve(laplacian(WAVE) + index * WAVE, {"dirichlet": WAVE})
    assert solution.converged
    assert np.abs(solution(points) - values(WAVE, points)).max() < 1e-8


@pytest.mark.parametrize("source", [0, sp.sin(3 * x * y)], ids=["without source", "with source"])
def test_complex_data_of_what_was_prepared_with_real_ones(points: np.ndarray, source: sp.Expr) -> None:
    prepared = fs.prepare(
        fs.Problem(sp.Eq(laplacian(u) + 9 * u, source), DISK, [fs.Dirichlet(sp.sin(x + y**2))]), rng=0
    )
    assert prepared.solution.dtype == np.float64
    wave = sp.exp(3 * sp.I * x) + sp.I * sp.exp(sp.I * (2 * x + sp.sqrt(5) * y)) if source == 0 else WAVE
    data = {"values": {"dirichlet": wave}}
    solution = prepared.solve(None if source == 0 else laplacian(wave) + 9 * wave, **data)
    assert solution.dtype == np.complex128
    assert solution.converged
    assert np.abs(solution(points) - values(wave, points)).max() < 1e-8
