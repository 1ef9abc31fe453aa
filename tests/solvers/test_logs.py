"""The library is silent unless asked: progress, and records of logging."""

from __future__ import annotations

import logging
from typing import Any

import pytest
import sympy as sp

import fspielm as fs


@pytest.fixture(scope="module")
def problem() -> fs.Problem:
    x = sp.Symbol("x")
    u = sp.Function("u")(x)
    return fs.Problem(u.diff(x, 2) + 100 * u, fs.Interval(0, 1), [fs.Dirichlet(sp.cos(10 * x))])


def test_silent_by_default(problem: fs.Problem, capfd: pytest.CaptureFixture[str]) -> None:
    fs.solve(problem, rng=0)
    assert capfd.readouterr() == ("", "")


def test_true_writes_a_line_for_each_round(problem: fs.Problem, capfd: pytest.CaptureFixture[str]) -> None:
    solution = fs.solve(problem, rng=0, progress=True)
    out, err = capfd.readouterr()
    assert out == ""
    assert err.splitlines() == [str(done) for done in solution.report.rounds]


def test_a_callable_receives_each_round(problem: fs.Problem, capfd: pytest.CaptureFixture[str]) -> None:
    seen: list[fs.Round] = []
    solution = fs.solve(problem, rng=0, progress=seen.append)
    assert tuple(seen) == solution.report.rounds
    assert capfd.readouterr() == ("", "")


def test_something_else_is_refused(problem: fs.Problem) -> None:
    stated: Any = "yes"
    with pytest.raises(fs.ProblemError, match=r"progress.*callable.*got 'ye"):
        fs.solve(problem, progress=stated)


def test_records_of_bands_rounds_and_verdict(problem: fs.Problem, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="fspielm")
    solution = fs.solve(problem, rng=0)
    records = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert {record.name.partition(".")[0] for record in caplog.records} == {"fspielm"}
    band = solution.report.bands["x"]
    assert ("DEBUG", f"band x: {band.frequency:.4g}, set by {band.source}") in records
    assert [text for level, text in records if level == "INFO"] == [
        *(str(done) for done in solution.report.rounds),
        f"converged: {solution.report.reason}",
    ]


def test_a_missed_tolerance_is_recorded(problem: fs.Problem, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="fspielm")
    with pytest.warns(fs.AccuracyWarning):
        solution = fs.solve(problem, rng=0, budget=fs.Budget(neurons=8), approach="band")
    assert caplog.records[-1].getMessage() == f"not converged: {solution.report.reason}"


def test_nothing_is_configured() -> None:
    logger = logging.getLogger("fspielm")
    assert [type(handler) for handler in logger.handlers] == [logging.NullHandler]
    assert logger.level == logging.NOTSET
    assert logger.propagate
