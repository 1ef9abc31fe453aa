"""The shift or scale of each neuron: the paper's linear and grouped schedules."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fspielm.basis.random.families import magnitudes


@pytest.mark.parametrize("neurons", [2, 3, 10, 200, 5000])
def test_linear_magnitudes_are_those_of_the_paper(neurons: int) -> None:
    m = np.arange(1, neurons + 1)
    expected = 5 + (m - 1) / (neurons - 1) * (140 - 5)
    assert np.allclose(magnitudes(neurons, (5, 140)), expected, rtol=4e-16)
    assert magnitudes(neurons, (5, 140))[[0, -1]].tolist() == [5, 140]


@pytest.mark.parametrize(
    ("neurons", "groups"),
    [
        (1, 1),
        (2, 1),
        (2, 2),
        (7, 3),
        (10, 3),
        (10, 4),
        (10, 10),
        (11, 10),
        (19, 10),
        (5000, 10),
        (5003, 10),
        (97, 96),
    ],
)
def test_neuron_m_of_grouped_magnitudes_is_in_group_ceil_mk_over_m(neurons: int, groups: int) -> None:
    levels = [5 + (k - 1) / max(groups - 1, 1) * 115 for k in range(1, groups + 1)]
    expected = [levels[math.ceil(m * groups / neurons) - 1] for m in range(1, neurons + 1)]
    assert np.allclose(magnitudes(neurons, (5, 120), groups), expected, rtol=4e-16)


def test_groups_that_do_not_divide_the_neurons() -> None:
    # M = 7, K = 3: ceil(3 m / 7) = 1 1 2 2 3 3 3
    assert magnitudes(7, (0, 2), 3).tolist() == [0, 0, 1, 1, 2, 2, 2]


@pytest.mark.parametrize(("neurons", "groups"), [(5003, 10), (10, 4), (97, 96), (13, 13)])
def test_groups_differ_by_one_neuron_at_most_and_none_is_empty(neurons: int, groups: int) -> None:
    _, sizes = np.unique(magnitudes(neurons, (1, 2), groups), return_counts=True)
    assert len(sizes) == groups
    assert sizes.sum() == neurons
    assert sizes.max() - sizes.min() <= 1


def test_as_many_groups_as_neurons_is_the_linear_variant() -> None:
    assert np.array_equal(magnitudes(23, (5, 80), 23), magnitudes(23, (5, 80)))


def test_one_neuron_or_one_group_has_the_smallest_magnitude() -> None:
    assert magnitudes(1, (5, 80)).tolist() == [5]
    assert magnitudes(1, (5, 80), 1).tolist() == [5]
    assert magnitudes(4, (5, 80), 1).tolist() == [5, 5, 5, 5]
