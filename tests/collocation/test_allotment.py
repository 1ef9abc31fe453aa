"""How many points a band of features needs, block by block; and the fewer that check a solution."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp

from fspielm import Box, Dirichlet, Disk, Initial, Interval, Points, Problem, ProblemError, Time
from fspielm.collocation import allot_conditions
from fspielm.collocation.points import Crowd, allot_points

x, y, t = sp.symbols("x y t")


def boundary(points: Points) -> dict[str, int]:
    assert isinstance(points.boundary, dict)
    return points.boundary


def laplace(domain: Box | Disk) -> Problem:
    u = sp.Function("u")(x, y)
    return Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2), 0), domain, [Dirichlet(0)])


def test_rows_inside_follow_the_neurons(poisson: Problem) -> None:
    widths = np.array([10.0, 10.0])
    for neurons in (100, 1000, 5000):
        points = allot_points(poisson, neurons, widths, 2.0)
        assert points.interior == 1.5 * neurons
        assert points.sampling == "clustered"
    assert allot_points(poisson, 1, widths, 2.0).interior >= 8


def test_a_side_gets_rows_for_the_frequencies_along_it() -> None:
    """A side of length L tells frequencies up to K apart at 2 K L / (2 pi) places, times density, times 1.5 rows."""
    widths, factor = np.array([40.0, 160.0]), 1.6
    counts = boundary(allot_points(laplace(Box((0, 0), (3, 1))), 5000, widths, factor))
    along_x = 1.5 * factor * 3 * 2 * 40 / (2 * math.pi)
    along_y = 1.5 * factor * 1 * 2 * 160 / (2 * math.pi)
    for name, expected in {"y-": along_x, "y+": along_x, "x-": along_y, "x+": along_y}.items():
        assert counts[name] == pytest.approx(expected + 8, abs=1)


def test_a_circle_sees_the_mean_of_both_axes() -> None:
    widths, factor = np.array([40.0, 160.0]), 1.6
    counts = boundary(allot_points(laplace(Disk((0, 0), 1)), 5000, widths, factor))
    seen = 2 * math.pi * (2 / math.pi) * (2 * 40 + 2 * 160) / (2 * math.pi)  # |cos| and |sin| have the mean 2 / pi
    assert sum(counts.values()) == pytest.approx(1.5 * factor * seen + 8 * len(counts), rel=0.02)


def test_no_part_tells_apart_more_features_than_there_are() -> None:
    counts = boundary(allot_points(laplace(Box((0, 0), (3, 1))), 100, np.array([1e4, 1e4]), 1.5))
    assert set(counts.values()) == {108}


def test_a_piece_of_a_part_gets_what_it_needs_itself(masked: Problem) -> None:
    widths, factor = np.array([60.0, 60.0]), 1.5
    points = allot_points(masked, 100, widths, factor)
    counts = points.counts(masked)
    whole = 1.5 * factor * 2 * 60 / (2 * math.pi)
    assert counts["dirichlet y-"] >= 0.25 * whole + 8
    assert counts["neumann y-"] >= 0.75 * whole + 8
    # neither more than the piece in greater need brings with it
    assert counts["dirichlet y-"] + counts["neumann y-"] < whole / 0.75 + 50


def test_the_start_of_time_gets_its_own(wave: Problem) -> None:
    widths, factor = np.array([50.0, 20.0]), 1.5
    points = allot_points(wave, 500, widths, factor)
    counts = points.counts(wave)
    assert (
        counts["initial"]
        == counts["initial order 1"]
        == pytest.approx(1.5 * factor * 2 * 50 / (2 * math.pi) + 8, abs=1)
    )
    assert counts["dirichlet x-"] == pytest.approx(1.5 * factor * 2 * 2 * 20 / (2 * math.pi) + 8, abs=1)


def test_no_initial_without_time(poisson: Problem) -> None:
    assert allot_points(poisson, 100, np.array([5.0, 5.0]), 2.0).initial is None


def test_ends_of_an_interval_are_one_row_each(ordinary: Problem) -> None:
    counts = allot_points(ordinary, 50, np.array([100.0]), 2.0).counts(ordinary)
    assert counts == {"equation": 75, "dirichlet x-": 1, "neumann x+": 1}


def test_every_block_has_some_rows_however_low_the_band(pacman: Problem) -> None:
    counts = allot_points(pacman, 10, np.array([1e-9, 1e-9, 1e-9]), 1.0).counts(pacman)
    assert min(counts.values()) >= 8


def test_counts_do_not_depend_on_units() -> None:
    u = sp.Function("u")(x, t)

    def problem(length: float, duration: float) -> Problem:
        return Problem(
            sp.Eq(u.diff(t) - u.diff(x), 0),
            Interval(0, length) * Time(0, duration),
            [Dirichlet(0, on="x+"), Initial(0)],
        )

    one = allot_points(problem(1, 1), 100, np.array([30.0, 70.0]), 1.7)
    other = allot_points(problem(1e3, 1e-6), 100, np.array([30e-3, 70e6]), 1.7)
    assert one == other


# --- fewer points, to check with ----------------------------------------------------------------


def test_thinned_points_are_a_quarter_within_bounds() -> None:
    thin = Points(2000, boundary=400, initial=100, sampling="clustered").thinned()
    assert thin == Points(500, boundary=100, initial=1000, sampling="clustered")
    assert Points(100, boundary=20).thinned() == Points(200, boundary=16)
    assert Points(10**6, boundary=10).thinned() == Points(1000, boundary=10)
    assert Points(2000, boundary_total=400).thinned() == Points(500, boundary_total=100)
    assert Points(2000, boundary_total=100).thinned().boundary_total == 64


def test_thinned_points_keep_every_part(masked: Problem) -> None:
    points = Points(2000, boundary={"x-": 400, "x+": 40, "y+": 8, "y-": 100})
    assert points.thinned().boundary == dict.fromkeys(("x-", "x+", "y+", "y-"), 250)  # narrow data must be seen
    assert Points(10, boundary={"x-": 8000, "x+": 40}).thinned().boundary == {"x-": 2000, "x+": 500}
    assert set(points.thinned().counts(masked)) == set(points.counts(masked))
    assert min(points.thinned().counts(masked).values()) >= 1


def test_a_few_points_stand_for_those_of_a_crowd() -> None:
    places = np.array([[0.5, -0.1]])
    points = Points(0, {"x-": 8, "x+": 8}, crowd=Crowd(places, 4000))
    assert points.fewer(8, 32) == Points(0, {"x-": 251, "x+": 251})
    assert points.fewer(1000, 32) == Points(0, {"x-": 32, "x+": 32})
    assert Points(0, {"x-": 8}).fewer(8, 32) == Points(0, {"x-": 8})


def test_conditions_get_rows_as_they_tell_features_apart() -> None:
    u = sp.Function("u")(x, t)
    problem = Problem(sp.Eq(u.diff(t) - u.diff(x, 2), 0), Interval(0, 1) * Time(0, 1), [Dirichlet(0), Initial(1)])
    for reach, more in [((900.0, 30.0), "initial"), ((30.0, 900.0), "dirichlet x-")]:
        counts = allot_conditions(problem, 500, reach).counts(problem)
        assert max(counts, key=lambda name: counts[name]) == more
        assert sum(counts.values()) == pytest.approx(1500, rel=0.05)
    with pytest.raises(ProblemError, match=r"reach.*one entry.*2 axes"):
        allot_conditions(problem, 500, (1.0,))
