"""Unknowns that occur with their conjugates are real pairs inside, and look complex outside."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y", real=True)
u, v = (sp.Function(name)(x, y) for name in "uv")
DISK = fs.Disk((0, 0), 1)
EXACT = sp.exp(sp.I * x * y) * sp.sin(2 * x + y) + sp.I * sp.cos(x - y)


def image(f: sp.Expr) -> sp.Expr:
    return f.diff(x, 2) + f.diff(y, 2) + 9 * f + 2 * sp.I * sp.conjugate(f)


def known(expression: sp.Expr, points: np.ndarray) -> np.ndarray:
    return np.broadcast_to(sp.lambdify((x, y), expression)(*points.T), len(points))


@pytest.fixture
def points() -> np.ndarray:
    return np.random.default_rng(0).uniform(-0.6, 0.6, (50, 2))


@pytest.fixture(scope="module")
def solution() -> fs.Solution:
    return fs.solve(fs.Problem(sp.Eq(image(u), image(EXACT)), DISK, [fs.Dirichlet(EXACT)]), rng=0)


def test_looks_complex(solution: fs.Solution, points: np.ndarray) -> None:
    assert solution.problem.whole is not None
    assert solution.dtype == solution(points).dtype == np.complex128
    assert repr(solution).startswith("Solution(u(x, y), ")
    assert np.abs(solution(points) - known(EXACT, points)).max() < 1e-8
    assert np.abs(solution.diff(x)(points) - known(EXACT.diff(x), points)).max() < 1e-7
    assert np.abs(solution.abs(points) - np.abs(known(EXACT, points))).max() < 1e-8
    assert (
        np.abs(solution.apply(sp.conjugate(u) + x)(points) - np.conj(known(EXACT, points)) - points[:, 0]).max() < 1e-8
    )
    np.testing.assert_allclose(solution[u](points), solution(points), rtol=0, atol=1e-13)
    assert solution.grid(5).values.dtype == np.complex128
    assert list(solution.to_numpy(3)) == ["x", "y", "u"]


def test_the_residual_is_that_of_the_equation_as_written(solution: fs.Solution, points: np.ndarray) -> None:
    residual = solution.residual(points)
    assert residual.shape == (50,)
    assert np.abs(residual).max() < 1e-7
    by_hand = solution.apply(image(u) - image(EXACT))(points)
    assert residual == pytest.approx(by_hand, abs=1e-10)


def test_integrals(solution: fs.Solution) -> None:
    nodes = DISK.quadrature(20_000)
    assert solution.integrate() == pytest.approx(nodes.weights @ known(EXACT, nodes.points), abs=1e-9)
    assert solution.flux() == pytest.approx(solution.integrate(u.diff(x, 2) + u.diff(y, 2)), abs=1e-8)


def test_saved_and_pickled(solution: fs.Solution, points: np.ndarray, tmp_path: Path) -> None:
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(solution))(points), solution(points))
    x, y = sp.symbols("x y")  # what files know
    w, wall = sp.Function("w")(x, y), sp.exp(sp.I * x * y)
    equation = w.diff(x, 2) + w.diff(y, 2) + 9 * w + sp.I * sp.conjugate(w)
    made = fs.solve(fs.Problem(equation, DISK, [fs.Dirichlet(wall)]), rng=0)
    made.save(tmp_path / "it.fspielm")
    loaded = fs.load(tmp_path / "it.fspielm")
    np.testing.assert_array_equal(loaded(points), made(points))
    np.testing.assert_array_equal(loaded.residual(points), made.residual(points))
    again = fs.solve(loaded.problem, rng=0)
    np.testing.assert_array_equal(again.coefficients, made.coefficients)


def test_saved_without_its_statement(points: np.ndarray, tmp_path: Path) -> None:
    wall = fs.Dirichlet(lambda places: np.exp(1j * places[:, 0] * places[:, 1]))
    made = fs.solve(fs.Problem(image(u), DISK, [wall]), rng=0, tol=1e-6)
    with pytest.warns(fs.StorageWarning):
        made.save(tmp_path / "it.fspielm")
    loaded = fs.load(tmp_path / "it.fspielm")
    np.testing.assert_array_equal(loaded(points), made(points))
    assert loaded.dtype == np.complex128
    with pytest.raises(fs.ProblemError, match="the statement was not saved"):
        loaded.residual(points)


def test_of_a_system(points: np.ndarray) -> None:
    equations = [u.diff(x, 2) + u.diff(y, 2) + 9 * u + sp.I * sp.conjugate(v), v.diff(x, 2) + v.diff(y, 2) + 5 * v + u]
    made = fs.solve(fs.Problem(equations, DISK, [fs.Dirichlet({u: sp.exp(sp.I * x), v: sp.sin(x * y)})]), rng=0)
    assert made(points).shape == made.residual(points).shape == (50, 2)
    assert np.abs(made.residual(points)).max() < 1e-8
    assert set(made.report.fields) == {"u", "v"}
    mixed = made.apply(u * sp.conjugate(v))(points)
    assert mixed == pytest.approx(made[u](points) * np.conj(made[v](points)), abs=1e-12)
    with pytest.raises(fs.ProblemError, match=r"solution\[u\]\.diff\(x\)"):
        made.diff(x)


def test_prepared(points: np.ndarray) -> None:
    prepared = fs.prepare(fs.Problem(sp.Eq(image(u), image(EXACT)), DISK, [fs.Dirichlet(EXACT)]), rng=0)
    other = sp.cos(x * y) + sp.I * sp.sin(x - y) * sp.exp(x / 3)
    found = prepared.solve(image(other), {"dirichlet": other})
    assert found.converged
    assert np.abs(found(points) - known(other, points)).max() < 1e-8
