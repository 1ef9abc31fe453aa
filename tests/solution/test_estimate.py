"""The error estimate: an upper bound in practice, and not a thousand times too large."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.collocation import Householder
from fspielm.geometry import Domain

x, y, z, t = sp.symbols("x y z t")
FLOOR = 1e-13
SQUARE = fs.Box((0, 0), (1, 1))
Operator = Callable[[sp.Expr], sp.Expr]


@dataclass(frozen=True)
class Manufactured:
    """A problem and the solution it was made from."""

    problem: fs.Problem
    exact: sp.Expr

    def error(self, solution: fs.Solution) -> float:
        points = self.problem.domain.sample(3000, np.random.default_rng(99))
        exact = np.asarray(sp.lambdify(self.problem.coordinates, self.exact)(*points.T))
        return float(np.linalg.norm(solution(points) - exact) / np.linalg.norm(exact))


def make(
    operator: Operator,
    exact: sp.Expr,
    domain: Domain,
    coordinates: Sequence[sp.Symbol],
    conditions: Sequence[Any] | None = None,
) -> Manufactured:
    equation = sp.Eq(operator(sp.Function("u")(*coordinates)), operator(exact))
    return Manufactured(fs.Problem(equation, domain, conditions or [fs.Dirichlet(exact)]), exact)


def laplace(u: sp.Expr, *coordinates: sp.Symbol) -> sp.Expr:
    return sum(u.diff(s, 2) for s in coordinates)


def _heat() -> Manufactured:
    exact = sp.exp(-t) * sp.sin(9 * x) + x * t
    conditions = [fs.Dirichlet(exact), fs.Initial(exact.subs(t, 0))]
    return make(lambda u: u.diff(t) - u.diff(x, 2) / 20, exact, fs.Interval(0, 1) * fs.Time(0, 1), (x, t), conditions)


def _wave() -> Manufactured:
    exact = sp.sin(7 * (x - t)) + sp.cos(5 * (x + t))
    conditions = [fs.Dirichlet(exact), fs.Initial(exact.subs(t, 0)), fs.Initial(exact.diff(t).subs(t, 0), order=1)]
    return make(lambda u: u.diff(t, 2) - u.diff(x, 2), exact, fs.Interval(0, 1) * fs.Time(0, 2), (x, t), conditions)


def _neumann() -> Manufactured:
    exact = sp.exp(x) * sp.sin(6 * y)
    conditions = [
        fs.Dirichlet(exact, on=["x-", "y-", "y+"]),
        fs.Neumann(exact.diff(x).subs(x, 1), on="x+"),
    ]
    return make(lambda u: laplace(u, x, y), exact, SQUARE, (x, y), conditions)


# None of them a benchmark, nor any of what the automatic solver is tested on.
PROBLEMS: dict[str, Callable[[], Manufactured]] = {
    "ordinary": lambda: make(lambda u: u.diff(x, 2) + 900 * u, sp.exp(x) * sp.sin(40 * x**2), fs.Interval(0, 1), (x,)),
    "poisson": lambda: make(lambda u: laplace(u, x, y), sp.sin(9 * x + 4 * y**2), SQUARE, (x, y)),
    "helmholtz": lambda: make(
        lambda u: laplace(u, x, y) + 300 * u, sp.cos(10 * x) * sp.sin(14 * y) + x, SQUARE, (x, y)
    ),
    "variable": lambda: make(
        lambda u: ((1 + x * y) * u.diff(x)).diff(x) + u.diff(y, 2), sp.sin(8 * x * y + 5 * x), SQUARE, (x, y)
    ),
    "disk": lambda: make(lambda u: laplace(u, x, y) - u.diff(x), sp.sin(5 * x) * sp.exp(y), fs.Disk((0, 0), 1), (x, y)),
    "neumann": _neumann,
    "heat": _heat,
    "wave": _wave,
}


def solve(problem: fs.Problem, **settings: Any) -> fs.Solution:
    """Solve, and see that whoever misses the tolerance is told so once, and nobody else."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        solution = fs.solve(problem, **settings)
    said = [] if solution.converged else [f"not converged: {solution.report.reason}"]
    assert [str(warning.message) for warning in caught] == said
    return solution


def not_converged() -> Any:
    """What a solve that is too small for its tolerance is expected to say."""
    return pytest.warns(fs.AccuracyWarning, match="not converged")


def assert_bounds(estimate: float, error: float) -> None:
    assert error <= estimate
    # infinite stands for anything from half of the solution up
    assert (0.5 if np.isinf(estimate) else estimate) <= 1000 * max(error, FLOOR)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name in ("variable", "neumann", "helmholtz", "wave")))
        for name in PROBLEMS
    ],
)
def test_bounds_the_error_from_under_resolved_to_converged(name: str) -> None:
    made = PROBLEMS[name]()
    ample = solve(made.problem, tol=1e-10, rng=0)
    for share in (0.35, 0.7, 1.0):
        budget = fs.Budget(neurons=max(int(share * ample.report.neurons), 8))
        solution = solve(made.problem, tol=1e-10, rng=1, budget=budget)
        error = made.error(solution)
        estimate = solution.error_estimate
        assert_bounds(estimate, error)
        assert solution.converged == (estimate <= 1e-10) == solution.report.converged


def test_the_largest_error_is_bounded_too() -> None:
    for name in ("wave", "disk"):
        made = PROBLEMS[name]()
        solution = fs.solve(made.problem, tol=1e-6, rng=0)
        points = made.problem.domain.sample(20_000, np.random.default_rng(5))
        exact = np.asarray(sp.lambdify(made.problem.coordinates, made.exact)(*points.T))
        largest = np.abs(solution(points) - exact).max() / np.abs(exact).max()
        assert largest <= solution.max_error_estimate
        assert solution.max_error_estimate == solution.report.max_error_estimate


@pytest.mark.parametrize(("distance", "sign"), [pytest.param(1e-2, 1, marks=pytest.mark.slow), (1e-4, -1), (1e-6, 1)])
def test_sees_a_resonance_that_no_residual_shows(distance: float, sign: int) -> None:
    """Within `distance` of an eigenvalue of the square the residual stays small whatever the error is."""
    exact = sp.sin(2 * x) * sp.exp(y)
    kappa = float(5 * sp.pi**2) + sign * distance
    made = make(lambda u: laplace(u, x, y) + kappa * u, exact, SQUARE, (x, y))
    for neurons in (150, 250, 400):
        solution = solve(made.problem, rng=0, budget=fs.Budget(neurons=neurons))
        error = made.error(solution)
        assert_bounds(solution.error_estimate, error)
    assert solution.estimate.amplification > 0.1 / distance


def test_a_missing_condition_amplifies_without_bound() -> None:
    u = sp.Function("u")(x, t)
    # the condition sits on the outflow side
    problem = fs.Problem(
        sp.Eq(u.diff(t) + u.diff(x), 0),
        fs.Interval(0, 1) * fs.Time(0, 1),
        [fs.Dirichlet(sp.sin(5 * (1 - t)), on="x+"), fs.Initial(sp.sin(5 * x))],
    )
    with not_converged():
        solution = fs.solve(problem, rng=0)
    assert solution.estimate.amplification > 1e7


# --- after a solve by hand ----------------------------------------------------------------------


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The factorisations that estimates of solves by hand cost."""
    calls: list[int] = []
    original = Householder.of_matrix

    def count(matrix: np.ndarray) -> Any:
        calls.append(1)
        return original(matrix)

    monkeypatch.setattr(Householder, "of_matrix", count)
    return calls


def test_svd_by_hand_estimates_when_asked_and_once(counted: list[int]) -> None:
    made = PROBLEMS["poisson"]()
    for neurons in (60, 120, 240):
        counted.clear()
        solution = fs.solve(
            made.problem, features=fs.Band(neurons, (22.0, 22.0)), least_squares=fs.TruncatedSVD(1e-12), rng=0
        )
        assert not counted
        assert solution.report.error_estimate is None
        assert solution.report.converged is None
        assert "estimated error" not in repr(solution)
        with not_converged():
            estimate = solution.error_estimate
        assert_bounds(estimate, made.error(solution))
        assert solution.max_error_estimate > 0
        assert isinstance(solution.converged, bool)
        assert counted == [1]


def test_qr_by_hand_has_its_estimate_at_hand(counted: list[int]) -> None:
    made = PROBLEMS["poisson"]()
    with not_converged():
        solution = fs.solve(made.problem, features=fs.Band(240, (22.0, 22.0)), rng=0)
    assert made.error(solution) <= solution.error_estimate == solution.report.error_estimate
    assert not counted


def test_fewer_rows_than_neurons_determine_nothing() -> None:
    made = PROBLEMS["poisson"]()
    solution = fs.solve(
        made.problem,
        features=fs.Band(240, (22.0, 22.0)),
        points=fs.Points(100, boundary=10),
        least_squares=fs.TruncatedSVD(),
        rng=0,
    )
    with not_converged():
        assert solution.error_estimate == np.inf
    assert not solution.converged


def test_a_feature_that_is_zero_determines_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """Its coefficient may be anything: LAPACK is not asked."""
    made = PROBLEMS["poisson"]()
    solution = fs.solve(made.problem, features=fs.Tanh(40, mu=(0, 9)), least_squares=fs.TruncatedSVD(), rng=0)
    with not_converged():
        assert solution.error_estimate == np.inf
    assert capfd.readouterr() == ("", "")


def test_the_same_seed_gives_the_same_estimate() -> None:
    made = PROBLEMS["ordinary"]()
    one, other = (fs.solve(made.problem, rng=4) for _ in range(2))
    assert one.error_estimate == other.error_estimate
    assert one.estimate.residuals == other.estimate.residuals
