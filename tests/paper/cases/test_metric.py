"""The paper's metric, on the paper's grid."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fspielm.paper.cases import Case
from fspielm.paper.cases import catalogue as cases


def test_the_exact_solution_has_no_error(case: Case) -> None:
    assert case.relative_error(case.exact_values) == 0
    assert case.space_time_error(case.exact_values) == 0


def test_zero_has_error_one(case: Case) -> None:
    assert case.relative_error(lambda points: np.zeros(len(points))) == pytest.approx(1, rel=1e-14)
    assert case.space_time_error(lambda points: np.zeros(len(points))) == pytest.approx(1, rel=1e-14)


@pytest.mark.parametrize("factor", [1 + 1e-9, -1.0, 3.0])
def test_a_multiple_has_the_error_of_its_factor(case: Case, factor: float) -> None:
    error = case.relative_error(lambda points: factor * case.exact_values(points))
    assert error == pytest.approx(abs(factor - 1), rel=1e-6)


def test_is_the_relative_root_mean_square(case: Case) -> None:
    def off(points: np.ndarray) -> np.ndarray:
        return case.exact_values(points) + 0.01 * points[:, 0]

    grid = case.grid()
    exact = case.exact_values(grid)
    expected = math.sqrt(np.sum((0.01 * grid[:, 0]) ** 2) / np.sum(exact**2))
    assert case.relative_error(off) == pytest.approx(expected, rel=1e-12)


# --- grids --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["helmholtz-2d", "wave-1d", "klein-gordon", "heat"])
def test_rectangles_have_a_hundred_by_a_hundred(name: str) -> None:
    case = cases.load(name)
    grid = case.grid()
    lower, upper = case.problem.domain.bounding_box
    assert grid.shape == (10_000, 2)
    for axis in range(2):
        assert np.array_equal(np.unique(grid[:, axis]), np.linspace(lower[axis], upper[axis], 100))


def test_one_dimension_has_ten_thousand_points() -> None:
    assert np.array_equal(cases.load("poisson-1d").grid()[:, 0], np.linspace(0, 1, 10_000))


@pytest.mark.parametrize("name", ["advection-diffusion-pacman", "helmholtz-panda"])
def test_points_outside_are_dropped(name: str) -> None:
    case = cases.load(name)
    domain, grid = case.problem.domain, case.grid()
    lower, upper = domain.bounding_box
    assert np.all(domain.contains(grid))
    box = math.prod((upper - lower)[:2])
    assert len(grid) == pytest.approx(10_000 * domain.measure / box, rel=0.03)
    assert len(grid) < 10_000


def test_pacman_is_measured_at_half_time_and_over_all_times() -> None:
    case = cases.load("advection-diffusion-pacman")
    assert case.time_slice == 0.5
    assert np.all(case.grid()[:, 2] == 0.5)

    def wrong_later(points: np.ndarray) -> np.ndarray:
        return np.where(points[:, 2] > 0.75, 0, case.exact_values(points))

    assert case.relative_error(wrong_later) == 0
    assert 0.3 < case.space_time_error(wrong_later) < 0.6


def test_the_space_time_grid_covers_all_times() -> None:
    case = cases.load("advection-diffusion-pacman")
    seen: list[np.ndarray] = []

    def spy(points: np.ndarray) -> np.ndarray:
        seen.append(points)
        return case.exact_values(points)

    case.space_time_error(spy)
    (points,) = seen
    assert np.all(case.problem.domain.contains(points))
    assert points[:, 2].min() == 0
    assert points[:, 2].max() == 1
    assert len(points) > 10_000


def test_without_a_slice_both_errors_are_one() -> None:
    case = cases.load("wave-1d")
    assert case.time_slice is None

    def off(points: np.ndarray) -> np.ndarray:
        return case.exact_values(points) + points[:, 1]

    assert case.space_time_error(off) == case.relative_error(off)
