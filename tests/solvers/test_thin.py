"""Small bases for right-hand sides with thin spectra."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.basis.random.families import cloud, layout
from fspielm.estimate import infer_bands
from fspielm.geometry import Sites
from fspielm.problem import identity
from fspielm.solvers.strategies.selection import thin_family, thin_peaks

x, y, t = sp.symbols("x y t")
u = sp.Function("u")(x, y)
DISK = fs.Disk((0, 0), 1)


def laplacian(v: sp.Expr) -> sp.Expr:
    return v.diff(x, 2) + v.diff(y, 2)


def thin(problem: fs.Problem, decades: float = 9.5, **options: Any) -> fs.Joined | None:
    rng = np.random.default_rng(0)
    bands = infer_bands(problem, rng)
    peaks = thin_peaks(problem, bands, rng)
    return thin_family(problem, bands, peaks, decades, rng, **options) if peaks else None


def solve_thin(problem: fs.Problem, tol: float = 1e-8, **options: Any) -> fs.Solution:
    family = thin(problem, **options)
    assert family is not None
    return fs.solve(problem, features=family, tol=tol, rng=1)


def error(solution: fs.Solution, exact: sp.Expr) -> float:
    points = solution.problem.domain.sample(800, np.random.default_rng(5))
    true = sp.lambdify(solution.problem.coordinates, exact, "numpy")(*points.T)
    return float(np.linalg.norm(solution(points) - true) / np.linalg.norm(true))


@pytest.mark.parametrize(("name", "most"), [("poisson-1d", 28), ("helmholtz-2d", 600)])
def test_benchmarks_with_few_neurons(name: str, most: int) -> None:
    case = fs.cases.load(name)
    solution = solve_thin(case.problem)
    assert solution.report.neurons <= most
    assert case.relative_error(solution) < 1e-11
    assert case.relative_error(solution) <= solution.error_estimate < 1e-9


@pytest.mark.parametrize("mass", [pytest.param(0.0, marks=pytest.mark.slow), 10.0])
def test_the_solution_falls_off_from_a_boundary_that_sees_the_peaks(mass: float) -> None:
    """Zero on the boundary: exponentials along it have to cancel the waves there."""
    equation = sp.Eq(laplacian(u) - mass**2 * u, sp.sin(20 * x) * sp.cos(15 * y))
    problem = fs.Problem(equation, DISK, [fs.Dirichlet(0)])
    solution, finer = solve_thin(problem, tol=1e-6), solve_thin(problem, decades=12.0, more=1.3)
    points = problem.domain.sample(500, np.random.default_rng(5))
    difference = np.linalg.norm(solution(points) - finer(points)) / np.linalg.norm(finer(points))
    assert difference < 1e-7
    assert difference <= solution.error_estimate + finer.error_estimate


@pytest.mark.slow
def test_waves_of_varying_amplitude() -> None:
    exact = sp.exp(x) * sp.sin(60 * x + 45 * y)
    problem = fs.Problem(sp.Eq(laplacian(u) + 900 * u, laplacian(exact) + 900 * exact), DISK, [fs.Dirichlet(exact)])
    solution = solve_thin(problem, tol=1e-5, wider=0.3)
    assert error(solution, exact) <= solution.error_estimate < 1e-5


def test_a_right_hand_side_that_satisfies_the_equation_itself() -> None:
    """Forced in resonance, waves grow along their way: x sin, not sin."""
    exact = x * sp.sin(30 * x)
    problem = fs.Problem(sp.Eq(laplacian(u) + 900 * u, 60 * sp.cos(30 * x)), DISK, [fs.Dirichlet(exact)])
    solution = solve_thin(problem)
    assert error(solution, exact) < 1e-8
    assert error(solution, exact) <= solution.error_estimate < 1e-7


@pytest.mark.parametrize("frequency", [200, 1000])
def test_variable_coefficients_need_the_same_number_at_any_frequency(frequency: int) -> None:
    v = sp.Function("v")(x)
    exact = sp.sin(frequency * x) + sp.exp(x)
    stiffness = 2 + sp.sin(3 * x)
    equation = sp.Eq((stiffness * v.diff(x)).diff(x).doit(), (stiffness * exact.diff(x)).diff(x))
    problem = fs.Problem(equation, fs.Interval(0, 1), [fs.Dirichlet(exact)])
    family = thin(problem)
    assert family is not None
    assert not any(part.satisfies_equation for part in family.parts)
    assert family.neurons < 100
    solution = fs.solve(problem, features=family, tol=1e-4, rng=1)
    assert error(solution, exact) <= solution.error_estimate < 1e-4


def test_waves_in_time() -> None:
    w = sp.Function("w")(x, t)
    exact = sp.sin(40 * x) * sp.cos(13 * t) + sp.sin(30 * (x - t))
    conditions = [fs.Dirichlet(exact), fs.Initial(exact.subs(t, 0)), fs.Initial(exact.diff(t).subs(t, 0), order=1)]
    source = exact.diff(t, 2) - exact.diff(x, 2)
    problem = fs.Problem(sp.Eq(w.diff(t, 2) - w.diff(x, 2), source), fs.Interval(0, 1) * fs.Time(0, 1), conditions)
    solution = solve_thin(problem)
    assert error(solution, exact) <= solution.error_estimate < 1e-8


@pytest.mark.parametrize(
    "distance", [*(pytest.param(distance, marks=pytest.mark.slow) for distance in (1e-2, 1e-4)), 1e-6]
)
def test_the_estimate_covers_the_error_near_a_resonance(distance: float) -> None:
    pi = sp.pi
    square = 25 * float(pi) ** 2 * (1 + distance)
    forced = sp.sin(12 * pi * x) * sp.sin(9 * pi * y)
    problem = fs.Problem(sp.Eq(laplacian(u) + square * u, forced), fs.Box((0, 0), (1, 1)), [fs.Dirichlet(0)])
    solution = solve_thin(problem, tol=1e-5)
    assert error(solution, forced / (square - 225 * float(pi) ** 2)) <= solution.error_estimate < 1e-5


def test_the_estimate_covers_what_the_peaks_leave_out() -> None:
    """A part of the right-hand side too weak to be a peak, but close to what the equation answers most."""
    weak = 1e-7 * sp.sin(18 * x) * sp.cos(24.05 * y)
    strong = sp.exp(x / 2) * sp.sin(50 * x)
    operator_of_weak = 900 - 18**2 - 24.05**2
    exact_weak = weak / operator_of_weak
    exact = strong + exact_weak
    problem = fs.Problem(
        sp.Eq(laplacian(u) + 900 * u, laplacian(strong) + 900 * strong + weak), DISK, [fs.Dirichlet(exact)]
    )
    solution = solve_thin(problem, tol=1e-2)
    assert error(solution, exact) <= solution.error_estimate


def test_none_without_a_right_hand_side() -> None:
    assert thin(fs.cases.load("heat").problem) is None


def test_none_for_a_jump() -> None:
    jump = sp.Piecewise((1, x > 0.3), (0, True))
    assert thin(fs.Problem(sp.Eq(laplacian(u), jump), fs.Box((0, 0), (1, 1)), [fs.Dirichlet(0)])) is None


# --- clouds -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_a_cloud_holds_a_wave_to_its_digits(dimension: int) -> None:
    """The wave is off the center, by what a window cannot tell."""
    center = np.array([40.0, 35.0, 37.0])[:dimension]
    lengths = np.ones(dimension)
    rng = np.random.default_rng(0)
    band = cloud(center, np.zeros(dimension), lengths, 8.0).family
    basis = band.draw(dimension, rng, center=0.5 * lengths)
    points = 0.5 - 0.5 * np.cos(np.pi * rng.random((3 * band.neurons, dimension)))
    H = basis.matrix(identity(dimension), Sites(points))
    wave = np.sin(points @ (center + 0.3) + 0.2)
    coefficients = np.linalg.lstsq(H, wave, rcond=1e-14)[0]
    assert np.abs(H @ coefficients - wave).max() < 1e-6
    assert np.linalg.norm(coefficients) < 100


def test_clouds_do_not_grow_with_their_frequency() -> None:
    sizes = {cloud(np.array([k, k]), np.zeros(2), np.ones(2), 9.5).family.neurons for k in (10.0, 100.0, 1000.0)}
    assert len(sizes) == 1
    assert sizes.pop() < 0.1 * layout(np.array([100.0, 100.0]), np.ones(2), 9.5).family.neurons


def test_clouds_grow_with_their_core_and_digits() -> None:
    def neurons(core: float, decades: float) -> int:
        return cloud(np.array([100.0]), np.array([core]), np.ones(1), decades).family.neurons

    assert neurons(0, 6) < neurons(0, 9) < neurons(0, 12)
    assert neurons(0, 9) < neurons(10, 9) < neurons(50, 9)


def test_around_zero_half_as_many_do() -> None:
    there, here = (cloud(np.array([k]), np.zeros(1), np.ones(1), 9.5).family for k in (100.0, 0.0))
    assert here.center is None
    assert here.neurons == pytest.approx(0.5 * there.neurons, abs=1)
