"""Exact moments: against arbitrary precision, other formulas, and their limits."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from fspielm.errors import ProblemError
from fspielm.paper.theory import Moments, scale_for_mean, scaling_moments, shift_for_mean, shift_moments
from fspielm.paper.theory.moments import chi_mean, chi_variance, shift_mean, shift_variance

DIMENSIONS = (1, 2, 3, 4, 5)
# Both sides of where one sum takes over from the other, and far beyond on either side.
SHIFTS = (0.0, 1e-9, 1e-3, 0.5, 1.0, 3.0, 7.0, 9.0, 9.2, 9.4, 9.7, 9.9, 10.0, 10.1, 20.0, 1e2, 1e3, 1e4, 1e6)


def precisely(dimension: int, mu: float) -> tuple[mpmath.mpf, mpmath.mpf]:
    """Mean and variance by the Kummer function with 60 digits."""
    with mpmath.workdps(60):
        d, m = mpmath.mpf(dimension), mpmath.mpf(mu)
        c = mpmath.sqrt(2) * mpmath.gamma((d + 1) / 2) / mpmath.gamma(d / 2)
        mean = c * mpmath.hyp1f1(-mpmath.mpf(1) / 2, d / 2, -(m**2) / 2)
        return mean, m**2 + d - mean**2


@pytest.mark.parametrize("dimension", [*DIMENSIONS, 10, 20])
def test_shift_in_arbitrary_precision(dimension: int) -> None:
    for mu in SHIFTS:
        mean, variance = precisely(dimension, mu)
        assert float(shift_mean(dimension, mu)) == pytest.approx(float(mean), rel=1e-13), mu
        assert float(shift_variance(dimension, mu)) == pytest.approx(float(variance), rel=1e-12), mu


@pytest.mark.parametrize("dimension", [50, 100])
def test_many_dimensions(dimension: int) -> None:
    for mu in (0.0, 1.0, 10.0, 20.0, 22.0, 100.0):
        mean, variance = precisely(dimension, mu)
        assert float(shift_mean(dimension, mu)) == pytest.approx(float(mean), rel=1e-12), mu
        assert float(shift_variance(dimension, mu)) == pytest.approx(float(variance), rel=1e-9), mu


@pytest.mark.parametrize("mu", [0.1, 1.0, 5.0, 12.0])
def test_closed_forms_in_one_and_three_dimensions(mu: float) -> None:
    tail = math.sqrt(2 / math.pi) * math.exp(-(mu**2) / 2)
    inside = math.erf(mu / math.sqrt(2))
    assert float(shift_mean(1, mu)) == pytest.approx(mu * inside + tail, rel=1e-13)
    assert float(shift_mean(3, mu)) == pytest.approx((mu + 1 / mu) * inside + tail, rel=1e-13)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_scaling_is_chi(dimension: int) -> None:
    chi = stats.chi(dimension)
    assert chi_mean(dimension) == pytest.approx(chi.mean(), rel=1e-14)
    assert chi_variance(dimension) == pytest.approx(chi.var(), rel=1e-13)
    assert scaling_moments(dimension, 30.0) == Moments(30 * chi_mean(dimension), 900 * chi_variance(dimension))


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_without_shift_both_schemes_are_the_same(dimension: int) -> None:
    shifted, scaled = shift_moments(dimension, 0.0), scaling_moments(dimension, 1.0)
    assert shifted.mean == pytest.approx(scaled.mean, rel=1e-15)
    assert shifted.variance == pytest.approx(scaled.variance, rel=1e-13)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_rates_for_large_shifts(dimension: int) -> None:
    mu = np.geomspace(20.0, 1e4, 30)
    excess = (shift_mean(dimension, mu) - mu) * mu
    np.testing.assert_allclose(excess, (dimension - 1) / 2, atol=8 / mu.min() ** 2)
    missing = (1.0 - shift_variance(dimension, mu)) * mu**2
    np.testing.assert_allclose(missing, (dimension - 1) / 2, atol=0.05 + 1e-15 * mu.max() ** 2)


@pytest.mark.parametrize("dimension", [*DIMENSIONS, 30])
def test_the_variance_grows_and_stays_below_one(dimension: int) -> None:
    variances = shift_variance(dimension, np.linspace(0.0, 50.0, 2001))
    assert np.all(variances <= 1.0 + 1e-12)
    assert np.all(np.diff(variances) >= -1e-11)


@given(st.integers(1, 20), st.floats(0.0, 1e4))
def test_mean_lies_between_its_bounds(dimension: int, mu: float) -> None:
    mean = float(shift_mean(dimension, mu))
    slack = 1e-13 * (mean + 1)
    assert max(mu, chi_mean(dimension)) - slack <= mean <= math.hypot(mu, math.sqrt(dimension)) + slack


@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.parametrize("mu", [0.7, 4.0, 15.0])
def test_moments_of_the_noncentral_chi_square(dimension: int, mu: float) -> None:
    law = stats.ncx2(dimension, mu**2)
    low, high = max(mu - 9.0, 0.0), mu + 12.0
    mean, _ = integrate.quad(lambda x: x * 2 * x * law.pdf(x * x), low, high, limit=200)
    assert float(shift_mean(dimension, mu)) == pytest.approx(mean, rel=1e-7)


def test_shapes_are_kept() -> None:
    assert shift_mean(2, 3.0).shape == ()
    assert shift_variance(2, [[1.0, 20.0]]).shape == (1, 2)
    np.testing.assert_array_equal(shift_mean(2, [1, 20]), [shift_mean(2, 1.0), shift_mean(2, 20.0)])
    assert Moments(3.0, 4.0).deviation == 2.0


class TestTargets:
    @given(st.integers(1, 10), st.floats(0.0, 1e4))
    def test_targets_are_reached(self, dimension: int, excess: float) -> None:
        frequency = chi_mean(dimension) + excess
        assert float(shift_mean(dimension, shift_for_mean(dimension, frequency))) == pytest.approx(frequency, rel=1e-12)
        assert scaling_moments(dimension, scale_for_mean(dimension, frequency)).mean == pytest.approx(frequency)

    @pytest.mark.parametrize("dimension", DIMENSIONS)
    def test_the_lowest_needs_no_shift(self, dimension: int) -> None:
        # the mean is flat there: half the digits of mu are lost
        assert shift_for_mean(dimension, chi_mean(dimension)) == pytest.approx(0.0, abs=1e-6)

    def test_below_the_lowest_there_is_none(self) -> None:
        with pytest.raises(ProblemError, match=r"frequency.*at least 1.25331"):
            shift_for_mean(2, 1.25)


class TestRefusals:
    @pytest.mark.parametrize("dimension", [0, -1, 2.0, True, "2"])
    def test_dimension(self, dimension: object) -> None:
        with pytest.raises(ProblemError, match=r"dimension.*whole number"):
            shift_mean(dimension, 1.0)  # type: ignore[arg-type]

    def test_too_many_dimensions(self) -> None:
        with pytest.raises(ProblemError, match=r"dimension.*at most 100.*101"):
            chi_mean(101)

    def test_magnitudes_without_a_square(self) -> None:
        assert shift_moments(2, 1e140).variance == pytest.approx(1.0)
        with pytest.raises(ProblemError, match=r"mu must.*1e\+140.*1e\+154"):
            shift_moments(2, 1e154)
        with pytest.raises(ProblemError, match=r"delta.*at most 1e\+140.*1e\+200"):
            scaling_moments(2, 1e200)

    @pytest.mark.parametrize("mu", [-1.0, math.nan, math.inf, [1.0, -2.0], "1", True])
    def test_magnitudes(self, mu: object) -> None:
        with pytest.raises(ProblemError, match=r"mu must.*finite and not negative"):
            shift_variance(2, mu)  # type: ignore[arg-type]
        with pytest.raises(ProblemError, match=r"delta.*finite and not negative"):
            scaling_moments(2, mu)  # type: ignore[arg-type]
