"""Windows of a long interval, one after the other."""

from types import SimpleNamespace
from typing import Any

import pytest
import sympy as sp

import fspielm as fs
from fspielm.eigen import search as sweep
from fspielm.eigen.modes import Wish
from fspielm.eigen.pencil import read_pencil
from fspielm.eigen.rounds import Task
from fspielm.eigen.search import outlook_of
from fspielm.solvers import Step
from fspielm.solvers.request import Request, Streams
from fspielm.solvers.round import Record
from fspielm.solvers.strategies.cells import Cells

x, lam = sp.symbols("x lam")
u = sp.Function("u")(x)


def test_what_is_owed_to_windows_before_is_kept_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    string = sp.Eq(-u.diff(x, 2), lam * u)
    problem = fs.Problem(string, fs.Interval(0, 30), [fs.Dirichlet(0)], given={lam: ...})
    pencil = read_pencil(problem, lam)
    streams, seed = Streams.spawned(0)
    outlook, budget = outlook_of(pencil), fs.Budget(seconds=1000.0)
    owed: list[float] = []

    def searched(task: Task, *_: Any) -> Any:
        owed.append(task.owed)
        return SimpleNamespace(
            best=SimpleNamespace(wanted=[0], searching=400.0, taken=1.0, closing=1.0), step=Step(None, None)
        )

    monkeypatch.setattr(sweep, "search", searched)
    monkeypatch.setattr(sweep, "_first", lambda *_: None)
    request = Request(pencil.at(outlook.shift), 1e-3, budget, streams, seed)
    wish = Wish(None, (0.001, 100.0), outlook.unit)  # 95 values, of four windows
    parts = sweep.sweep(pencil, request, Record(budget), outlook, wish, roughly=False)
    # there is no time for a fourth, and for what is owed to three
    assert owed == [0.0, 400.0, 800.0]
    assert len(parts) == 3


def test_errors_of_one_window_say_nothing_of_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds that gained much at one shift would make the first ones at another look as if nothing were gained."""
    problem = fs.Problem(sp.Eq(-u.diff(x, 2), lam * u), fs.Interval(0, 30), [fs.Dirichlet(0)], given={lam: ...})
    known: list[tuple[float, ...]] = []
    search = sweep.search

    def searched(task: Task, step: Step, *others: Any) -> Any:
        assert isinstance(step.strategy, Cells)
        known.append(step.strategy.errors)
        return search(task, step, *others)

    monkeypatch.setattr(sweep, "search", searched)
    modes = fs.eigenmodes(problem, lam, within=(0.005, 10.0), tol=1e-4, rng=0)
    assert len(modes) == 30
    assert known == [(), ()]
