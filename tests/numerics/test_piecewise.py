"""Piecewise Chebyshev expansions: exact for polynomials, to rounding for smooth functions, cut off at noise."""

from __future__ import annotations

import numpy as np
import pytest

from fspielm.errors import ProblemError
from fspielm.numerics.piecewise import PiecewiseChebyshev, chopped, expand, interpolate


def test_polynomials_are_exact() -> None:
    ends = np.array([-1.0, 0.5, 3.0])
    series, _, _ = expand(lambda t: 1 - t + 2 * t**3, ends[:-1], ends[1:], 6)
    t = np.linspace(-1.0, 3.0, 50)
    whole = PiecewiseChebyshev(ends, series)
    assert whole(t) == pytest.approx(1 - t + 2 * t**3, abs=1e-13)
    assert whole.derivative()(t) == pytest.approx(6 * t**2 - 1, abs=1e-12)


def test_complex_values() -> None:
    ends = np.linspace(0.0, 2.0, 3)
    series, _, _ = expand(lambda t: np.exp(3j * t), ends[:-1], ends[1:], 20)
    t = np.linspace(0.0, 2.0, 33)
    assert np.abs(PiecewiseChebyshev(ends, series)(t) - np.exp(3j * t)).max() < 1e-14


def test_what_is_noise_is_cut_off() -> None:
    series = np.array([[1.0, 0.5, 1e-17, 0.0], [2.0, 1e-17, 0.25, 1e-16]])
    assert chopped(series, 1e-15).tolist() == [[1.0, 0.5, 0.0], [2.0, 1e-17, 0.25]]


def test_interpolation_to_rounding_between_corners() -> None:
    t = np.linspace(0.0, 2.0, 501)
    found = interpolate(lambda t: np.abs(t - 0.7) + np.sin(9 * t), (0.0, 0.7, 2.0), what="f")
    assert found(t) == pytest.approx(np.abs(t - 0.7) + np.sin(9 * t), abs=1e-14)


def test_what_is_not_smooth_is_refused() -> None:
    with pytest.raises(ProblemError, match="f must be finite and smooth"):
        interpolate(lambda t: np.sin(1e6 * t), (0.0, 1.0), what="f")
