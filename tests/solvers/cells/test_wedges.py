"""Powers with which solutions begin at a corner."""

from __future__ import annotations

import math

import pytest
import sympy as sp

import fspielm as fs
from fspielm.basis.singular.angular import wedge_at
from fspielm.geometry.domain import Corner

x, y = sp.symbols("x y", real=True)
u, v = (sp.Function(name)(x, y) for name in "uv")
LAPLACE = sp.Eq(u.diff(x, 2) + u.diff(y, 2), 1)


def power_at(problem: fs.Problem, corner: Corner) -> float | None:
    wedge = wedge_at(problem, corner)
    return None if wedge is None else wedge.power


def powers(problem: fs.Problem) -> list[float | None]:
    return [power_at(problem, corner) for corner in problem.domain.corners()]


def test_values_at_all_sides_of_an_l() -> None:
    problem = fs.Problem(LAPLACE, fs.LShape((0, 0), 1), [fs.Dirichlet(0)])
    expected = [math.pi / corner.opening for corner in problem.domain.corners()]
    assert powers(problem) == pytest.approx(expected, abs=1e-6)


def test_a_slope_beside_a_value() -> None:
    # one half of pi over the opening: linear, where that is a right angle, and then comes the next
    wide = fs.Polygon([(0, 0), (1, 0), (1, 1), (-1, 1)], names=["bottom", "right", "top", "left"])
    problem = fs.Problem(LAPLACE, wide, [fs.Dirichlet(0, on="bottom"), fs.Neumann(0, on="rest")])
    by_point = {corner.point: power_at(problem, corner) for corner in wide.corners()}
    assert by_point[(0.0, 0.0)] == pytest.approx(2 / 3, abs=1e-6)
    assert by_point[(1.0, 0.0)] == pytest.approx(3, abs=1e-6)


def test_an_elastic_body_that_is_held() -> None:
    first, second = 1.5, 1.0
    spread = first * (u.diff(x) + v.diff(y))
    along, across = spread + 2 * second * u.diff(x), spread + 2 * second * v.diff(y)
    shear = second * (u.diff(y) + v.diff(x))
    equations = [sp.Eq(along.diff(x) + shear.diff(y), 0), sp.Eq(shear.diff(x) + across.diff(y), 1)]
    problem = fs.Problem(equations, fs.Box((0, 0), (1, 1)), [fs.Dirichlet({u: 0, v: 0})])
    kappa = (first + 3 * second) / (first + second)
    found = powers(problem)[0]
    assert found is not None
    # Williams: kappa sin(z w) = z sin(w)
    assert kappa * math.sin(found * math.pi / 2) == pytest.approx(found, abs=1e-5)
    assert 1.3 < found < 1.5


def test_of_equations_of_another_order_nothing_is_told() -> None:
    problem = fs.Problem(
        sp.Eq(u.diff(x) + u.diff(y) + u, 0), fs.Box((0, 0), (1, 1)), [fs.Dirichlet(1, on=["x-", "y-"])]
    )
    assert powers(problem) == [None] * 4


@pytest.mark.parametrize("medium", [1 + 1 / x, sp.log(x), 1e308 * (1 + x)])
def test_where_a_coefficient_is_not_finite_nothing_is_told(medium: sp.Expr) -> None:
    problem = fs.Problem(
        sp.Eq(medium * u.diff(x, 2) + u.diff(y, 2), 1),
        fs.Box((0, 0), (1, 1)),
        [fs.Dirichlet(0, on="x-"), fs.Neumann(0, on="rest")],
    )
    for corner in problem.domain.corners():
        if corner.point[0] == 0:
            assert power_at(problem, corner) is None


def test_lower_derivatives_need_no_value_at_a_corner() -> None:
    # as around an axis of symmetry
    problem = fs.Problem(
        sp.Eq(u.diff(x, 2) + u.diff(x) / x + u.diff(y, 2), 1),
        fs.Box((0, 0), (1, 1)),
        [fs.Neumann(0, on="x-"), fs.Dirichlet(0, on="rest")],
    )
    assert None not in powers(problem)
