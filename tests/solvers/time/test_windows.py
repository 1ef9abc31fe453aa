"""Evolutions in one window after the other: one solution, whose estimate holds until the end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.errors import OutOfTime
from fspielm.resources import Deadline
from fspielm.solvers import is_long
from fspielm.solvers.request import Request, Streams
from fspielm.solvers.time import windows as course
from fspielm.solvers.time.windows import first_length

x, t = sp.symbols("x t")
u = sp.Function("u")(x, t)
EXACT = sp.sin(x) * sp.cos(t)


def string(end: float = 5.0) -> fs.Problem:
    start = [fs.Initial(sp.sin(x)), fs.Initial(0, order=1)]
    domain = fs.Interval(0, sp.pi) * fs.Time(0, end)
    return fs.Problem(sp.Eq(u.diff(t, 2) - u.diff(x, 2), 0), domain, [fs.Dirichlet(0), *start])


@pytest.fixture(scope="module")
def waves() -> fs.Solution:
    return fs.solve(string(), approach="windows", tol=1e-6, rng=0)


def error(solution: fs.Solution, exact: sp.Expr) -> float:
    points = solution.problem.domain.sample(500, np.random.default_rng(1))
    known = sp.lambdify((x, t), exact)(*points.T)
    return float(np.linalg.norm(solution(points) - known) / np.linalg.norm(known))


def test_a_wave_goes_on(waves: fs.Solution) -> None:
    windows = waves.report.windows
    assert len(windows) > 2
    assert [one.end for one in windows[:-1]] == [one.start for one in windows[1:]]
    assert (windows[0].start, windows[-1].end) == (0.0, 5.0)
    assert waves.converged
    assert error(waves, EXACT) < waves.error_estimate < 1e-6
    assert "window 2" in str(waves.report)


def test_a_constant_makes_windows_no_longer() -> None:
    """Nothing in the equation depends on it."""
    equation = sp.Eq(u.diff(t) - u.diff(x, 2) - u.diff(x) ** 2, 0)
    domain = fs.Interval(0, 2 * sp.pi) * fs.Time(0, 50)
    conditions = [fs.Periodic("x")]
    plain, raised = (
        first_length(fs.Problem(equation, domain, [*conditions, fs.Initial(sp.sin(x) + more)])) for more in (0, 4)
    )
    assert plain is not None
    assert raised is not None
    assert raised < 1.3 * plain


def test_the_solution_can_what_others_can(waves: fs.Solution, tmp_path: Path) -> None:
    points = np.array([[0.4, 0.3], [1.2, 4.9], [2.0, waves.report.windows[1].start]])
    np.testing.assert_allclose(waves.diff(t)(points), -np.sin(points[:, 0]) * np.sin(points[:, 1]), atol=1e-5)
    # the integral of sin over half a turn is 2, that of cos until 5 its sine
    assert waves.integrate() == pytest.approx(2 * np.sin(5), abs=1e-5)
    waves.save(tmp_path / "wave.fspielm")
    loaded = fs.load(tmp_path / "wave.fspielm")
    np.testing.assert_array_equal(loaded(points), waves(points))
    assert loaded.report.windows == waves.report.windows


def test_errors_that_grow_are_told() -> None:
    domain = fs.Interval(0, sp.pi) * fs.Time(0, 1.2)
    start = [fs.Dirichlet(0), fs.Initial(sp.sin(5 * x))]
    growing = fs.Problem(sp.Eq(u.diff(t) - u.diff(x, 2) - 30 * u, 0), domain, start)
    with pytest.warns(fs.AccuracyWarning) as told:
        solution = fs.solve(growing, approach="windows", tol=1e-9, rng=0)
    # sin 5x grows by e^6, and sin x, which the data do not have, by e^35
    assert not solution.converged
    assert "the tolerance holds until t = " in str(told[0].message)
    assert solution.report.windows[0].error_estimate < 1e-9
    assert all(one.error_estimate > 1e-9 for one in solution.report.windows[-1:])


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (fs.Problem(sp.Eq(u.diff(t, 2) + u.diff(x, 2), 0), fs.Box((0, 0), (1, 1)), [fs.Dirichlet(0)]), "has no time"),
        (
            fs.Problem(
                sp.Eq(u.diff(t) - u.diff(x, 2), 0),
                fs.Interval(0, 1) * fs.Time(0, 1),
                [fs.Dirichlet(0), fs.Initial(0), fs.Measured([(0.5, 0.5)], [0.0])],
            ),
            "measured",
        ),
    ],
)
def test_what_has_no_windows_is_refused(problem: fs.Problem, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        fs.solve(problem, approach="windows")


def test_a_window_is_as_long_as_the_solution_allows() -> None:
    # the string swings with frequency one: of its start it changes by as much in a time of one
    assert first_length(string(100.0)) == pytest.approx(2.0, rel=0.1)
    assert first_length(string(0.5)) == 0.5


def test_long_evolutions_are_cut_by_themselves() -> None:
    fisher = u.diff(t) - u.diff(x, 2) - u * (1 - u)
    for end, expected in ((1.0, False), (200.0, True)):
        domain = fs.Interval(0, 1) * fs.Time(0, end)
        problem = fs.Problem(sp.Eq(fisher, 0), domain, [fs.Neumann(0), fs.Initial(1 + sp.cos(sp.pi * x) / 2)])
        request = Request(problem, 1e-8, fs.Budget(), Streams.spawned(0)[0], 0)
        assert is_long(request) is expected
        assert not is_long(replace(request, approach="patches"))


def test_an_ordinary_equation_in_windows() -> None:
    y = sp.Function("y")(t)
    problem = fs.Problem(sp.Eq(y.diff(t) + y**2, 0), fs.Time(0, 10), [fs.Initial(1)])
    solution = fs.solve(problem, approach="windows", rng=0)
    assert len(solution.report.windows) > 1
    assert abs(solution([[9.0]])[0] - 0.1) < solution.max_error_estimate < 1e-8


def test_a_system_in_time_alone_is_cut_by_itself() -> None:
    a, b = sp.Function("a")(t), sp.Function("b")(t)
    equations = [sp.Eq(a.diff(t), a - a * b), sp.Eq(b.diff(t), a * b - b)]
    for end, expected in ((1.0, False), (20.0, True)):
        problem = fs.Problem(equations, fs.Time(0, end), [fs.Initial({a: 2, b: 1})])
        assert is_long(Request(problem, 1e-8, fs.Budget(), Streams.spawned(0)[0], 0)) is expected


def test_windows_that_are_late_keep_those_before(monkeypatch) -> None:
    y = sp.Function("y")(t)
    problem = fs.Problem(sp.Eq(y.diff(t) + y**2, 0), fs.Time(0, 10), [fs.Initial(1)])
    solve, solved = course._Windows.solve, []

    def late(windows, during, guess):
        if solved:
            windows.deadline = Deadline(end=0.0)
            raise fs.SolveError("late")
        solved.append(during)
        return solve(windows, during, guess)

    monkeypatch.setattr(course._Windows, "solve", late)
    with pytest.warns(fs.AccuracyWarning):
        solution = fs.solve(problem, approach="windows", rng=0)
    assert len(solved) == 1
    assert solution(np.array([[0.0]]))[0] == pytest.approx(1.0)
    assert not solution.converged


def test_a_transfer_that_is_late_leaves_errors_unknown(monkeypatch) -> None:
    def late(*_):
        raise OutOfTime

    monkeypatch.setattr(course, "measure_transfer", late)
    y = sp.Function("y")(t)
    problem = fs.Problem(sp.Eq(y.diff(t) + y**2, 0), fs.Time(0, 1), [fs.Initial(1)])
    with pytest.warns(fs.AccuracyWarning):
        assert fs.solve(problem, approach="windows", rng=0).error_estimate == np.inf
