"""What becomes of cells in which there is nothing."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.cells import Patchwork, tile
from fspielm.estimate import CellErrors
from fspielm.solvers import refine

x, y = sp.symbols("x y", real=True)
u = sp.Function("u")(x, y)
DEGREE = 8


def patchwork() -> Patchwork:
    problem = fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2) + 3 * u, 1), fs.Box((0, 0), (1, 1)), [fs.Dirichlet(0)])
    return Patchwork(problem, tile(problem.domain, (2, 2)), np.full((4, 2), DEGREE), (1.0,), 1)


# warnings are errors here: of zero divided by zero too
@pytest.mark.parametrize("error", [1e-2, np.inf])
@pytest.mark.parametrize("zero", [(1,), (0, 1, 2, 3)])
def test_a_cell_of_zeros(zero: tuple[int, ...], error: float) -> None:
    made = patchwork()
    coefficients = np.exp(-0.01 * np.arange(made.basis.size))
    relative = np.full(4, 1e-2)
    for cell in zero:
        coefficients[made.basis.columns(cell)] = 0.0
        relative[cell] = 0.0
    errors = CellErrors(relative, np.ones(4))
    finer, why = refine(made, coefficients, np.ones(1), errors, error, 1e-8)
    assert why
    assert finer.basis.size > made.basis.size
    assert np.all(np.isfinite(finer.degrees))
    if len(zero) == 1:  # it stays as it is
        lower, upper = made.tiling.cells[1].lower, made.tiling.cells[1].upper
        within = np.all((finer.tiling.frames.lower >= lower) & (finer.tiling.frames.upper <= upper), axis=1)
        assert np.count_nonzero(within) == 1
        np.testing.assert_array_equal(finer.degrees[within], [[DEGREE, DEGREE]])
