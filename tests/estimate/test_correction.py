"""What rows that were not fitted would change of a solution on cells."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.basis import localise
from fspielm.cells import Patchwork, RowsInCells, tile
from fspielm.collocation import QR
from fspielm.estimate import find_sensitivity
from fspielm.estimate.residuals import _SAFETY, Correction
from fspielm.problem import identity

x, y = sp.symbols("x y", real=True)
u = sp.Function("u")(x, y)
EXACT = sp.exp(x) * sp.cos(3 * y + x)


def patchwork(degree: int, wave: complex = 0) -> Patchwork:
    source = sp.diff(EXACT, x, 2) + sp.diff(EXACT, y, 2) + wave * EXACT
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + wave * u, source)
    problem = fs.Problem(equation, fs.Box((0, 0), (1, 1)), [fs.Dirichlet(EXACT)])
    return Patchwork(problem, tile(problem.domain, [2, 2]), np.full((4, 2), degree), (1.0,), 1)


def solved(made: Patchwork) -> tuple[Correction, np.ndarray]:
    system = made.assemble("rows")
    factored = QR().factor(system.augmented)
    sensitivity = find_sensitivity(made.problem, made.basis, factored, np.random.default_rng(0), 1)
    held_out = made.hold_out(np.random.default_rng(0))
    return Correction(made, held_out, system.blocks, factored, sensitivity.values), factored.coefficients


def error(made: Patchwork, coefficients: np.ndarray) -> float:
    points = made.problem.domain.sample(500, np.random.default_rng(5))
    values = made.basis.sums(coefficients[None], [localise(identity(2), fs.geometry.Sites(points))])[0, 0]
    return float(np.sqrt(np.mean(np.abs(values - sp.lambdify((x, y), EXACT)(*points.T)) ** 2)))


@pytest.mark.parametrize("degree", [4, 6, 8, 10])
def test_it_tells_the_error_with_what_is_left_out(degree: int) -> None:
    made = patchwork(degree)
    correction, coefficients = solved(made)
    left_out = float(np.linalg.norm(made.left_out(coefficients)))
    shown = correction.errors(correction.deviations(coefficients, made.problem))[0] + left_out
    true = error(made, coefficients)
    assert true <= shown <= 200 * true


@pytest.mark.parametrize("wave", [0, 3 + 2j])
def test_a_change_of_the_coefficients_is_found(wave: complex) -> None:
    made = patchwork(12, wave)
    correction, coefficients = solved(made)
    points = made.basis.size - made.basis.elsewhere
    change = np.zeros(made.basis.size, coefficients.dtype)
    # a smooth function: the same in all cells, and so are its traces
    change[made.basis.starts[:-1]] = 1e-3
    change[points:] = np.linalg.lstsq(*_traces(made, change), rcond=None)[0]
    found = correction.errors(correction.deviations(coefficients + change, made.problem))[0]
    assert _SAFETY * 0.99e-3 <= found <= _SAFETY * 1.5e-3


def _traces(made: Patchwork, change: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How the columns of traces show at seams, and what the others do."""
    first = made.basis.size - made.basis.elsewhere
    zero = made.seams(np.zeros(made.basis.size))[0].deviation
    columns = [made.seams(unit)[0].deviation - zero for unit in np.eye(made.basis.size)[first:]]
    return np.array(columns).T, -(made.seams(change)[0].deviation - zero)


def test_the_adjoints_are_adjoint() -> None:
    made = patchwork(7)
    rng = np.random.default_rng(1)
    coefficients = rng.normal(size=made.basis.size)
    zero = made.seams(np.zeros(made.basis.size))[0].deviation
    at_seams = made.seams(coefficients)[0].deviation - zero
    numbers = rng.normal(size=len(zero))
    assert numbers @ at_seams == pytest.approx(made.across_seams(numbers[None])[0] @ coefficients, rel=1e-12)
    sites = fs.geometry.Sites(rng.random((50, 2)))
    operator = localise(made.problem.equations[0].operator, sites)
    numbers = rng.normal(size=50)
    applied = made.basis.sums(coefficients[None], [operator])[0, 0]
    np.testing.assert_allclose(RowsInCells.at(made.basis, operator) @ coefficients, applied, rtol=1e-10)
    assert numbers @ applied == pytest.approx(
        RowsInCells.at(made.basis, operator).adjoint(numbers[None])[0] @ coefficients, rel=1e-12
    )


@pytest.mark.parametrize(("halvings", "missed"), [(0, True), (4, False)])
def test_narrow_places_count_where_other_rows_do_not_see_them(halvings: int, missed: bool) -> None:
    source = sp.exp(-((x - 0.31) ** 2 + (y - 0.19) ** 2) / 0.01**2)
    problem = fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2), source), fs.Box((0, 0), (1, 1)), [fs.Dirichlet(0)])
    tiling = tile(problem.domain, [2, 2])
    for _ in range(halvings):
        tiling = tiling.halve({int(tiling.locate(np.array([[0.31, 0.19]]))[0]): [0, 1]})
    made = Patchwork(problem, tiling, np.full((len(tiling.cells), 2), 5), (1.0,), 1)
    correction, coefficients = solved(made)
    inside, narrow, *_ = correction.deviations(coefficients, problem).rows
    assert len(narrow.sites) < len(inside.sites)
    assert bool(np.any(narrow.weight > 0)) == missed
