"""How fast solutions may oscillate in each cell."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.arrays import FloatArray
from fspielm.cells import tile
from fspielm.estimate import Bands, infer_bands
from fspielm.solvers.cells.first import waves_in_cells

x, y = sp.symbols("x y", real=True)
u = sp.Function("u")(x, y)
a = sp.Function("a")
DOMAIN = fs.Box((0, 0), (4, 1))
CELLS = tile(DOMAIN, (4, 1))


def waves(medium: sp.Expr) -> tuple[FloatArray, FloatArray]:
    """In four cells from left to right, and the frequencies of all."""
    problem = fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2) + medium * u, 1), DOMAIN, [fs.Dirichlet(0)])
    bands = infer_bands(problem, np.random.default_rng(0))
    assert set(bands.sources) == {"the equation"}
    frequencies = np.asarray(bands.frequencies)
    return waves_in_cells(problem, CELLS, bands, frequencies), frequencies


def test_they_are_faster_where_the_coefficient_is_larger() -> None:
    found, _ = waves(100 * (1 + x) ** 2)
    assert np.all(np.diff(found, axis=0) > 0)
    # no less than the largest wave number in each cell, and not by far more
    largest = 10 * np.arange(2.0, 6.0)[:, None]
    assert np.all((found >= 0.95 * largest) & (found <= 1.6 * largest))


def test_in_a_medium_that_is_the_same_everywhere_they_are_too() -> None:
    found, frequencies = waves(sp.Integer(900))
    np.testing.assert_allclose(found, np.tile(frequencies, (4, 1)), rtol=1e-6)
    assert frequencies == pytest.approx([30, 30], rel=0.05)


def test_a_coefficient_without_a_value_somewhere_tells_nothing() -> None:
    def medium(points: FloatArray) -> FloatArray:
        return np.where(points[:, 0] < 3.9, 100.0 * (1 + points[:, 0]) ** 2, np.nan)

    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + a(x, y) * u, 1)
    problem = fs.Problem(equation, DOMAIN, [fs.Dirichlet(0)], given={a: medium})
    frequencies = np.array([50.0, 40.0])
    found = waves_in_cells(problem, CELLS, Bands(frequencies, ("the equation",) * 2, ()), frequencies)
    np.testing.assert_array_equal(found, np.tile(frequencies, (4, 1)))
