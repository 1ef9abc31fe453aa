"""What every least-squares method does, with real numbers and with complex ones."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from fspielm import SolveError
from fspielm.collocation import LeastSquares
from fspielm.collocation.least_squares import Factored

EPS = np.finfo(float).eps
SHAPES = [(1, 1), (7, 1), (5, 5), (40, 30), (300, 60), (33, 32)]

Draw = Callable[..., np.ndarray]


def with_condition(draw: Draw, rows: int, columns: int, condition: float) -> np.ndarray:
    """A matrix with singular values spread evenly (by their logarithm) from 1 down to 1/condition."""
    left, right = np.linalg.qr(draw(rows, columns))[0], np.linalg.qr(draw(columns, columns))[0]
    matrix: np.ndarray = left * np.geomspace(1, 1 / condition, columns) @ right
    return matrix


def solve(method: LeastSquares, matrix: np.ndarray, values: np.ndarray) -> Factored:
    return method.factor(np.column_stack([matrix, values]))


# --- the solution -------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["F", "C"])
@pytest.mark.parametrize(("rows", "columns"), SHAPES)
def test_recovers_what_lies_in_the_range(method: LeastSquares, draw: Draw, rows: int, columns: int, order: Any) -> None:
    matrix, exact = draw(rows, columns), draw(columns)
    factored = method.factor(np.asarray(np.column_stack([matrix, matrix @ exact]), order=order))
    bound = 100 * EPS * np.linalg.cond(matrix) * np.linalg.norm(exact)
    assert np.linalg.norm(factored.coefficients - exact) < bound
    assert factored.rank == columns
    assert factored.coefficients.shape == (columns,)


def test_says_what_it_factored(method: LeastSquares, draw: Draw, dtype: np.dtype[Any]) -> None:
    factored = solve(method, draw(31, 9), draw(31))
    assert factored.shape == (31, 9)
    assert factored.dtype == factored.coefficients.dtype == dtype


@pytest.mark.parametrize("condition", [1e2, 1e6, 1e10])
def test_error_grows_with_the_condition_and_no_faster(method: LeastSquares, draw: Draw, condition: float) -> None:
    # normal equations would lose condition^2
    matrix, exact = with_condition(draw, 200, 40, condition), draw(40)
    error = solve(method, matrix, matrix @ exact).coefficients - exact
    assert np.linalg.norm(error) < 50 * EPS * condition * np.linalg.norm(exact)
    assert np.linalg.norm(matrix @ error) < 100 * EPS * np.linalg.norm(matrix) * np.linalg.norm(exact)


@pytest.mark.parametrize(("rows", "columns"), SHAPES)
def test_agrees_with_numpy_on_data_outside_the_range(method: LeastSquares, draw: Draw, rows: int, columns: int) -> None:
    matrix, values = draw(rows, columns), draw(rows)
    expected = np.linalg.lstsq(matrix, values, rcond=None)[0]
    # the data's residual brings in the square of the condition number
    bound = 100 * EPS * np.linalg.cond(matrix) ** 2 * (np.linalg.norm(expected) + np.linalg.norm(values))
    assert np.linalg.norm(solve(method, matrix, values).coefficients - expected) < bound


def test_the_residual_is_orthogonal_to_the_range(method: LeastSquares, draw: Draw) -> None:
    matrix, values = with_condition(draw, 120, 30, 1e5), draw(120)
    residual = matrix @ solve(method, matrix, values).coefficients - values
    # as small as its own rounding: the coefficients are up to 1e5
    assert np.linalg.norm(matrix.conj().T @ residual) < 1e-10
    assert np.linalg.norm(residual) <= np.linalg.norm(values)


def test_takes_views_with_strides(method: LeastSquares, draw: Draw) -> None:
    view = draw(100, 42)[::2, ::2]
    expected = method.factor(view.copy()).coefficients
    assert np.allclose(method.factor(view).coefficients, expected, rtol=1e-12)


def test_zero_data_give_zero_coefficients(method: LeastSquares, draw: Draw) -> None:
    assert np.array_equal(solve(method, draw(30, 10), np.zeros(30)).coefficients, np.zeros(10))


@pytest.mark.parametrize("power", [-120, 0, 120])
def test_scale_does_not_matter(method: LeastSquares, draw: Draw, power: int) -> None:
    matrix, values = draw(60, 20), draw(60)
    plain, scaled = solve(method, matrix, values), solve(method, matrix * 10.0**power, values)
    assert np.allclose(scaled.coefficients * 10.0**power, plain.coefficients, rtol=1e-11)
    assert scaled.rank == plain.rank == 20
    assert scaled.condition == pytest.approx(plain.condition, rel=1e-8)


@pytest.mark.parametrize("condition", [1.0, 1e3, 1e8])
def test_condition_is_that_of_the_matrix(method: LeastSquares, draw: Draw, condition: float) -> None:
    factored = solve(method, with_condition(draw, 90, 25, condition), draw(90))
    # in the one-norm of R it may differ from the two-norm by the number of columns
    assert condition / 10 < factored.condition < 10 * max(condition, 25)


def test_rank_leaves_out_what_is_dependent(method: LeastSquares, draw: Draw) -> None:
    matrix = draw(60, 12) @ draw(12, 20)
    factored = solve(method, matrix, draw(60))
    assert factored.rank == 12
    assert factored.condition > 1e13


def test_solves_twice_to_the_same_bits(method: LeastSquares, draw: Draw) -> None:
    augmented = draw(400, 151)
    first, second = method.factor(augmented), method.factor(augmented)
    assert np.array_equal(first.coefficients, second.coefficients)
    assert (first.rank, first.condition) == (second.rank, second.condition)


@pytest.mark.parametrize("where", ["matrix", "values"])
@pytest.mark.parametrize("bad", [[np.nan], [np.inf], [np.inf, -np.inf]])
@pytest.mark.parametrize("in_place", [False, True])
def test_refuses_what_is_not_finite_in_silence(
    method: LeastSquares, draw: Draw, where: str, bad: list[float], in_place: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    augmented = np.asfortranarray(draw(20, 6))
    augmented[3 : 3 + len(bad), 2 if where == "matrix" else -1] = bad
    with pytest.raises(SolveError, match="contains NaN or infinity"):
        method.factor(augmented, in_place=in_place)
    assert capfd.readouterr() == ("", "")  # LAPACK would complain on its own


# --- what is left of it -------------------------------------------------------------------------


@pytest.mark.parametrize(("rows", "columns"), SHAPES)
def test_solves_for_other_values(method: LeastSquares, draw: Draw, rows: int, columns: int) -> None:
    matrix, first, second = draw(rows, columns), draw(rows), draw(rows)
    kept = second.copy()
    factored = solve(method, matrix, first)
    bound = 1000 * EPS * np.linalg.cond(matrix) ** 2
    for values in (first, second):
        expected = np.linalg.lstsq(matrix, values, rcond=None)[0]
        assert np.allclose(factored.solve(values), expected, rtol=0, atol=bound * np.linalg.norm(values))
    together = factored.solve(np.stack([first, second], axis=1))
    each = np.stack([factored.solve(first), factored.solve(second)], axis=1)
    assert np.allclose(together, each, rtol=0, atol=bound * np.linalg.norm(first))
    assert np.array_equal(second, kept)


def test_solves_for_complex_values_with_a_real_matrix(method: LeastSquares, rng: np.random.Generator) -> None:
    matrix, values = rng.normal(size=(40, 12)), rng.normal(size=40) + 1j * rng.normal(size=40)
    factored = solve(method, matrix, np.ones(40))
    assert np.allclose(factored.solve(values), np.linalg.lstsq(matrix, values, rcond=None)[0], rtol=0, atol=1e-13)


@pytest.mark.parametrize(("rows", "columns"), SHAPES)
def test_solves_with_the_triangle_and_its_adjoint(method: LeastSquares, draw: Draw, rows: int, columns: int) -> None:
    matrix = draw(rows, columns)
    factored = solve(method, matrix, draw(rows))
    inverse = np.stack([factored.solve_triangle(unit) for unit in np.eye(columns)], axis=1)
    adjoint = np.stack([factored.solve_triangle(unit, adjoint=True) for unit in np.eye(columns)], axis=1)
    accuracy = 1000 * EPS * np.linalg.cond(matrix)
    assert np.array_equal(inverse, np.triu(inverse))
    assert np.allclose(adjoint, inverse.conj().T, rtol=0, atol=accuracy * np.abs(inverse).max())
    # it is the triangle of H: what is left of H is orthonormal
    Q = matrix @ inverse
    assert np.allclose(Q.conj().T @ Q, np.eye(columns), rtol=0, atol=accuracy)
    values = draw(columns)
    assert np.allclose(
        factored.solve_triangle(values), inverse @ values, rtol=0, atol=accuracy * np.linalg.norm(inverse)
    )


def test_the_diagonal_is_that_of_the_triangle(method: LeastSquares, draw: Draw) -> None:
    matrix = draw(50, 12)
    expected = np.abs(np.diagonal(np.linalg.qr(matrix, mode="r")))
    diagonal = solve(method, matrix, draw(50)).diagonal
    assert diagonal.dtype == np.float64
    assert np.allclose(diagonal, expected, rtol=1e-12)


@pytest.mark.parametrize("further", [[1], [4], [29], [5, 7], [1, 1, 20], [40]])
def test_extending_is_factoring_everything(method: LeastSquares, draw: Draw, further: list[int]) -> None:
    ends = np.cumsum([30, *further])
    matrix, values, other = draw(70, int(ends[-1])), draw(70), draw(70)
    extended = solve(method, matrix[:, :30], values)
    before = extended.solve(other)
    for start, end in pairwise(ends):
        base, extended = extended, extended.extend(matrix[:, start:end].copy(order="F"))
    whole = solve(method, matrix, values)
    accuracy = 1000 * EPS * np.linalg.cond(matrix) ** 2
    assert (extended.shape, extended.dtype, extended.rank) == (whole.shape, whole.dtype, whole.rank)
    assert np.allclose(extended.diagonal, whole.diagonal, rtol=accuracy)
    assert np.allclose(extended.coefficients, whole.coefficients, rtol=0, atol=accuracy)
    assert np.allclose(extended.solve(other), whole.solve(other), rtol=0, atol=accuracy)
    # the same but for the sign of each row of R, or its phase
    phases = np.array([extended.solve_triangle(unit)[j] for j, unit in enumerate(np.eye(ends[-1]))])
    phases /= np.array([whole.solve_triangle(unit)[j] for j, unit in enumerate(np.eye(ends[-1]))])
    right = draw(int(ends[-1]))
    scale = accuracy * np.linalg.norm(right)
    assert np.allclose(extended.solve_triangle(right), whole.solve_triangle(phases * right), rtol=0, atol=scale)
    mirrored = whole.solve_triangle(right, adjoint=True) * phases.conj()
    assert np.allclose(extended.solve_triangle(right, adjoint=True), mirrored, rtol=0, atol=scale)
    # an estimate each, of the one-norms
    exact = np.linalg.cond(np.linalg.qr(matrix, mode="r"), 1)
    assert exact / 10 < extended.condition < 10 * exact
    # and what was extended is what it was
    assert base.shape[1] == ends[-2]
    assert len(further) > 1 or np.array_equal(base.solve(other), before)


def test_dependent_columns_have_no_diagonal_left(method: LeastSquares, draw: Draw) -> None:
    matrix = draw(70, 20)
    extended = solve(method, matrix, draw(70)).extend(np.asfortranarray(matrix @ np.ones((20, 1))))
    assert extended.diagonal[-1] < 1e-12
    assert extended.rank == 20


# --- memory -------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["F", "C"])
def test_neither_matrix_nor_values_are_changed(method: LeastSquares, draw: Draw, order: Any) -> None:
    augmented = np.asarray(draw(50, 21), order=order)
    kept = augmented.copy()
    augmented.flags.writeable = False
    factored = method.factor(augmented)
    factored.solve(draw(50))
    factored.solve_triangle(draw(20), adjoint=True)
    factored.extend(np.asfortranarray(draw(50, 3)))
    assert np.array_equal(augmented, kept)


def test_in_place_is_the_same_without_the_copy(method: LeastSquares, draw: Draw) -> None:
    augmented, other, right = np.asfortranarray(draw(200, 141)), draw(200), draw(140)
    copied, in_place = method.factor(augmented), method.factor(augmented.copy(order="F"), in_place=True)
    for adjoint in (False, True):
        assert np.array_equal(
            copied.solve_triangle(right, adjoint=adjoint), in_place.solve_triangle(right, adjoint=adjoint)
        )
    assert np.array_equal(copied.coefficients, in_place.coefficients)
    assert np.array_equal(copied.solve(other), in_place.solve(other))
    assert (copied.rank, copied.condition) == (in_place.rank, in_place.condition)


def test_in_place_takes_over_the_memory(method: LeastSquares, draw: Draw) -> None:
    augmented = np.asfortranarray(draw(50, 21))
    kept = augmented.copy()
    factored = method.factor(augmented, in_place=True)
    diagonal = factored.diagonal
    assert not np.array_equal(augmented[:, :-1], kept[:, :-1])
    assert np.array_equal(np.abs(np.diagonal(augmented[:, :-1])), diagonal)


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (100, 50), (9600, 5000), (10**10, 10**9)])
def test_workspace_goes_by_the_size_of_a_number(method: LeastSquares, rows: int, columns: int, in_place: bool) -> None:
    workspace = method.workspace(rows, columns, in_place=in_place)
    assert isinstance(workspace, int)
    assert method.workspace(rows, columns, in_place=in_place, itemsize=16) == 2 * workspace
    assert workspace <= method.workspace(rows, columns)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (100, 50), (9600, 5000), (10**10, 10**9)])
def test_workspace_counts_the_copy_of_the_matrix(method: LeastSquares, rows: int, columns: int) -> None:
    workspace = method.workspace(rows, columns)
    assert workspace >= 8 * rows * columns
    if rows > 1000:  # and with the matrix stays below 2.5 times the matrix
        assert workspace < 1.5 * 8 * rows * columns
