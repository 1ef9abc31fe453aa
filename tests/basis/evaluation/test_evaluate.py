"""Sums of features at many points, in chunks and on threads."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from fspielm import FrequencyShift, Tanh
from fspielm.basis import Basis, JoinedBasis, evaluate
from fspielm.geometry import Sites
from fspielm.problem import Operator, Term, along_normal, derivative, identity

OPERATORS = {
    "value": identity(2),
    "mixed": derivative((1, 2)),
    "helmholtz": Operator(2, (Term(1.0, (2, 0)), Term(1.0, (0, 2)), Term(40.0, (0, 0)))),
    "variable": Operator(2, (Term(lambda s: np.cos(s.points[:, 0]), (1, 0)), Term(2.0, (0, 1)))),
}


@pytest.fixture(scope="module")
def basis() -> Basis:
    """More features than a chunk has columns, of two kinds."""
    rng = np.random.default_rng(0)
    return JoinedBasis([FrequencyShift(150, (1, 20)).draw(2, rng), Tanh(20, (1, 3)).draw(2, rng)])


@pytest.fixture(scope="module")
def coefficients(basis: Basis) -> np.ndarray:
    return np.random.default_rng(1).normal(size=basis.size)


@pytest.mark.parametrize("n", [0, 1, 1023, 1024, 1025, 3000])
@pytest.mark.parametrize("name", OPERATORS)
def test_is_the_matrix_times_the_coefficients(basis: Basis, coefficients: np.ndarray, name: str, n: int) -> None:
    sites = Sites(np.random.default_rng(2).uniform(-1, 1, (n, 2)))
    values = evaluate(basis, coefficients, OPERATORS[name], sites, threads=2)
    matrix = basis.matrix(OPERATORS[name], sites)
    assert values.shape == (n,)
    assert np.allclose(values, matrix @ coefficients, rtol=0, atol=1e-12 * np.abs(matrix).sum(axis=1).max(initial=1))


@pytest.mark.parametrize("name", OPERATORS)
def test_bits_do_not_depend_on_threads(basis: Basis, coefficients: np.ndarray, name: str) -> None:
    sites = Sites(np.random.default_rng(2).uniform(-1, 1, (5000, 2)))
    one, *others = (evaluate(basis, coefficients, OPERATORS[name], sites, threads=threads) for threads in (1, 2, 3))
    assert all(np.array_equal(one, other) for other in others)


def test_uses_the_normals_of_the_sites(basis: Basis, coefficients: np.ndarray) -> None:
    rng = np.random.default_rng(3)
    angle = rng.uniform(0, 2 * np.pi, 1500)
    normals = np.column_stack([np.cos(angle), np.sin(angle)])
    sites = Sites(0.5 * normals, normals)
    values = evaluate(basis, coefficients, along_normal(2), sites, threads=1)
    gradient = [evaluate(basis, coefficients, derivative(a), sites, threads=1) for a in ((1, 0), (0, 1))]
    expected = normals[:, 0] * gradient[0] + normals[:, 1] * gradient[1]
    assert np.allclose(values, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


def test_memory_does_not_grow_with_points_times_features(basis: Basis, coefficients: np.ndarray) -> None:
    # the whole matrix would take 170 columns of 50,000 points: 68 MB
    sites = Sites(np.random.default_rng(2).uniform(-1, 1, (50_000, 2)))
    tracemalloc.start()
    try:
        evaluate(basis, coefficients, OPERATORS["value"], sites, threads=1)
        assert tracemalloc.get_traced_memory()[1] < 8e6
    finally:
        tracemalloc.stop()
