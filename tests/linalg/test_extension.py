"""Further columns beside those of a factorisation, without factoring it anew."""

from __future__ import annotations

import numpy as np
import pytest

from fspielm import QR, SolveError
from fspielm.linalg import extend, factor


@pytest.fixture
def columns(rng: np.random.Generator) -> np.ndarray:
    return np.asfortranarray(rng.normal(size=(70, 30)))


@pytest.mark.parametrize("further", [1, 4, 29])
def test_agrees_with_a_factorisation_of_everything(columns: np.ndarray, further: int, rng: np.random.Generator) -> None:
    split = columns.shape[1] - further
    base = factor(columns[:, :split].copy(order="F"))
    packed = base.packed.copy()
    whole, extended = factor(columns.copy(order="F")), extend(base, columns[:, split:].copy(order="F"))
    assert np.array_equal(base.packed, packed)
    assert extended.shape == whole.shape
    assert np.allclose(extended.diagonal, whole.diagonal, rtol=1e-12)
    R = np.triu(whole.packed[:30])
    signs = np.sign(np.diagonal(R)) * np.sign(
        np.concatenate([np.diagonal(base.packed), np.diagonal(extended.rest.packed)])
    )
    values = rng.normal(size=30)
    assert np.allclose(extended.solve_triangle(values), whole.solve_triangle(signs * values), rtol=1e-10)
    assert np.allclose(
        extended.solve_triangle(values, transposed=True),
        signs * whole.solve_triangle(values, transposed=True),
        rtol=1e-10,
    )


def test_uses_the_factorisation_that_a_solve_leaves(columns: np.ndarray, rng: np.random.Generator) -> None:
    result = QR().solve_in_place(np.asfortranarray(np.column_stack([columns[:, :20], rng.normal(size=70)])))
    assert result.factorisation is not None
    extended = extend(result.factorisation, columns[:, 20:].copy(order="F"))
    values = rng.normal(size=30)
    # R^T R x = H^T H x
    solved = extended.solve_triangle(extended.solve_triangle(values, transposed=True))
    assert np.allclose(columns.T @ (columns @ solved), values, rtol=0, atol=1e-10)


def test_takes_over_the_memory_of_the_columns(columns: np.ndarray) -> None:
    further = columns[:, 20:].copy(order="F")
    extended = extend(factor(columns[:, :20].copy(order="F")), further)
    assert np.shares_memory(extended.above, further)


def test_dependent_columns_have_no_diagonal_left(columns: np.ndarray) -> None:
    first = columns[:, :20].copy(order="F")
    again = np.asfortranarray(first @ np.ones((20, 1)))
    extended = extend(factor(first), again)
    assert extended.diagonal[-1] < 1e-12


def test_says_so_where_lapack_refuses(columns: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:

    monkeypatch.setattr("scipy.linalg.lapack.dormqr", lambda *_, **__: (columns, np.ones(1), -5))
    with pytest.raises(SolveError, match="LAPACK dormqr failed with info=-5"):
        extend(factor(columns.copy(order="F")), columns)
