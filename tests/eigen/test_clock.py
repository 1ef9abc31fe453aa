"""Budgets of seconds: a search ends with what it has, and says so. The clock is one of the tests' own."""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import brentq

import fspielm as fs
from fspielm.eigen import rounds
from fspielm.eigen.modes import Window
from fspielm.eigen.pencil import read_pencil
from fspielm.eigen.refined import exact_functions
from fspielm.eigen.rounds import Task, share, times, too_late
from fspielm.eigen.search import modes_bands, outlook_of
from fspielm.errors import UnsuitableError
from fspielm.solvers import Ending
from fspielm.solvers.driver import FittedPlan
from fspielm.solvers.request import Request, Streams
from fspielm.solvers.round import Record
from fspielm.solvers.strategies.cells import Cells

x, y, lam = sp.symbols("x y lam")
u, v = sp.Function("u")(x), sp.Function("v")(x, y)
STRING, DRUM = sp.Eq(-u.diff(x, 2), lam * u), sp.Eq(-v.diff(x, 2) - v.diff(y, 2), lam * v)
SQUARE = fs.Box((0, 0), (1, 1))
# Seconds of a budget, far more than a test takes.
AMPLE = 1000.0


def stated(equation: sp.Eq, domain: fs.Domain, condition: object) -> fs.Problem:
    return fs.Problem(equation, domain, [condition], given={lam: ...})


@pytest.fixture
def stop(monkeypatch: pytest.MonkeyPatch, patient: None) -> Callable[[str], None]:
    """From the end of a function on, given by its module and name, no time is left but to end what has begun."""
    late = [0.0]
    monkeypatch.setattr("fspielm.resources.perf_counter", lambda: perf_counter() + late[0])

    def after(name: str) -> None:
        module, attribute = name.rsplit(".", 1)
        module = f"fspielm.eigen.{module}"
        own = getattr(__import__(module, fromlist=[attribute]), attribute)

        def ended(*arguments: Any, **options: Any) -> Any:
            found = own(*arguments, **options)
            late[0] = 10 * AMPLE
            return found

        monkeypatch.setattr(sys.modules[module], attribute, ended)

    return after


def run(problem: fs.Problem, **options: Any) -> fs.Modes:
    with pytest.warns(fs.AccuracyWarning):
        modes = fs.eigenmodes(problem, lam, rng=0, budget=fs.Budget(seconds=AMPLE), **options)
    assert any(remark.endswith("allow more with budget=fs.Budget(seconds=...)") for remark in modes.remarks)
    return modes


def test_after_the_first_round_its_modes_are_given(stop: Callable[[str], None]) -> None:
    stop("rounds.play")
    modes = run(stated(STRING, fs.Interval(0, 1), fs.Dirichlet(0)), count=3, tol=1e-13)
    assert len(modes) == 3
    assert not modes.complete
    assert "no time for a second search" in modes.remarks[0]
    assert re.search(r"1000 s ended it.*further round", modes.remarks[-1])
    # the first was checked; of the others nothing is certain
    assert abs(modes[0].value - np.pi**2) <= modes.bounds[0] < 1.0
    assert np.all(np.isinf(modes.bounds[1:]))
    assert [mode.multiplicity for mode in modes] == [1, 1, 1]
    assert repr(modes).splitlines()[2].split() == ["1", "39.5", "error", "unknown"]
    assert modes[2].field.integrate(u**2) == pytest.approx(1.0, abs=1e-3)


def test_modes_that_could_not_be_checked_are_not_said_to_be_as_good_as_they_get(
    stop: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Cells, "next", lambda *_: Ending("smaller cells and higher degrees bring nothing more"))
    stop("rounds.too_late")
    modes = run(stated(STRING, fs.Interval(0, 1), fs.Dirichlet(0)), count=3, tol=1e-3)
    assert np.isfinite(modes.bounds).tolist() == [True, False, False]
    said = "2 of 3 values have errors above the tolerance, some of them unknown: the budget of 1000 s ended it"
    assert modes.remarks[-1].startswith(said)


def test_a_second_search_that_is_cut_says_so(stop: Callable[[str], None]) -> None:
    stop("search.inverse_at")
    modes = run(stated(STRING, fs.Interval(0, 1), fs.Dirichlet(0)), count=12, tol=1e-6)
    assert len(modes) == 12
    assert not modes.complete
    (remark,) = modes.remarks
    assert re.match(r"the budget of 1000 s.*second search.*missing.*fs\.Budget\(seconds", remark)


def test_a_search_that_is_cut_says_so_where_there_is_no_second_one(stop: Callable[[str], None]) -> None:
    stop("rounds.inverse_at")
    advection = sp.Eq(-u.diff(x, 2) + 3 * u.diff(x), lam * u)
    modes = run(stated(advection, fs.Interval(0, 1), fs.Dirichlet(0)), within=(10, 2000), tol=1e-3)
    assert not modes.selfadjoint
    assert 0 < len(modes) < 14
    assert any(re.match(r"there was no time.*all modes.*missing", remark) for remark in modes.remarks)


def test_a_search_that_could_not_go_on_has_its_modes_checked(stop: Callable[[str], None]) -> None:
    # what was found to three digits is neither refined nor found again on finer cells
    stop("eigenmodes.lowest")
    modes = run(stated(DRUM, SQUARE, fs.Robin(1, 1, 0)), count=1)
    (mode,) = modes
    k = np.sqrt(mode.value / 2)
    assert k * np.tan(k / 2) == pytest.approx(1.0, abs=1e-2)
    assert 0 < modes.bounds[0] < 0.1
    assert not modes.complete


@dataclass(frozen=True)
class Played:
    """A round that has found so many modes."""

    number: int
    forecast: float = 1.0
    taken: float = 1.0
    closing: float = 1.0
    error: float = 0.0

    @property
    def wanted(self) -> range:
        return range(self.number)

    def singles(self, record: Record) -> list[int]:
        return list(self.wanted)


def test_a_round_that_found_less_for_want_of_time_is_not_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    less, more = Played(2), Played(6)
    anything: Any = SimpleNamespace(approach="patches", strategy=None)
    monkeypatch.setattr("fspielm.solvers.driver.fit_budget", lambda *_: FittedPlan(anything, 1.0))
    monkeypatch.setattr(rounds, "play", lambda *_: less)
    known: Any = more
    record = Record(fs.Budget(seconds=1.0))
    searched = rounds.search(Task(anything, anything, Window(0.0, 6), 1.0), anything, record, known)
    assert searched.best is known
    assert len(searched.checks) == 6
    assert searched.ending.startswith("the budget of 1 s ended it")


def test_an_interval_ends_where_time_does(stop: Callable[[str], None]) -> None:
    stop("search.search")
    ends = 0.001, 36.0  # 57 values, more than are looked for around one shift
    modes = run(stated(STRING, fs.Interval(0, 30), fs.Dirichlet(0)), within=ends, tol=1e-3)
    assert not modes.complete
    assert any("to 36 no time was left to look" in remark for remark in modes.remarks)
    exact = (np.arange(1, 58) * np.pi / 30) ** 2
    np.testing.assert_allclose(modes.values, exact[: len(modes)], rtol=1e-3)
    assert 5 < len(modes) < 57


def test_windows_without_time_for_a_second_search_say_so_once(stop: Callable[[str], None]) -> None:
    stop("eigenmodes.sweep")
    modes = run(stated(STRING, fs.Interval(0, 30), fs.Dirichlet(0)), within=(0.001, 12.0), tol=1e-6)
    assert len(modes) == 33
    assert not modes.complete
    said = [remark for remark in modes.remarks if remark.startswith("there was no time for a second search")]
    assert len(said) == 1


def test_values_before_the_first_shift_are_told(stop: Callable[[str], None]) -> None:
    stop("rounds.play")
    modes = run(stated(STRING, fs.Interval(0, 1), fs.Robin(-3, 1, 0)), count=2, tol=1e-4)
    assert not modes.complete
    assert any("values before those" in remark for remark in modes.remarks)


def test_membranes_are_pinned_as_far_as_time_goes(stop: Callable[[str], None]) -> None:
    stop("membranes.search._scan_wanted")
    modes = run(stated(DRUM, SQUARE, fs.Dirichlet(0)), count=3)
    assert len(modes) == 1
    assert abs(modes[0].value - 2 * np.pi**2) <= modes[0].bound
    assert any(re.search(r"more were seen.*time", remark) for remark in modes.remarks)


def test_membranes_whose_functions_are_too_few_for_want_of_time_say_so(stop: Callable[[str], None]) -> None:
    stop("membranes.search._scan_wanted")
    modes = run(stated(DRUM, SQUARE, fs.Dirichlet(0)), count=1, tol=1e-15)
    assert len(modes) == 1
    assert re.search(r": .*budget of 1000 s.*fs\.Budget\(seconds", modes.remarks[-1])


def test_functions_that_satisfy_the_equation_keep_to_the_clock() -> None:
    pencil = read_pencil(stated(DRUM, SQUARE, fs.Robin(1, 1, 0)), lam)
    streams, seed = Streams.spawned(0)
    outlook = outlook_of(pencil)
    request = Request(pencil.at(outlook.shift), 1e-8, fs.Budget(), streams, seed)
    bands = modes_bands(pencil, outlook, 1, None, request)
    functions = exact_functions(pencil, request, 3.4, bands, 0)
    assert functions.at(3.4, 1).traces.shape[1] == 1
    with pytest.raises(UnsuitableError, match="no time for functions"):
        replace(functions, clock=lambda: 0.0).at(3.4, 1)


def test_a_round_counts_with_what_comes_after_it() -> None:
    latest: Any = SimpleNamespace(taken=2.0, closing=6.0, forecast=0.5)
    assert times(latest) == 16.0
    assert share(latest) == 0.25
    assert share(None) == 1.0
    assert times(SimpleNamespace(taken=0.1, closing=0.1, forecast=0.0)) == pytest.approx(2.0)  # type: ignore[arg-type]
    assert times(None) > 1
    assert not too_late(Record(fs.Budget(seconds=AMPLE)), latest)
    assert not too_late(Record(fs.Budget(seconds=None)), latest, 10 * AMPLE)
    assert too_late(Record(fs.Budget(seconds=AMPLE)), latest, AMPLE)
    assert too_late(Record(fs.Budget(seconds=7.9)), latest).startswith("the budget of 7.9 s ended it")


# of Robin's condition the root of k tan(k / 2) = 1, for each direction
LOWEST = 2 * np.pi**2, 2 * brentq(lambda k: k * np.tan(k / 2) - 1, 1.0, 2.0) ** 2


@pytest.mark.parametrize(
    ("condition", "lowest"),
    [pytest.param(fs.Dirichlet(0), LOWEST[0], id="membrane"), pytest.param(fs.Robin(1, 1, 0), LOWEST[1], id="cells")],
)
@pytest.mark.usefixtures("patient")
def test_hardly_any_time_is_enough_for_an_answer(condition: object, lowest: float) -> None:
    with pytest.warns(fs.AccuracyWarning):
        modes = fs.eigenmodes(stated(DRUM, SQUARE, condition), lam, count=4, rng=0, budget=fs.Budget(seconds=1e-3))
    assert not modes.complete
    assert 1 <= len(modes) < 4
    assert abs(modes[0].value - lowest) <= modes.bounds[0] < 0.1
    assert any(re.match(rf"{len(modes)} of 4 modes.*fs\.Budget\(seconds", remark) for remark in modes.remarks)
    assert re.match(r"there was no time.*second search", modes.remarks[0])
    assert all(remark.endswith("allow more with budget=fs.Budget(seconds=...)") for remark in modes.remarks)
