"""How many points each block gets, and where they lie."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from fspielm import Initial, Interval, Neumann, Points, Problem, Time
from fspielm.collocation.points import points_for, split_by_measure

# --- counts -------------------------------------------------------------------------------------


def test_one_number_holds_for_each_part(poisson: Problem) -> None:
    assert Points(interior=50, boundary=7).counts(poisson) == {
        "equation": 50,
        "dirichlet y-": 7,
        "dirichlet y+": 7,
        "neumann x-": 7,
        "neumann x+": 7,
    }


def test_a_mapping_names_each_part(poisson: Problem) -> None:
    counts = Points(50, boundary={"x-": 1, "x+": 2, "y-": 3, "y+": 4}).counts(poisson)
    assert counts == {
        "equation": 50,
        "dirichlet y-": 3,
        "dirichlet y+": 4,
        "neumann x-": 1,
        "neumann x+": 2,
    }


def test_a_total_is_split_by_length(poisson: Problem) -> None:
    # lengths 2, 2, 1, 1 after one point each
    counts = Points(50, boundary_total=4 + 60).counts(poisson)
    assert counts == {
        "equation": 50,
        "dirichlet y-": 21,
        "dirichlet y+": 21,
        "neumann x-": 11,
        "neumann x+": 11,
    }


@pytest.mark.parametrize("total", [4, 5, 6, 7, 63, 64, 65, 66, 67, 1000, 1601])
def test_a_split_adds_up_to_its_total(poisson: Problem, total: int) -> None:
    counts = Points(50, boundary_total=total).counts(poisson)
    assert sum(counts.values()) == 50 + total
    assert min(counts.values()) >= 1


@given(
    st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=12),
    st.integers(0, 3000),
)
def test_any_split_adds_up_and_follows_the_measures(measures: list[float], extra: int) -> None:
    constraints: Any = [SimpleNamespace(name=str(i), measure=m) for i, m in enumerate(measures)]
    counts = split_by_measure(len(measures) + extra, constraints)
    assert sum(counts.values()) == len(measures) + extra
    for constraint in constraints:
        exact = 1 + extra * constraint.measure / sum(measures)
        assert abs(counts[constraint.name] - exact) < 1 + 1e-9


def test_pacman_points_follow_arc_and_lips(pacman: Problem) -> None:
    counts = Points(80, boundary_total=603, initial=20).counts(pacman)
    arc, lip = 1.5 * math.pi * 0.4, 0.4
    assert counts["dirichlet arc"] == pytest.approx(1 + 600 * arc / (arc + 2 * lip), abs=1)
    assert counts["dirichlet lower"] == pytest.approx(1 + 600 * lip / (arc + 2 * lip), abs=1)
    assert sum(counts.values()) == 80 + 603 + 20


def test_every_initial_condition_gets_its_points(wave: Problem) -> None:
    counts = Points(50, boundary=7, initial=9).counts(wave)
    assert counts == {
        "equation": 50,
        "dirichlet x-": 7,
        "dirichlet x+": 7,
        "initial": 9,
        "initial order 1": 9,
    }


@pytest.mark.parametrize(
    "points", [Points(50, boundary=100), Points(50, boundary={"x-": 9, "x+": 9, "y-": 100, "y+": 9})]
)
def test_a_condition_on_a_piece_gets_its_share(masked: Problem, points: Points) -> None:
    counts = points.counts(masked)
    assert counts["dirichlet y-"] == pytest.approx(25, abs=1)
    assert counts["neumann y-"] == pytest.approx(75, abs=1)
    assert points.boundary == 100 or counts["dirichlet y+"] == 9


def test_a_small_piece_still_gets_a_point(masked: Problem) -> None:
    counts = Points(50, boundary=1).counts(masked)
    assert counts["dirichlet y-"] == counts["neumann y-"] == 1


def test_a_total_counts_pieces_by_their_length(masked: Problem) -> None:
    counts = Points(50, boundary_total=5 + 400).counts(masked)
    assert sum(counts.values()) == 455
    assert counts["dirichlet x-"] == 101
    assert counts["dirichlet y-"] == pytest.approx(26, abs=1)
    assert counts["neumann y-"] == pytest.approx(76, abs=1)


@pytest.mark.parametrize("points", [Points(50, boundary=400), Points(50, boundary_total=2), Points(50, 1)])
def test_a_single_point_is_counted_once(ordinary: Problem, points: Points) -> None:
    assert points.counts(ordinary) == {"equation": 50, "dirichlet x-": 1, "neumann x+": 1}


# --- the draw -----------------------------------------------------------------------------------


@pytest.mark.parametrize("sampling", ["uniform", "low-discrepancy"])
@pytest.mark.parametrize("name", ["poisson", "masked", "ordinary", "wave", "pacman"])
def test_draws_as_many_points_as_it_counts(
    name: str, sampling: Any, rng: np.random.Generator, request: pytest.FixtureRequest
) -> None:
    problem: Problem = request.getfixturevalue(name)
    points = Points(40, boundary_total=30, initial=6, sampling=sampling)
    sites = points.draw(problem, rng)
    assert {block: len(here) for block, here in sites.items()} == points.counts(problem)
    assert list(sites) == ["equation", *(c.name for c in problem.constraints)]
    for block, here in sites.items():
        assert np.all(problem.domain.contains(here.points))
        assert (here.normals is None) == (block == "equation")


def test_masked_points_lie_in_their_piece(masked: Problem, rng: np.random.Generator) -> None:
    sites = Points(40, boundary=200).draw(masked, rng)
    assert np.all(sites["dirichlet y-"].points[:, 0] < 0.25)
    assert np.all(sites["neumann y-"].points[:, 0] >= 0.25)
    assert np.all(sites["neumann y-"].points[:, 1] == 0)
    assert np.all(sites["neumann y-"].normals == [0, -1])


def test_interior_points_come_first_and_are_the_domains_own(poisson: Problem) -> None:
    sites = Points(40, boundary=5).draw(poisson, np.random.default_rng(8))
    by_hand = np.random.default_rng(8)
    assert np.array_equal(sites["equation"].points, poisson.domain.sample(40, by_hand))
    for constraint in poisson.constraints:
        assert np.array_equal(sites[constraint.name].points, constraint.sample(5, by_hand).points)


def test_initial_points_lie_at_the_start(wave: Problem, rng: np.random.Generator) -> None:
    sites = Points(40, boundary=5, initial=9).draw(wave, rng)
    assert np.all(sites["initial"].points[:, 1] == 0)
    assert not np.array_equal(sites["initial"].points, sites["initial order 1"].points)


# --- the default --------------------------------------------------------------------------------


@pytest.mark.parametrize("neurons", [1, 3, 100, 5000])
@pytest.mark.parametrize("name", ["poisson", "masked", "ordinary", "wave", "pacman"])
def test_default_points_are_enough_for_any_problem(name: str, neurons: int, request: pytest.FixtureRequest) -> None:
    problem: Problem = request.getfixturevalue(name)
    counts = points_for(problem, neurons).counts(problem)
    assert min(counts.values()) >= 1
    assert sum(counts.values()) >= 1.6 * neurons


def test_default_points_have_the_papers_proportions(poisson: Problem, wave: Problem) -> None:
    assert points_for(poisson, 5000) == Points(interior=8000, boundary_total=1600)
    assert points_for(wave, 5000) == Points(interior=8000, boundary_total=1600, initial=400)


def test_default_points_without_a_boundary_condition() -> None:
    x, t = sp.symbols("x t")
    u = sp.Function("u")(x, t)
    transport = Problem(sp.Eq(u.diff(t) + u.diff(x), 0), Interval(0, 1) * Time(0, 1), [Initial(0)])
    points = points_for(transport, 100)
    assert points == Points(interior=160, initial=10)
    assert points.counts(transport) == {"equation": 160, "initial": 10}


# --- as a value ------------------------------------------------------------------------------------


def test_points_are_an_immutable_value() -> None:
    assert Points(10, boundary=5) == Points(interior=10, boundary=5)
    with pytest.raises(FrozenInstanceError):
        Points(10).interior = 5  # type: ignore[misc]


def test_a_mask_that_meets_a_single_point_keeps_it() -> None:
    x = sp.Symbol("x")
    u = sp.Function("u")(x)
    problem = Problem(sp.Eq(u.diff(x, 2), 1), Interval(0, 1), [Neumann(0, on=sp.Eq(x, 1)), Neumann(1, on="x-")])
    sites = Points(10, boundary=30).draw(problem, np.random.default_rng(0))
    assert sites["neumann x+"].points.tolist() == [[1.0]]
