from __future__ import annotations

import threading
import tracemalloc
from time import perf_counter

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.basis import localise
from fspielm.basis.outgoing.placement import Wanted, along_sides, place_in
from fspielm.cells import CellBasis, Patchwork, tile
from fspielm.cells.places import place_rows
from fspielm.collocation import householder
from fspielm.collocation.nested import NestedQR, merge_order
from fspielm.errors import MemoryBudgetError, OutOfTime, TooLongError
from fspielm.estimate import infer_bands
from fspielm.expr import enclose, make_field
from fspielm.geometry import Sites, edges_of
from fspielm.problem.changes import adjacent_points
from fspielm.resources import (
    Deadline,
    check_deadline,
    current_deadline,
    limited_to,
    reserve_memory,
    resident_memory,
    run_tasks,
)
from fspielm.solvers import CellPlan
from fspielm.solvers.cells.refine import balanced
from fspielm.solvers.continuation.path import Metric
from fspielm.solvers.continuation.walk import Walk
from fspielm.solvers.round import run_round

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
PROBLEM = fs.Problem(
    sp.Eq(u.diff(x, 2) + u.diff(y, 2) + 900 * u, sp.exp(x * y)), fs.Box((0, 0), (1, 1)), [fs.Dirichlet(0)]
)
SQUARE = tile(fs.Box((0, 0), (1, 1)), (2, 2))


def test_nothing_is_limited_by_default():
    assert current_deadline() == Deadline()
    check_deadline()
    reserve_memory(1e30)


def test_it_is_enforced_within_its_block_only():
    with Deadline(perf_counter() - 1).enforced(), pytest.raises(OutOfTime):
        check_deadline()
    check_deadline()


def test_the_tighter_of_two_counts():
    with Deadline.within(1000).enforced() as outer, Deadline.within(2000).enforced() as inner:
        assert inner.end == outer.end
    with Deadline.within(1000).enforced() as outer, Deadline.within(1).enforced() as inner:
        assert inner.end < outer.end


def test_what_has_begun_may_end_in_a_time_of_grace():
    with Deadline.within(-1, grace=1000).enforced() as deadline:
        check_deadline()
        assert deadline.seconds_left < 0
        with Deadline.within(2000, grace=3000).enforced() as inner:
            assert inner.end + inner.grace == pytest.approx(deadline.end + deadline.grace)
    with Deadline.within(-1, grace=0.5).enforced(), pytest.raises(OutOfTime):
        check_deadline()


def test_a_share_of_the_time_with_infinite_grace_cuts_nothing_off():
    soft = Deadline.within(-1, grace=float("inf"))
    with soft.enforced() as alone:
        check_deadline()
        assert alone.seconds_left < 0
    with Deadline.within(-1).enforced(), soft.enforced(), pytest.raises(OutOfTime):
        check_deadline()


def test_data_are_looked_at_until_the_time_for_it_ends():
    asked = []

    def data(points):
        asked.append(len(points))
        return np.cos(300 * points[:, 0])

    problem = fs.Problem(u.diff(x, 2) + u.diff(y, 2), fs.Box((0, 0), (1, 1)), [fs.Dirichlet(data)])
    infer_bands(problem, np.random.default_rng(0))
    before = sum(asked)
    asked.clear()
    with Deadline.within(-1, grace=float("inf")).enforced():
        assert not infer_bands(problem, np.random.default_rng(0)).unsettled
    assert sum(asked) < before / 2


def test_no_fallback_goes_on_after_it():
    assert not issubclass(OutOfTime, Exception)


@pytest.mark.parametrize("threads", [1, 3])
def test_tasks_are_dropped_after_it(threads):
    done = []
    with Deadline(0.0).enforced(), pytest.raises(OutOfTime):
        run_tasks([lambda: done.append(1)] * 10, threads)
    assert not done


def test_threads_know_it():
    seen = []
    with Deadline.within(1000).enforced() as deadline:
        run_tasks([lambda: seen.append((threading.get_ident(), current_deadline()))] * 4, 2)
    assert {limit for _, limit in seen} == {deadline}


def test_memory_is_refused_before_it_is_allocated():
    with Deadline.within(memory=2**30).enforced():
        reserve_memory(2**28)
        with pytest.raises(MemoryBudgetError, match=r"matrix.*2.00 GiB.*budget remain"):
            reserve_memory(2**31, "the matrix")
    assert resident_memory() > 2**20


class _Cut:
    """Progress that ends a solve after a number of rounds, as Ctrl-C or a slow machine would."""

    def __init__(self, rounds, error):
        self.rounds, self.error = rounds, error

    def __call__(self, event):
        if isinstance(event, fs.Round):
            self.rounds -= 1
        if self.rounds <= 0:
            raise self.error


def test_an_interrupted_solve_has_the_best_so_far():
    with pytest.raises(fs.SolveInterrupted, match=r"interrupted; .solution") as caught:
        fs.solve(PROBLEM, tol=1e-13, rng=1, progress=_Cut(2, KeyboardInterrupt()))
    solution = caught.value.solution
    assert len(solution.report.rounds) == 2
    assert solution.error_estimate == min(each.error_estimate for each in solution.report.rounds)
    assert not solution.converged
    assert "it was interrupted" in solution.report.reason


def test_an_interruption_is_a_keyboard_interrupt_without_a_solution_before_the_first_round(monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("fspielm.solvers.driver.infer_bands", stop)
    with pytest.raises(KeyboardInterrupt, match=r"interrupted before.*result") as caught:
        fs.solve(PROBLEM)
    assert isinstance(caught.value, fs.SolveInterrupted)
    assert caught.value.solution is None


def test_a_round_that_is_late_is_abandoned():
    with pytest.warns(fs.AccuracyWarning, match=r"the budget of 600 s ended it"):
        solution = fs.solve(PROBLEM, tol=1e-13, rng=1, progress=_Cut(2, OutOfTime()))
    assert len(solution.report.rounds) == 2


def test_a_budget_that_ends_before_the_first_round_says_what_it_needs(monkeypatch):
    def stop(*_):
        raise OutOfTime

    monkeypatch.setattr("fspielm.solvers.driver.infer_bands", stop)
    with pytest.raises(fs.SolveError, match=r"7 s ended before.*answer.*14 s"):
        fs.solve(PROBLEM, budget=fs.Budget(seconds=7))


def test_the_memory_of_cells_is_known_before_it_is_allocated():
    patchwork = Patchwork(PROBLEM, tile(fs.Box((0, 0), (1, 1)), (6, 6)), np.full((36, 2), 12), (1.0,), 1)
    nested = patchwork.nested()
    tracemalloc.start()
    try:
        NestedQR(nested)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < nested.cost.nbytes, (peak, nested.cost.nbytes)
    assert nested.cost.nbytes < 2 * peak
    limit = Deadline(memory=resident_memory() + 0.5 * nested.cost.nbytes)
    with limit.enforced(), pytest.raises(MemoryBudgetError, match="the factorisation needs"):
        NestedQR(nested)


def test_rounds_take_what_memory_remains(monkeypatch):
    held = 2**30
    monkeypatch.setattr("fspielm.resources.resident_memory", lambda: held)

    def filled(*given):
        nonlocal held
        held += 2**28 - 2**22  # something else takes all but some of it
        return infer_bands(*given)

    monkeypatch.setattr("fspielm.solvers.driver.infer_bands", filled)
    with pytest.warns(fs.AccuracyWarning, match=r"4.0 MiB.*budget of 0.25 GiB"):
        fs.solve(PROBLEM, tol=1e-13, rng=1, budget=fs.Budget(memory=2**28))


BRATU = fs.Problem(
    sp.Eq(sp.Function("v")(x).diff(x, 2) + sp.Symbol("lam") * sp.exp(sp.Function("v")(x)), 0),
    fs.Interval(0, 1),
    [fs.Dirichlet(0)],
)


@pytest.mark.parametrize(("stops", "found"), [(1, 1), (3, 3)])
def test_a_walk_that_is_late_keeps_its_points(stops, found, monkeypatch):
    advance, calls = Walk._advance, []

    def late(self, *given):
        calls.append(given)
        if len(self.stops) == stops:
            raise OutOfTime
        return advance(self, *given)

    monkeypatch.setattr(Walk, "_advance", late)
    branch = fs.follow(BRATU, sp.Symbol("lam"), (0, 3), tol=1e-6, rng=1)
    assert len(branch.points) == found
    assert "the time of the budget is over" in branch.ending


def test_a_walk_without_a_first_solution_says_what_it_needs(monkeypatch):
    def stop(*_):
        raise OutOfTime

    monkeypatch.setattr(Metric, "on", stop)
    with pytest.raises(fs.SolveError, match=r"5 s ended before.*solution.*10 s"):
        fs.follow(BRATU, sp.Symbol("lam"), (0, 3), tol=1e-6, rng=1, budget=fs.Budget(seconds=5))


class _Clock:
    """A clock that goes on only where it is told to."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr("fspielm.resources.perf_counter", lambda: self.now)

    def work(self, seconds):
        self.now += seconds
        check_deadline()


@pytest.fixture
def clock(monkeypatch):
    return _Clock(monkeypatch)


def test_work_that_can_be_left_out_has_a_share_of_the_time(clock):
    with Deadline.within(100).enforced():
        with limited_to(0.5, "looking"):
            clock.work(40)
        with pytest.raises(TooLongError, match=r"looking needs more than 30 s"), limited_to(0.5, "looking"):
            clock.work(31)
        clock.work(28)
        with pytest.raises(OutOfTime), limited_to(0.5, "looking"):
            clock.work(2)


def test_a_first_round_that_takes_too_long_is_made_smaller(clock, monkeypatch):
    def slow(request, plan):
        if plan.neurons > 200:
            clock.work(current_deadline().seconds_left + 1)
        return run_round(request, plan)

    monkeypatch.setattr("fspielm.solvers.driver.run_round", slow)
    with pytest.warns(fs.AccuracyWarning):
        solution = fs.solve(PROBLEM, tol=1e-13, rng=1, budget=fs.Budget(seconds=600))
    assert solution.report.rounds[0].neurons <= 200


def _tile():
    return tile(fs.Disk((0, 0), 1), (4, 4))


def _of_cells():
    return CellBasis(SQUARE.frames, np.full((4, 2), 1))


@pytest.mark.parametrize(
    "loop",
    [
        _tile,
        lambda: merge_order([np.array([0]), np.array([0, 1]), np.array([1])]),
        lambda: place_rows(PROBLEM, SQUARE, np.full((4, 2), 5)),
        lambda: enclose([sp.sin(x)], [x])(np.zeros((3, 1)), np.ones((3, 1))),
        lambda: make_field(sp.sin(x), (x, y))(np.zeros((3, 2))),
        lambda: localise(PROBLEM.operator, Sites(np.zeros((3, 2)))),
        lambda: fs.Disk((0, 0), 1).contains(np.zeros((3, 2))),
        lambda: balanced(SQUARE),
        lambda: _of_cells().sums(np.ones((1, 12)), [localise(PROBLEM.operator, Sites(np.full((3, 2), 0.5)))]),
    ],
    ids=[
        "tiling",
        "ordering merges",
        "placing rows",
        "enclosing",
        "evaluating",
        "localising",
        "locating",
        "balancing",
        "adding up",
    ],
)
def test_long_loops_look_at_it(loop):
    loop()
    with Deadline(0.0).enforced(), pytest.raises(OutOfTime):
        loop()


@pytest.mark.parametrize("kind", [float, complex])
def test_large_factorisations_look_at_it_and_are_the_same(kind, monkeypatch):
    rng = np.random.default_rng(0)
    matrix, values = (np.asfortranarray(rng.standard_normal((90, n)).astype(kind)) for n in (60, 40))
    whole = householder.Householder.of_matrix(matrix.copy(order="F"))
    rotated = whole.rotate(values)
    for name, small in (("_ONE_STRIP_OPERATIONS", 0.0), ("_STRIP", 16), ("LONG", 0.0)):
        monkeypatch.setattr(householder, name, small)
    parts = householder.Householder.of_matrix(matrix.copy(order="F"))
    np.testing.assert_allclose(parts.panels[0].packed, whole.panels[0].packed, atol=1e-12)
    for own in (values, values.copy(order="C")):
        np.testing.assert_allclose(parts.rotate(own), rotated, atol=1e-12)
        np.testing.assert_allclose(parts.rotate(own.copy(), in_place=True), rotated, atol=1e-12)
    with Deadline(0.0).enforced():
        with pytest.raises(OutOfTime):
            householder.Householder.of_matrix(matrix.copy(order="F"))
        with pytest.raises(OutOfTime):
            parts.rotate(values)


def test_finding_functions_of_waves_is_limited():
    t = sp.Symbol("t")
    w = sp.Function("w")(x, t)
    conditions = [fs.Dirichlet(0), fs.Initial(sp.sin(sp.pi * x)), fs.Initial(0, order=1)]
    problem = fs.Problem(sp.Eq(w.diff(t, 2), 10**12 * w.diff(x, 2)), fs.Interval(0, 1) * fs.Time(0, 1), conditions)
    family = fs.Characteristic(100, reach=(1.0, 1e6))
    with Deadline.within(0.0).enforced(), pytest.raises(OutOfTime):
        family.draw(2, np.random.default_rng(0), problem=problem, time_axis=1)
    with Deadline.within(memory=2**24).enforced(), pytest.raises(MemoryBudgetError, match="finding functions"):
        family.draw(2, np.random.default_rng(0), problem=problem, time_axis=1)


@pytest.mark.parametrize(
    "place",
    [lambda loops: place_in(loops, (), Wanted(5.0, 8.0)), lambda loops: along_sides(loops[0], 5.0, 1.0, 20.0, 1.0)],
    ids=["in objects", "along sides"],
)
def test_placing_functions_around_objects_is_limited(place):
    loops = [[edge.curve for edge in edges_of(fs.Box((3 * i, 0), (3 * i + 1, 1)))] for i in range(2)]
    with Deadline.within(0.0).enforced(), pytest.raises(OutOfTime):
        place(loops)


def test_looking_at_a_boundary_is_limited():
    domain = fs.Box((-2, -2), (2, 2)) - fs.Disk((0, 0), 1)
    problem = fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2), 1), domain, [fs.Dirichlet(0)])
    part, corner = domain.boundary()[0], domain.corners()[0]
    with Deadline.within(0.0).enforced():
        for look in (
            lambda: part.sample(10, np.random.default_rng(0)),
            lambda: domain.hole_places(),
            lambda: adjacent_points(problem, corner, 0.1),
        ):
            with pytest.raises(OutOfTime):
                look()


def test_the_forecast_of_cells_is_limited():
    plan = CellPlan(Patchwork(PROBLEM, SQUARE, np.full((4, 2), 24), (1.0,), 1), "")
    with Deadline.within(0.0).enforced(), pytest.raises(OutOfTime):
        plan.outlook(None, None, 1.0)
    assert plan.outlook(None, None, 0.0).seconds > 0.0
