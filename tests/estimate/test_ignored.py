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
u, a, f, g = (sp.Function(name)(x, y) for name in "uafg")


WIDTHS = [(1e4, 59), (165, 870), (1e5, 3e3)]
# Inner points of the finite differences along an axis.
FINE = 59
INNER = np.stack(np.meshgrid(*[np.arange(1, FINE + 1) / (FINE + 1)] * 2, indexing="ij"), axis=-1).reshape(-1, 2)


def on_left_of_diagonal(points: np.ndarray) -> np.ndarray:
    return np.where(points[:, 0] < points[:, 1], 1.0, 0.0)


def at_bottom(points: np.ndarray) -> np.ndarray:
    return np.where(points[:, 1] < 1e-9, 1.0, 0.0)


def solve(strength: float, wave: float, widths: tuple[float, float], tol: float, contrast: float = 1.0) -> fs.Solution:
    """Data that jump at corners, and a right-hand side of a strength, with functions that are far too fast for them.

    Where there is no right-hand side, the equation is multiplied by the contrast.
    """
    given = {f: lambda p: strength * on_left_of_diagonal(p), g: at_bottom}
    if contrast != 1.0:
        given[a] = lambda p: np.where(on_left_of_diagonal(p) > 0, 1.0, contrast)
    problem = fs.Problem(
        sp.Eq((a if a in given else 1) * (-u.diff(x, 2) - u.diff(y, 2) - wave * u), f),
        fs.Box((0, 0), (1, 1)),
        [fs.Dirichlet(g)],
        given=given,
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


def check(solution: fs.Solution, true: np.ndarray) -> None:
    """The solution is wrong, and its estimate says so."""
    error = np.linalg.norm(solution(INNER) - true) / np.linalg.norm(true)
    assert error > 0.1
    assert solution.error_estimate >= 0.5 * error
    assert not solution.converged


@pytest.mark.filterwarnings("ignore::fspielm.AccuracyWarning")
@pytest.mark.parametrize(("widths", "wave"), list(product(WIDTHS, [-3.0, 0.0, 5.0, 12.0])))
def test_what_is_ignored_is_part_of_the_error(widths: tuple[float, float], wave: float) -> None:
    true = finite_differences(20.0, wave, INNER)
    assert np.linalg.norm(true - finite_differences(0.0, wave, INNER)) > 0.1 * np.linalg.norm(true)  # it matters
    check(solve(20.0, wave, widths, 1e-2), true)


@pytest.mark.filterwarnings("ignore::fspielm.AccuracyWarning")
@pytest.mark.parametrize("widths", WIDTHS)
def test_what_is_ignored_in_a_soft_material_counts_beside_a_stiff_one(widths: tuple[float, float]) -> None:
    check(solve(20.0, 0.0, widths, 1e-2, contrast=1e6), finite_differences(20.0, 0.0, INNER))


def test_what_does_not_matter_may_be_ignored() -> None:
    assert solve(1e-4, 0.0, (1e4, 59), 1e-2).converged
