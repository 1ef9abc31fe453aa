"""Cells at corners of the boundary: the first ones suffice, and estimates stay above errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.arrays import FloatArray

x, y = sp.symbols("x y")
u, g, w = (sp.Function(name)(x, y) for name in "ugw")
LAPLACIAN = u.diff(x, 2) + u.diff(y, 2)
L_SHAPE = fs.Polygon([(0, 0), (0, -1), (1, -1), (1, 1), (-1, 1), (-1, 0)])
SQUARE, HALF = fs.Box((0, 0), (1, 1)), fs.Box((-1, 0), (1, 1))
Values = Callable[[FloatArray], FloatArray]


def around_corner(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Distances from the re-entrant corner of the L-shape, and angles from its lower side."""
    z = points @ np.array([1, 1j])
    angle = np.angle(z) + np.pi / 2
    return np.abs(z), np.where(angle < -1e-9, angle + 2 * np.pi, angle)


def root(power: float) -> Values:
    def values(points: FloatArray) -> FloatArray:
        radius, angle = around_corner(points)
        return np.asarray(radius**power * np.sin(power * angle))

    return values


def at_change(points: FloatArray) -> FloatArray:
    """Zero on the right of the lower side, without slope on its left."""
    return np.asarray(np.sqrt(points[:, 0] + 1j * np.maximum(points[:, 1], 0.0)).imag)


def mixed(points: FloatArray) -> FloatArray:
    return root(2 / 3)(points) * (1 + points[:, 0] * points[:, 1])


def its_source(points: FloatArray) -> FloatArray:
    """The source of `mixed` for ``u - laplacian u``."""
    radius, angle = around_corner(points)
    # with w = i z the root is Im w^s, and its derivative along x is that of w^s times i, along y times -1
    slope = 2 / 3 * np.maximum(radius, 1e-300) ** (-1 / 3) * np.exp(-1j * angle / 3)
    along_x, along_y = slope.real, -slope.imag
    return np.asarray(mixed(points) - 2 * (along_x * points[:, 1] + along_y * points[:, 0]))


def heated(points: FloatArray) -> FloatArray:
    """``-laplacian u = 1`` in the unit square, zero on its sides, by a series that converges like exponentials."""
    total = 0.5 * points[:, 0] * (1 - points[:, 0])
    for k in range(1, 400, 2):
        up, down = np.exp(-k * np.pi * points[:, 1]), np.exp(-k * np.pi * (1 - points[:, 1]))
        total = total - 4 / (k * np.pi) ** 3 * np.sin(k * np.pi * points[:, 0]) * (up + down) / (1 + np.exp(-k * np.pi))
    return np.asarray(total)


@dataclass(frozen=True)
class Known:
    """A problem with its solution, and the most cells and rounds that it should take."""

    problem: fs.Problem
    exact: Values
    cells: int
    rounds: int = 1


def known(name: str) -> Known:
    """A problem by its name."""
    match name:
        case "L-shape":
            return Known(fs.Problem(sp.Eq(LAPLACIAN, 0), L_SHAPE, [fs.Dirichlet(root(2 / 3))]), root(2 / 3), 3)
        case "change of conditions":
            # a condition with an inequality reaches a hair beyond it, where the root is not zero
            lower = [fs.Dirichlet(0, on=(y <= 0) & (x >= 0)), fs.Neumann(0, on=(y <= 0) & (x < 0))]
            others = fs.Dirichlet(at_change, on=["x-", "x+", "y+"])
            return Known(fs.Problem(sp.Eq(LAPLACIAN, 0), HALF, [*lower, others]), at_change, 2)
        case "square":
            return Known(fs.Problem(sp.Eq(-LAPLACIAN, 1), SQUARE, [fs.Dirichlet(0)]), heated, 1)
        case "reaction":
            equation = sp.Eq(u - LAPLACIAN, g)
            return Known(fs.Problem(equation, L_SHAPE, [fs.Dirichlet(mixed)], given={g: its_source}), mixed, 60, 2)
    # a power that is none of those of the corner, from data
    exact = root(0.5 if name == "rough data" else 1.5)
    problem = fs.Problem(sp.Eq(LAPLACIAN, 0), L_SHAPE, [fs.Dirichlet(exact)])
    return Known(problem, exact, 400, 6)


NAMES = ["L-shape", "change of conditions", "square", "reaction", "data", "rough data"]


@pytest.mark.parametrize("tol", [1e-3, 1e-5, pytest.param(1e-8, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", NAMES)
def test_first_cells_suffice_and_estimates_hold(name: str, tol: float) -> None:
    case = known(name)
    solution = fs.solve(case.problem, approach="patches", tol=tol, rng=1)
    assert solution.converged
    (basis,) = solution.basis.on_cells
    assert len(basis.frames) <= case.cells
    assert len(solution.report.rounds) <= case.rounds
    points = case.problem.domain.sample(2000, np.random.default_rng(5))
    exact = case.exact(points)
    error = np.linalg.norm(solution(points) - exact) / np.linalg.norm(exact)
    assert error <= solution.error_estimate


def test_a_corner_with_convection_beside_a_larger_cell() -> None:
    domain = fs.Polygon([(0, 0), (1, 0), (1.4, 0.7), (0.6, 0.5), (0.2, 1.1), (-0.3, 0.6)])
    equation = sp.Eq(3 * u.diff(x) - sp.exp(x) * u.diff(y) + x * u - LAPLACIAN, 1)
    problem = fs.Problem(equation, domain, [fs.Dirichlet(0)])
    coarse, fine = (fs.solve(problem, approach="patches", tol=tol, rng=1) for tol in (1e-3, 1e-6))
    assert len(coarse.basis.on_cells[0].frames) <= 12
    assert len(coarse.report.rounds) == 1
    points = domain.sample(2000, np.random.default_rng(5))
    error = np.linalg.norm(coarse(points) - fine(points)) / np.linalg.norm(fine(points))
    assert error <= coarse.error_estimate + fine.error_estimate


def test_slopes_of_several_conditions_determine_functions_near_the_corner() -> None:
    # both parts of each power, and rows between the last node and the corner
    conditions = [fs.Robin(2, 1, 0, on="outline"), fs.Dirichlet(1, on="circle")]
    domain = fs.Polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]) - fs.Disk((0.5, 1.5), 0.2)
    solution = fs.solve(fs.Problem(sp.Eq(LAPLACIAN, 0), domain, conditions), approach="patches", tol=1e-3, rng=1)
    assert solution.converged
    assert len(solution.report.rounds) <= 2
    assert len(solution.basis.on_cells[0].frames) <= 60


# ---- Elastic bodies


def free_corner(points: FloatArray) -> FloatArray:
    """The displacement ``(n, 2)`` at a free corner that opens by 270 degrees, by Kolosov's formulas."""
    power, half, kappa = 0.5444837367824622, 0.75 * np.pi, (_LAM + 3 * _MU) / (_LAM + _MU)
    z = points @ np.array([1, 1j]) * np.exp(-0.25j * np.pi)
    z = np.where(z == 0, 1e-300, z)
    other = -(np.cos(2 * power * half) + power * np.cos(2 * half))
    moved = kappa * z**power - z * np.conj(power * z ** (power - 1)) - np.conj(other * z**power)
    moved = moved * np.exp(0.25j * np.pi) / (2 * _MU)
    return np.stack([moved.real, moved.imag], axis=1)


_LAM, _MU = 1.5, 1.0


def elastic_body(domain: fs.Domain, held: fs.Dirichlet, free: Any, load: float = 0.0) -> fs.Problem:
    stress = fs.stress([u, w], lam=_LAM, mu=_MU)
    force, pull = fs.divergence(stress), fs.traction(stress)
    places = [name for name in free if isinstance(name, str)], *(mask for mask in free if not isinstance(mask, str))
    conditions = [held, *(fs.Condition(sp.Eq(side, 0), on=on) for on in places for side in pull)]
    return fs.Problem([sp.Eq(-force[0], 0), sp.Eq(-force[1], load)], domain, conditions, unknowns=[u, w])


def corner_of_a_body() -> fs.Problem:
    sides = ["down", "low", "right", "top", "left", "in"]
    domain = fs.Polygon([(0, 0), (0, -1), (1, -1), (1, 1), (-1, 1), (-1, 0)], names=sides)
    held = {u: lambda points: free_corner(points)[:, 0], w: lambda points: free_corner(points)[:, 1]}
    return elastic_body(domain, fs.Dirichlet(held, on=["low", "right", "top", "left"]), ["down", "in"])


@pytest.mark.parametrize("tol", [1e-3, 1e-5, 1e-7])
def test_the_field_of_a_free_corner_is_found_again(tol: float) -> None:
    problem = corner_of_a_body()
    solution = fs.solve(problem, approach="patches", tol=tol, rng=1)
    assert solution.converged
    if tol > 1e-6:  # close to rounding, which differs between processors, cells may be halved
        assert len(solution.basis.on_cells[0].frames) <= 3
    points = problem.domain.sample(2000, np.random.default_rng(5))
    exact = free_corner(points)
    error = np.linalg.norm(solution(points) - exact, axis=0) / np.linalg.norm(exact, axis=0)
    assert error.max() <= solution.error_estimate


@pytest.mark.parametrize("free", [["x+", "y-", "y+"], ["x+", "y+"]])
def test_bodies_need_few_cells_whatever_their_corners_are(free: list[str]) -> None:
    held = fs.Dirichlet({u: 0, w: 0}, on=[side for side in ("x-", "y-") if side not in free])
    problem = elastic_body(SQUARE, held, free, -1.0)
    fine = fs.solve(problem, approach="patches", tol=1e-7, rng=1)
    points = SQUARE.sample(2000, np.random.default_rng(5))
    for tol in (1e-3, 1e-5):
        coarse = fs.solve(problem, approach="patches", tol=tol, rng=1)
        assert coarse.converged
        assert len(coarse.basis.on_cells[0].frames) == 1
        error = np.linalg.norm(coarse(points) - fine(points), axis=0) / np.linalg.norm(fine(points), axis=0)
        assert error.max() <= coarse.error_estimate + fine.error_estimate


def test_a_body_that_is_held_on_a_part_of_a_side() -> None:
    rest = [(y <= 0) & (x > 0.4), "x-", "x+", "y+"]
    held = fs.Dirichlet({u: 0, w: 0}, on=(y <= 0) & (x <= 0.4))
    fine, coarse = (
        fs.solve(elastic_body(SQUARE, held, rest, -1.0), approach="patches", tol=tol, rng=1) for tol in (1e-7, 1e-4)
    )
    assert fine.converged
    assert len(fine.basis.on_cells[0].frames) == 2
    points = SQUARE.sample(2000, np.random.default_rng(5))
    error = np.linalg.norm(coarse(points) - fine(points), axis=0) / np.linalg.norm(fine(points), axis=0)
    assert error.max() <= 1e-4


def test_prescribed_displacements_that_disagree_at_a_corner_do_not_converge() -> None:
    held = [fs.Dirichlet({u: 0, w: 0}, on=["y-", "x+"]), fs.Dirichlet({u: 1, w: 0}, on=["x-", "y+"])]
    equations = elastic_body(SQUARE, held[0], ["x-", "y+"]).statement.equations
    torn = fs.Problem([*equations], SQUARE, held, unknowns=[u, w])
    with pytest.warns(fs.AccuracyWarning, match="disagree"):
        solution = fs.solve(torn, tol=1e-5, budget=fs.Budget(neurons=3000), rng=1)
    assert not solution.converged


def test_a_body_keeps_the_fields_of_corners_for_other_data() -> None:
    problem = corner_of_a_body()
    prepared = fs.prepare(problem, approach="patches", tol=1e-5, rng=1)
    points = problem.domain.sample(500, np.random.default_rng(5))
    found = prepared.solve()(points)
    exact = free_corner(points)
    assert np.linalg.norm(found - exact) < 1e-5 * np.linalg.norm(exact)


def test_reports_name_corners() -> None:
    solution = fs.solve(known("square").problem, approach="patches", tol=1e-3, rng=1)
    assert solution.report.features.endswith("in 1 cell, and singular functions at 4 corners")


def test_integrals_are_exact_to_the_estimate() -> None:
    solution = fs.solve(known("L-shape").problem, approach="patches", tol=1e-6, rng=1)
    # Im z^s over the three squares: six times that over a triangle of half the angle of a square
    nodes, weights = np.polynomial.legendre.leggauss(60)
    angle = np.pi / 8 * (1 + nodes)
    size = 1 / np.cos(angle)
    total = sum(
        np.pi / 8 * weights @ (np.sin(2 / 3 * each) * size ** (8 / 3) / (8 / 3))
        for square in range(3)
        for each in (square * np.pi / 2 + angle, (square + 1) * np.pi / 2 - angle)
    )
    assert solution.integrate() == pytest.approx(total, rel=1e-6)
