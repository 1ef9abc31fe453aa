"""Corners where two conditions prescribe different values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

from fspielm import Box, Dirichlet, Disk, Initial, Interval, Neumann, Problem, Time
from fspielm.geometry import Domain
from fspielm.geometry.shapes.pacman import Pacman
from fspielm.problem import corner_conflicts

x, y, z, t = sp.symbols("x y z t")


def laplace(domain: Domain, *conditions: Any) -> Problem:
    coordinates = (x, y, z)[: domain.dimension]
    u = sp.Function("u")(*coordinates)
    return Problem(sp.Eq(sum(u.diff(s, 2) for s in coordinates), 0), domain, conditions)


def heat(*conditions: Any, domain: Domain | None = None) -> Problem:
    u = sp.Function("u")(x, t)
    return Problem(sp.Eq(u.diff(t), u.diff(x, 2)), domain or Interval(0, 1) * Time(2, 3), conditions)


SQUARE, CUBE = Box((0, 0), (1, 1)), Box((0, 0, 0), (1, 1, 1))


def test_a_lid_that_disagrees_with_the_walls() -> None:
    conflicts = corner_conflicts(laplace(SQUARE, Dirichlet(1, on="y+"), Dirichlet(0, on=["x-", "x+", "y-"])))
    assert conflicts == [
        "'dirichlet y+' and 'dirichlet x-' disagree at x=0, y=1 (1 against 0)",
        "'dirichlet y+' and 'dirichlet x+' disagree at x=1, y=1 (1 against 0)",
    ]


@pytest.mark.parametrize(
    "problem",
    [
        laplace(SQUARE, Dirichlet(sp.sin(3 * x) * y)),
        laplace(SQUARE, Dirichlet(sp.sin(sp.pi * x), on="y+"), Dirichlet(0, on=["x-", "x+", "y-"])),
        laplace(SQUARE, Dirichlet(1, on="y+"), Neumann(0, on=["x-", "x+"]), Dirichlet(0, on="y-")),
        laplace(CUBE, Dirichlet(x * y * z)),
        laplace(Disk((0, 0), 1), Dirichlet(x)),
        laplace(Pacman(), Dirichlet(x * y)),
        laplace(Interval(0, 1), Dirichlet(0, on="x-"), Dirichlet(1, on="x+")),
        heat(Dirichlet(0), Initial(sp.sin(sp.pi * x))),
        heat(Dirichlet(sp.exp(2 - t), on="x-"), Dirichlet(0, on="x+"), Initial(1 - x)),
    ],
)
def test_none_where_data_meet(problem: Problem) -> None:
    assert corner_conflicts(problem) == []


def test_a_jump_at_one_corner_only() -> None:
    conflicts = corner_conflicts(
        laplace(SQUARE, Dirichlet(x, on="y+"), Dirichlet(0, on="x-"), Dirichlet(0, on="x+"), Dirichlet(0, on="y-"))
    )
    assert conflicts == ["'dirichlet y+' and 'dirichlet x+' disagree at x=1, y=1 (1 against 0)"]


def test_rounding_is_no_conflict() -> None:
    big = 1e8
    assert not corner_conflicts(
        laplace(
            SQUARE,
            Dirichlet(big * sp.cos(sp.pi / 2 * x), on="y+"),
            Dirichlet(big, on="x-"),
            Dirichlet(0, on="x+"),
            Dirichlet(big * sp.cos(sp.pi / 2 * x), on="y-"),
        )
    )


def test_small_data_can_disagree_too() -> None:
    assert corner_conflicts(laplace(SQUARE, Dirichlet(1e-9, on="y+"), Dirichlet(0, on=["x-", "x+", "y-"])))


def test_edges_of_a_cube() -> None:
    conflicts = corner_conflicts(laplace(CUBE, Dirichlet(1, on="z+"), Dirichlet(0, on=["x-", "x+", "y-", "y+", "z-"])))
    assert len(conflicts) == 4
    assert all("'dirichlet z+'" in conflict and "z=1" in conflict for conflict in conflicts)


def test_an_edge_where_data_agree_at_its_ends_alone() -> None:
    bulge = sp.sin(sp.pi * x)
    conflicts = corner_conflicts(
        laplace(CUBE, Dirichlet(bulge, on="z+"), Dirichlet(0, on=["x-", "x+", "y-", "y+", "z-"]))
    )
    assert len(conflicts) == 2
    assert "x=0.5, y=0, z=1 (1 against 0)" in conflicts[0]


def test_boundary_and_start() -> None:
    assert corner_conflicts(heat(Dirichlet(0), Initial(1))) == [
        "'dirichlet x-' and 'initial' disagree at x=0, t=2 (0 against 1)",
        "'dirichlet x+' and 'initial' disagree at x=1, t=2 (0 against 1)",
    ]


def test_an_initial_velocity_is_no_value() -> None:
    u = sp.Function("u")(x, t)
    conditions = [Dirichlet(0), Initial(0), Initial(1, order=1)]
    problem = Problem(sp.Eq(u.diff(t, 2), u.diff(x, 2)), Interval(0, 1) * Time(0, 1), conditions)
    assert corner_conflicts(problem) == []


def test_corners_of_a_pacman() -> None:
    conflicts = corner_conflicts(laplace(Pacman(), Dirichlet(1, on="arc"), Dirichlet(0, on=["upper", "lower"])))
    assert len(conflicts) == 2
    assert all("'dirichlet arc'" in conflict for conflict in conflicts)
    vertex = corner_conflicts(laplace(Pacman(), Dirichlet(x, on=["arc", "upper"]), Dirichlet(x - 1, on="lower")))
    assert any("'dirichlet upper' and 'dirichlet lower' disagree at x=0.5, y=0.5" in conflict for conflict in vertex)


def test_a_pacman_in_time() -> None:
    u = sp.Function("u")(x, y, t)
    problem = Problem(sp.Eq(u.diff(t), u.diff(x, 2) + u.diff(y, 2)), Pacman() * Time(0, 1), [Dirichlet(0), Initial(x)])
    conflicts = corner_conflicts(problem)
    assert {conflict.split(" and ")[0] for conflict in conflicts} == {
        "'dirichlet arc'",
        "'dirichlet upper'",
        "'dirichlet lower'",
    }
    assert all("t=0" in conflict for conflict in conflicts)


def test_masks_are_heeded_and_data_asked_where_they_hold_alone() -> None:
    """A condition on the left half of the lid meets the left wall only."""

    def lid(points: np.ndarray) -> np.ndarray:
        assert np.all(points[:, 0] < 0.5)
        return np.ones(len(points))

    half = sp.Rational(1, 2)
    conflicts = corner_conflicts(
        laplace(
            SQUARE,
            Dirichlet(lid, on=sp.Eq(y, 1) & (x < half)),
            Neumann(0, on=sp.Eq(y, 1) & (x >= half)),
            Dirichlet(0, on=["x-", "x+", "y-"]),
        )
    )
    assert conflicts == ["'dirichlet y+' and 'dirichlet x-' disagree at x=0, y=1 (1 against 0)"]


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_units_do_not_matter(unit: float) -> None:
    domain = Box((5 * unit, 0), (6 * unit, unit))
    assert len(corner_conflicts(laplace(domain, Dirichlet(1, on="y+"), Dirichlet(0, on=["x-", "x+", "y-"])))) == 2
    assert not corner_conflicts(laplace(domain, Dirichlet(x / unit)))
