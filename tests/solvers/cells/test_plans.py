"""What helps a cell at the least cost."""

from __future__ import annotations

import math

import numpy as np

from fspielm.solvers.cells.refine import MOST_DEGREE, Grading, Plans, grade, plan


def planned(degree: int, rate: float, wanted: float, across: float | None = None) -> Plans:
    """For one cell; less may be wanted across it than along it."""
    both = [wanted, wanted if across is None else across]
    return plan(np.array([[degree, degree]]), np.array([rate]), np.array([both]), 6)


def test_a_little_more_is_had_from_a_higher_degree() -> None:
    plans = planned(8, 1.5, 2.0)
    assert not plans.halvings.any()
    assert np.all((plans.degrees >= 9) & (plans.degrees <= 12))


def test_where_coefficients_fall_slowly_cells_are_halved() -> None:
    assert np.all(planned(14, 0.5, 15.0).halvings > 0)


def test_only_what_is_wanted_along_an_axis_is_done_there() -> None:
    raised, halved = planned(20, 1.2, 4.0, -10.0), planned(28, 0.6, 12.0, -10.0)
    assert not raised.halvings.any()
    assert raised.degrees[0, 0] > raised.degrees[0, 1] == 20
    assert halved.halvings[0, 0] > halved.halvings[0, 1] == 0
    assert halved.degrees[0, 1] == 28


def test_where_nothing_is_resolved_cells_are_halved_twice_with_their_degree() -> None:
    plans = planned(14, 0.05, 20.0)
    np.testing.assert_array_equal(plans.halvings, [[2, 2]])
    np.testing.assert_array_equal(plans.degrees, [[14, 14]])
    assert np.isinf(plans.raising[0])
    np.testing.assert_array_equal(planned(14, 0.05, 20.0, 10.0).halvings, [[2, 0]])


def test_degrees_are_no_higher_than_any_may_be() -> None:
    assert planned(30, 1.0, 40.0).degrees.max() <= MOST_DEGREE


def test_levels_gain_what_is_wanted() -> None:
    gain = math.log(2) * 4 / 3
    found = grade(14, 2 / 3, gain, math.log(1e8), 6)
    assert found.levels * gain >= math.log(1e8)
    assert len(found.degrees) == found.levels


def test_degrees_fall_toward_a_corner() -> None:
    degrees = grade(14, 2 / 3, math.log(2) * 4 / 3, math.log(1e8), 6).degrees
    assert list(degrees) == sorted(degrees, reverse=True)
    assert degrees[0] > degrees[-1] >= 6


def test_the_first_levels_of_a_grading() -> None:
    whole = Grading(4, (12, 10, 8, 6))
    assert whole.first(2) == Grading(2, (12, 10))
    assert whole.first(9) == whole
    assert whole.first(2).cost < whole.cost
