"""A slab that is far thinner than rounding leaves of its level function, multiplied out."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x = sp.Symbol("x")


def borders_of(inside: sp.Basic, left: float) -> list[float]:
    """Where an equation on [left, 2] that has a coefficient within a slab finds the slab's sides."""
    u = sp.Function("u")(x)
    slab = sp.Piecewise((10, inside), (0, True))
    problem = fs.Problem(sp.Eq(u.diff(x, 2) - slab * u, 0), fs.Interval(left, 2), [fs.Dirichlet(1)])
    return sorted(float(line.part.place(np.empty((1, 0))).points[0, 0]) for line in problem.interfaces)


@pytest.mark.parametrize("half", [1e-2, 1e-6, 1e-7])
@pytest.mark.parametrize(("center", "left"), [(1.4944, 0.5), (1e-4, -1)])
def test_both_sides_of_a_slab_are_where_they_should_be(center: float, left: float, half: float) -> None:
    places = borders_of((x - center) ** 2 < half**2, left)
    np.testing.assert_allclose(places, [center - half, center + half], rtol=0, atol=1e-15)


def test_a_polynomial_whose_zeros_cannot_be_worked_out_is_searched() -> None:
    places = borders_of(sp.Float("1e50") * (x - 1) ** 2 + x**4 < sp.Float("1e48"), 0.5)
    np.testing.assert_allclose(places, [0.9, 1.1], rtol=0, atol=1e-9)
