"""Cells that become smaller toward corners."""

from __future__ import annotations

import numpy as np
import sympy as sp

import fspielm as fs
from fspielm.cells import tile
from fspielm.solvers.cells.corners import special_points
from fspielm.solvers.cells.refine import Grading, Growing

x, y = sp.symbols("x y", real=True)
u = sp.Function("u")(x, y)


def test_it_ends_where_the_boundary_is_not_known_any_better() -> None:
    domain = fs.Polygon([(0, 0), (1, 0.3), (1.2, 1.1), (-0.1, 0.9)])
    problem = fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2), 1), domain, [fs.Dirichlet(0)])
    tiling = tile(domain, (2, 2))
    growing = Growing(problem, tiling, np.full((len(tiling.cells), 2), 8))
    corner = special_points(problem)[0]
    growing.grade([(corner, Grading(60, (8,) * 60), 0.6)])
    assert 20 < len(growing.tiling.cells) < 400
    least = growing.tiling.frames.lengths.max(axis=1).min()
    assert 1e-15 < least < 1e-9
    assert len(growing.degrees) == len(growing.tiling.cells)
