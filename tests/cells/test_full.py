"""Full cells: functions that vanish on all edges, eliminated by square systems."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.basis import localise
from fspielm.basis.basis import LocalOperator
from fspielm.cells import CellBasis, Patchwork, tile
from fspielm.cells.edges import EdgeFunctions
from fspielm.collocation.least_squares import QR
from fspielm.collocation.nested import NestedQR
from fspielm.estimate.examination import examine
from fspielm.geometry import Box, Disk, Domain, Sites
from fspielm.problem import derivative

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
# not separable
KNOWN = sp.exp(x * y) * sp.sin(3 * x - y**2)


def helmholtz(square: sp.Expr, exact: sp.Expr, domain: Domain) -> fs.Problem:
    """The Helmholtz equation with the data of a known solution."""
    source = exact.diff(x, 2) + exact.diff(y, 2) + square * exact
    return fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2) + square * u, source), domain, [fs.Dirichlet(exact)])


def patchwork(problem: fs.Problem, shape: tuple[int, int], degree: int) -> Patchwork:
    tiling = tile(problem.domain, shape)
    return Patchwork(problem, tiling, np.full((len(tiling.cells), 2), degree), (1.0,), 1)


def values_at(cells: Patchwork, coefficients: np.ndarray, points: np.ndarray) -> np.ndarray:
    basis, own = cells.basis.valued(coefficients)
    assert isinstance(basis, CellBasis)
    return np.asarray(basis.sums(own[None], [_identity(points)])[0, 0])


def _identity(points: np.ndarray) -> LocalOperator:
    return localise(derivative((0, 0)), Sites(points), 1)


@pytest.mark.parametrize(("degrees", "components"), [((5, 7), 1), ((6, 4), 2)])
def test_the_change_of_functions_and_its_adjoint_belong_together(degrees: tuple[int, int], components: int) -> None:
    rng = np.random.default_rng(3)
    change = EdgeFunctions(degrees, components)
    count = components * (degrees[0] + 1) * (degrees[1] + 1)
    ours, theirs = rng.standard_normal((count, 3)), rng.standard_normal((count, 4))
    assert np.allclose(theirs.T @ change.apply(ours), change.adjoint(theirs).T @ ours)


def test_the_first_functions_vanish_on_all_edges() -> None:
    frames = tile(Box((0, 1), (2, 2)), (1, 1)).frames
    basis = CellBasis(frames, np.array([[6, 5]]), full=np.array([True]))
    change = EdgeFunctions((6, 5), 1)
    along = np.linspace(0, 1, 9)
    edges = [np.stack([2 * along, 0 * along + end], axis=1) for end in (1, 2)]
    edges += [np.stack([0 * along + end, 1 + along], axis=1) for end in (0, 2)]
    on_edges = basis.rows(0, _identity(np.concatenate(edges)), change)
    inside = basis.rows(0, _identity(np.random.default_rng(0).random((99, 2)) + np.array([0.5, 1])), change)
    assert np.abs(on_edges[:, : change.inner]).max() < 1e-13
    assert np.linalg.matrix_rank(inside) == basis.size


def test_polynomials_of_full_cells_are_recovered() -> None:
    exact = x**4 * y**4 - 3 * x**2 * y**3 + x
    cells = patchwork(helmholtz(sp.Integer(4), exact, Box((0, 0), (2, 1))), (4, 3), 6)
    assert cells.basis.full.sum() == 8  # all but those at corners
    factored = NestedQR(cells.nested())
    points = np.random.default_rng(1).random((200, 2)) * [2, 1]
    expected = sp.lambdify((x, y), exact)(*points.T)
    found = values_at(cells, factored.coefficients, points)
    assert np.abs(found - expected).max() < 1e-10 * np.abs(expected).max()


@pytest.mark.parametrize("square", [sp.Integer(0), 30 + x, (30 + x) * (1 + sp.I / 5)])
def test_errors_fall_with_the_degree_and_estimates_cover_them(square: sp.Expr) -> None:
    points = np.random.default_rng(1).random((300, 2))
    expected = sp.lambdify((x, y), KNOWN)(*points.T)
    problem, errors = helmholtz(square, KNOWN, Box((0, 0), (1, 1))), []
    for degree in (6, 9, 12):
        cells = patchwork(problem, (3, 3), degree)
        system = cells.assemble("rms")
        factored = QR().factor(system.augmented)
        found = values_at(cells, factored.coefficients, points)
        errors.append(float(np.linalg.norm(found - expected) / np.linalg.norm(expected)))
        examined = examine(cells, system.blocks, factored, np.random.default_rng(0))
        assert errors[-1] <= examined.estimate(factored.coefficients).relative <= 1e4 * errors[-1]
    assert errors[1] < 0.05 * errors[0]
    assert errors[2] < 0.05 * errors[1]


def test_other_values_and_the_triangle_agree_with_the_solution() -> None:
    problem = helmholtz(20 + x, KNOWN, Box((0, 0), (1, 1)) - Disk((0.5, 0.5), 0.2))
    cells = patchwork(problem, (4, 4), 8)
    assert cells.basis.full.any()
    assert not cells.basis.full.all()
    factored = NestedQR(cells.nested(keep=True))
    values = cells.values(cells.blocks)
    assert np.allclose(factored.solve(values), factored.coefficients, rtol=1e-9, atol=1e-9)
    both = factored.solve(np.stack([values, 2 * values], axis=1))
    assert np.allclose(both[:, 1], 2 * factored.coefficients, rtol=1e-9, atol=1e-9)
    rng = np.random.default_rng(2)
    one, other = rng.standard_normal((2, factored.shape[1]))
    left, right = factored.solve_triangle(one) @ other, one @ factored.solve_triangle(other, adjoint=True)
    assert left == pytest.approx(right, rel=1e-6)
    assert factored.exact.sum() == sum(49 for _ in np.flatnonzero(cells.basis.full))


def test_cells_at_a_resonance_are_eliminated_by_least_squares() -> None:
    # the square of side one, held at its edges, resonates
    square = 2 * sp.pi**2
    exact = sp.exp(x / 2) * sp.sin(2 * x + y)
    outward = fs.Condition(u + fs.normal_derivative(u) - exact - fs.normal_derivative(exact))
    source = exact.diff(x, 2) + exact.diff(y, 2) + square * exact
    problem = fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2) + square * u, source), Box((0, 0), (3, 3)), [outward])
    cells = patchwork(problem, (3, 3), 16)
    factored = NestedQR(cells.nested())
    assert cells.basis.full.any()
    assert not factored.exact.any()
    points = 3 * np.random.default_rng(1).random((200, 2))
    expected = sp.lambdify((x, y), exact)(*points.T)
    found = values_at(cells, factored.coefficients, points)
    assert np.abs(found - expected).max() < 1e-7 * np.abs(expected).max()


def test_full_cells_are_saved_and_loaded(tmp_path: Path) -> None:
    solution = fs.solve(helmholtz(3000 + x, KNOWN, Box((0, 0), (1, 1))), approach="patches", tol=1e-6, rng=1)
    assert isinstance(solution.basis, CellBasis)
    assert solution.basis.full.any()
    solution.save(tmp_path / "full.fspielm")
    loaded = fs.load(tmp_path / "full.fspielm")
    points = np.random.default_rng(1).random((50, 2))
    assert np.abs(loaded(points) - solution(points)).max() < 1e-14
    assert np.array_equal(loaded.basis.full, solution.basis.full)


def test_many_right_hand_sides_go_through_the_factors_together() -> None:
    prepared = fs.prepare(helmholtz(3000 + x, KNOWN, Box((0, 0), (1, 1))), approach="patches", tol=1e-5, rng=1)
    assert isinstance(prepared.solution.basis, CellBasis)
    assert prepared.solution.basis.full.any()
    data = [{"right_hand_side": x * y}, {"values": {"dirichlet": x}}, {"right_hand_side": lambda points: points[:, 0]}]
    points = np.random.default_rng(1).random((50, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.AccuracyWarning)
        together, alone = prepared.solve_many(data), [prepared.solve(**own) for own in data]  # type: ignore[arg-type]
    for one, other in zip(together, alone, strict=True):
        assert one.converged == other.converged
        assert np.abs(one(points) - other(points)).max() < 1e-8 * np.abs(other(points)).max()
        assert one.error_estimate == pytest.approx(other.error_estimate, rel=1e-3)
    with pytest.raises(fs.ProblemError, match=r"data\[1\]"):
        prepared.solve_many([{}, x * y])
    assert prepared.solve_many([]) == []


def test_right_hand_sides_go_with_data_that_trefftz_functions_hold() -> None:
    prepared = fs.prepare(helmholtz(sp.Integer(30), sp.sin(3 * x) * sp.sin(sp.sqrt(21) * y), Disk((0, 0), 1)), tol=1e-5)
    data = [{"right_hand_side": x}, {"values": {"dirichlet": x}}, {"right_hand_side": y, "values": {"dirichlet": 1}}]
    points = 0.5 * np.random.default_rng(1).random((50, 2))
    for one, own in zip(prepared.solve_many(data), data, strict=True):
        assert one.converged
        assert np.abs(one(points) - prepared.solve(**own)(points)).max() < 1e-10  # type: ignore[arg-type]


def test_a_resonance_in_a_domain_with_curved_sides_is_refused() -> None:
    # the disk resonates at the first zero of the Bessel function of order zero
    problem = helmholtz(sp.Float(2.404825557695773) ** 2, KNOWN, Disk((0, 0), 1))
    with pytest.warns(fs.AccuracyWarning, match="resonance"):
        solution = fs.solve(problem, approach="patches", tol=1e-6, rng=1, budget=fs.Budget(seconds=20))
    assert not solution.converged


@pytest.mark.parametrize("equation", [u.diff(x, 4) + u.diff(y, 4), u.diff(x, 2) - u.diff(y)])
def test_equations_of_other_orders_have_no_full_cells(equation: sp.Expr) -> None:
    conditions = [fs.Dirichlet(0), *([fs.Neumann(0)] if equation.has(u.diff(x, 4)) else [])]
    cells = patchwork(fs.Problem(sp.Eq(equation, 1), Box((0, 0), (1, 1)), conditions), (2, 2), 8)
    assert not cells.basis.full.any()
