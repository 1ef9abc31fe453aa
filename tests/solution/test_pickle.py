"""Solutions travel between processes, with the same bits."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
SMALL = fs.Budget(neurons=80)
COPIES = [lambda it: pickle.loads(pickle.dumps(it)), copy.deepcopy]


def value(points: np.ndarray) -> np.ndarray:
    return np.asarray(np.cos(2 * points[:, 0]) * points[:, 1])


def disk() -> fs.Problem:
    return fs.Problem(u.diff(x, 2) + u.diff(y, 2) + 4 * u, fs.Disk((0, 0), 1), [fs.Dirichlet(value)])


def varying() -> fs.Problem:
    """With a coefficient that is compiled, and so cannot be pickled itself."""
    equation = sp.Eq(u.diff(x, 2) + (1 + x) * u.diff(y, 2), 1)
    return fs.Problem(equation, fs.Box((0, 0), (1, 1)), [fs.Dirichlet(x * y)])


def same(first: fs.Solution, second: fs.Solution) -> bool:
    points = first.problem.domain.sample(30, np.random.default_rng(0))
    assert second.report == first.report
    assert second.error_estimate == first.error_estimate
    assert np.array_equal(first.residual(points), second.residual(points))
    return np.array_equal(first(points), second(points))


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("name", fs.cases.names())
def test_the_cases(name: str, copied: object) -> None:
    problem = fs.cases.load(name).problem
    start = {"initial": 20} if problem.domain.time else {}
    points = fs.Points(interior=100, boundary=20, **start)
    with pytest.warns(fs.AccuracyWarning, match="not converged"):
        solution = fs.solve(problem, features=fs.FrequencyShift(30, mu=(1, 9)), points=points, rng=0)
    assert same(solution, copied(solution))  # type: ignore[operator]


@pytest.mark.parametrize("copied", COPIES)
def test_an_automatic_solve(copied: object) -> None:
    solution = fs.solve(disk(), budget=SMALL, rng=0)
    assert same(solution, copied(solution))  # type: ignore[operator]


@pytest.mark.parametrize("problem", [disk(), varying()], ids=["disk", "varying"])
def test_an_estimate_that_is_made_later(problem: fs.Problem) -> None:
    told: list[object] = []
    solution = fs.solve(
        problem,
        features=fs.Siren(30, mu=(1, 9)),
        points=fs.Points(interior=100, boundary=20),
        least_squares=fs.TruncatedSVD(1e-12),
        rng=0,
        progress=lambda event: told.append(event),  # which no pickle takes
    )
    again = pickle.loads(pickle.dumps(solution))
    for each in (solution, again):
        with pytest.warns(fs.AccuracyWarning, match="not converged"):
            assert each.error_estimate > each.report.tol
    assert same(solution, again)


def test_one_that_was_loaded(tmp_path: Path) -> None:
    solution = fs.solve(disk(), budget=SMALL, rng=0)
    with pytest.warns(fs.StorageWarning):
        solution.save(tmp_path / "it.fspielm")
    loaded = fs.load(tmp_path / "it.fspielm")
    again = pickle.loads(pickle.dumps(loaded))
    assert again([[0.1, 0.2]]) == solution([[0.1, 0.2]])
    assert again.error_estimate == solution.error_estimate
    with pytest.raises(fs.ProblemError, match=r"Dirichlet.*callable value"):
        again.residual([[0.1, 0.2]])


@pytest.mark.filterwarnings("ignore:not converged")
@pytest.mark.parametrize("problem", [disk(), varying()], ids=["disk", "varying"])
def test_a_plan(problem: fs.Problem) -> None:
    plan = fs.prepare(problem, budget=SMALL, rng=0)
    again = pickle.loads(pickle.dumps(plan))
    first, second = (each.solve(values={"dirichlet": x}) for each in (plan, again))
    points = np.random.default_rng(0).uniform(0, 0.5, (9, 2))
    assert np.array_equal(first(points), second(points))
    assert first.error_estimate == second.error_estimate
