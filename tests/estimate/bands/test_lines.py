"""The highest frequency of samples along lines."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from fspielm.estimate.amounts import SMALL
from fspielm.estimate.band_data import LineBand, line_band

Signal = Callable[[np.ndarray], np.ndarray]


def band(signal: Signal, length: float = 1.0, n: int = 1024, threshold: float = 1e-5) -> LineBand:
    return line_band(signal(np.linspace(0, length, n))[None, :], np.array([length]), threshold)


@pytest.mark.parametrize("frequency", [20.0, 75.4, 240.0, 700.0])
@pytest.mark.parametrize("phase", [0.0, 1.0])
def test_a_single_frequency(frequency: float, phase: float) -> None:
    found = band(lambda x: np.sin(frequency * x + phase))
    assert found.frequency == pytest.approx(frequency, abs=2)
    assert found.settled
    assert not found.rough


@pytest.mark.parametrize("length", [1e-3, 2.5, 1e6])
def test_length_is_a_unit(length: float) -> None:
    found = band(lambda x: np.sin(100 * x / length), length)
    assert found.frequency * length == pytest.approx(100, abs=2)


def test_the_highest_of_a_sum_counts_while_it_is_audible() -> None:
    def signal(amplitude: float) -> Signal:
        return lambda x: np.sin(20 * x) + amplitude * np.sin(300 * x)

    assert band(signal(1e-2)).frequency == pytest.approx(300, abs=15)
    assert band(signal(1e-3)).frequency == pytest.approx(300, abs=30)
    assert band(signal(1e-7)).frequency == pytest.approx(20, abs=2)
    assert band(signal(1e-3), threshold=1e-2).frequency == pytest.approx(20, abs=3)


def test_size_does_not_matter() -> None:
    found = [band(lambda x, s=s: s * (np.sin(50 * x) + x)).frequency for s in (1e-12, 1.0, 1e12)]  # type: ignore[misc]
    assert np.ptp(found) < 1e-9


@pytest.mark.parametrize("signal", [lambda x: 0 * x + 3, lambda x: x, lambda x: 1 - 2 * x + x**2, lambda x: x**4])
def test_low_polynomials_have_next_to_no_frequency(signal: Signal) -> None:
    found = band(signal)
    assert found.frequency < 8
    assert found.settled
    assert not found.rough


def test_a_gaussian_has_the_band_of_its_width() -> None:
    # the transform exp(-(w s)^2 / 2) falls to 1e-5 at 4.8 / s; the window takes some of it
    for width in (0.01, 0.03):
        found = band(lambda x, s=width: np.exp(-(((x - 0.4) / s) ** 2) / 2), n=4096)  # type: ignore[misc]
        assert found.frequency == pytest.approx(4.8 / width, rel=0.25)
        assert not found.rough


def test_nothing_is_settled_and_zero() -> None:
    assert band(lambda x: 0 * x) == LineBand(0.0, True, False)


def test_kappa_2000_across_two_and_a_half_aliases_until_sampled_finely() -> None:
    def signal(x: np.ndarray) -> np.ndarray:
        return np.sin(2000 * x + 0.3)

    coarse = band(signal, 2.5, 1024)
    assert abs(coarse.frequency - 2000) > 300 or not coarse.settled
    fine = band(signal, 2.5, 4096)
    assert fine.settled
    assert fine.frequency == pytest.approx(2000, rel=0.01)


def test_what_lies_beyond_half_of_the_visible_is_not_settled() -> None:
    nyquist = np.pi * 1023
    assert band(lambda x: np.sin(0.4 * nyquist * x)).settled
    assert not band(lambda x: np.sin(0.7 * nyquist * x)).settled


def test_the_highest_of_all_lines_counts_and_amplitudes_are_compared_among_them() -> None:
    x = np.linspace(0, 1, 1024)
    loud, quiet = np.sin(30 * x), np.sin(200 * x)
    lengths = np.ones(2)
    assert line_band(np.stack([loud, quiet]), lengths).frequency == pytest.approx(200, abs=2)
    assert line_band(np.stack([loud, 1e-8 * quiet]), lengths).frequency == pytest.approx(30, abs=2)
    # each line in its own units
    assert line_band(np.stack([loud, quiet]), np.array([1.0, 10.0])).frequency == pytest.approx(30, abs=2)


def test_no_lines_have_no_band() -> None:
    assert line_band(np.empty((0, 100)), np.empty(0)).frequency == 0


# --- roughness ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("signal", "rough"),
    [
        (lambda x: np.where(x > 0.43, 1.0, 0.0), True),
        (lambda x: np.abs(x - 0.43), True),
        (lambda x: np.maximum(x - 0.43, 0) ** 3, False),  # three derivatives can be resolved
        (lambda x: 1 / (1 + 100 * (x - 0.5) ** 2), False),
        (lambda x: np.exp(x) * np.sin(20 * x), False),
        (lambda x: np.sin(100 * x**2), False),
        (lambda x: np.tanh(40 * (x - 0.5)), False),
        (lambda x: np.sin(20 * x) + 1e-3 * np.sin(300 * x), False),
    ],
)
def test_jumps_and_kinks_are_rough_or_never_settle(signal: Signal, rough: bool) -> None:
    found = band(signal, n=2**15)
    assert (found.rough or not found.settled) is rough


def test_a_rough_line_can_be_cut_earlier() -> None:
    jump = band(lambda x: np.where(x > 0.43, 1.0, 0.0), n=2**15, threshold=SMALL)
    assert 20 < jump.frequency < 200
    assert jump.settled
