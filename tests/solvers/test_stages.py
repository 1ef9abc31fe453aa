"""Which kind of features the automatic solver takes, when it takes another, and what it says about it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy import special

import fspielm as fs
from fspielm.basis import ExponentialBasis, JoinedBasis, RidgeBasis
from fspielm.solvers import driver as automatic

x, y, z, t = sp.symbols("x y z t")
u, A = sp.Function("u")(x, y), sp.Function("a")(x, y)
LAPLACIAN = u.diff(x, 2) + u.diff(y, 2)
SQUARE, DISK = fs.Box((0, 0), (1, 1)), fs.Disk((0, 0), 1)
L_SHAPE = fs.Polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)])
Exact = Callable[[np.ndarray], np.ndarray]


def source(kappa: float, place: tuple[float, ...]) -> Exact:
    """A point source of Helmholtz' equation, or Laplace's."""

    def values(points: np.ndarray) -> np.ndarray:
        r = np.linalg.norm(points - np.array(place), axis=1)
        if len(place) == 3:
            return np.cos(kappa * r) / r
        return np.asarray(special.y0(kappa * r) if kappa else np.log(r))

    return values


def helmholtz(kappa: float, domain: Any, exact: Any) -> fs.Problem:
    return fs.Problem(sp.Eq(LAPLACIAN + sp.Float(kappa) ** 2 * u, 0), domain, [fs.Dirichlet(exact)])


def error(solution: fs.Solution, exact: Exact) -> float:
    points = solution.problem.domain.sample(2000, np.random.default_rng(11))
    return float(np.linalg.norm(solution(points) - exact(points)) / np.linalg.norm(exact(points)))


def solved(problem: fs.Problem, exact: Exact, limit: float, **settings: Any) -> fs.Solution:
    """Solve without hints; the error within its limit and the estimate."""
    solution = fs.solve(problem, rng=1, **settings)
    assert error(solution, exact) <= limit
    assert error(solution, exact) <= solution.error_estimate
    assert solution.converged
    return solution


@pytest.mark.parametrize(
    ("kappa", "neurons"),
    [(60, 300), *(pytest.param(*case, marks=pytest.mark.slow) for case in [(200, 800), (400, 1400)])],
)
def test_a_hundred_wavelengths_across_a_panda(kappa: int, neurons: int) -> None:
    exact = source(kappa, (2, 1))
    solution = solved(helmholtz(kappa, fs.Panda(1.0), exact), exact, 1e-11)
    assert solution.report.neurons <= neurons
    assert len(solution.report.rounds) == 1
    assert solution.report.choice.startswith("functions that satisfy the equation")
    assert set(solution.report.points) == {"dirichlet outline"}


@pytest.mark.parametrize("kappa", [0, 10])
@pytest.mark.parametrize("distance", [pytest.param(0.5, marks=pytest.mark.slow), 0.3, 0.1])
def test_sources_outside_the_boundary_take_more_functions(kappa: int, distance: float) -> None:
    exact = source(kappa, (1 + distance, 0))
    solution = solved(helmholtz(kappa, DISK, exact), exact, 1e-8)
    assert solution.report.features.startswith("Characteristic")
    assert (solution.report.rounds[-1].why == "sources outside, where the data vary fast") == (distance < 0.2)


def test_in_a_ball() -> None:
    w = sp.Function("u")(x, y, z)
    exact = source(6, (2, 1, 0.5))
    equation = sp.Eq(sum(w.diff(s, 2) for s in (x, y, z)) + 36 * w, 0)
    solution = solved(fs.Problem(equation, fs.Ball((0, 0, 0), 1), [fs.Dirichlet(exact)]), exact, 1e-9)
    assert solution.report.features.startswith("Characteristic")


def test_an_ordinary_equation_takes_its_two_solutions() -> None:
    w = sp.Function("u")(x)
    solution = fs.solve(fs.Problem(w.diff(x, 2) + 900 * w, fs.Interval(0, 1), [fs.Dirichlet(x)]), rng=0)
    assert solution.report.neurons == 2
    assert solution(np.array([[0.5]]))[0] == pytest.approx(np.sin(15) / np.sin(30), rel=1e-12)


def test_holes_bring_multipoles_at_once() -> None:
    def exact(points: np.ndarray) -> np.ndarray:
        return np.asarray(np.log(np.hypot(*points.T)) + points[:, 0] ** 2 - points[:, 1] ** 2)

    solution = solved(helmholtz(0, DISK - fs.Disk((0, 0), 0.3), exact), exact, 1e-12)
    assert len(solution.report.rounds) == 1


def test_a_singular_corner_brings_singular_functions() -> None:
    def exact(points: np.ndarray) -> np.ndarray:
        theta = np.mod(np.arctan2(points[:, 1] - 1, points[:, 0] - 1) - np.pi / 2, 2 * np.pi)
        return np.asarray(np.hypot(*(points - 1).T) ** (2 / 3) * np.sin(2 * theta / 3))

    solution = solved(helmholtz(0, L_SHAPE, exact), exact, 1e-12)
    assert solution.report.rounds[-1].why == "singular functions at the corners"
    assert "a filled band" in solution.report.choice


def test_a_plane_wave_on_an_l_shape_needs_none() -> None:
    def exact(points: np.ndarray) -> np.ndarray:
        return np.asarray(np.cos(20 * (0.6 * points[:, 0] + 0.8 * points[:, 1]) + 0.3))

    solution = solved(helmholtz(20, L_SHAPE, exact), exact, 1e-12)
    assert len(solution.report.rounds) == 1


# --- where there are none -----------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:not converged")  # too small on purpose
@pytest.mark.parametrize(
    ("equation", "reason"),
    [
        (
            (2 + x) * LAPLACIAN + (3 + y) * u,
            "multiples of one function; got y + 3 and x + 2",
        ),
        (u.diff(x, 2) + A * u.diff(y, 2) + u, "must be constant, or all be multiples of one function"),
    ],
)
def test_otherwise_the_band_is_filled_and_the_report_says_why(equation: sp.Expr, reason: str) -> None:
    given = {A: lambda points: np.full(len(points), 2.0)} if equation.has(A) else {}
    problem = fs.Problem(equation, SQUARE, [fs.Dirichlet(sp.cos(x + y))], given=given)
    solution = fs.solve(problem, rng=0, tol=1e-6)
    assert re.match(r"a filled band, .*: the coeff", solution.report.choice)
    assert reason in solution.report.choice
    assert solution.report.choice in str(solution.report)


def test_data_that_are_not_smooth_are_left_to_the_band() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.AccuracyWarning)
        solution = fs.solve(helmholtz(0, DISK, sp.Abs(x)), rng=0, tol=1e-3, budget=fs.Budget(neurons=400))
    assert re.match(r"a filled band, .*'dirichlet circle'.*not smooth", solution.report.choice)


# --- asked for ----------------------------------------------------------------------------------


def test_the_band_may_be_asked_for() -> None:
    exact = source(10, (2, 1))
    solution = solved(helmholtz(10, DISK, exact), exact, 1e-8, approach="band")
    assert isinstance(solution.basis, RidgeBasis)
    assert solution.report.choice == "asked for: a filled band"


def test_functions_of_the_equation_may_be_asked_for() -> None:
    exact = source(10, (2, 1))
    solution = solved(helmholtz(10, DISK, exact), exact, 1e-8, approach="characteristic")
    assert isinstance(solution.basis, JoinedBasis)
    assert {type(part) for part in solution.basis.parts} == {RidgeBasis, ExponentialBasis}
    assert solution.report.choice == "asked for: functions that satisfy the equation"


def test_what_cannot_be_had_is_refused() -> None:
    problem = fs.Problem(LAPLACIAN + (1 + x) * u, SQUARE, [fs.Dirichlet(1)])
    with pytest.raises(fs.ProblemError, match=r"approach: no char.*constant"):
        fs.solve(problem, approach="characteristic")
    with pytest.raises(fs.ProblemError, match=r"approach.*'characteristic'.*got 'best'"):
        fs.solve(problem, approach="best")  # type: ignore[arg-type]
    with pytest.raises(fs.ProblemError, match="features or approach, not both"):
        fs.solve(problem, approach="band", features=fs.Characteristic(10))


# --- plans --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_plan_serves_other_data_and_makes_another_for_a_source() -> None:
    exact, other = source(20, (2, 1)), source(20, (-2, 0.5))
    plan = fs.prepare(helmholtz(20, DISK, exact), rng=0)
    assert plan.solution.report.features.startswith("Characteristic")
    assert error(plan.solve(values={"dirichlet": other}), other) <= 1e-10
    for k in (3, 2):
        wave = sp.cos(k * x + y)
        driven = plan.solve(wave * (400 - k**2 - 1), values={"dirichlet": wave})
        assert error(driven, lambda points, k=k: np.cos(k * points[:, 0] + points[:, 1])) <= 1e-8
    assert error(plan.solve(values={"dirichlet": other}), other) <= 1e-10


# --- what users write ---------------------------------------------------------------------------


def test_a_right_hand_side_that_cancels_is_none() -> None:
    exact = sp.cos(4 * (3 * x + 4 * y))
    problem = fs.Problem(
        sp.Eq(LAPLACIAN + 400 * u, exact.diff(x, 2) + exact.diff(y, 2) + 400 * sp.cos(12 * x + 16 * y)),
        SQUARE,
        [fs.Dirichlet(exact)],
    )
    assert problem.right_hand_side.constant == 0.0
    assert fs.solve(problem, rng=0).report.features.startswith("Characteristic")


def test_a_constant_that_periods_leave_open_is_left_to_the_band() -> None:
    problem = fs.Problem(sp.Eq(LAPLACIAN, 0), SQUARE, [fs.Periodic("x"), fs.Periodic("y")])
    with pytest.warns(fs.AccuracyWarning, match="only up to a constant"):
        solution = fs.solve(problem, rng=0)
    assert not solution.converged
    assert solution.report.choice.endswith("only up to a constant")


def test_columns_that_the_conditions_do_not_tell_apart_are_left_to_the_band(monkeypatch: pytest.MonkeyPatch) -> None:
    run_round = automatic.run_round

    def fail(request: Any, plan: Any) -> Any:
        if plan.family.satisfies_equation:
            raise fs.SolveError("1 of 52 columns are exactly dependent on the others")
        return run_round(request, plan)

    monkeypatch.setattr(automatic, "run_round", fail)
    exact = source(10, (2, 1))
    solution = solved(helmholtz(10, DISK, exact), exact, 1e-8)
    assert solution.report.features.startswith("Band(")
    assert re.search(r"exactly dependent.*a filled band came next$", solution.report.choice)
    with pytest.raises(fs.SolveError, match="exactly dependent"):
        fs.solve(helmholtz(10, DISK, exact), rng=0, approach="characteristic")


def test_a_kind_asked_for_that_no_budget_allows_is_refused() -> None:
    problem = fs.Problem(sp.Eq(LAPLACIAN, sp.sin(40 * x) * sp.cos(30 * y)), DISK, [fs.Dirichlet(0)])
    with pytest.raises(fs.ProblemError, match=r"approach:.*90 functions.*needed"):
        fs.solve(problem, rng=0, budget=fs.Budget(neurons=90), approach="thin")


def test_functions_for_peaks_stay_within_the_budget() -> None:
    problem = fs.Problem(sp.Eq(LAPLACIAN, sp.sin(40 * x) * sp.cos(30 * y)), DISK, [fs.Dirichlet(0)])
    assert fs.solve(problem, tol=1e-4, rng=0).report.features.startswith("Joined")
    with pytest.warns(fs.AccuracyWarning, match="the budget of 90 functions"):
        solution = fs.solve(problem, rng=0, budget=fs.Budget(neurons=90))
    assert solution.report.neurons <= 90
    assert re.search(r"budget of 90 functions.*needed; .*a filled band came next", solution.report.choice)


# --- harder ones ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kappa", "height", "distance"),
    [(30, 0.25, 0.1), *(pytest.param(100, 0.5, distance, marks=pytest.mark.slow) for distance in (0.15, 0.02))],
)
def test_a_source_some_wavelengths_off_a_flat_side(kappa: int, height: float, distance: float) -> None:
    exact = source(kappa, (0, height + distance))
    solved(helmholtz(kappa, fs.Ellipse((0, 0), (4 * height, height)), exact), exact, 1e-10)


@pytest.mark.slow
def test_waves_that_a_hole_scatters() -> None:
    """No known solution: two seeds agree to what both claim."""
    domain = fs.Ellipse((0, 0), (2, 1)) - fs.Disk((0.7, 0.1), 0.3, name="hole")
    conditions = [fs.Dirichlet(sp.cos(30 * x), on="ellipse"), fs.Dirichlet(0, on="hole.circle")]
    problem = fs.Problem(sp.Eq(LAPLACIAN + 900 * u, 0), domain, conditions)
    one, other = (fs.solve(problem, rng=seed) for seed in (1, 2))
    assert one.converged
    assert error(other, one) <= one.error_estimate + other.error_estimate


@pytest.mark.parametrize("place", [(80, 30), pytest.param((160, 100), marks=pytest.mark.slow)])
def test_a_thin_right_hand_side_and_what_it_hides(place: tuple[int, int]) -> None:
    """A small slow part beside a fast one: met, or not called converged."""
    w = sp.Function("u")(x, t)
    wave = sp.sin(place[0] * x + place[1] * t)
    for amplitude in (0, 1e-5):
        exact = wave + sp.Float(amplitude) * sp.exp(-t) * sp.sin(3 * x)
        problem = fs.Problem(
            sp.Eq(w.diff(t) - w.diff(x, 2) / 10, exact.diff(t) - exact.diff(x, 2) / 10),
            fs.Interval(0, 1) * fs.Time(0, 1),
            [fs.Dirichlet(exact), fs.Initial(exact.subs(t, 0))],
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fs.AccuracyWarning)
            solution = fs.solve(problem, rng=1, approach="thin", budget=fs.Budget(neurons=2200))
        compiled = sp.lambdify((x, t), exact)
        assert error(solution, lambda points, f=compiled: np.asarray(f(*points.T))) <= solution.error_estimate
        assert solution.converged == (amplitude == 0)


def test_fluxes_alone_leave_a_constant_open() -> None:
    w = sp.Function("u")(x, y, z)
    cube = fs.Problem(sp.Eq(sum(w.diff(s, 2) for s in (x, y, z)), 0), fs.Box((0, 0, 0), (1, 1, 1)), [fs.Neumann(0)])
    for problem in (cube, fs.Problem(sp.Eq(LAPLACIAN, 0), DISK, [fs.Neumann(x)])):
        with pytest.warns(fs.AccuracyWarning, match="only up to a constant"):
            assert not fs.solve(problem, rng=0).converged


def test_near_a_resonance_on_a_line_rounding_counts() -> None:
    w = sp.Function("u")(x)
    exact = sp.sin(3.875 * x - 0.7)
    problem = fs.Problem(
        w.diff(x, 2) + 3.875**2 * w, fs.Interval(0, 3 * np.pi / 3.875 * (1 - 1e-9)), [fs.Dirichlet(exact)]
    )
    for seed in range(6):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fs.AccuracyWarning)
            solution = fs.solve(problem, rng=seed)
        assert error(solution, lambda points: np.sin(3.875 * points[:, 0] - 0.7)) <= solution.error_estimate
