"""Functions that the cells around a corner share."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.basis import localise
from fspielm.basis.singular.columns import known_corners
from fspielm.basis.singular.singular import Power, SingularBasis
from fspielm.cells import CellBasis, Patchwork, RowsInCells, Tiling, tile
from fspielm.cells.basis import Grid
from fspielm.cells.corners import functions_at_corners, rows_toward, shared_functions
from fspielm.cells.shared import AroundPoint, join_functions
from fspielm.geometry import Sites
from fspielm.problem import Operator, derivative

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
LAPLACIAN = u.diff(x, 2) + u.diff(y, 2)
L_SHAPE = fs.Polygon([(0, 0), (0, -1), (1, -1), (1, 1), (-1, 1), (-1, 0)])
HOLE = fs.Box((0, 0), (1, 1)) - fs.Box((0.4, 0.4), (0.6, 0.6), name="hole")


def problem(domain: fs.Domain, equation: sp.Expr = LAPLACIAN) -> fs.Problem:
    return fs.Problem(sp.Eq(equation, 1), domain, [fs.Dirichlet(0)])


def degrees(tiling: Tiling, degree: int = 9) -> np.ndarray:
    return np.full((len(tiling.cells), 2), degree)


def basis_on(domain: fs.Domain, cells: int) -> CellBasis:
    tiling = tile(domain, (cells, cells))
    stated = problem(domain)
    return CellBasis(tiling.frames, degrees(tiling), meeting=shared_functions(stated, tiling, degrees(tiling)))


def test_the_cells_around_a_corner_have_its_functions() -> None:
    tiling = tile(L_SHAPE, (4, 4))
    found = {part.corners[0]: part for part in functions_at_corners(problem(L_SHAPE), tiling, degrees(tiling))}
    assert len(found) == 6
    inner = found[0.0, 0.0]
    assert sorted(inner.cells) == sorted(tiling.locate([[0.1, 0.1], [-0.1, 0.1], [0.1, -0.1]]))
    assert isinstance(inner.basis, SingularBasis)
    first = inner.basis.functions[0]
    assert isinstance(first, Power)
    assert first.exponent == pytest.approx(2 / 3)
    assert all(len(part.cells) == 1 for corner, part in found.items() if corner != (0.0, 0.0))


def test_cells_near_a_corner_beside_a_small_one_have_them_too() -> None:
    tiling = tile(L_SHAPE, (2, 2))
    small = tiling.halve({int(tiling.locate([[0.5, 0.5]])[0]): (0, 1)})
    small = small.halve({int(small.locate([[0.1, 0.1]])[0]): (0, 1)})
    (inner,) = (
        part for part in functions_at_corners(problem(L_SHAPE), small, degrees(small)) if part.corners == ((0.0, 0.0),)
    )
    assert set(small.locate([[0.1, 0.1], [-0.5, 0.5], [0.5, -0.5]])) <= set(inner.cells.tolist())
    assert int(small.locate([[0.9, 0.9]])[0]) not in inner.cells


def test_no_cell_has_functions_that_jump_in_it() -> None:
    tiling = tile(HOLE, (3, 3))
    for part in functions_at_corners(problem(HOLE), tiling, degrees(tiling)):
        for cell in part.cells.tolist():
            inside = HOLE.sample(4000, np.random.default_rng(0))
            zeta = part.basis.zeta(inside[tiling.locate(inside) == cell])
            assert np.abs(np.angle(zeta)).max() < np.pi
            # neighbours on the ray have both signs of the angle
            behind = np.abs(np.angle(zeta)) > 0.9 * np.pi
            assert len(np.unique(np.sign(zeta[behind].imag))) <= 1


@pytest.mark.parametrize("orders", [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)])
def test_derivatives_of_sums(orders: tuple[int, int]) -> None:
    basis, step = basis_on(L_SHAPE, 4), 1e-5
    rng = np.random.default_rng(0)
    points = np.array([[0.11, 0.13], [-0.2, 0.17], [0.21, -0.3], [0.8, 0.7]])
    coefficients = rng.standard_normal((1, basis.size)) / basis.size

    def values(operator: Operator, at: np.ndarray) -> np.ndarray:
        return np.asarray(basis.sums(coefficients, [localise(operator, Sites(at))])[0, 0])

    if orders == (0, 0):
        table = basis.sparse(localise(derivative(orders), Sites(points)))
        np.testing.assert_allclose(table @ coefficients[0], values(derivative(orders), points), rtol=1e-12)
        return
    axis = 0 if orders[0] else 1
    lower = tuple(order - (place == axis) for place, order in enumerate(orders))
    shift = step * np.eye(2)[axis]
    slope = (values(derivative(lower), points + shift) - values(derivative(lower), points - shift)) / (2 * step)
    np.testing.assert_allclose(values(derivative(orders), points), slope, rtol=1e-5, atol=1e-6)


def test_functions_of_one_cell_come_first() -> None:
    many, few = (AroundPoint(SingularBasis((0, 0), 0.0, 1.0, [Power(s)]), cells) for s, cells in _CELLS)
    joined = join_functions([many, few])
    np.testing.assert_array_equal(joined.sharing, [1, 1, 3, 3])
    np.testing.assert_array_equal(joined.columns(2), [0, 1, 2, 3])
    np.testing.assert_array_equal(joined.columns(4), [2, 3])
    points = np.array([[0.3, 0.2], [0.1, -0.4]])
    operator = localise(derivative((1, 0)), Sites(points))
    z = points @ np.array([1, 1j])
    known = [0.5 * z**-0.5, 1.5 * z**0.5]
    np.testing.assert_allclose(joined.rows(2, operator), np.stack([p for k in known for p in (k.real, k.imag)], 1))
    assert joined.rows(3, operator).shape == (2, 0)


_CELLS = (1.5, np.array([1, 2, 4])), (0.5, np.array([2]))


@pytest.mark.parametrize("degree", [4, 6, 9])
def test_cells_have_more_rows_than_functions(degree: int) -> None:
    stated = problem(L_SHAPE, LAPLACIAN + sp.exp(x) * u.diff(y))  # powers of both zeta and its conjugate
    tiling = tile(L_SHAPE, (2, 2))
    patchwork = Patchwork(stated, tiling, degrees(tiling, degree), (1.0,), 1)
    for leaf in patchwork.nested().leaves:
        functions = patchwork.basis.size - patchwork.basis.elsewhere
        assert len(leaf.rows) > len(leaf.own) + np.count_nonzero(leaf.shared < functions)


def test_rows_crowd_toward_corners() -> None:
    stated = problem(L_SHAPE)
    tiling = tile(L_SHAPE, (2, 2))
    shared = shared_functions(stated, tiling, degrees(tiling))
    placed = list(rows_toward(stated, tiling, shared, known_corners(stated)))
    points = np.concatenate([each.sites.points for each in placed if each.relation.region.kind == "boundary"])
    inside = np.concatenate([each.sites.points for each in placed if each.relation.region.kind == "domain"])
    for corner in shared.corners:
        away = points - corner
        close = away[np.linalg.norm(away, axis=1) < 1e-3]
        directions = np.unique(np.round(close / np.linalg.norm(close, axis=1, keepdims=True), 6), axis=0)
        assert len(directions) == 2
        assert np.linalg.norm(close, axis=1).min() < 1e-4
        assert np.linalg.norm(inside - corner, axis=1).min() < 1e-3
    assert all(np.all(tiling.locate(each.sites.points) == each.cells) for each in placed)


@pytest.mark.parametrize(
    ("conditions", "known"),
    [
        ([fs.Dirichlet(0)], 4),
        ([fs.Neumann(0, on="x-"), fs.Robin(1, 2, 0, on="x+"), fs.Dirichlet(0, on=["y-", "y+"])], 4),
        ([fs.Condition(sp.Eq(u.diff(x) - 2, 0), on="x-"), fs.Dirichlet(0, on=["x+", "y-", "y+"])], 4),
        # oblique slopes have other powers
        ([fs.Condition(sp.Eq(u.diff(x) + u.diff(y), 0), on="x-"), fs.Dirichlet(0, on=["x+", "y-", "y+"])], 2),
        ([fs.Periodic("x"), fs.Dirichlet(0, on=["y-", "y+"])], 0),
    ],
)
def test_corners_are_known_by_their_conditions(conditions: list[fs.Condition], known: int) -> None:
    assert len(known_corners(fs.Problem(sp.Eq(LAPLACIAN, 0), fs.Box((0, 0), (1, 1)), conditions))) == known


@pytest.mark.parametrize(
    ("equation", "known"),
    [
        (LAPLACIAN + (2 + sp.I) * u, 6),
        ((1 + x**2) * LAPLACIAN + u.diff(y), 6),
        (2 * u.diff(x, 2) + u.diff(y, 2), 0),
        (LAPLACIAN.diff(x, 2) + LAPLACIAN.diff(y, 2), 0),
    ],
)
def test_corners_are_known_by_their_equation(equation: sp.Expr, known: int) -> None:
    conditions = [fs.Dirichlet(0)] + [fs.Neumann(0)] * equation.has(u.diff(x, 4))
    assert len(known_corners(fs.Problem(sp.Eq(equation, 1), L_SHAPE, conditions))) == known


def test_other_data_and_operators_are_put_on_the_same_functions() -> None:
    one, other = (problem(L_SHAPE, LAPLACIAN + k * u) for k in (2, 30))
    tiling = tile(L_SHAPE, (2, 2))
    made = Patchwork(one, tiling, degrees(tiling), (1.0,), 1)
    again = made.with_problem(other).with_problem(one)
    operator = localise(derivative((1, 0)), Sites(L_SHAPE.sample(50, np.random.default_rng(0))))
    for its in (made.with_problem(other), again):
        np.testing.assert_array_equal(its.basis.sparse(operator).toarray(), made.basis.sparse(operator).toarray())
    own = Patchwork(other, tiling, degrees(tiling), (1.0,), 1)
    assert np.any(own.basis.sparse(operator).toarray() != made.basis.sparse(operator).toarray())


def test_one_grid_serves_cells_of_several_degrees() -> None:
    tiling = tile(L_SHAPE, (4, 4))
    count = len(tiling.cells)
    basis = CellBasis(tiling.frames, 5 + np.arange(2 * count).reshape(count, 2) % 3)
    line = np.cos(np.pi * (np.arange(7) + 0.5) / 7)
    grid = Grid(np.arange(count), (line, line))
    operator = localise(derivative((1, 1)), Sites(grid.points(tiling.frames.lower, tiling.frames.upper)))
    cells = np.repeat(np.arange(count), grid.each)
    plain, gridded = (RowsInCells(basis, cells, operator, grids) for grids in ((), (grid,)))
    rng = np.random.default_rng(0)
    fields, numbers = rng.standard_normal((2, basis.size)), rng.standard_normal((2, len(cells)))
    np.testing.assert_allclose(gridded.sums(fields), plain.sums(fields), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(gridded.adjoint(numbers), plain.adjoint(numbers), rtol=1e-9, atol=1e-9)
