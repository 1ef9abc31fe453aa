"""The factorisation that stays in the memory of its matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy

from fspielm import QR, SolveError
from fspielm.collocation import Householder
from fspielm.collocation.householder import Panel

Draw = Callable[..., np.ndarray]


def triangle(factored: Householder) -> np.ndarray:
    return np.triu(factored.panels[0].packed[: factored.shape[1]])


@pytest.fixture
def matrix(draw: Draw) -> np.ndarray:
    return np.asfortranarray(draw(70, 25))


def test_factors_in_place(matrix: np.ndarray) -> None:
    original = matrix.copy()
    factored = Householder.of_matrix(matrix)
    assert np.shares_memory(factored.panels[0].packed, matrix)
    assert factored.shape == (70, 25)
    R = triangle(factored)
    assert np.allclose(R.conj().T @ R, original.conj().T @ original, rtol=0, atol=1e-12)
    assert np.array_equal(factored.diagonal, np.abs(np.diag(R)))


def test_part_of_a_matrix_is_factored_in_place_too(draw: Draw) -> None:
    augmented = np.asfortranarray(draw(40, 11))
    values = augmented[:, -1].copy()
    factored = Householder.of_matrix(augmented[:, :-1])
    assert np.shares_memory(factored.panels[0].packed, augmented)
    assert np.array_equal(augmented[:, -1], values)


def test_extending_takes_over_the_memory_of_the_columns(draw: Draw) -> None:
    further = np.asfortranarray(draw(70, 10))
    extended = Householder.of_matrix(np.asfortranarray(draw(70, 20))).extend(further)
    assert np.shares_memory(extended.panels[1].above, further)


def test_rotation_keeps_lengths_and_splits_into_solution_and_residual(matrix: np.ndarray, draw: Draw) -> None:
    original, values = matrix.copy(), draw(70)
    kept = values.copy()
    factored = Householder.of_matrix(matrix)
    rotated = factored.rotate(values)
    assert np.array_equal(values, kept)
    assert np.linalg.norm(rotated) == pytest.approx(np.linalg.norm(values), rel=1e-13)
    coefficients = factored.solve_triangle(rotated[:25])
    expected, residual, *_ = np.linalg.lstsq(original, values, rcond=None)
    assert np.allclose(coefficients, expected, rtol=0, atol=1e-13)
    assert np.linalg.norm(rotated[25:]) == pytest.approx(np.sqrt(residual[0]), rel=1e-12)


def test_rotation_of_the_matrix_gives_the_triangle(matrix: np.ndarray) -> None:
    original = matrix.copy()
    factored = Householder.of_matrix(matrix)
    one_by_one = np.stack([factored.rotate(column) for column in original.T], axis=1)
    for rotated in (one_by_one, factored.rotate(original)):
        assert np.allclose(rotated[:25], triangle(factored), rtol=0, atol=1e-13)
        assert np.abs(rotated[25:]).max() < 1e-13


@pytest.mark.parametrize(("rows", "columns"), [(60, 20), (21, 20), (20, 20), (1, 1), (2, 1)])
def test_the_values_of_a_system_are_rotated_with_it(draw: Draw, rows: int, columns: int) -> None:
    augmented = np.asfortranarray(draw(rows, columns + 1))
    values = augmented[:, -1].copy()
    factored = Householder.of_system(augmented)
    assert factored.rotated is not None
    assert np.allclose(factored.rotated, factored.rotate(values), rtol=0, atol=1e-13)


@pytest.mark.parametrize("columns", [25, 200])
def test_a_real_system_is_factored_by_the_same_calls_of_lapack_as_ever(rng: np.random.Generator, columns: int) -> None:
    lapack = scipy.linalg.lapack
    augmented, right = np.asfortranarray(rng.normal(size=(300, columns + 1))), rng.normal(size=columns)
    packed, tau, _, _ = lapack.dgeqrf(augmented, lwork=int(lapack.dgeqrf_lwork(*augmented.shape)[0]))
    other = rng.normal(size=(300, 1))
    rotated = lapack.dormqr("L", "T", packed[:, :-1], tau[:-1], other, lwork=1)[0]
    factored = QR().factor(augmented)
    head = packed[:columns, :-1]
    assert np.array_equal(factored.coefficients, lapack.dtrtrs(head, packed[:columns, -1])[0])
    assert np.array_equal(factored.solve(other[:, 0]), lapack.dtrtrs(head, rotated[:columns, 0])[0])
    assert np.array_equal(factored.solve_triangle(right, adjoint=True), lapack.dtrtrs(head, right, trans=1)[0])


@pytest.mark.parametrize("columns", [1, 2, 4, 5, 30])
@pytest.mark.parametrize("condition", [1.0, 1e3, 1e8, 1e13])
def test_condition_is_that_of_numpy_within_ten(draw: Draw, columns: int, condition: float) -> None:
    left, right = np.linalg.qr(draw(60, columns))[0], np.linalg.qr(draw(columns, columns))[0]
    matrix = left * np.geomspace(1, 1 / condition, columns) @ right
    exact = np.linalg.cond(np.linalg.qr(matrix, mode="r"), 1)
    estimate = Householder.of_matrix(np.asfortranarray(matrix)).condition
    assert exact / 10 < estimate < 10 * exact


def test_exactly_dependent_columns_have_no_condition_and_no_solution(matrix: np.ndarray) -> None:
    matrix[:, 6] = 0
    factored = Householder.of_matrix(matrix)
    assert factored.condition == np.inf
    assert factored.rank == 24
    with pytest.raises(SolveError, match=r"column 7 of 25.*dependent"):
        factored.solve_triangle(np.ones(25))


def test_fewer_rows_than_columns_have_a_triangle_but_no_solution(draw: Draw) -> None:
    factored = Householder.of_matrix(np.asfortranarray(draw(10, 25)))
    assert factored.shape == (10, 25)
    assert factored.diagonal.shape == (10,)
    assert factored.condition == np.inf
    with pytest.raises(SolveError, match=r"[dz]trtrs failed.*info=-\d"):
        factored.solve_triangle(np.ones(25))


def test_a_matrix_alone_has_no_coefficients(matrix: np.ndarray, draw: Draw) -> None:
    alone = Householder.of_matrix(matrix)
    for factored in (alone, alone.extend(np.asfortranarray(draw(70, 3)))):
        with pytest.raises(SolveError, match="factored without values"):
            _ = factored.coefficients


@pytest.mark.parametrize(
    ("name", "ask"),
    [
        ("geqrf", lambda factored, columns: Householder.of_matrix(columns)),
        ("ormqr", lambda factored, columns: factored.rotate(columns[:, 0])),
        ("ormqr", lambda factored, columns: factored.extend(columns)),
        ("trtrs", lambda factored, columns: factored.solve_triangle(columns[:25, 0])),
    ],
)
def test_failures_of_lapack_are_told(
    matrix: np.ndarray, draw: Draw, monkeypatch: pytest.MonkeyPatch, name: str, ask: Callable[..., Any]
) -> None:
    factored, columns = Householder.of_matrix(matrix), np.asfortranarray(draw(70, 3))
    original = scipy.linalg.get_lapack_funcs

    def failing(*_: Any, **__: Any) -> tuple[Any, ...]:
        return None, np.ones(1), -5

    def functions(wanted: str, arrays: Any) -> Any:
        failing.typecode = "d"  # type: ignore[attr-defined]
        return failing if wanted == name else original(wanted, arrays)

    monkeypatch.setattr("scipy.linalg.get_lapack_funcs", functions)
    with pytest.raises(SolveError, match=rf"d{name} failed.*info=-5"):
        ask(factored, columns)


def test_a_panel_without_reflections_leaves_values_as_they_are() -> None:
    panel = Panel(np.empty((0, 0)), np.empty((3, 0)), np.empty(0))
    for values in (np.arange(3.0), np.arange(6.0).reshape(3, 2)):
        np.testing.assert_array_equal(panel.rotate(values), values)


@pytest.mark.parametrize("columns", [np.arange(9), np.array([0, 3, 4, 11, 24])])
@pytest.mark.parametrize("added", [0, 6])
def test_some_of_the_columns(draw: Draw, columns: np.ndarray, added: int) -> None:
    whole = draw(70, 25 + added)
    factored = Householder.of_matrix(np.asfortranarray(whole[:, :25].copy()))
    if added:
        factored = factored.extend(np.asfortranarray(whole[:, 25:].copy()))
        columns = np.append(columns, 28)
    H, some, right = whole[:, columns], factored.restricted(columns), draw(len(columns))
    assert some.shape[1] == len(columns)
    normal = H.conj().T @ H
    found = some.solve_triangle(some.solve_triangle(right, adjoint=True))
    assert np.allclose(normal @ found, right, rtol=0, atol=1e-10)
