"""A matrix on cells, factored along a tree of them, is the same as the dense one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fspielm import QR, SolveError
from fspielm.collocation.nested import Leaf, Nested, NestedQR

Draw = Callable[..., np.ndarray]

LEAVES, OWN, SHARED, HEIGHT = 4, 5, 3, 14
COLUMNS = LEAVES * (OWN + SHARED)
MERGES: list[Any] = [((0, 1), (2, 3)), (((0, 1), 2), 3), ((0, 2), (1, 3)), (3, (2, (0, 1))), (0, 1, 2, 3)]


class Tables:
    """The rows of each leaf: own columns, shared ones and values; zeros where other leaves have more of them."""

    def __init__(self, rows: list[np.ndarray], values: int) -> None:
        self.rows, self.values = rows, values

    def __call__(self, leaves: np.ndarray, values: int) -> np.ndarray:
        some = [self.rows[leaf] for leaf in leaves]
        height, width = (max(each.shape[axis] for each in some) for axis in (0, 1))
        found = np.zeros((len(some), height, width), dtype=some[0].dtype)
        for matrix, each in zip(found, some, strict=True):
            count = each.shape[1] - values
            matrix[: len(each), :count] = each[:, :count]
            matrix[: len(each), width - values :] = each[:, count:]
        return found


def nested(
    draw: Draw,
    merges: Any = MERGES[0],
    *,
    values: int = 1,
    keep: bool = True,
    threads: int = 1,
    kinds: Any = ([0, 1], [2], [3]),
) -> Nested:
    """Leaves in a ring: each has columns of its own, and shares some with the next."""
    leaves, tables = [], []
    for leaf in range(LEAVES):
        own = np.arange(OWN) + leaf * OWN
        both = [LEAVES * OWN + edge * SHARED + np.arange(SHARED) for edge in (leaf, (leaf + 1) % LEAVES)]
        tables.append(draw(HEIGHT, OWN + 2 * SHARED + values))
        rows = leaf * HEIGHT + np.arange(HEIGHT)
        leaves.append(Leaf(own, np.concatenate(both), rows, tables[-1].dtype))
    sharing = np.repeat([1, 2], [LEAVES * OWN, LEAVES * SHARED])
    alike = tuple(np.array(kind) for kind in kinds)
    return Nested(tuple(leaves), merges, sharing, values, Tables(tables, values), alike, threads, keep)


def tables_of(matrix: Nested) -> list[np.ndarray]:
    assert isinstance(matrix.fill, Tables)
    return matrix.fill.rows


def dense(matrix: Nested) -> tuple[np.ndarray, np.ndarray]:
    """The same rows, with all columns; and the values."""
    rows, values = np.zeros(matrix.shape, dtype=matrix.dtype), []
    for leaf, filled in zip(matrix.leaves, tables_of(matrix), strict=True):
        rows[leaf.rows[:, None], np.concatenate([leaf.own, leaf.shared])] = filled[:, : -matrix.values]
        values.append(filled[:, -matrix.values :])
    return rows, np.concatenate(values)


@pytest.mark.parametrize("merges", MERGES, ids=str)
@pytest.mark.parametrize("threads", [1, 2])
def test_the_coefficients_are_those_of_the_dense_matrix(draw: Draw, merges: Any, threads: int) -> None:
    matrix = nested(draw, merges, threads=threads)
    rows, values = dense(matrix)
    factored = QR().factor(matrix)
    assert isinstance(factored, NestedQR)
    assert factored.shape == rows.shape == (LEAVES * HEIGHT, COLUMNS)
    np.testing.assert_allclose(factored.coefficients, np.linalg.lstsq(rows, values[:, 0])[0], rtol=0, atol=1e-12)
    assert factored.rank == COLUMNS


@pytest.mark.parametrize("merges", MERGES, ids=str)
def test_other_values_are_solved_for_with_what_was_kept(draw: Draw, merges: Any) -> None:
    matrix = nested(draw, merges)
    rows, _ = dense(matrix)
    factored, other = NestedQR(matrix), draw(len(rows))
    for values in (other, other.real, other + 1j * other[::-1]):
        np.testing.assert_allclose(factored.solve(values), np.linalg.lstsq(rows, values)[0], rtol=0, atol=1e-12)


def test_scipy_may_have_been_interrupted_while_it_was_loaded(draw: Draw, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("scipy.linalg.lapack")  # a second import of scipy.linalg does not bind it again
    assert QR().factor(nested(draw)).coefficients.shape == (COLUMNS,)


def test_what_was_not_kept_cannot_solve(draw: Draw) -> None:
    with pytest.raises(SolveError, match="was not kept"):
        NestedQR(nested(draw, keep=False)).solve(np.ones(LEAVES * HEIGHT))


def test_a_real_matrix_takes_complex_values_as_two_columns(rng: np.random.Generator) -> None:
    matrix = nested(lambda *shape: rng.normal(size=shape), values=2)
    rows, values = dense(matrix)
    expected = np.linalg.lstsq(rows, values[:, 0] + 1j * values[:, 1])[0]
    np.testing.assert_allclose(NestedQR(matrix).coefficients, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("merges", MERGES, ids=str)
def test_what_is_real_stays_so_beside_complex_leaves(rng: np.random.Generator, merges: Any) -> None:
    real = nested(lambda *shape: rng.normal(size=shape), merges, values=2)
    rows, values = dense(real)
    width, added = OWN + 2 * SHARED, 1j * rng.normal(size=(HEIGHT, OWN + 2 * SHARED))
    filled = tables_of(real)[1]
    entries = np.column_stack([filled[:, :width] + added, filled[:, width] + 1j * filled[:, width + 1]])
    matrix = replace(spoiled(real, 1, entries), kinds=tuple(np.array([leaf]) for leaf in range(LEAVES)))
    rows = rows.astype(complex)
    rows[HEIGHT : 2 * HEIGHT, np.concatenate([matrix.leaves[1].own, matrix.leaves[1].shared])] += added
    factored, data = NestedQR(matrix), values[:, 0] + 1j * values[:, 1]
    assert factored.dtype == matrix.dtype == np.complex128
    assert real.cost.operations / 4 < matrix.cost.operations < real.cost.operations
    expected = np.linalg.lstsq(rows, data)[0]
    np.testing.assert_allclose(factored.coefficients, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(factored.solve(data), expected, rtol=0, atol=1e-12)
    given = rng.normal(size=(COLUMNS, 2)) + 1j * rng.normal(size=(COLUMNS, 2))
    both = factored.solve_triangle(factored.solve_triangle(given, adjoint=True))
    np.testing.assert_allclose(rows.conj().T @ rows @ both, given, rtol=0, atol=1e-10)


@pytest.mark.parametrize("merges", MERGES[:3], ids=str)
@pytest.mark.parametrize("count", [None, 1, 4])
def test_the_triangle_is_a_root_of_the_normal_matrix(draw: Draw, merges: Any, count: int | None) -> None:
    matrix = nested(draw, merges)
    rows, _ = dense(matrix)
    factored, given = NestedQR(matrix), draw(COLUMNS, *([] if count is None else [count]))
    kept = given.copy()
    both = factored.solve_triangle(factored.solve_triangle(given, adjoint=True))
    assert both.shape == given.shape
    np.testing.assert_allclose(rows.conj().T @ rows @ both, given, rtol=0, atol=1e-10)
    np.testing.assert_array_equal(given, kept)


def test_a_real_triangle_takes_complex_values(rng: np.random.Generator) -> None:
    factored = NestedQR(nested(lambda *shape: rng.normal(size=shape)))
    given = rng.normal(size=COLUMNS) + 1j * rng.normal(size=COLUMNS)
    for adjoint in (False, True):
        parts = [factored.solve_triangle(part.copy(), adjoint=adjoint) for part in (given.real, given.imag)]
        found = factored.solve_triangle(given, adjoint=adjoint)
        np.testing.assert_allclose(found, parts[0] + 1j * parts[1], rtol=0, atol=1e-12)


def test_the_diagonal_has_the_determinant(draw: Draw) -> None:
    matrix = nested(draw)
    rows, _ = dense(matrix)
    factored = NestedQR(matrix)
    assert np.prod(factored.diagonal) ** 2 == pytest.approx(abs(np.linalg.det(rows.conj().T @ rows)), rel=1e-10)
    assert factored.condition == factored.diagonal.max() / factored.diagonal.min()


def test_the_forecast_is_of_the_memory_that_is_taken(draw: Draw) -> None:
    matrix = nested(draw, keep=False)
    assert 0.5 * NestedQR(matrix).nbytes < matrix.cost.nbytes < 20 * NestedQR(matrix).nbytes
    assert matrix.cost.operations > 0


def spoiled(matrix: Nested, number: int, rows: np.ndarray) -> Nested:
    """The same with other rows of a leaf, of which there may be fewer."""
    leaves, tables = list(matrix.leaves), list(tables_of(matrix))
    leaves[number] = replace(leaves[number], rows=leaves[number].rows[: len(rows)], dtype=rows.dtype)
    tables[number] = rows
    return replace(matrix, leaves=tuple(leaves), fill=Tables(tables, matrix.values))


@pytest.mark.parametrize("kinds", [([0, 1, 2, 3],), ([0, 3], [1, 2]), ([2], [0], [1], [3])], ids=str)
def test_leaves_of_different_sizes_are_factored_together(draw: Draw, kinds: Any) -> None:
    matrix = nested(draw, kinds=kinds)
    short = tables_of(matrix)[1][:-2]
    narrow = matrix.leaves[2]
    kept = np.r_[0 : OWN + SHARED, OWN + 2 * SHARED]
    matrix = spoiled(matrix, 1, short)
    tables, leaves = list(tables_of(matrix)), list(matrix.leaves)
    tables[2], leaves[2] = tables[2][:, kept], replace(narrow, shared=narrow.shared[:SHARED])
    sharing = matrix.sharing.copy()
    sharing[narrow.shared[SHARED:]] = 1
    matrix = replace(matrix, leaves=tuple(leaves), fill=Tables(tables, 1), sharing=sharing)
    rows, values = np.zeros((LEAVES * HEIGHT, COLUMNS), dtype=matrix.dtype), np.zeros(LEAVES * HEIGHT, matrix.dtype)
    for leaf, filled in zip(matrix.leaves, tables_of(matrix), strict=True):
        rows[leaf.rows[:, None], np.concatenate([leaf.own, leaf.shared])] = filled[:, :-1]
        values[leaf.rows] = filled[:, -1]
    factored = NestedQR(matrix)
    np.testing.assert_allclose(factored.coefficients, np.linalg.lstsq(rows, values)[0], rtol=0, atol=1e-11)
    np.testing.assert_allclose(factored.solve(values), np.linalg.lstsq(rows, values)[0], rtol=0, atol=1e-11)


@pytest.mark.parametrize("column", [0, -1], ids=["matrix", "values"])
def test_refuses_what_is_not_finite(draw: Draw, column: int) -> None:
    matrix = nested(draw)
    rows = tables_of(matrix)[1].copy()
    rows[3, column] = np.nan
    with pytest.raises(SolveError, match="NaN"):
        NestedQR(spoiled(matrix, 1, rows))


def test_refuses_too_few_rows(draw: Draw) -> None:
    matrix = nested(draw)
    rows = tables_of(matrix)[2][: OWN - 1]
    with pytest.raises(SolveError, match=rf"{OWN - 1} rows.*{OWN} columns"):
        NestedQR(spoiled(matrix, 2, rows))


def test_refuses_dependent_columns(draw: Draw) -> None:
    matrix = nested(draw)
    rows = tables_of(matrix)[0].copy()
    rows[:, 1] = 0.0
    with pytest.raises(SolveError, match=rf"1 of {COLUMNS} columns.*dependent"):
        NestedQR(spoiled(matrix, 0, rows))


def test_leaves_out_dependent_columns_where_it_may(draw: Draw) -> None:
    matrix = nested(draw)
    gone, filled = matrix.leaves[0].own[1], tables_of(matrix)[0].copy()
    filled[:, 1] = 0.0
    matrix = replace(spoiled(matrix, 0, filled), leave_out=True)
    rows, _ = dense(matrix)
    known = draw(COLUMNS)
    known[gone] = 0.0
    factored = NestedQR(matrix)
    np.testing.assert_allclose(factored.solve(rows @ known), known, rtol=0, atol=1e-11)
    assert factored.coefficients[gone] == 0.0
    assert np.count_nonzero(factored.diagonal == 0) == 1
    assert factored.rank == COLUMNS - 1
    assert factored.condition == np.inf


def test_refuses_a_tree_that_leaves_columns_over(draw: Draw) -> None:
    with pytest.raises(SolveError, match=r"columns.*not in the tree"):
        NestedQR(replace(nested(draw), merges=((0, 1), 2)))


def test_no_columns_are_added(draw: Draw) -> None:
    with pytest.raises(SolveError, match="cannot be added"):
        NestedQR(nested(draw)).extend(draw(LEAVES * HEIGHT, 1))
