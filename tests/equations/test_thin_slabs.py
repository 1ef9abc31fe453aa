"""A slab that is far thinner than rounding leaves of its level function, multiplied out."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs


@pytest.mark.parametrize("half", [1e-2, 1e-6, 1e-7])
def test_both_sides_of_a_slab_are_where_they_should_be(half: float) -> None:
    x = sp.Symbol("x")
    u = sp.Function("u")(x)
    inside = sp.Piecewise((1 / half, (x - 1.4944) ** 2 < half**2), (0, True))
    problem = fs.Problem(sp.Eq(u.diff(x, 2) - inside * u, 0), fs.Interval(0.5, 2), [fs.Dirichlet(1)])
    places = sorted(float(line.part.place(np.empty((1, 0))).points[0, 0]) for line in problem.interfaces)
    np.testing.assert_allclose(places, [1.4944 - half, 1.4944 + half], rtol=0, atol=1e-15)
