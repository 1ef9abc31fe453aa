"""What QR and the truncated SVD each do with rank, conditioning and bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import linalg
from scipy.linalg import lapack

from fspielm import QR, ProblemError, SolveError, TruncatedSVD
from fspielm.collocation import Householder, LeastSquares
from fspielm.collocation.least_squares import Factored


def solve(method: LeastSquares, matrix: np.ndarray, values: np.ndarray) -> Factored:
    return method.factor(np.column_stack([matrix, values]))


@pytest.fixture
def deficient(rng: np.random.Generator) -> np.ndarray:
    """Rank 12 of 20 columns, up to rounding."""
    matrix: np.ndarray = rng.normal(size=(60, 12)) @ rng.normal(size=(12, 20))
    return matrix


# --- truncated SVD ------------------------------------------------------------------------------


def test_svd_gives_the_solution_of_least_norm(deficient: np.ndarray, rng: np.random.Generator) -> None:
    values = rng.normal(size=60)
    result = solve(TruncatedSVD(1e-12), deficient, values)
    expected = np.linalg.pinv(deficient, rcond=1e-12) @ values
    assert result.rank == 12
    assert np.allclose(result.coefficients, expected, rtol=0, atol=1e-12)
    assert result.condition > 1e14


@pytest.mark.parametrize("tol", [3e-4, 3e-7, 3e-10])
def test_svd_drops_what_lies_below_its_tolerance(rng: np.random.Generator, tol: float) -> None:
    left = np.linalg.qr(rng.normal(size=(50, 12)))[0]
    right = np.linalg.qr(rng.normal(size=(12, 12)))[0]
    singular = 7.0 * 10.0 ** -(np.arange(12) + 0.5)
    values = rng.normal(size=50)
    result = solve(TruncatedSVD(tol), left * singular @ right, values)
    kept = singular > tol * singular[0]
    expected = right.T @ (np.where(kept, 1 / singular, 0) * (left.T @ values))
    assert result.rank == kept.sum()
    assert np.allclose(result.coefficients, expected, rtol=1e-5)
    # the condition number is of the whole matrix, dropped values included
    assert result.condition == pytest.approx(1e11, rel=1e-3)


def test_svd_agrees_with_gelsd_bit_for_bit(rng: np.random.Generator) -> None:
    matrix, values = rng.normal(size=(80, 30)), rng.normal(size=80)
    expected, _, rank, _ = linalg.lstsq(matrix, values, cond=1e-12, lapack_driver="gelsd")
    result = solve(TruncatedSVD(1e-12), matrix, values)
    assert np.array_equal(result.coefficients, expected)
    assert result.rank == rank


def test_svd_takes_fewer_rows_than_columns(rng: np.random.Generator) -> None:
    matrix, values = rng.normal(size=(10, 25)), rng.normal(size=10)
    result = solve(TruncatedSVD(), matrix, values)
    assert result.rank == 10
    assert np.allclose(matrix @ result.coefficients, values, rtol=0, atol=1e-13)
    assert np.allclose(result.coefficients, np.linalg.pinv(matrix) @ values, rtol=0, atol=1e-13)


def test_svd_of_nothing_but_zeros() -> None:
    result = solve(TruncatedSVD(), np.zeros((5, 3)), np.ones(5))
    assert result.rank == 0
    assert result.condition == np.inf
    assert np.array_equal(result.coefficients, np.zeros(3))


def test_svd_that_does_not_converge_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any, **__: Any) -> Any:
        raise linalg.LinAlgError("SVD did not converge in Linear Least Squares")

    monkeypatch.setattr("scipy.linalg.lstsq", failing)
    with pytest.raises(SolveError, match=r"singular values.*converge"):
        solve(TruncatedSVD(), np.eye(3), np.ones(3))


@pytest.mark.parametrize("tol", [0, 0.0, 1, 2.0, -1e-12, np.nan, np.inf, "small", None])
def test_svd_refuses_a_tolerance_outside_zero_and_one(tol: Any) -> None:
    with pytest.raises(ProblemError, match=r"tol.*between 0 and 1"):
        TruncatedSVD(tol)


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        (1, 1),
        (1, 2),
        (2, 1),
        (10, 10),
        (100, 30),
        (30, 100),
        (400, 200),
        (200, 400),
        (1000, 990),
        (9600, 5000),
        (5000, 9600),
        (20_000, 100),
        (100, 20_000),
        (30_000, 20_000),
    ],
)
def test_svd_workspace_covers_what_lapack_asks_for(rows: int, columns: int) -> None:
    work, integers, _ = lapack.dgelsd_lwork(rows, columns, 1, 1e-12)
    assert TruncatedSVD().workspace(rows, columns) >= 8 * rows * columns + 8 * work + 4 * integers
    work, reals, integers, _ = lapack.zgelsd_lwork(rows, columns, 1, 1e-12)
    needed = 16 * rows * columns + 16 * work.real + 8 * reals + 4 * integers
    assert TruncatedSVD().workspace(rows, columns, itemsize=16) >= needed


@pytest.mark.parametrize("in_place", [False, True])
def test_svd_makes_a_triangle_when_it_is_asked_for_and_once(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, in_place: bool
) -> None:
    made = []
    original = Householder.of_matrix
    monkeypatch.setattr(Householder, "of_matrix", lambda *given: made.append(1) or original(*given))
    augmented = np.asfortranarray(rng.normal(size=(60, 21)))
    factored = TruncatedSVD().factor(augmented, in_place=in_place)
    assert (factored.shape, factored.rank, factored.coefficients.shape) == ((60, 20), 20, (20,))
    assert not made
    factored.solve(np.ones(60))
    factored.extend(np.asfortranarray(rng.normal(size=(60, 2))))
    assert factored.diagonal.shape == factored.solve_triangle(np.ones(20)).shape
    assert made == [1]
    assert np.shares_memory(factored.triangle.panels[0].packed, augmented) == in_place


@pytest.mark.parametrize("rows", [60, 15])
def test_svd_solves_for_other_values_with_least_norm(rng: np.random.Generator, rows: int) -> None:
    matrix, values = rng.normal(size=(rows, 12)) @ rng.normal(size=(12, 20)), rng.normal(size=rows)
    factored = solve(TruncatedSVD(1e-12), matrix, np.ones(rows))
    expected = np.linalg.pinv(matrix, rcond=1e-12) @ values
    assert np.allclose(factored.solve(values), expected, rtol=0, atol=1e-12)


# --- QR -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("condition", [1e1, 1e4, 1e8, 1e12])
def test_qr_condition_is_close_to_the_one_norm_condition_of_r(rng: np.random.Generator, condition: float) -> None:
    left = np.linalg.qr(rng.normal(size=(90, 25)))[0]
    right = np.linalg.qr(rng.normal(size=(25, 25)))[0]
    matrix = left * np.geomspace(1, 1 / condition, 25) @ right
    exact = np.linalg.cond(np.linalg.qr(matrix, mode="r"), 1)
    estimate = solve(QR(), matrix, np.ones(90)).condition
    assert exact / 10 < estimate < exact * 1.01  # an estimate from below


def test_qr_condition_is_in_the_one_norm() -> None:
    # the identity with a row of ones on top: 2 * 2 in the one-norm, 50 * 50 in the infinity-norm
    matrix = np.vstack([np.eye(50), np.zeros((10, 50))])
    matrix[0] = 1
    assert solve(QR(), matrix, np.ones(60)).condition == pytest.approx(4)


def test_qr_counts_dependent_columns_and_stays_qr(
    deficient: np.ndarray, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(*_: Any, **__: Any) -> Any:
        raise AssertionError("another method was used")

    for name in ("lstsq", "svd", "pinv"):
        monkeypatch.setattr(np.linalg, name, forbidden)
        monkeypatch.setattr(linalg, name, forbidden)
    monkeypatch.setattr("scipy.linalg.lstsq", forbidden)
    result = solve(QR(), deficient, rng.normal(size=60))
    assert result.rank == 12
    assert result.condition > 1e13


def test_qr_of_a_repeated_column_reports_one_less(rng: np.random.Generator) -> None:
    matrix = rng.normal(size=(40, 10))
    matrix[:, 7] = matrix[:, 2]
    result = solve(QR(), matrix, matrix @ np.ones(10))
    assert result.rank == 9
    assert result.condition > 1e14


def test_qr_refuses_a_column_of_zeros(rng: np.random.Generator) -> None:
    matrix = rng.normal(size=(40, 10))
    matrix[:, 3] = 0
    with pytest.raises(SolveError, match=r"1 of 10 columns.*dependent"):
        solve(QR(), matrix, np.ones(40))


@pytest.mark.parametrize("columns", [11, 30])
def test_qr_refuses_fewer_rows_than_columns(columns: int) -> None:
    with pytest.raises(SolveError, match=rf"QR.*10 rows and {columns} functions"):
        solve(QR(), np.ones((10, columns)), np.ones(10))


def test_qr_loses_nothing_to_truncation(rng: np.random.Generator) -> None:
    # smooth data in an ill-conditioned basis: what the truncated SVD gives up at 1e-6, QR resolves
    nodes = np.linspace(-1, 1, 200)
    matrix, values = np.vander(nodes, 24), np.exp(nodes) * np.cos(3 * nodes)

    def error(method: QR | TruncatedSVD) -> float:
        return float(np.abs(matrix @ solve(method, matrix, values).coefficients - values).max())

    assert error(QR()) < 1e-13
    assert error(TruncatedSVD(1e-4)) > 1e-5


# --- as values ----------------------------------------------------------------------------------


def test_methods_are_values_with_names() -> None:
    assert QR() == QR()
    assert TruncatedSVD(1e-10) == TruncatedSVD(tol=1e-10) != TruncatedSVD()
    assert repr(QR()) == "QR()"
    assert repr(TruncatedSVD()) == "TruncatedSVD(tol=1e-12)"
    assert (QR.name, TruncatedSVD.name) == ("qr", "svd")


def test_methods_say_whether_an_estimate_costs_more() -> None:
    assert QR.leaves_triangle
    assert not TruncatedSVD.leaves_triangle


def test_qr_in_place_needs_little_workspace() -> None:
    assert QR().workspace(900, 500, in_place=True) == 8 * 64 * 500  # blocks of LAPACK
    assert QR().workspace(9600, 5000, in_place=True) < 8 * 9600 * 5000 / 8
    assert TruncatedSVD().workspace(9600, 5000, in_place=True) == TruncatedSVD().workspace(9600, 5000)
