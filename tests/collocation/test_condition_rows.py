"""The rows of every condition, against finite differences of the features themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.arrays import FloatArray
from fspielm.basis import COSINE, RidgeBasis
from fspielm.collocation import Points, assemble, make_blocks
from fspielm.geometry import Sites, segment

x, y, t = sp.symbols("x y t")
u, w = sp.Function("u")(x, y), sp.Function("u")(x, y, t)
SQUARE, DISK = fs.Box((0, 0), (1, 2)), fs.Disk((0.2, -0.1), 0.7)
TUBE = SQUARE * fs.Time(0, 1.5)
LAPLACE = u.diff(x, 2) + u.diff(y, 2)
BIHARMONIC = LAPLACE.diff(x, 2) + LAPLACE.diff(y, 2)
HEAT = w.diff(t) - w.diff(x, 2) - w.diff(y, 2)

Function = Callable[[FloatArray], FloatArray]
# what a condition makes of a function, at sites
Expected = Callable[[Function, Sites], FloatArray]

# central differences of fourth order: offsets and weights, by order of the derivative
STENCILS = {
    1: ([-2, -1, 1, 2], np.array([1, -8, 8, -1]) / 12),
    2: ([-2, -1, 0, 1, 2], np.array([-1, 16, -30, 16, -1]) / 12),
    3: ([-3, -2, -1, 1, 2, 3], np.array([1, -8, 13, -13, 8, -1]) / 8),
}
STEP = 5e-3
# sixth derivatives of the features are of size 3, rounding is eps / STEP^3
ACCURACY = 3e-7


def along(f: Function, points: FloatArray, direction: Any, order: int = 1) -> FloatArray:
    offsets, weights = STENCILS[order]
    steps = [np.asarray(direction) * STEP * offset for offset in offsets]
    return np.asarray(sum(c * f(points + s) for c, s in zip(weights, steps, strict=True)) / STEP**order)


def normals(sites: Sites) -> FloatArray:
    assert sites.normals is not None
    return sites.normals


def outward(f: Function, sites: Sites, order: int = 1) -> FloatArray:
    return along(f, sites.points, normals(sites), order)


def across(shift: tuple[float, ...], order: int) -> Expected:
    """The jump of a derivative in one fixed direction, from one face to the other."""

    def jump(f: Function, sites: Sites) -> FloatArray:
        there = Sites(sites.points + shift, sites.normals)
        return outward(f, sites, order) - outward(f, there, order) if order else f(sites.points) - f(there.points)

    return jump


def robin(f: Function, sites: Sites) -> FloatArray:
    px, py = sites.points.T
    return (2 + px * py) * f(sites.points) + np.cos(py) * outward(f, sites)


def oblique(f: Function, sites: Sites) -> FloatArray:
    p = sites.points
    return along(f, p, (1, 0)) + 2 * along(f, p, (0, 1)) + 3 * p[:, 0] * f(p)


def impedance_in_time(f: Function, sites: Sites) -> FloatArray:
    p = sites.points
    return outward(f, sites) + 2 * along(f, p, (0, 0, 1))


CASES: dict[str, tuple[Any, Any, list[Any], Expected]] = {
    "dirichlet x+": (LAPLACE, SQUARE, [fs.Dirichlet(0)], lambda f, s: f(s.points)),
    "neumann circle": (LAPLACE, DISK, [fs.Neumann(0)], outward),
    "robin circle": (LAPLACE, DISK, [fs.Robin(2 + x * y, lambda p: np.cos(p[:, 1]), 0)], robin),
    "symmetry y-": (LAPLACE, SQUARE, [fs.Symmetry()], outward),
    "symmetry y- order 3": (BIHARMONIC, SQUARE, [fs.Symmetry()], lambda f, s: outward(f, s, 3)),
    "periodic x": (LAPLACE, SQUARE, [fs.Periodic("x"), fs.Periodic("y")], across((1, 0), 0)),
    "periodic x order 1": (LAPLACE, SQUARE, [fs.Periodic("x"), fs.Periodic("y")], across((1, 0), 1)),
    "periodic y order 3": (BIHARMONIC, SQUARE, [fs.Periodic("x"), fs.Periodic(("y+", "y-"))], across((0, -2), 3)),
    "condition x+": (LAPLACE, SQUARE, [fs.Condition(u.diff(x) + 2 * u.diff(y) + 3 * x * u)], oblique),
    "condition circle": (LAPLACE, DISK, [fs.Condition(fs.normal_derivative(u, 2))], lambda f, s: outward(f, s, 2)),
    "condition y+": (
        HEAT,
        TUBE,
        [fs.Condition(fs.normal_derivative(w) + 2 * w.diff(t)), fs.Initial(0)],
        impedance_in_time,
    ),
    "condition curve": (
        LAPLACE,
        SQUARE,
        [fs.Neumann(0), fs.Condition(fs.normal_derivative(u), at=segment((0.2, 0.5), (0.8, 1.5)))],
        outward,
    ),
    "condition points": (
        LAPLACE,
        SQUARE,
        [fs.Neumann(0), fs.Condition(u.diff(x), at=[[0.3, 0.4]])],
        lambda f, s: along(f, s.points, (1, 0)),
    ),
    "measured": (LAPLACE, SQUARE, [fs.Neumann(0), fs.Measured([[0.3, 0.4], [1, 2]], [1, 2])], lambda f, s: f(s.points)),
}


@pytest.mark.parametrize("name", CASES)
def test_rows_are_what_the_condition_says(name: str) -> None:
    equation, domain, conditions, expected = CASES[name]
    problem = fs.Problem(equation, domain, conditions)
    rng = np.random.default_rng(1)
    sites = Points(interior=5, boundary=11, initial=7).draw(problem, rng)
    basis = RidgeBasis(rng.uniform(-1.5, 1.5, (6, problem.dimension)), rng.uniform(0, 6, 6), COSINE)
    system = assemble(basis, make_blocks(problem, sites))
    rows = system.matrix[system.rows[name]]
    assert len(rows) == len(sites[name]) > 0
    for j in range(basis.size):
        feature: Function = lambda p, j=j: np.cos(p @ basis.W[j] + basis.b[j])  # noqa: E731
        np.testing.assert_allclose(rows[:, j], expected(feature, sites[name]), rtol=0, atol=ACCURACY)


def test_normals_point_out() -> None:
    """On a box the normal derivative grows with u on the far faces, and falls on the near ones."""
    problem = fs.Problem(LAPLACE, SQUARE, [fs.Neumann(0)])
    basis = RidgeBasis(np.array([[0.1, 0.0]]), np.array([-np.pi / 2]), COSINE)  # sin(x / 10)
    system = assemble(
        basis, make_blocks(problem, Points(interior=1, boundary=3).draw(problem, np.random.default_rng(0)))
    )
    slopes = {name: system.matrix[rows, 0] for name, rows in system.rows.items()}
    assert np.all(slopes["neumann x+"] > 0.09)
    assert np.all(slopes["neumann x-"] < -0.09)
    assert np.allclose(slopes["neumann y-"], 0)


def test_values_of_given_points_are_in_their_order() -> None:
    points = np.random.default_rng(3).random((7, 2))
    problem = fs.Problem(LAPLACE, SQUARE, [fs.Neumann(0), fs.Measured(points, np.arange(7.0))])
    sites = Points(interior=5, boundary=3).draw(problem, np.random.default_rng(0))
    (block,) = (b for b in make_blocks(problem, sites) if b.name == "measured")
    np.testing.assert_array_equal(block.pieces[0][1].points, points)
    np.testing.assert_array_equal(block.values, np.arange(7.0))


def test_weights_multiply_the_rows() -> None:
    conditions = [fs.Robin(1, 1, 0, on=["x-", "x+"]), fs.Periodic("y"), fs.Measured([[0.5, 0.5]], 1)]
    heavy = [fs.Robin(1, 1, 0, on=["x-", "x+"], weight=2), fs.Periodic("y", weight=3), fs.Measured([[0.5, 0.5]], 1, 4)]
    basis = RidgeBasis(np.random.default_rng(0).random((3, 2)), np.zeros(3), COSINE)
    plain, weighted = (
        assemble(basis, make_blocks(p, Points(interior=5, boundary=4).draw(p, np.random.default_rng(0))))
        for p in (fs.Problem(LAPLACE, SQUARE, c) for c in (conditions, heavy))
    )
    factors = {"robin x-": 2, "periodic y": 3, "periodic y order 1": 3, "measured": 4}
    for name, factor in factors.items():
        rows = plain.rows[name]
        np.testing.assert_allclose(weighted.augmented[rows], factor * plain.augmented[rows], rtol=1e-15)


class TestCounts:
    def counts(self, points: Points, *conditions: Any) -> dict[str, int]:
        return points.counts(fs.Problem(LAPLACE, SQUARE, conditions))

    def test_by_hand(self) -> None:
        conditions = [
            fs.Periodic("x"),
            fs.Robin(1, 1, 0, on="y-"),
            fs.Symmetry("y+"),
            fs.Measured([[0.5, 0.5], [0.1, 0.1]], 0),
            fs.Condition(u, at=lambda s: np.column_stack([s, s])),
        ]
        even = {"periodic x": 9, "periodic x order 1": 9, "robin y-": 9, "symmetry y+": 9}
        inside = {"measured": 2, "condition curve": 9}
        assert self.counts(Points(interior=5, boundary=9), *conditions) == {"equation": 5} | even | inside
        named = Points(interior=5, boundary={"x+": 3, "y-": 4, "y+": 5, "condition curve": 6})
        assert list(self.counts(named, *conditions).values()) == [5, 3, 3, 4, 5, 2, 6]
        total = self.counts(Points(interior=5, boundary_total=60), *conditions)
        assert sum(total.values()) == 5 + 60 + 2
        assert total["periodic x"] > total["robin y-"]  # a longer face

    def test_refused(self) -> None:
        with pytest.raises(fs.ProblemError, match=r"'x'.*no part.*'y-'\]$"):
            self.counts(Points(interior=5, boundary={"x": 3}), fs.Periodic("x"), fs.Dirichlet(0, on=["y-", "y+"]))
        with pytest.raises(fs.ProblemError, match=r"block 'periodic x'.*boundary"):
            self.counts(Points(interior=5), fs.Periodic("x"), fs.Dirichlet(0, on=["y-", "y+"]))
