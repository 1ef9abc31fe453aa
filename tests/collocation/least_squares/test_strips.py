from __future__ import annotations

import numpy as np
import pytest

from fspielm.collocation import householder
from fspielm.errors import OutOfTime
from fspielm.resources import Deadline


@pytest.fixture
def in_strips(monkeypatch):
    monkeypatch.setattr(householder, "_ONE_STRIP_OPERATIONS", 0.0)
    monkeypatch.setattr(householder, "_STRIP", 7)
    monkeypatch.setattr(householder, "LONG", 1.0)


def _matrix(shape, dtype):
    rng = np.random.default_rng(3)
    parts = rng.standard_normal((2, *shape))
    return np.asfortranarray(parts[0] if dtype is float else parts[0] + 1j * parts[1])


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("shape", [(40, 23), (23, 23), (15, 33), (30, 7)])
def test_a_matrix_factored_in_strips_is_that_factored_at_once(in_strips, shape, dtype):
    packed, tau = householder.factor_in_place(_matrix(shape, dtype))
    at_once, scales = householder._factor_at_once(_matrix(shape, dtype))
    np.testing.assert_allclose(packed, at_once, atol=1e-11)
    np.testing.assert_allclose(tau, scales, atol=1e-11)


def test_strips_stay_in_the_memory_of_the_matrix(in_strips):
    matrix = _matrix((40, 23), float)
    assert np.shares_memory(householder.factor_in_place(matrix)[0], matrix)


def test_a_system_factored_in_strips_is_solved(in_strips):
    matrix, exact = _matrix((40, 23), float), np.arange(23.0)
    augmented = np.asfortranarray(np.column_stack([matrix, matrix @ exact]))
    np.testing.assert_allclose(householder.Householder.of_system(augmented).coefficients, exact, atol=1e-10)


def test_a_deadline_ends_a_factorisation_between_strips(in_strips, monkeypatch):
    clock = iter([0.0, 0.0, 2.0])
    monkeypatch.setattr("fspielm.resources.perf_counter", lambda: next(clock))
    with Deadline(1.0).enforced(), pytest.raises(OutOfTime):
        householder.factor_in_place(_matrix((40, 23), float))
