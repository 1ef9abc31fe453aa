"""Cells where materials meet in a point, and where curves leave narrow gaps."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.cells import mosaic_of, tile
from fspielm.cells.crossings import corner_terms, crossings
from fspielm.solvers.cells.first import toward_curved

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)


def quadrants(contrast: float) -> fs.Problem:
    """A material in two opposite quadrants, between two electrodes."""
    a = sp.Piecewise((contrast, sp.Or(sp.And(x > 0, y > 0), sp.And(x <= 0, y <= 0))), (1, True))
    flux = sp.Derivative(a * u.diff(x), x) + sp.Derivative(a * u.diff(y), y)
    conditions = [fs.Dirichlet(0, on="x-"), fs.Dirichlet(1, on="x+"), fs.Neumann(0, on=["y-", "y+"])]
    return fs.Problem(sp.Eq(flux, 0), fs.Box((-1, -1), (1, 1)), conditions)


def test_the_crossing_is_found() -> None:
    (crossing,) = crossings(quadrants(10.0))
    np.testing.assert_allclose(crossing.point, [0, 0], atol=1e-12)
    assert sorted(np.mod(crossing.middles, 2 * np.pi)) == pytest.approx(np.pi * np.array([0.25, 0.75, 1.25, 1.75]))
    assert crossing.functions[0].power == pytest.approx(0.38996445808, abs=1e-11)


def test_its_functions_are_those_of_the_cells_around_it() -> None:
    problem = quadrants(10.0)
    lines = [line.part for line in problem.interfaces]
    tiling = mosaic_of(problem.domain, lines, problem.material_of, lambda _: (4, 4))
    terms = corner_terms(problem, tiling)
    (crossing,) = crossings(problem)
    assert len(terms) == len(crossing.functions)
    assert set(terms.sharing.tolist()) == {12}  # of 64: all but those diagonally beside


@pytest.mark.parametrize("contrast", [10.0, 1000.0])
def test_the_current_through_quadrants(contrast: float) -> None:
    solution = fs.solve(quadrants(contrast), approach="patches", rng=1, tol=1e-7)
    assert solution.converged
    # a quarter turn swaps the colours: the current is the geometric mean of the two
    nodes, weights = np.polynomial.legendre.leggauss(40)
    heights = np.concatenate([0.5 * nodes - 0.5, 0.5 * nodes + 0.5])
    stiff = np.where(heights < 0, contrast, 1.0) * np.tile(0.5 * weights, 2)
    current = stiff @ solution.diff("x")(np.stack([-np.ones_like(heights), heights], axis=1))
    assert current == pytest.approx(np.sqrt(contrast), rel=1e-6)


def test_cells_in_gaps_are_small() -> None:
    domain = fs.Box((0, 0), (1, 0.5)) - fs.Disk((0.3, 0.25), 0.15) - fs.Disk((0.61, 0.25), 0.15)
    tiling, _ = toward_curved(tile(domain, (2, 1)), 300)
    sides = np.array([np.max(cell.upper - cell.lower) for cell in tiling.cells])
    (gap,) = tiling.locate([[0.455, 0.25]])
    assert sides[gap] < 2 * np.sqrt(0.01 * 0.15)
    assert len(tiling.cells) < 100


def test_a_large_curve_leaves_cells_as_they_are() -> None:
    tiling = tile(fs.Disk((0, 0), 1), (3, 3))
    assert toward_curved(tiling, 300)[0] is tiling
