"""Whatever goes wrong in one kind of features leaves what others find; what is for the user to mend is raised."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.errors import UnsuitableError
from fspielm.solvers import Ending
from fspielm.solvers import driver as automatic
from fspielm.solvers.round import RoundResult

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
DISK = fs.Disk((0, 0), 1)
EXACT = sp.cos(8 * (0.6 * x + 0.8 * y))


def helmholtz(value: Any = EXACT) -> fs.Problem:
    return fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2) + 64 * u, 0), DISK, [fs.Dirichlet(value)])


@pytest.fixture
def fail(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let rounds of one kind fail with an error."""
    run_round = automatic.run_round

    def prepare(error: Exception, *, exact: bool, after: int = 0) -> None:
        rounds = [0]

        def fail(request: Any, plan: Any) -> Any:
            rounds[0] += 1
            if plan.cells is not None or (plan.family.satisfies_equation == exact and rounds[0] > after):
                raise error
            return run_round(request, plan)

        monkeypatch.setattr(automatic, "run_round", fail)

    return prepare


ERRORS = [
    fs.SolveError("columns are exactly dependent"),
    UnsuitableError(r"no frequency.*the equation"),
    OverflowError("too large"),
    np.linalg.LinAlgError("did not converge"),
    IndexError("nobody foresaw this"),
    MemoryError("Unable to allocate"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_the_next_kind_is_tried(fail: Any, error: Exception) -> None:
    fail(error, exact=True)
    solution = fs.solve(helmholtz(), rng=0)
    assert solution.converged
    assert solution.report.features.startswith("Band(")
    assert str(error) in solution.report.choice
    assert solution.report.choice.endswith("so a filled band came next")


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_the_last_kind_leaves_what_others_found(fail: Any, error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a tolerance beyond reach, the band comes after functions that satisfy the equation, and fails."""
    monkeypatch.setattr(RoundResult, "is_at_floor", False)
    monkeypatch.setattr(
        "fspielm.solvers.strategies.exact.ExactFeatures.next", lambda strategy, latest: Ending("enough")
    )
    fail(error, exact=False)
    with pytest.warns(fs.AccuracyWarning, match="enough$"):  # of the kind that the solution has, not of others
        solution = fs.solve(helmholtz(), tol=1e-15, rng=0)
    assert str(error) in solution.report.choice
    assert solution.report.features.startswith("Characteristic(")
    assert solution.error_estimate < 1e-10
    np.testing.assert_allclose(solution([[0.0, 0.0]]), 1.0, rtol=1e-10)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_where_nothing_was_found_the_error_is_raised(fail: Any, error: Exception) -> None:
    fail(error, exact=True)
    # a kind that was asked for and does not suit is a mistake of the call
    raised = fs.ProblemError if isinstance(error, UnsuitableError) else type(error)
    with pytest.raises(raised, match=str(error)):
        fs.solve(helmholtz(), rng=0, approach="characteristic")


def test_what_nobody_foresaw_is_logged_with_its_traceback(fail: Any, caplog: pytest.LogCaptureFixture) -> None:
    fail(IndexError("nobody foresaw this"), exact=True)
    with caplog.at_level(logging.WARNING, logger="fspielm"):
        fs.solve(helmholtz(), rng=0)
    (record,) = [r for r in caplog.records if r.levelno == logging.WARNING]
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], IndexError)


class _OwnError(Exception):
    pass


def test_errors_of_the_users_functions_are_raised_as_they_are() -> None:
    """With a note of which one it was; they are never taken for a kind of features that does not suit."""
    calls, last = [0], [10**9]

    def value(points: Any) -> Any:
        calls[0] += 1
        if calls[0] > last[0]:
            raise _OwnError("sensor off")
        return np.cos(8 * (0.6 * points[:, 0] + 0.8 * points[:, 1]))

    problem = helmholtz(value)
    calls[0] = 0
    fs.solve(problem, rng=0)
    total = calls[0]
    for allowed in (0, total // 2, total - 1):  # while the data are looked at, in the middle, at the last
        last[0] = 10**9
        problem = helmholtz(value)  # anew: what was found out about the other is known
        last[0], calls[0] = allowed, 0
        with pytest.raises(_OwnError, match="sensor off") as caught:
            fs.solve(problem, rng=0)
        assert caught.value.__notes__ == ["raised by the callable value"]


def test_errors_of_progress_are_raised_as_they_are() -> None:
    def progress(event: Any) -> None:
        raise _OwnError("window closed")

    with pytest.raises(_OwnError, match="window closed"):
        fs.solve(helmholtz(), rng=0, progress=progress)


def test_mistakes_in_the_statement_are_never_swallowed() -> None:
    """A value that is not finite somewhere is the user's to mend, whichever round finds it."""
    with pytest.raises(fs.ProblemError, match="not finite"):
        fs.solve(helmholtz(lambda p: np.where(p[:, 0] > 0.9999, np.nan, 1.0)), rng=0)


def test_by_hand_a_kind_that_does_not_suit_is_a_mistake() -> None:
    problem = fs.Problem(sp.Eq(u.diff(x, 2) + (1 + x**2) * u.diff(y, 2), 0), DISK, [fs.Dirichlet(1)])
    with pytest.raises(fs.ProblemError, match=r"Characteristic.*be constant"):
        fs.solve(problem, features=fs.Characteristic(50), rng=0)
    with pytest.raises(fs.ProblemError, match=r"approach: no char.*be constant"):
        fs.solve(problem, approach="characteristic", rng=0)
