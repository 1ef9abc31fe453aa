"""Points at which solutions may not be smooth."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.solvers.cells.corners import special_points

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
LAPLACE = sp.Eq(u.diff(x, 2) + u.diff(y, 2), 0)
PLATE = sp.Eq(u.diff(x, 4) + 2 * u.diff(x, 2, y, 2) + u.diff(y, 4), 1)


def powers(problem: fs.Problem) -> dict[tuple[float, ...], float]:
    return {tuple(np.round(each.point, 9).tolist()): each.power for each in special_points(problem)}


def test_the_power_at_a_corner_is_that_of_its_opening() -> None:
    found = powers(fs.Problem(LAPLACE, fs.LShape((0, 0), 1), [fs.Dirichlet(x)]))
    assert found.pop((0.0, 0.0)) == pytest.approx(2 / 3)
    assert list(found.values()) == pytest.approx([2.0] * 5)


def test_where_conditions_change_solutions_are_like_a_root() -> None:
    domain = fs.Polygon([(0, 0), (0.4, 0), (1, 0), (1, 1), (0, 1)], names=["free", "held", "right", "top", "left"])
    conditions = [fs.Neumann(0, on="free"), fs.Dirichlet(1, on="rest")]
    assert powers(fs.Problem(LAPLACE, domain, conditions))[0.4, 0.0] == 0.5


def test_a_clamped_plate_has_its_own_powers() -> None:
    problem = fs.Problem(PLATE, fs.Box((0, 0), (1, 1)), [fs.Dirichlet(0), fs.Neumann(0)])
    for special in special_points(problem):
        assert special.power == pytest.approx(3.7396, abs=1e-4)
        assert special.gain == pytest.approx(math.log(2) * (2 * special.power - 2))


def test_there_are_none_in_time() -> None:
    t = sp.Symbol("t")
    v = sp.Function("v")(x, t)
    domain = fs.Interval(0, 1) * fs.Time(0, 1)
    problem = fs.Problem(sp.Eq(v.diff(t), v.diff(x, 2)), domain, [fs.Dirichlet(0), fs.Initial(sp.sin(sp.pi * x))])
    assert special_points(problem) == []
