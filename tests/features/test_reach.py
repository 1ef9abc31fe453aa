"""The highest frequencies that a basis holds, place by place."""

from __future__ import annotations

import numpy as np
import sympy as sp

import fspielm as fs
from fspielm.features.reach import reach_at

x = sp.Symbol("x")
u = sp.Function("u")(x)


def test_of_cells_it_is_that_of_the_cell() -> None:
    layer = fs.Problem(sp.Eq(-u.diff(x, 2) / 1000 + u, 0), fs.Interval(0, 1), [fs.Dirichlet(1)])
    basis = fs.solve(layer, approach="patches", rng=0, tol=1e-6).basis
    points = np.linspace(0, 1, 101)[:, None]
    reach = reach_at(basis, points)
    assert reach.shape == points.shape
    assert reach.min() == basis.reach
    assert (reach >= basis.reach).all()


def test_of_other_functions_it_is_the_same_everywhere() -> None:
    smooth = fs.Problem(sp.Eq(u.diff(x, 2) + 400 * u, sp.exp(x)), fs.Interval(0, 1), [fs.Dirichlet(1)])
    basis = fs.solve(smooth, approach="band", rng=0).basis
    np.testing.assert_array_equal(reach_at(basis, np.zeros((3, 1))), np.tile(basis.reach, (3, 1)))
