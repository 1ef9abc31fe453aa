"""Which waves a basis shows, place by place."""

from __future__ import annotations

import numpy as np
import sympy as sp

import fspielm as fs
from fspielm.estimate.sensitivity import shown_at

x = sp.Symbol("x")
u = sp.Function("u")(x)


def test_of_cells_it_is_those_of_the_cell() -> None:
    layer = fs.Problem(sp.Eq(-u.diff(x, 2) / 1000 + u, 0), fs.Interval(0, 1), [fs.Dirichlet(1)])
    basis = fs.solve(layer, approach="patches", rng=0, tol=1e-6).basis
    points = np.linspace(0, 1, 101)[:, None]
    assert shown_at(basis, points, np.broadcast_to(basis.reach, points.shape)).all()
    assert not shown_at(basis, points, np.full(points.shape, 1e6)).any()
    cells = basis.on_cells[0].frames
    if len(cells) > 1 and np.ptp(cells.lengths) > 0:
        middling = np.full(points.shape, 2 * basis.reach.max())
        assert shown_at(basis, points, middling).any()


def test_of_other_functions_it_is_the_same_everywhere() -> None:
    smooth = fs.Problem(sp.Eq(u.diff(x, 2) + 400 * u, sp.exp(x)), fs.Interval(0, 1), [fs.Dirichlet(1)])
    basis = fs.solve(smooth, approach="band", rng=0).basis
    at = np.zeros((2, 1))
    np.testing.assert_array_equal(shown_at(basis, at, basis.reach * np.array([[0.99], [1.01]])), [True, False])
