"""How wide and how dense a band is laid out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fspielm.basis.random.families import layout

DIMENSIONS = [1, 2, 3]
cores = st.floats(0.1, 300)


def neurons(core: list[float], decades: float, lengths: list[float] | None = None) -> int:
    return layout(np.array(core), np.array(lengths or [1.0] * len(core)), decades).family.neurons


@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.parametrize("frequency", [1.0, 20.0, 200.0])
def test_more_digits_need_more_neurons(dimension: int, frequency: float) -> None:
    counts = [neurons([frequency] * dimension, decades) for decades in np.arange(2, 15)]
    assert all(a < b or a == b == 8 for a, b in itertools.pairwise(counts))  # 8 is the least


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_higher_bands_need_more_neurons_on_any_axis(dimension: int) -> None:
    for axis in range(dimension):
        counts = []
        for frequency in (1, 5, 20, 50, 100, 300):
            core = [10.0] * dimension
            core[axis] = frequency
            counts.append(neurons(core, 9.5))
        assert all(a < b for a, b in itertools.pairwise(counts))


@given(st.lists(cores, min_size=1, max_size=3), st.floats(3, 14))
def test_the_band_holds_the_core_with_a_margin_for_every_axis(core: list[float], decades: float) -> None:
    used = layout(np.array(core), np.ones(len(core)), decades)
    assert used.family.core == tuple(core)
    margins = used.widths - core
    assert np.all(margins > 0)
    # in periods across the domain, the same along every axis
    assert np.ptp(margins) < 1e-9 * margins.max()
    assert 1.2 <= used.factor <= 5.0


@given(st.lists(cores, min_size=1, max_size=3), st.floats(1e-6, 1e6), st.floats(4, 12))
def test_units_do_not_matter(core: list[float], unit: float, decades: float) -> None:
    lengths = np.arange(1.0, len(core) + 1)
    one = layout(np.array(core), lengths, decades)
    other = layout(np.array(core) / unit, lengths * unit, decades)
    assert abs(one.family.neurons - other.family.neurons) <= 1  # rounding of a product
    assert one.factor == other.factor
    assert other.widths * unit == pytest.approx(one.widths, rel=1e-9)


def test_a_high_band_is_laid_out_sparser_than_a_low_one() -> None:
    factors = [layout(np.array([k, k]), np.ones(2), 10.0).factor for k in (3.0, 30.0, 300.0)]
    assert factors[0] > factors[1] > factors[2]


def test_so_many_neurons_are_needed_to_resolve_at_all() -> None:
    for k in (50.0, 200.0):
        resolved = 2 * k / (2 * np.pi)
        assert neurons([k], 4) > resolved
        assert neurons([k, k], 4) > resolved**2


def test_corners_are_not_counted() -> None:
    used = layout(np.array([1.0, 1.0, 1.0]), np.ones(3), 10.0)
    box = np.prod(2 * used.widths * used.factor / (2 * np.pi))
    assert used.family.neurons < 0.75 * box


def test_at_most_so_many_in_the_same_band() -> None:
    free = layout(np.array([30.0, 30.0]), np.ones(2), 9.5)
    bound = layout(np.array([30.0, 30.0]), np.ones(2), 9.5, most=100)
    assert bound.family.neurons == 100
    assert bound.family.widths == free.family.widths
    assert layout(np.array([30.0, 30.0]), np.ones(2), 9.5, most=10**6).family == free.family


def test_there_are_always_some_neurons() -> None:
    assert neurons([1e-12], 0.5) >= 8
