"""The paper's statements: what they are, and how far from exact."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fspielm.errors import ProblemError
from fspielm.paper.theory import moments, scale_for_mean, shift_for_mean
from fspielm.paper.theory import stated as paper
from fspielm.paper.theory.comparison import mean_deviations, ratio_deviations, variance_deviations, within_from

DIMENSIONS = (1, 2, 3, 4, 5)
LARGE = np.geomspace(30.0, 3e3, 20)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_scaling_is_exact(dimension: int) -> None:
    stated, exact = paper.scaling_moments(dimension, 63.8), moments.scaling_moments(dimension, 63.8)
    assert stated.mean == pytest.approx(exact.mean, rel=1e-14)
    assert stated.variance == pytest.approx(exact.variance, rel=1e-13)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_the_mean_is_too_large_by_half_over_mu(dimension: int) -> None:
    mu = np.linspace(0.0, 30.0, 301)
    assert np.all(paper.shift_mean(dimension, mu) > moments.shift_mean(dimension, mu))
    too_much = paper.shift_mean(dimension, LARGE) - moments.shift_mean(dimension, LARGE)
    np.testing.assert_allclose(too_much * 2 * LARGE, 1.0, atol=5e-3)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_the_variance_is_too_small_by_half_over_mu_squared(dimension: int) -> None:
    too_little = moments.shift_variance(dimension, LARGE) - paper.shift_variance(dimension, LARGE)
    np.testing.assert_allclose(too_little * 2 * LARGE**2, 1.0, atol=20 / LARGE.min() ** 2)
    assert float(paper.shift_variance(dimension, 0.0)) == 0.5


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_one_dimension_less_is_sharper_by_two_orders(dimension: int) -> None:
    mu = np.array([20.0, 40.0])
    mean = paper.shift_mean(dimension - 1, mu) / moments.shift_mean(dimension, mu) - 1.0
    variance = paper.shift_variance(dimension - 1, mu) / moments.shift_variance(dimension, mu) - 1.0
    if dimension == 1:
        np.testing.assert_allclose([mean, variance], 0.0, atol=1e-15)
    else:
        assert mean[0] / mean[1] == pytest.approx(16.0, rel=0.02)
        assert variance[0] / variance[1] == pytest.approx(16.0, rel=0.02)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_the_ratio_takes_the_variance_by_shift_to_be_one(dimension: int) -> None:
    for frequency in (2.5, 10.0, 80.0):
        wide = moments.scaling_moments(dimension, scale_for_mean(dimension, frequency)).variance
        assert float(paper.variance_ratio(dimension, frequency)) == pytest.approx(wide, rel=1e-12)
        narrow = moments.shift_moments(dimension, shift_for_mean(dimension, frequency)).variance
        assert wide / narrow >= float(paper.variance_ratio(dimension, frequency)) * (1 - 1e-12)


def test_the_shift_for_a_target() -> None:
    assert paper.shift_for_mean(2, 80.0) == math.sqrt(6398.0)
    with pytest.raises(ProblemError, match=r"at least sqrt\(2\).*got 1.3"):
        paper.shift_for_mean(2, 1.3)


def test_printed_numbers() -> None:
    numbers = paper.printed_numbers()
    wrong = [one.what for one in numbers if not one.is_rounded]
    assert wrong == [
        "variance by scaling at mean 80",
        "variance ratio at mean 80",
        "variance by scaling at mean 19 pi sqrt(2)",
        "variance by scaling for Helmholtz, mean 24 pi",
    ]
    assert numbers[3].computed == pytest.approx(float(paper.variance_ratio(2, 80.0)))
    assert numbers[-1].computed == pytest.approx(float(paper.variance_ratio(2, 24 * math.pi)))
    assert numbers[-1].deviation == pytest.approx(0.124, abs=1e-3)


class TestDeviations:
    def test_of_the_mean(self) -> None:
        found = mean_deviations(2)
        assert found.unshifted == pytest.approx(2 / math.sqrt(math.pi) - 1)
        # d = 1: sqrt(mu**2 + 1) = 1.01 mu
        assert mean_deviations(1).within[0.01] == pytest.approx(1 / math.sqrt(1.01**2 - 1), rel=1e-9)

    def test_of_the_variance(self) -> None:
        found = variance_deviations(1)
        assert found.unshifted == pytest.approx(0.5 / (1 - 2 / math.pi) - 1)
        # d = 1, where the variance is one: 1 / (2 (mu**2 + 1)) = 0.01
        assert found.within[0.01] == pytest.approx(7.0, rel=1e-7)
        assert found.lowest[0] == pytest.approx(-0.05002, abs=1e-5)

    def test_of_the_ratio(self) -> None:
        # d = 3, where the variance is 1 - 1 / mu**2
        assert ratio_deviations(3).within == pytest.approx({0.1: 3.1545, 0.01: 10.0, 0.001: math.sqrt(1000)}, rel=1e-4)

    @pytest.mark.parametrize("dimension", DIMENSIONS)
    @pytest.mark.parametrize("deviations", [mean_deviations, variance_deviations, ratio_deviations])
    def test_within_is_within(self, deviations: object, dimension: int) -> None:
        curves = {
            mean_deviations: lambda mu: paper.shift_mean(dimension, mu) / moments.shift_mean(dimension, mu) - 1,
            variance_deviations: lambda mu: (
                paper.shift_variance(dimension, mu) / moments.shift_variance(dimension, mu) - 1
            ),
            ratio_deviations: lambda mu: moments.shift_variance(dimension, mu) - 1,
        }
        for tolerance, start in deviations(dimension).within.items():  # type: ignore[operator]
            mu = start + np.geomspace(1e-6, 1e4, 3000)
            assert np.abs(curves[deviations](mu)).max() <= tolerance  # type: ignore[index]
            if start > 0:
                before = np.array([start * (1 - 1e-6)])
                assert abs(float(curves[deviations](before)[0])) > tolerance  # type: ignore[index]

    def test_refusals(self) -> None:
        with pytest.raises(ProblemError, match=r"tolerance.*positive; got 0"):
            within_from(np.zeros_like, 0.0)
        with pytest.raises(ProblemError, match=r"tolerance.*mu = 10000.*0\.5"):
            within_from(np.ones_like, 0.5)
