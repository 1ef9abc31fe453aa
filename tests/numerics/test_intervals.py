"""Intervals halved, and closed in on a place in each."""

from __future__ import annotations

import numpy as np
import pytest

from fspielm.numerics import bisect, halves


def test_first_halves_come_before_second_ones() -> None:
    low, high = halves(np.array([0.0, 1.0]), np.array([1.0, 4.0]))
    assert low.tolist() == [0.0, 1.0, 0.5, 2.5]
    assert high.tolist() == [0.5, 2.5, 1.0, 4.0]


@pytest.mark.parametrize("steps", [0, 1, 20])
def test_every_step_halves_the_interval_around_the_place(steps: int) -> None:
    places = np.array([0.1, 0.5, 0.99])
    low, high = bisect(np.zeros(3), np.ones(3), lambda here: here < places, steps)
    assert np.array_equal(high - low, np.full(3, 0.5**steps))
    assert np.all((low <= places) & (places <= high))


def test_as_many_steps_as_a_number_has_digits_find_neighbouring_numbers() -> None:
    low, high = bisect(np.array([1.0]), np.array([2.0]), lambda here: here**2 < 2.0, 52)
    assert low < np.sqrt(2.0) <= high
    assert np.array_equal(np.nextafter(low, 2.0), high)


def test_an_interval_may_run_backwards() -> None:
    low, high = bisect(np.array([1.0, 0.0]), np.array([0.0, 1.0]), lambda here: np.abs(here - [1, 0]) < 0.3, 30)
    assert low == pytest.approx([0.7, 0.3])
    assert low[0] > high[0]


def test_nothing_is_asked_where_there_is_no_interval() -> None:
    def refuse(here: np.ndarray) -> np.ndarray:
        raise AssertionError("asked")

    assert [len(end) for end in bisect(np.empty(0), np.empty(0), refuse, 9)] == [0, 0]
