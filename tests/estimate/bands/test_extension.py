"""Bands to many digits, by Fourier extensions."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.estimate import infer_bands, refine_bands
from fspielm.estimate.bands import extension_band

PLACES = np.linspace(0.0, 1.0, 2049)


@pytest.mark.parametrize("length", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("periods", [0.5, 5.0, 80.0])
def test_a_single_frequency_is_its_own_band(periods: float, length: float) -> None:
    frequency = 2 * np.pi * periods / length
    samples = np.array([np.cos(2 * np.pi * periods * PLACES + phase) for phase in (0.0, 1.0, 2.0)])
    found = extension_band(samples, np.full(3, length), frequency)
    assert found * length == pytest.approx(2 * np.pi * periods, rel=0.06, abs=6.0)


@pytest.mark.parametrize("width", [0.1, 0.05, 0.02])
@pytest.mark.parametrize("center", [0.4, 0.0])
def test_the_tail_of_a_bump_counts_to_more_digits_than_the_guess(width: float, center: float) -> None:
    samples = np.exp(-((PLACES - center) ** 2) / (2 * width**2))[None]
    five, ten = np.sqrt(2 * np.log(1e5)) / width, np.sqrt(2 * np.log(1e10)) / width
    assert 0.6 * five < extension_band(samples, np.ones(1), 0.6 * five) < ten


def test_decay_is_no_matter_of_frequencies() -> None:
    samples = sum(np.exp(-rate * PLACES) for rate in (1.0, 20.0, 300.0))[None]
    assert extension_band(samples, np.ones(1), 0.0, decaying=True) < 0.3 * extension_band(samples, np.ones(1), 0.0)


def test_nothing_has_no_band() -> None:
    assert extension_band(np.zeros((2, 100)), np.ones(2), 5.0) == 0.0


def test_fine_bands_are_wider_for_bumps_alone() -> None:
    x, t = sp.symbols("x t")
    u = sp.Function("u")(x, t)
    for start, wider in [(sp.sin(10 * sp.pi * x), False), (sp.exp(-200 * (x - 0.4) ** 2), True)]:
        problem = fs.Problem(
            sp.Eq(u.diff(t, 2) - u.diff(x, 2), 0),
            fs.Interval(0, 1) * fs.Time(0, 1),
            [fs.Dirichlet(0), fs.Initial(start), fs.Initial(0, order=1)],
        )
        rng = np.random.default_rng(0)
        found = infer_bands(problem, rng)
        coarse, fine = found.frequencies, refine_bands(problem, found, rng).frequencies
        assert np.all((fine > 1.2 * coarse) if wider else (fine <= 1.1 * coarse))
