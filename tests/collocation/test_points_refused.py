"""Numbers of points that make no sense, each refused by name."""

from __future__ import annotations

from typing import Any

import pytest

from fspielm import Points, Problem, ProblemError


@pytest.mark.parametrize("interior", [-1, 2.5, 100.0, "many", None, True])
def test_refuses_interior_points_below_zero_or_not_whole(interior: Any) -> None:
    with pytest.raises(ProblemError, match=r"interior.*whole number"):
        Points(interior=interior)


@pytest.mark.parametrize("name", ["boundary", "boundary_total", "initial"])
@pytest.mark.parametrize("count", [-1, 2.5, "many", True])
def test_refuses_other_counts_below_zero_or_not_whole(name: str, count: Any) -> None:
    with pytest.raises(ProblemError, match=rf"{name}.*whole number.*at least 0"):
        Points(10, **{name: count})


def test_refuses_a_bad_count_in_a_mapping_by_its_name() -> None:
    with pytest.raises(ProblemError, match=r"boundary\['x-'\].*whole number"):
        Points(10, boundary={"x-": 1.5})  # type: ignore[dict-item]


def test_refuses_both_boundary_and_total() -> None:
    with pytest.raises(ProblemError, match=r"boundary or boundary_total.*both"):
        Points(10, boundary=5, boundary_total=20)


def test_refuses_an_unknown_sampling() -> None:
    with pytest.raises(ProblemError, match=r"sampling.*'low-discrepancy'"):
        Points(10, boundary=5, sampling="sobol")  # type: ignore[arg-type]


@pytest.mark.parametrize("points", [Points(10), Points(10, boundary=0)])
def test_refuses_no_points_for_a_condition(poisson: Problem, points: Points) -> None:
    with pytest.raises(ProblemError, match=r"no points.*'dirichlet y-'"):
        points.counts(poisson)


def test_refuses_a_part_left_out_of_a_mapping(poisson: Problem) -> None:
    with pytest.raises(ProblemError, match=r"no points.*'neumann x-'"):
        Points(10, boundary={"x+": 2, "y-": 3, "y+": 4}).counts(poisson)


@pytest.mark.parametrize("points", [Points(10, boundary=5), Points(10, boundary=5, initial=0)])
def test_refuses_no_points_for_an_initial_condition(wave: Problem, points: Points) -> None:
    with pytest.raises(ProblemError, match=r"no points.*'initial'.*initial="):
        points.counts(wave)


def test_refuses_an_unknown_part_with_the_names_there_are(poisson: Problem) -> None:
    points = Points(10, boundary={"x-": 2, "left": 2})
    with pytest.raises(ProblemError, match=r"boundary.*'left'.*'y-'\]"):
        points.counts(poisson)


@pytest.mark.parametrize("total", [0, 3])
def test_refuses_a_total_below_one_per_condition(poisson: Problem, total: int) -> None:
    with pytest.raises(ProblemError, match=rf"boundary_total={total} .*less than.*4 boundary"):
        Points(10, boundary_total=total).counts(poisson)
