"""Right-hand sides that a solution ignores count, whatever the rows of its functions are scaled by."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sparse
import sympy as sp
from scipy.sparse.linalg import spsolve

import fspielm as fs

x, y = sp.symbols("x y")
u, f, g = (sp.Function(name)(x, y) for name in "ufg")


WIDTHS = [(1e4, 59), (165, 870), (1e5, 3e3)]
# Inner points of the finite differences along an axis.
FINE = 59


def on_left_of_diagonal(points: np.ndarray) -> np.ndarray:
    return np.where(points[:, 0] < points[:, 1], 1.0, 0.0)


def at_bottom(points: np.ndarray) -> np.ndarray:
    return np.where(points[:, 1] < 1e-9, 1.0, 0.0)


def solve(strength: float, wave: float, widths: tuple[float, float], tol: float) -> fs.Solution:
    """Data that jump at corners, and a right-hand side of a strength, with functions that are far too fast for them."""
    problem = fs.Problem(
        sp.Eq(-u.diff(x, 2) - u.diff(y, 2) - wave * u, f),
        fs.Box((0, 0), (1, 1)),
        [fs.Dirichlet(g)],
        given={f: lambda p: strength * on_left_of_diagonal(p), g: at_bottom},
    )
    points = fs.Points(interior=800, boundary=200)
    return fs.solve(problem, features=fs.Band(200, widths=widths), singular=True, points=points, tol=tol, rng=0)


def finite_differences(strength: float, wave: float, points: np.ndarray) -> np.ndarray:
    """The solution at the inner points of a grid."""
    step = 1 / (FINE + 1)
    second = sparse.diags([2.0, -1.0, -1.0], [0, 1, -1], shape=(FINE, FINE)) / step**2  # type: ignore[call-overload]
    one = sparse.eye(FINE)
    values = strength * on_left_of_diagonal(points).reshape(FINE, FINE)
    values[:, 0] += 1 / step**2
    matrix = sparse.kron(second, one) + sparse.kron(one, second) - wave * sparse.eye(FINE**2)
    return np.asarray(spsolve(matrix.tocsc(), values.ravel()))


@pytest.mark.filterwarnings("ignore::fspielm.AccuracyWarning")
@pytest.mark.parametrize(("widths", "wave"), list(product(WIDTHS, [-3.0, 0.0, 5.0, 12.0])))
def test_what_is_ignored_is_part_of_the_error(widths: tuple[float, float], wave: float) -> None:
    nodes = np.arange(1, FINE + 1) / (FINE + 1)
    points = np.stack(np.meshgrid(nodes, nodes, indexing="ij"), axis=-1).reshape(-1, 2)
    solution = solve(20.0, wave, widths, 1e-2)
    true = finite_differences(20.0, wave, points)
    assert np.linalg.norm(true - finite_differences(0.0, wave, points)) > 0.1 * np.linalg.norm(true)  # it matters
    error = np.linalg.norm(solution(points) - true) / np.linalg.norm(true)
    assert error > 0.1
    assert solution.error_estimate >= 0.5 * error
    assert not solution.converged


def test_what_does_not_matter_may_be_ignored() -> None:
    assert solve(1e-4, 0.0, (1e4, 59), 1e-2).converged
