"""Densities: against SciPy's, and with the moments that they should have."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from fspielm.errors import ProblemError
from fspielm.paper.theory import scaling_moments, shift_moments
from fspielm.paper.theory.moments import scaling_density, shift_density

DIMENSIONS = (1, 2, 3, 4, 5)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_scaling_density_is_the_stretched_chi(dimension: int) -> None:
    x = np.linspace(0.0, 200.0, 301)
    np.testing.assert_allclose(
        scaling_density(dimension, 40.0, x), stats.chi(dimension, scale=40.0).pdf(x), rtol=1e-12, atol=1e-300
    )


@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.parametrize("mu", [0.3, 2.0, 11.0])
def test_shift_density_is_the_root_of_noncentral_chi_square(dimension: int, mu: float) -> None:
    x = np.linspace(max(mu - 5, 0.01), mu + 5, 100)
    expected = 2 * x * stats.ncx2(dimension, mu**2).pdf(x**2)
    np.testing.assert_allclose(shift_density(dimension, mu, x), expected, rtol=1e-9)


@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.parametrize("mu", [0.0, 1e-6, 1.5, 80.0, 1e4])
def test_moments_of_the_shift_density(dimension: int, mu: float) -> None:
    x = np.linspace(max(mu - 12.0, 0.0), mu + 12.0, 20_001)
    density = shift_density(dimension, mu, x)
    exact = shift_moments(dimension, mu)
    assert np.trapezoid(density, x) == pytest.approx(1.0, rel=1e-6)
    assert np.trapezoid(density * x, x) == pytest.approx(exact.mean, rel=1e-6)
    assert np.trapezoid(density * (x - exact.mean) ** 2, x) == pytest.approx(exact.variance, rel=1e-6)


def test_moments_of_the_scaling_density() -> None:
    x = np.linspace(0.0, 400.0, 20_001)
    density, exact = scaling_density(2, 30.0, x), scaling_moments(2, 30.0)
    assert np.trapezoid(density * x, x) == pytest.approx(exact.mean, rel=1e-6)
    assert np.trapezoid(density * (x - exact.mean) ** 2, x) == pytest.approx(exact.variance, rel=1e-6)


@pytest.mark.parametrize("delta", [0.0, -1.0, float("nan")])
def test_a_scale_of_zero_has_no_density(delta: float) -> None:
    with pytest.raises(ProblemError, match=r"delta.*finite and positive"):
        scaling_density(2, delta, [1.0])
