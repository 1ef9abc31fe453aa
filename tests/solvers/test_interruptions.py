"""Ctrl-C anywhere: what was found by then comes with the exception."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.solution.report import Window
from fspielm.solvers.continuation.walk import Walk
from fspielm.solvers.request import Watched, offering

x, y, t, lam = sp.symbols("x y t lam")
u = sp.Function("u")


class _CtrlC:
    """Progress that interrupts at the so-manieth event of a kind."""

    def __init__(self, kind: type, number: int = 1) -> None:
        self.kind, self.left = kind, number

    def __call__(self, event: object) -> None:
        self.left -= isinstance(event, self.kind)
        if self.left <= 0:
            raise KeyboardInterrupt


def _interrupted(call: Callable[[], Any]) -> fs.SolveInterrupted:
    with pytest.raises(fs.SolveInterrupted) as caught:
        call()
    return caught.value


def test_the_best_of_every_level_is_made_of_the_one_below() -> None:
    def work() -> str:
        with offering(lambda found: f"outer {found}"), offering(lambda found: f"inner {found}"):
            assert watched.best == "outer inner None"
        with offering(lambda found: f"other {found}"):
            pass
        return watched.best or ""

    watched = Watched(work)
    assert watched.best is None
    assert watched() == "other None"
    assert watched.best == "other None"


def test_what_a_block_found_outlives_it_until_the_next_one() -> None:
    def work() -> None:
        with offering(lambda found: found):
            with offering(lambda _: "first"):
                pass
            assert watched.best == "first"
            with offering(lambda _: "second"):
                pass
            assert watched.best == "second"

    watched = Watched(work)
    watched()


def _well() -> fs.Problem:
    return fs.Problem(sp.Eq(-u(x).diff(x, 2) + 4000 * x**2 * u(x), lam * u(x)), fs.Interval(-1, 1), [fs.Dirichlet(0)])


@pytest.mark.parametrize("wish", [{"count": 3}, {"within": (10, 500)}])
def test_modes_of_the_rounds_that_ended(wish: dict[str, Any]) -> None:
    modes = _interrupted(lambda: fs.eigenmodes(_well(), lam, rng=0, progress=_CtrlC(fs.Round), **wish)).modes
    assert 0 < len(modes) <= 4
    assert not modes.complete
    assert any(re.match(r"it was interrupted: .*missing", remark) for remark in modes.remarks)
    for number, mode in enumerate(modes):
        assert abs(mode.value - np.sqrt(4000) * (2 * number + 1)) <= mode.estimate  # the ends are far away


def test_modes_without_cells() -> None:
    disk = fs.Problem(
        sp.Eq(-u(x, y).diff(x, 2) - u(x, y).diff(y, 2), lam * u(x, y)), fs.Disk((0, 0), 1), [fs.Dirichlet(0)]
    )
    modes = _interrupted(lambda: fs.eigenmodes(disk, lam, count=6, rng=0, progress=_CtrlC(fs.FoundMode, 2))).modes
    assert 2 <= len(modes) < 6
    assert abs(modes[0].value - 5.783185962946785) <= modes[0].bound


def test_before_the_first_round_there_are_no_modes(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("fspielm.eigen.rounds.inverse_at", stop)
    assert _interrupted(lambda: fs.eigenmodes(_well(), lam, count=2)).modes is None


def test_windows_that_were_solved() -> None:
    v = u(x, t)
    start = [fs.Initial(sp.sin(x)), fs.Initial(0, order=1)]
    string = fs.Problem(
        sp.Eq(v.diff(t, 2) - v.diff(x, 2), 0), fs.Interval(0, sp.pi) * fs.Time(0, 6), [fs.Dirichlet(0), *start]
    )
    error = _interrupted(lambda: fs.solve(string, approach="windows", tol=1e-6, rng=0, progress=_CtrlC(Window)))
    solution = error.solution
    assert len(solution.report.windows) == 2  # the one that was solved, and the rest
    end = solution.report.windows[0].end
    assert not solution.converged
    assert f"the tolerance holds until t = {end:.4g}" in solution.report.reason
    assert "it was interrupted" in solution.report.reason
    points = np.array([[1.0, 0.5 * end]])
    assert abs(solution(points)[0] - np.sin(1.0) * np.cos(0.5 * end)) < 1e-5
    first = _interrupted(lambda: fs.solve(string, approach="windows", rng=0, progress=_CtrlC(fs.Round))).solution
    assert len(first.report.windows) == 2
    assert not np.isfinite(first.error_estimate)
    assert "it was interrupted" in first.report.reason


def test_points_of_a_branch(monkeypatch: pytest.MonkeyPatch) -> None:
    bratu = fs.Problem(sp.Eq(u(x).diff(x, 2) + lam * sp.exp(u(x)), 0), fs.Interval(0, 1), [fs.Dirichlet(0)])
    advance, steps = Walk._advance, []

    def cut(walk: Walk, *arguments: Any) -> Any:
        steps.append(1)
        if len(steps) > 3:
            raise KeyboardInterrupt
        return advance(walk, *arguments)

    monkeypatch.setattr(Walk, "_advance", cut)
    branch = _interrupted(lambda: fs.follow(bratu, lam, (0, 4), tol=1e-6, rng=0)).branch
    assert 2 <= len(branch) <= 4
    assert branch.ending == "it was interrupted"
    assert all(point.converged for point in branch)
    early = _interrupted(lambda: fs.follow(bratu, lam, (0, 4), tol=1e-6, rng=0, progress=_CtrlC(object)))
    assert early.branch is None


@pytest.mark.slow
def test_a_branch_beside_a_branch(monkeypatch: pytest.MonkeyPatch) -> None:
    cubic = fs.Problem(sp.Eq(-u(x).diff(x, 2), lam * (u(x) - u(x) ** 3)), fs.Interval(0, sp.pi), [fs.Dirichlet(0)])
    go, walks = Walk.go, []

    def cut(walk: Walk, station: Any) -> None:
        walks.append(walk)
        if len(walks) == 3:
            raise KeyboardInterrupt
        go(walk, station)

    monkeypatch.setattr(Walk, "go", cut)
    branch = _interrupted(lambda: fs.follow(cubic, lam, (0.5, 1.2), approach="patches", points=6, rng=0)).branch
    (crossing,) = branch.bifurcations
    assert abs(crossing.value - 1) <= crossing.estimate
    assert crossing.kind == "pitchfork"
    assert len(crossing.branches) == 1  # of two
    assert branch.ending != "it was interrupted"


@pytest.mark.slow
def test_resonances_that_were_pinned_down() -> None:
    v = u(x, y)
    problem = fs.Problem(
        sp.Eq(v.diff(x, 2) + v.diff(y, 2) + lam**2 * v, 0), fs.Exterior(fs.Disk((0, 0), 1)), [fs.Dirichlet(0)]
    )

    def found(kind: type) -> Any:
        return _interrupted(lambda: fs.eigenmodes(problem, lam, within=(1 - 1.9j, 1.8), rng=0, progress=_CtrlC(kind)))

    assert found(fs.ModeSearch).modes is None
    modes = found(fs.FoundMode).modes
    assert len(modes) >= 1
    assert not modes.complete
    assert any(re.match(r"it was interrupted: .*missing", remark) for remark in modes.remarks)
