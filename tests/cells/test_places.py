"""Where rows are in cells that are more than a box."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.cells import Tiling, tile
from fspielm.cells.places import Placed, place_rows

x, y = sp.symbols("x y", real=True)
u = sp.Function("u")(x, y)
DEGREE = 8


def joined() -> Tiling:
    """A strip of 0.01 below the left half of a large cell belongs to it; below its right half is another one."""
    domain = fs.Box((0, 0), (1, 1)) - fs.Box((0, 0), (0.5, 0.49))
    return tile(domain, (1, 2)).halve({0: (0, 1)})


def equations(tiling: Tiling, *, finer: bool = False) -> Placed:
    problem = fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2), 1), tiling.domain, [fs.Dirichlet(0)])
    placed = place_rows(problem, tiling, np.full((len(tiling.cells), 2), DEGREE), finer=finer)
    (found,) = (each for each in placed if each.relation.region.kind == "domain")
    return found


@pytest.mark.parametrize("finer", [False, True])
def test_rows_follow_an_edge_within_the_frame_of_a_cell(finer: bool) -> None:
    tiling = joined()
    large = next(index for index, cell in enumerate(tiling.cells) if len(cell.boxes) > 1)
    placed = equations(tiling, finer=finer)
    points = placed.sites.points[placed.cells == large]
    assert tiling.holds(large, points).all()
    # half of the frame's longer side is 0.5: as close to the edge at y = 0.5 as nodes are to an end, on one side of it
    for layer in (1, 2):
        depth = 0.5 * (1 - math.cos(math.pi * layer / (DEGREE + 1)))
        along = points[(np.abs(points[:, 1] - 0.5 - depth) < 1e-12) & (points[:, 0] > 0.5)]
        assert len(along) >= 2 * DEGREE
        assert along[:, 0].min() < 0.502
        assert along[:, 0].max() > 0.998
    # and beside the strip's end, to the left of x = 0.5, as far as they are in the cell
    strip = points[points[:, 1] < 0.5]
    assert len(strip)
    assert np.all((strip[:, 0] < 0.5) & (strip[:, 1] > 0.49))


def test_cells_that_are_boxes_have_a_grid_alone() -> None:
    tiling = joined()
    placed = equations(tiling)
    counts = np.bincount(placed.cells, minlength=len(tiling.cells))
    on_grids = np.concatenate([grid.cells for grid in placed.grids])
    assert set(on_grids) == {index for index, cell in enumerate(tiling.cells) if cell.whole}
    for grid in placed.grids:
        assert np.all(counts[grid.cells] == grid.each)


def test_sites_are_in_the_cells_that_they_are_given_to() -> None:
    tiling = joined()
    placed = equations(tiling, finer=True)
    assert tiling.holds(placed.cells, placed.sites.points).all()
    np.testing.assert_allclose(placed.shares.sum(), 1.0)
