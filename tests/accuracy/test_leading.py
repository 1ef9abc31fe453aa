"""What of a residual matters: its components along the functions that are amplified most."""

from __future__ import annotations

import numpy as np
import pytest

from fspielm import QR
from fspielm.accuracy.leading import _AMPLE, _CHANCE, Leading, _iterate


@pytest.fixture(params=["real", "complex"])
def leading(request: pytest.FixtureRequest) -> Leading:
    """Five orthonormal functions in 4000 rows."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(4000, 5)) + (1j * rng.normal(size=(4000, 5)) if request.param == "complex" else 0.0)
    return Leading(np.array([100.0, 50.0, 20.0, 10.0, 5.0]), 2.0, np.linalg.qr(rows)[0].T)


def bound(leading: Leading, deviation: np.ndarray) -> float:
    """What is amplified at most: the largest factor times the norm."""
    return float(leading.amplifications[0] * np.linalg.norm(deviation))


@pytest.mark.parametrize("which", range(5))
def test_a_leading_function_is_amplified_by_its_factor(leading: Leading, which: int) -> None:
    error = leading.error(0.3 * leading.rows[which])
    own = 0.3 * leading.amplifications[which]
    # what chance may have to do with it is added: components of other functions, and the rest
    assert own <= error
    alone = Leading(leading.amplifications[which : which + 1], 0.0, leading.rows[which : which + 1])
    squares = np.sqrt(np.sum(np.abs(leading.rows[which]) ** 4))
    assert alone.error(0.3 * leading.rows[which]) == pytest.approx(_AMPLE * own * (1 + _CHANCE * squares), rel=1e-12)


def test_a_random_deviation_is_amplified_by_far_less_than_the_bound(leading: Leading) -> None:
    for seed in range(20):
        deviation = np.random.default_rng(seed).normal(size=4000)
        true = np.linalg.norm(leading.amplifications * np.abs(leading.rows.conj() @ deviation))
        assert true <= leading.error(deviation) < 0.5 * bound(leading, deviation)


def test_what_is_no_leading_function_is_amplified_by_the_rest(leading: Leading) -> None:
    deviation = np.random.default_rng(1).normal(size=4000)
    deviation = deviation - leading.rows.T @ (leading.rows.conj() @ deviation)
    assert leading.error(deviation) >= leading.rest * np.linalg.norm(deviation)
    assert leading.error(deviation) < 0.5 * bound(leading, deviation)


def test_it_grows_with_the_deviation(leading: Leading) -> None:
    deviation = np.random.default_rng(2).normal(size=4000)
    assert leading.error(0.0 * deviation) == 0.0
    assert leading.error(7.0 * deviation) == pytest.approx(7.0 * leading.error(deviation), rel=1e-12)


def test_those_amplified_most_are_found_by_iteration() -> None:
    rng = np.random.default_rng(3)
    sizes = np.geomspace(1.0, 1e-4, 60)
    rows = np.linalg.qr(rng.normal(size=(90, 60)))[0] * sizes @ np.linalg.qr(rng.normal(size=(60, 60)))[0]
    Phi = rng.normal(size=(200, 60))
    factored = QR().factor(np.column_stack([rows, np.zeros(90)]))
    found = _iterate(Phi, factored, rng)
    exact = np.linalg.svd(Phi @ np.linalg.inv(np.linalg.qr(rows)[1]), compute_uv=False) / np.sqrt(200)
    count = len(found.amplifications)
    np.testing.assert_allclose(found.amplifications[:8], exact[:8], rtol=1e-6)
    assert found.rest == pytest.approx(exact[count], rel=0.5)
    # each is of size one in the rows, and as large as it says where the solution is looked at
    np.testing.assert_allclose(np.linalg.norm(rows @ found.functions.T, axis=0), 1.0, rtol=1e-6)
    shown = np.linalg.norm(Phi @ found.functions.T, axis=0) / np.sqrt(200)
    np.testing.assert_allclose(shown, found.amplifications, rtol=1e-6)
