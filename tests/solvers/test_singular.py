"""Corners: solutions that are singular there, with singular functions found, asked for and refused."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp
from scipy.special import jv

import fspielm as fs
from fspielm import AccuracyWarning, ProblemError

x, y = sp.symbols("x y", real=True)
u = sp.Function("u")(x, y)
LAPLACIAN = u.diff(x, 2) + u.diff(y, 2)


def angle(points: np.ndarray) -> np.ndarray:
    """From the right leg of the L, counterclockwise through its interior."""
    theta = np.arctan2(points[:, 1], points[:, 0])
    return np.where(theta < -1e-12, theta + 2 * np.pi, np.maximum(theta, 0.0))


def power(points: np.ndarray) -> np.ndarray:
    return np.asarray(np.hypot(*points.T) ** (2 / 3) * np.sin(2 / 3 * angle(points)))


def wave(points: np.ndarray) -> np.ndarray:
    return np.asarray(jv(2 / 3, 8 * np.hypot(*points.T)) * np.sin(2 / 3 * angle(points)))


def laplace(value: object, domain: object = None) -> fs.Problem:
    return fs.Problem(sp.Eq(LAPLACIAN, 0), domain=domain or fs.LShape(), conditions=[fs.Dirichlet(value)])


def error(solution: fs.Solution, exact: Callable[[np.ndarray], np.ndarray]) -> float:
    points = solution.problem.domain.sample(3000, np.random.default_rng(1))
    return float(np.linalg.norm(solution(points) - exact(points)) / np.linalg.norm(exact(points)))


def test_the_corner_of_an_l_is_found() -> None:
    solution = fs.solve(laplace(power), rng=0)
    assert solution.converged
    assert solution.report.rounds[-1].why == "singular functions at the corners"
    assert error(solution, power) <= 1e-12


def test_without_singular_functions_the_verdict_is_no_and_names_corners() -> None:
    with pytest.warns(AccuracyWarning, match="not smooth.* corner"):
        solution = fs.solve(laplace(power), rng=0, singular=False, approach="band")
    assert not solution.converged
    assert solution.error_estimate >= error(solution, power) > 1e-3


def test_data_that_no_formula_solves() -> None:
    problem = laplace(x**2)
    solution, finer = fs.solve(problem, rng=0), fs.solve(problem, tol=1e-10, rng=1)
    assert solution.converged
    assert error(solution, finer) <= 1e-8


@pytest.mark.slow
def test_a_wave_at_a_corner() -> None:
    problem = fs.Problem(sp.Eq(LAPLACIAN + 64 * u, 0), domain=fs.LShape(), conditions=[fs.Dirichlet(wave)])
    solution = fs.solve(problem, rng=0)
    assert solution.converged
    assert error(solution, wave) <= 1e-10


@pytest.mark.parametrize("k2", [0, -4, pytest.param(100, marks=pytest.mark.slow)])
def test_a_constant_source_in_a_square_needs_logarithms(k2: int) -> None:
    problem = fs.Problem(sp.Eq(-LAPLACIAN - k2 * u, 1), domain=fs.Box((-1, -1), (1, 1)), conditions=[fs.Dirichlet(0)])
    solution = fs.solve(problem, rng=0)
    assert solution.converged
    n = np.arange(1, 400, 2)[:, None]
    # separation of variables, at points that are not close to the boundary
    points = problem.domain.sample(40, np.random.default_rng(2)) * 0.6
    a = n * np.pi / 2
    decay = np.emath.sqrt(a**2 - k2)
    profile = (1 - np.cosh(decay * points[:, 1]) / np.cosh(decay)) / decay**2
    series = np.sum(4 / (n * np.pi) * np.sin(a * (points[:, 0] + 1)) * profile, axis=0).real
    np.testing.assert_allclose(solution(points), series, atol=2e-7 * np.abs(series).max())


def test_a_constant_source_on_pacman_with_its_curved_corners() -> None:
    problem = fs.Problem(sp.Eq(-LAPLACIAN, 1), domain=fs.Pacman(), conditions=[fs.Dirichlet(0)])
    assert fs.solve(problem, rng=0).converged


def test_where_dirichlet_gives_way_to_neumann() -> None:
    # r^(1/2) cos(theta / 2) has value zero on the left half of the edge y = 0 and slope zero on the right
    def exact(points: np.ndarray) -> np.ndarray:
        z = np.sqrt(points[:, 0] + 1j * np.maximum(points[:, 1], 0.0))
        return np.asarray(z.real)

    problem = fs.Problem(
        sp.Eq(LAPLACIAN, 0),
        domain=fs.Box((-1, 0), (1, 1)),
        conditions=[
            fs.Dirichlet(exact, on=["x-", "x+", "y+"]),
            fs.Dirichlet(0, on=sp.And(sp.Eq(y, 0), x < 0)),
            fs.Neumann(0, on=sp.And(sp.Eq(y, 0), x > 0)),
        ],
    )
    place = fs.Singular((0, 0), opening=math.pi, start=0.0, exponents=[0.5, 1.5, 2.5, 3.5])
    solution = fs.solve(problem, rng=0, singular=place)
    assert solution.converged
    assert error(solution, exact) <= 1e-8


def test_by_hand_with_features_of_ones_own() -> None:
    solution = fs.solve(laplace(power), features=fs.Band(200, (10.0, 10.0)), singular=[fs.Singular((0, 0))], rng=0)
    assert error(solution, power) <= 1e-10


def test_a_plan_keeps_its_singular_functions() -> None:
    plan = fs.prepare(laplace(power), rng=0)
    further = plan.solve(values={"dirichlet": lambda points: 3 * power(points)})
    assert error(further, lambda points: 3 * power(points)) <= 1e-12


def test_smooth_solutions_get_none() -> None:
    solution = fs.solve(laplace(sp.exp(x) * sp.cos(y)), rng=0)
    assert solution.converged
    assert len(solution.report.rounds) == 1


@pytest.mark.parametrize(
    ("singular", "message"),
    [
        ("yes", "singular must be True"),
        ([], "singular must be True"),
        (fs.Singular((0.5, 0.5)), r"at=\(0.5, 0.5\).*corners.*\(0, 0\)"),
    ],
)
def test_refused_choices(singular: object, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        fs.solve(laplace(power), singular=singular, rng=0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"opening": 1.0}, "opening and start together"),
        ({"opening": 7.0, "start": 0.0}, r"angle.*at most 2 pi; got 7.0"),
        ({"opening": -1.0, "start": 0.0}, "opening must be positive"),
        ({"exponents": []}, r"exponents.*at least one"),
        ({"exponents": [-1]}, "exponents must be positive"),
    ],
)
def test_refused_corners(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        fs.Singular((0, 0), **arguments)  # type: ignore[arg-type]


def test_other_operators_and_domains_are_refused() -> None:
    stretched = fs.Problem(
        sp.Eq(u.diff(x, 2) + 4 * u.diff(y, 2), 0), domain=fs.LShape(), conditions=[fs.Dirichlet(x * y)]
    )
    with pytest.raises(ProblemError, match="multiple of the Laplacian"):
        fs.solve(stretched, singular=fs.Singular((0, 0)), rng=0)
    v = sp.Function("v")(x)
    line = fs.Problem(sp.Eq(v.diff(x, 2), 0), domain=fs.Interval(0, 1), conditions=[fs.Dirichlet(1)])
    with pytest.raises(ProblemError, match=r"singular.*without time"):
        fs.solve(line, singular=fs.Singular((0, 0)), rng=0)
    hollow = fs.Polygon([(0, 0), (3, 0), (3, 3), (0, 3)], holes=[[(1, 1), (2, 1), (2, 2), (1, 2)]])
    with pytest.raises(ProblemError, match="enters the domain again"):
        fs.solve(laplace(x * y, hollow), singular=fs.Singular((1, 1)), rng=0)


def test_with_all_corners_out_of_reach_nothing_changes() -> None:
    stretched = fs.Problem(
        sp.Eq(u.diff(x, 2) + 4 * u.diff(y, 2), 0), domain=fs.LShape(), conditions=[fs.Dirichlet(x * y)]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AccuracyWarning)
        assert fs.solve(stretched, singular=True, rng=0).converged


def below(points: np.ndarray) -> np.ndarray:
    """The side of the L's notch that leads down from its corner."""
    return np.asarray((np.abs(points[:, 0]) < 1e-9) & (points[:, 1] <= 0))


OUTLINE = [(0, 0), (1, 0), (1, 1), (-1, 1), (-1, -1), (0, -1)]
CORNER_CONDITIONS = {
    "slopes beside values": (
        fs.LShape((0, 0), 1),
        [fs.Neumann(0, on=["notch x+", "notch y-"]), fs.Dirichlet(0, on=["x-", "x+", "y-", "y+"])],
    ),
    "two kinds on one part": (
        fs.Polygon(OUTLINE),
        [fs.Neumann(0, on=below), fs.Dirichlet(0, on=lambda points: ~below(points))],
    ),
}


@pytest.mark.parametrize(
    "name", ["slopes beside values", pytest.param("two kinds on one part", marks=pytest.mark.slow)]
)
def test_the_kind_of_condition_at_the_corner(name: str) -> None:
    problem = fs.Problem(sp.Eq(LAPLACIAN, -1), *CORNER_CONDITIONS[name])
    first, second = (fs.solve(problem, tol=1e-6, rng=seed) for seed in (0, 1))
    assert first.converged
    assert second.converged
    assert error(first, second) <= 1e-7


def test_a_mixture_of_value_and_slope_brings_further_exponents() -> None:
    problem = fs.Problem(sp.Eq(LAPLACIAN, -1), fs.LShape((0, 0), 1), [fs.Robin(1, 1, 0)])
    assert fs.solve(problem, tol=1e-6, rng=0).converged


@pytest.mark.parametrize("wall", [0.05, pytest.param(0.001, marks=pytest.mark.slow)])
def test_a_cut_through_a_thin_wall_is_refused(wall: float) -> None:
    frame = fs.Box((0, 0), (1, 1)) - fs.Box((wall, wall), (1 - wall, 1 - wall))
    problem = fs.Problem(sp.Eq(LAPLACIAN, -1), frame, [fs.Dirichlet(0)])
    with pytest.raises(ProblemError, match="enters the domain again"):
        fs.solve(problem, singular=fs.Singular((wall, wall)))


def test_a_hole_that_the_solution_does_not_continue_into() -> None:
    def exact(points: np.ndarray) -> np.ndarray:
        return np.asarray(np.log(np.hypot(points[:, 0] - 0.1, points[:, 1])))

    domain = fs.Disk((0, 0), 1) - fs.Disk((0.1, 0), 0.05)
    solution = fs.solve(laplace(exact, domain), rng=0)
    assert solution.converged
    assert "multipoles in the holes" in solution.report.rounds[-1].why
    assert error(solution, exact) <= 1e-11


@pytest.mark.parametrize("k2", [0, *(pytest.param(k2, marks=pytest.mark.slow) for k2 in (100, -10))])
@pytest.mark.slow
def test_a_constant_source_around_two_holes(k2: int) -> None:
    domain = fs.Disk((0, 0), 0.6) - fs.Disk((0.2, 0), 0.1) - fs.Disk((-0.2, 0.1), 0.15)
    problem = fs.Problem(sp.Eq(LAPLACIAN + k2 * u, 1), domain=domain, conditions=[fs.Dirichlet(0)])
    solution, finer = fs.solve(problem, rng=0), fs.solve(problem, tol=1e-9, rng=1)
    assert solution.converged
    assert error(solution, finer) <= 1e-8
