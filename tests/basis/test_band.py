"""Bands filled evenly with frequencies, and phases counted from the middle of a domain."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from fspielm import Band, ProblemError
from fspielm.basis import COSINE, SINE, TANH, RidgeBasis
from fspielm.basis.random.families import in_rounded_box
from fspielm.geometry import Sites
from fspielm.problem import Operator, Term, derivative, identity


def draw(band: Band, seed: int = 0, **options: Any) -> RidgeBasis:
    basis = band.draw(len(band.widths), np.random.default_rng(seed), **options)
    assert isinstance(basis, RidgeBasis)
    return basis


# --- which frequencies --------------------------------------------------------------------------


@pytest.mark.parametrize("widths", [(30.0,), (5.0, 80.0), (5.0, 1e-6, 1e6)])
def test_frequencies_fill_the_box(widths: tuple[float, ...]) -> None:
    basis = draw(Band(2000, widths))
    assert basis.W.shape == (2000, len(widths))
    assert basis.activation is COSINE
    assert np.all(np.abs(basis.W) <= widths)
    assert np.abs(basis.W).max(axis=0) == pytest.approx(widths, rel=0.01)
    assert np.all((basis.b >= 0) & (basis.b < 2 * np.pi))


def test_frequencies_are_even() -> None:
    """Every cell of a 10 x 10 grid holds its hundredth: far closer than independent draws, which spread by ten."""
    W = draw(Band(10_000, (3.0, 7.0))).W
    counts, *_ = np.histogram2d(*W.T, bins=10, range=[(-3, 3), (-7, 7)])
    assert counts.min() > 90
    assert counts.max() < 110


def test_phases_are_uniform_and_independent_of_the_frequencies() -> None:
    basis = draw(Band(4000, (3.0, 7.0)))
    assert np.histogram(basis.b, bins=8, range=(0, 2 * np.pi))[0] == pytest.approx(500, rel=0.2)
    for w in basis.W.T:
        assert abs(np.corrcoef(w, basis.b)[0, 1]) < 0.05


@pytest.mark.parametrize("dimension", [2, 3])
def test_corners_are_rounded_beyond_the_core(dimension: int) -> None:
    core, widths = np.full(dimension, 10.0), np.full(dimension, 14.0)
    W = draw(Band(4000, tuple(widths), tuple(core))).W
    beyond = np.maximum(np.abs(W) - core, 0)
    assert np.linalg.norm(beyond, axis=1).max() <= 4.0
    # the core is filled to its corners, and the band to its widths along every axis
    assert np.min(np.abs(W), axis=1).max() > 9.5
    assert np.abs(W).max(axis=0) == pytest.approx(widths, rel=0.02)


def test_without_a_core_nothing_is_rounded() -> None:
    W = draw(Band(4000, (1.0, 1.0))).W
    assert np.sum(np.all(np.abs(W) > 0.9, axis=1)) == pytest.approx(40, abs=12)


def test_a_core_of_zero_makes_an_ellipsoid() -> None:
    W = draw(Band(2000, (2.0, 6.0), (0.0, 0.0))).W
    assert np.sum((W / [2, 6]) ** 2, axis=1).max() <= 1
    assert np.mean(np.hypot(*(W / [2, 6]).T) < 0.5) == pytest.approx(0.25, abs=0.02)


def test_a_core_as_wide_as_the_band_is_the_box() -> None:
    W = draw(Band(1000, (2.0, 6.0), (2.0, 6.0))).W
    assert np.sum(np.all(np.abs(W) > 0.9 * np.array([2, 6]), axis=1)) > 0


def test_membership_by_hand() -> None:
    core, widths = np.array([1.0, 1.0]), np.array([2.0, 3.0])
    inside = [(0, 0), (1, 1), (2, 1), (1, 3), (1.7, 2.4), (-2, 0), (0, -3)]
    outside = [(2.01, 0), (0, 3.01), (2, 3), (1.8, 2.4), (-2, -1.5)]
    assert in_rounded_box(np.array(inside), core, widths).all()
    assert not in_rounded_box(np.array(outside), core, widths).any()


def test_the_same_seed_gives_the_same_frequencies() -> None:
    band = Band(100, (3.0, 7.0), (1.0, 5.0))
    assert np.array_equal(draw(band, 5).W, draw(band, 5).W)
    assert not np.array_equal(draw(band, 5).W, draw(band, 6).W)


# --- as a value ---------------------------------------------------------------------------------


def test_a_band_is_a_value() -> None:
    assert Band(10, [1, 2]) == Band(10, (1.0, 2.0))  # type: ignore[arg-type]
    assert hash(Band(10, (1, 2), (0, 1))) == hash(Band(10, (1.0, 2.0), (0.0, 1.0)))
    assert eval(repr(Band(10, (1, 2), (0, 1))), {"Band": Band}) == Band(10, (1, 2), (0, 1))


@pytest.mark.parametrize("widths", [(), (0.0, 1.0), (-1.0,), (math.nan,), (math.inf, 1.0), 5.0, "ab", None])
def test_refuses_widths_that_are_none(widths: Any) -> None:
    with pytest.raises(ProblemError, match=r"widths must be.*each axis"):
        Band(10, widths)


@pytest.mark.parametrize("core", [(3.0, 1.0), (1.0,), (1.0, 1.0, 1.0)])
def test_refuses_a_core_that_is_not_inside(core: Any) -> None:
    with pytest.raises(ProblemError, match=r"core.*inside widths"):
        Band(10, (2.0, 2.0), core)


@pytest.mark.parametrize("core", [(-1.0, 1.0), (math.nan, 1.0), 1.0])
def test_refuses_a_core_that_is_no_width(core: Any) -> None:
    with pytest.raises(ProblemError, match="core must be"):
        Band(10, (2.0, 2.0), core)


@pytest.mark.parametrize("neurons", [0, -3, 1.5, True, "many"])
def test_refuses_neurons_that_are_no_number(neurons: Any) -> None:
    with pytest.raises(ProblemError, match="neurons must be"):
        Band(neurons, (1.0,))


def test_refuses_a_domain_of_another_dimension() -> None:
    with pytest.raises(ProblemError, match=r"widths.*3 axes"):
        Band(10, (1.0, 2.0)).draw(3, np.random.default_rng(0))


# --- origin -------------------------------------------------------------------------------------


@pytest.mark.parametrize("activation", [COSINE, SINE, TANH])
@pytest.mark.parametrize(
    "operator",
    [
        identity(2),
        derivative((2, 1)),
        Operator(2, (Term(1.0, (2, 0)), Term(3.0, (0, 1)))),
        Operator(2, (Term(lambda s: s.points[:, 0], (1, 0)),)),
    ],
)
def test_an_origin_is_a_shift_of_the_phases(activation: Any, operator: Operator) -> None:
    rng = np.random.default_rng(1)
    W, b, origin = rng.normal(size=(7, 2)), rng.normal(size=7), np.array([0.3, -0.2])
    points = rng.uniform(-1, 1, (9, 2))
    shifted = RidgeBasis(W, b, activation, origin=origin)
    plain = RidgeBasis(W, b - W @ origin, activation)
    assert np.allclose(shifted.matrix(operator, Sites(points)), plain.matrix(operator, Sites(points)), atol=1e-13)


def test_an_origin_is_kept_as_a_copy() -> None:
    origin = np.array([1.0, 2.0])
    basis = RidgeBasis(np.ones((3, 2)), np.zeros(3), COSINE, origin=origin)
    origin[0] = 9
    assert basis.origin.tolist() == [1, 2]
    assert RidgeBasis(np.ones((3, 2)), np.zeros(3), COSINE).origin.tolist() == [0, 0]


def test_a_domain_far_from_zero_loses_no_digits() -> None:
    """At x = 1e6 a phase of 60 x would have lost eight of its digits; counted from the middle, none."""
    center = np.array([1e6, -1e6])
    band = Band(200, (60.0, 60.0))
    near, far = draw(band, 3), draw(band, 3, center=center)
    # offsets that are exact in both places
    offsets = np.random.default_rng(0).integers(-(2**20), 2**20, (300, 2)) / 2**21
    operator = Operator(2, (Term(1.0, (2, 0)), Term(1.0, (0, 2)), Term(100.0, (0, 0))))
    expected = near.matrix(operator, Sites(offsets))
    np.testing.assert_allclose(far.matrix(operator, Sites(center + offsets)), expected, rtol=0, atol=1e-12)
    careless = RidgeBasis(near.W, near.b - near.W @ center, COSINE).matrix(operator, Sites(center + offsets))
    assert np.abs(careless - expected).max() > 1e-10 * np.abs(expected).max()


# --- around another frequency -------------------------------------------------------------------


@pytest.mark.parametrize("neurons", [20, 21])
def test_a_shifted_band_has_each_frequency_twice(neurons: int) -> None:
    basis = draw(Band(neurons, (3.0, 5.0), center=(40.0, -7.0)))
    assert basis.size == neurons
    assert np.all(np.abs(basis.W - [40.0, -7.0]) <= [3.0, 5.0])
    pairs = neurons // 2
    np.testing.assert_array_equal(basis.W[0 : 2 * pairs : 2], basis.W[1 : 2 * pairs : 2])
    assert basis.b[0 : 2 * pairs : 2] - basis.b[1 : 2 * pairs : 2] == pytest.approx(0.5 * np.pi)


def test_a_shifted_band_is_rounded_about_its_center() -> None:
    W = draw(Band(2000, (14.0, 14.0), (10.0, 10.0), center=(100.0, 0.0))).W - [100.0, 0.0]
    assert np.linalg.norm(np.maximum(np.abs(W) - 10.0, 0), axis=1).max() <= 4.0


def test_a_few_features_around_a_frequency_hold_a_modulated_wave() -> None:
    """Thirty-two functions for exp(x) sin(1000.3 x), which a band from zero would need hundreds for."""
    sites = Sites(np.random.default_rng(0).random((200, 1)))
    H = draw(Band(32, (10.0,), center=(1000.0,)), center=np.array([0.5])).matrix(identity(1), sites)
    wave = np.exp(sites.points[:, 0]) * np.sin(1000.3 * sites.points[:, 0])
    coefficients = np.linalg.lstsq(H, wave, rcond=1e-15)[0]
    assert np.abs(H @ coefficients - wave).max() < 1e-11


@pytest.mark.parametrize("center", [(1.0,), (1.0, np.nan), (1.0, 2.0, 3.0)])
def test_a_center_has_one_number_for_each_axis(center: tuple[float, ...]) -> None:
    with pytest.raises(ProblemError, match=r"center.*finite.*2 axes"):
        Band(10, (1.0, 1.0), center=center)


def test_a_center_is_a_sequence_of_numbers() -> None:
    with pytest.raises(ProblemError, match=r"center.*sequence of numbers"):
        Band(10, (1.0, 1.0), center=3.0)  # type: ignore[arg-type]
