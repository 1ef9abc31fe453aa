"""What helps a cell at the least cost."""

from __future__ import annotations

import math

import numpy as np

from fspielm.solvers.cells.plans import MOST_DEGREE, Plans, grade, plan


def planned(degree: int, rate: float, wanted: float, axes: int = 2) -> Plans:
    return plan(np.array([degree]), np.array([rate]), np.array([wanted]), np.array([axes]), 6)


def test_a_little_more_is_had_from_a_higher_degree() -> None:
    plans = planned(8, 1.5, 2.0)
    assert plans.halvings[0] == 0
    assert 9 <= plans.degrees[0] <= 12


def test_where_coefficients_fall_slowly_cells_are_halved() -> None:
    assert planned(14, 0.5, 15.0).halvings[0] > 0


def test_halving_along_one_axis_is_tried_sooner() -> None:
    both, one = (planned(16, 1.2, 8.0, axes).halvings[0] for axes in (2, 1))
    assert one >= both


def test_where_nothing_is_resolved_cells_are_halved_twice_with_their_degree() -> None:
    plans = planned(14, 0.05, 20.0)
    assert plans.halvings[0] == 2
    assert plans.degrees[0] == 14
    assert np.isinf(plans.raising[0])


def test_degrees_are_no_higher_than_any_may_be() -> None:
    assert planned(30, 1.0, 40.0).degrees[0] <= MOST_DEGREE


def test_levels_gain_what_is_wanted() -> None:
    gain = math.log(2) * 4 / 3
    found = grade(14, 2 / 3, gain, math.log(1e8), 6)
    assert found.levels * gain >= math.log(1e8)
    assert len(found.degrees) == found.levels


def test_degrees_fall_toward_a_corner() -> None:
    degrees = grade(14, 2 / 3, math.log(2) * 4 / 3, math.log(1e8), 6).degrees
    assert list(degrees) == sorted(degrees, reverse=True)
    assert degrees[0] > degrees[-1] >= 6
