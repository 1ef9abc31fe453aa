"""The factorisation that stays in the memory of its matrix."""

from __future__ import annotations

import numpy as np
import pytest

from fspielm import QR, SolveError
from fspielm.linalg import Factorisation, factor

EPS = np.finfo(float).eps


def triangle(factorisation: Factorisation) -> np.ndarray:
    return np.triu(factorisation.packed[: factorisation.shape[1]])


@pytest.fixture
def matrix(rng: np.random.Generator) -> np.ndarray:
    return np.asfortranarray(rng.normal(size=(70, 25)))


def test_factors_in_place(matrix: np.ndarray) -> None:
    original = matrix.copy()
    result = factor(matrix)
    assert np.shares_memory(result.packed, matrix)
    assert result.shape == (70, 25)
    R = triangle(result)
    assert np.allclose(R.T @ R, original.T @ original, rtol=0, atol=1e-12)
    assert np.array_equal(result.diagonal, np.abs(np.diag(R)))


def test_part_of_a_matrix_is_factored_in_place_too(rng: np.random.Generator) -> None:
    augmented = np.asfortranarray(rng.normal(size=(40, 11)))
    values = augmented[:, -1].copy()
    result = factor(augmented[:, :-1])
    assert np.shares_memory(result.packed, augmented)
    assert np.array_equal(augmented[:, -1], values)


def test_rotation_keeps_lengths_and_splits_into_solution_and_residual(
    matrix: np.ndarray, rng: np.random.Generator
) -> None:
    original, values = matrix.copy(), rng.normal(size=70)
    kept = values.copy()
    result = factor(matrix)
    rotated = result.rotate(values)
    assert np.array_equal(values, kept)
    assert np.linalg.norm(rotated) == pytest.approx(np.linalg.norm(values), rel=1e-13)
    coefficients = result.solve_triangle(rotated[:25])
    expected, residual, *_ = np.linalg.lstsq(original, values, rcond=None)
    assert np.allclose(coefficients, expected, rtol=0, atol=1e-13)
    assert np.linalg.norm(rotated[25:]) == pytest.approx(np.sqrt(residual[0]), rel=1e-12)


def test_rotation_of_the_matrix_gives_the_triangle(matrix: np.ndarray) -> None:
    original = matrix.copy()
    result = factor(matrix)
    rotated = np.stack([result.rotate(column) for column in original.T], axis=1)
    assert np.allclose(rotated[:25], triangle(result), rtol=0, atol=1e-13)
    assert np.abs(rotated[25:]).max() < 1e-13


@pytest.mark.parametrize("transposed", [False, True])
def test_solves_with_the_triangle_and_its_transpose(
    matrix: np.ndarray, rng: np.random.Generator, transposed: bool
) -> None:
    result, values = factor(matrix), rng.normal(size=25)
    R = triangle(result)
    expected = np.linalg.solve(R.T if transposed else R, values)
    assert np.allclose(result.solve_triangle(values, transposed=transposed), expected, rtol=1e-12)


@pytest.mark.parametrize("columns", [1, 2, 4, 5, 30])
@pytest.mark.parametrize("condition", [1.0, 1e3, 1e8, 1e13])
def test_condition_is_that_of_numpy_within_ten(rng: np.random.Generator, columns: int, condition: float) -> None:
    left = np.linalg.qr(rng.normal(size=(60, columns)))[0]
    right = np.linalg.qr(rng.normal(size=(columns, columns)))[0]
    matrix = left * np.geomspace(1, 1 / condition, columns) @ right
    exact = np.linalg.cond(np.linalg.qr(matrix, mode="r"), 1)
    estimate = factor(np.asfortranarray(matrix)).condition()
    assert exact / 10 < estimate < 10 * exact


def test_condition_is_repeatable(matrix: np.ndarray) -> None:
    result = factor(matrix)
    assert result.condition() == result.condition()


def test_exactly_dependent_columns_have_no_condition_and_no_solution(matrix: np.ndarray) -> None:
    matrix[:, 6] = 0
    result = factor(matrix)
    assert result.condition() == np.inf
    message = "column 7 of 25 is exactly dependent on the others; use TruncatedSVD, or other features"
    with pytest.raises(SolveError, match=message):
        result.solve_triangle(np.ones(25))


def test_failures_of_lapack_are_told(matrix: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    result = factor(matrix)
    monkeypatch.setattr("scipy.linalg.lapack.dormqr", lambda *_, **__: (None, None, -5))
    with pytest.raises(SolveError, match="LAPACK dormqr failed with info=-5"):
        result.rotate(np.ones(70))


# --- what QR makes of it ------------------------------------------------------------------------


def test_qr_leaves_its_factorisation(rng: np.random.Generator) -> None:
    matrix, values = rng.normal(size=(50, 12)), rng.normal(size=50)
    result = QR().solve(matrix, values)
    assert result.factorisation is not None
    assert result.factorisation.shape == (50, 12)
    again = result.factorisation.solve_triangle(result.factorisation.rotate(values)[:12])
    assert np.allclose(again, result.coefficients, rtol=1e-12)
    assert np.allclose(result.factorisation.diagonal, np.abs(np.diag(np.linalg.qr(matrix, mode="r"))), rtol=1e-12)


def test_qr_in_place_is_qr_without_the_copy(rng: np.random.Generator) -> None:
    matrix, values = rng.normal(size=(50, 12)), rng.normal(size=50)
    augmented = np.asfortranarray(np.column_stack([matrix, values]))
    copied, in_place = QR().solve(matrix, values), QR().solve_in_place(augmented)
    assert np.array_equal(copied.coefficients, in_place.coefficients)
    assert in_place.factorisation is not None
    assert np.shares_memory(in_place.factorisation.packed, augmented)
    assert (copied.rank, copied.condition) == (in_place.rank, in_place.condition)
