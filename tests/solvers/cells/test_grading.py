"""Cells made smaller toward points, and where data are narrow."""

from __future__ import annotations

import numpy as np
import sympy as sp

import fspielm as fs
from fspielm.cells import Cover, tile
from fspielm.estimate import find_narrow
from fspielm.solvers.cells.first import toward_narrow
from fspielm.solvers.cells.refine import balanced, cut_at, touching, toward

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
SQUARE = fs.Box((0, 0), (1, 1))


def sides(tiling: Cover) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.array([cell.upper - cell.lower for cell in tiling.cells])


def test_cells_are_cut_at_a_point_that_no_halving_finds() -> None:
    point = np.array([0.37, 0.0])
    tiling = cut_at(tile(SQUARE, (1, 1)), [point])
    assert len(tiling.cells) == 2
    for _ in range(30):
        tiling = toward(tiling, [point])
    assert len(touching(tiling, point)) == 2
    assert sides(tiling).min() < 1e-8


def test_cells_at_a_point_become_squares() -> None:
    tiling = tile(SQUARE, (4, 1))
    for _ in range(4):
        tiling = toward(tiling, [np.array([0.0, 0.0])])
    (at,) = touching(tiling, np.array([0.0, 0.0]))
    assert np.ptp(sides(tiling)[at]) == 0


def test_cuts_at_the_corners_of_a_hole_leave_whole_cells() -> None:
    corners = [(0.4, 0.4), (0.6, 0.4), (0.6, 0.6), (0.4, 0.6)]
    tiling = cut_at(tile(SQUARE - fs.Polygon(corners, name="hole"), (1, 1)), [np.array(each) for each in corners])
    assert len(tiling.cells) == 8
    assert all(cell.whole for cell in tiling.cells)


def test_neighbours_are_alike() -> None:
    tiling = tile(SQUARE, (2, 2))
    for _ in range(4):
        (at,) = tiling.locate(np.array([[0.499, 0.499]]))
        tiling = tiling.halve({int(at): (0, 1)})
    tiling = balanced(tiling, 2.2)
    longest = sides(tiling).max(axis=1)
    assert all(np.ptp(np.log2(longest[list(joint.cells)])) <= 1 for joint in tiling.joints)


def narrow(exact: sp.Expr, a: float, c: float) -> Cover:
    source = a * (exact.diff(x, 2) + exact.diff(y, 2)) + c * exact
    equation = sp.Eq(a * (u.diff(x, 2) + u.diff(y, 2)) + c * u, source)
    problem = fs.Problem(equation, SQUARE, [fs.Dirichlet(exact)])
    return toward_narrow(problem, tile(SQUARE, (1, 1)), find_narrow(problem).places, 12, 1e-6)


def test_a_spot_is_approached_from_all_sides() -> None:
    tiling = narrow(sp.exp(-((x - 0.43) ** 2 + (y - 0.56) ** 2) / 0.01**2), 1.0, 0.0)
    (at,) = tiling.locate(np.array([[0.43, 0.56]]))
    assert sides(tiling)[at].max() < 0.1
    assert len(tiling.cells) < 200


def test_a_layer_is_cut_across_only() -> None:
    tiling = narrow(sp.cos(x + y) + sp.exp(-x / 1e-3) * (1 + sp.sin(4 * y) / 2), 1e-6, -1.0)
    (at,) = tiling.locate(np.array([[1e-9, 0.5]]))
    across, along = sides(tiling)[at]
    assert across < 0.02
    assert along > 0.2
    assert len(tiling.cells) < 60


def test_slivers_do_not_halve_their_neighbours_for_ever() -> None:
    outer = [(0.0, 0.1), (0.5, 0.0), (1.0, 0.2), (0.9, 0.6), (1.0, 0.9), (0.4, 1.0), (0.1, 0.7)]
    hole = [(0.25, 0.25), (0.45, 0.3), (0.35, 0.5)]
    domain = fs.Polygon(outer) - fs.Polygon(hole, name="hole")
    corners = [np.array(corner.point) for corner in domain.corners() if corner.opening > np.pi]
    tiling = cut_at(tile(domain, [10, 10]), corners)
    for _ in range(2):
        tiling = toward(tiling, corners)
    assert len(balanced(tiling).cells) < 3 * len(tiling.cells)
