"""Metres or kilometres, here or far away: the same digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y, t = sp.symbols("x y t")
K = 20
DIRECTION = sp.Rational(3, 5) * x + sp.Rational(4, 5) * y


def plane_wave(manufacture: Callable[..., Any], unit: Any) -> Any:
    """A plane wave across a square of side `unit`."""
    exact = sp.cos(K * DIRECTION.subs({x: x / unit, y: y / unit}, simultaneous=True))
    return manufacture(
        lambda u: u.diff(x, 2) + u.diff(y, 2) + (sp.Integer(K) / unit) ** 2 * u,
        exact,
        fs.Box((0, 0), (unit, unit)),
        (x, y),
    )


@pytest.fixture(scope="module")
def here(manufacture: Callable[..., Any]) -> tuple[fs.Solution, float]:
    made = plane_wave(manufacture, sp.Integer(1))
    solution = fs.solve(made.problem, rng=0)
    return solution, made.error(solution)


@pytest.mark.parametrize("unit", [sp.Integer(10**6), pytest.param(sp.Rational(1, 10**6), marks=pytest.mark.slow)])
def test_units_of_length(manufacture: Callable[..., Any], here: tuple[fs.Solution, float], unit: Any) -> None:
    made = plane_wave(manufacture, unit)
    solution = fs.solve(made.problem, rng=0)
    plain, error = here
    assert solution.converged
    assert abs(solution.report.neurons - plain.report.neurons) <= 1
    assert solution.report.points.keys() == plain.report.points.keys()
    assert error / 3 < made.error(solution) < 3 * error
    assert plain.error_estimate / 3 < solution.error_estimate < 3 * plain.error_estimate


@pytest.mark.parametrize("shift", [pytest.param(-1000.0, marks=pytest.mark.slow), 2.0**30])
def test_far_away(here: tuple[fs.Solution, float], shift: float) -> None:
    """Not even at 1e9 is a digit lost, as long as the data are evaluated with care."""

    def exact(points: np.ndarray) -> np.ndarray:
        return np.cos(K * (0.6 * (points[:, 0] - shift) + 0.8 * (points[:, 1] + shift)))

    u = sp.Function("u")(x, y)
    domain = fs.Box((shift, -shift), (shift + 1, 1 - shift))
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + K**2 * u, 0)
    solution = fs.solve(fs.Problem(equation, domain, [fs.Dirichlet(exact)]), rng=0)
    assert solution.converged
    assert abs(solution.report.neurons - here[0].report.neurons) <= 1
    points = domain.sample(4000, np.random.default_rng(99), "low-discrepancy")
    error = np.linalg.norm(solution(points) - exact(points)) / np.linalg.norm(exact(points))
    assert error < 3 * here[1]


@pytest.mark.parametrize("size", [1e-9, pytest.param(1e9, marks=pytest.mark.slow)])
def test_units_of_the_solution(manufacture: Callable[..., Any], here: tuple[fs.Solution, float], size: float) -> None:
    exact = size * sp.cos(K * DIRECTION)
    made = manufacture(lambda u: u.diff(x, 2) + u.diff(y, 2) + K**2 * u, exact, fs.Box((0, 0), (1, 1)), (x, y))
    solution = fs.solve(made.problem, rng=0)
    assert solution.report.neurons == here[0].report.neurons
    assert here[1] / 3 < made.error(solution) < 3 * here[1]


@pytest.mark.parametrize("factor", [pytest.param(1e-6, marks=pytest.mark.slow), 1e6])
def test_an_equation_times_a_number(
    manufacture: Callable[..., Any], here: tuple[fs.Solution, float], factor: float
) -> None:
    exact = sp.cos(K * DIRECTION)
    made = manufacture(
        lambda u: factor * (u.diff(x, 2) + u.diff(y, 2) + K**2 * u), exact, fs.Box((0, 0), (1, 1)), (x, y)
    )
    solution = fs.solve(made.problem, rng=0)
    assert abs(solution.report.neurons - here[0].report.neurons) <= 1
    assert here[1] / 3 < made.error(solution) < 3 * here[1]


def test_space_and_time_in_different_units(manufacture: Callable[..., Any]) -> None:
    def wave(speed: Any, length: Any, duration: Any) -> Any:
        exact = sp.sin(8 * (x / length - t / duration)) + sp.cos(5 * (x / length + t / duration))
        return manufacture(
            lambda u: u.diff(t, 2) - speed**2 * u.diff(x, 2),
            exact,
            fs.Interval(0, length) * fs.Time(0, duration),
            (x, t),
            orders=2,
        )

    plain = wave(sp.Integer(1), sp.Integer(1), sp.Integer(1))
    # three kilometres of steel in half a millisecond
    steel = wave(sp.Integer(6 * 10**6), sp.Integer(3000), sp.Rational(1, 2000))
    solutions = [fs.solve(made.problem, rng=0) for made in (plain, steel)]
    assert all(solution.converged for solution in solutions)
    assert abs(solutions[0].report.neurons - solutions[1].report.neurons) <= 1
    errors = plain.error(solutions[0]), steel.error(solutions[1])
    assert errors[0] / 3 < errors[1] < 3 * errors[0]
