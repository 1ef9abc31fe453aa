"""What every least-squares method does."""

from __future__ import annotations

import numpy as np
import pytest

from fspielm import SolveError
from fspielm.linalg import LeastSquares

EPS = np.finfo(float).eps
SHAPES = [(1, 1), (7, 1), (5, 5), (40, 30), (300, 60), (33, 32)]


def with_condition(rng: np.random.Generator, rows: int, columns: int, condition: float) -> np.ndarray:
    """A matrix with singular values spread evenly (by their logarithm) from 1 down to 1/condition."""
    left = np.linalg.qr(rng.normal(size=(rows, columns)))[0]
    right = np.linalg.qr(rng.normal(size=(columns, columns)))[0]
    matrix: np.ndarray = left * np.geomspace(1, 1 / condition, columns) @ right
    return matrix


@pytest.mark.parametrize("order", ["F", "C"])
@pytest.mark.parametrize(("rows", "columns"), SHAPES)
def test_recovers_what_lies_in_the_range(
    method: LeastSquares, rng: np.random.Generator, rows: int, columns: int, order: str
) -> None:
    matrix = np.asarray(rng.normal(size=(rows, columns)), order=order)  # type: ignore[call-overload]
    exact = rng.normal(size=columns)
    result = method.solve(matrix, matrix @ exact)
    bound = 100 * EPS * np.linalg.cond(matrix) * np.linalg.norm(exact)
    assert np.linalg.norm(result.coefficients - exact) < bound
    assert result.rank == columns
    assert result.coefficients.shape == (columns,)


@pytest.mark.parametrize("condition", [1e2, 1e6, 1e10])
def test_error_grows_with_the_condition_and_no_faster(
    method: LeastSquares, rng: np.random.Generator, condition: float
) -> None:
    # normal equations would lose condition^2
    matrix = with_condition(rng, 200, 40, condition)
    exact = rng.normal(size=40)
    result = method.solve(matrix, matrix @ exact)
    assert np.linalg.norm(result.coefficients - exact) < 50 * EPS * condition * np.linalg.norm(exact)
    residual = matrix @ (result.coefficients - exact)
    assert np.linalg.norm(residual) < 100 * EPS * np.linalg.norm(matrix) * np.linalg.norm(exact)


@pytest.mark.parametrize(("rows", "columns"), SHAPES)
def test_agrees_with_numpy_on_data_outside_the_range(
    method: LeastSquares, rng: np.random.Generator, rows: int, columns: int
) -> None:
    matrix, values = rng.normal(size=(rows, columns)), rng.normal(size=rows)
    expected = np.linalg.lstsq(matrix, values, rcond=None)[0]
    result = method.solve(matrix, values)
    # the data's residual brings in the square of the condition number
    bound = 100 * EPS * np.linalg.cond(matrix) ** 2 * (np.linalg.norm(expected) + np.linalg.norm(values))
    assert np.linalg.norm(result.coefficients - expected) < bound


def test_the_residual_is_orthogonal_to_the_range(method: LeastSquares, rng: np.random.Generator) -> None:
    matrix, values = with_condition(rng, 120, 30, 1e5), rng.normal(size=120)
    residual = matrix @ method.solve(matrix, values).coefficients - values
    # as small as its own rounding: the coefficients are up to 1e5
    assert np.linalg.norm(matrix.T @ residual) < 1e-10
    assert np.linalg.norm(residual) <= np.linalg.norm(values)


def test_neither_matrix_nor_values_are_changed(method: LeastSquares, rng: np.random.Generator) -> None:
    for order in ("F", "C"):
        matrix = np.asarray(rng.normal(size=(50, 20)), order=order)  # type: ignore[call-overload]
        values = rng.normal(size=50)
        kept = matrix.copy(), values.copy()
        method.solve(matrix, values)
        assert np.array_equal(matrix, kept[0])
        assert np.array_equal(values, kept[1])
        matrix.flags.writeable = values.flags.writeable = False
        method.solve(matrix, values)


def test_takes_views_with_strides(method: LeastSquares, rng: np.random.Generator) -> None:
    board, values = rng.normal(size=(100, 40)), rng.normal(size=100)
    view = board[::2, ::2]
    expected = method.solve(view.copy(), values[::2].copy()).coefficients
    assert np.allclose(method.solve(view, values[::2]).coefficients, expected, rtol=1e-12)


def test_zero_data_give_zero_coefficients(method: LeastSquares, rng: np.random.Generator) -> None:
    result = method.solve(rng.normal(size=(30, 10)), np.zeros(30))
    assert np.array_equal(result.coefficients, np.zeros(10))


@pytest.mark.parametrize("power", [-120, 0, 120])
def test_scale_does_not_matter(method: LeastSquares, rng: np.random.Generator, power: int) -> None:
    matrix, values = rng.normal(size=(60, 20)), rng.normal(size=60)
    plain, scaled = method.solve(matrix, values), method.solve(matrix * 10.0**power, values)
    assert np.allclose(scaled.coefficients * 10.0**power, plain.coefficients, rtol=1e-11)
    assert scaled.rank == plain.rank == 20
    assert scaled.condition == pytest.approx(plain.condition, rel=1e-8)


@pytest.mark.parametrize("condition", [1.0, 1e3, 1e8])
def test_condition_is_that_of_the_matrix(method: LeastSquares, rng: np.random.Generator, condition: float) -> None:
    result = method.solve(with_condition(rng, 90, 25, condition), rng.normal(size=90))
    # in the one-norm of R it may differ from the two-norm by the number of columns
    assert condition / 10 < result.condition < 10 * max(condition, 25)


def test_solves_twice_to_the_same_bits(method: LeastSquares, rng: np.random.Generator) -> None:
    matrix, values = rng.normal(size=(400, 150)), rng.normal(size=400)
    first, second = method.solve(matrix, values), method.solve(matrix, values)
    assert np.array_equal(first.coefficients, second.coefficients)
    assert (first.rank, first.condition) == (second.rank, second.condition)


@pytest.mark.parametrize("where", ["matrix", "values"])
@pytest.mark.parametrize("bad", [[np.nan], [np.inf], [np.inf, -np.inf]])
def test_refuses_what_is_not_finite_in_silence(
    method: LeastSquares,
    rng: np.random.Generator,
    where: str,
    bad: list[float],
    capfd: pytest.CaptureFixture[str],
) -> None:
    matrix, values = rng.normal(size=(20, 5)), np.ones(20)
    (matrix if where == "matrix" else values).flat[3 : 3 + len(bad)] = bad
    with pytest.raises(SolveError, match="contains NaN or infinity"):
        method.solve(matrix, values)
    assert capfd.readouterr() == ("", "")  # LAPACK would complain on its own


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (100, 50), (9600, 5000), (10**10, 10**9)])
def test_workspace_counts_the_copy_of_the_matrix(method: LeastSquares, rows: int, columns: int) -> None:
    workspace = method.workspace(rows, columns)
    assert isinstance(workspace, int)
    assert workspace >= 8 * rows * columns
    if rows > 1000:  # and with the matrix stays below 2.5 times the matrix
        assert workspace < 1.5 * 8 * rows * columns
