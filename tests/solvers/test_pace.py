"""How long a round will take, and what that decides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.basis import hole_columns, special_columns
from fspielm.estimate import PROBES
from fspielm.solvers import round as module
from fspielm.solvers.round import Extent, FeaturePlan, Outlook, Pace, extent_of

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
SQUARE = fs.Box((0, 0), (1, 1))
PACE = Pace(draw=1e-6, place=1e-5, fill=1e-8, factor=1e-11, special=1e-6, each_special=0.0, fixed=0.01)


def poisson(value: Any, frequency: int = 8) -> fs.Problem:
    source = sp.sin(frequency * (x + y**2))
    return fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2), source), SQUARE, [fs.Dirichlet(value)])


def test_seconds_are_those_of_the_parts() -> None:
    extent = Extent(rows=3000, neurons=2000, checks=1000, further=0)
    factoring = 1e-11 * 2 * 3000 * 2000 * 2300
    expected = 0.01 + 1e-6 * 2000 + 1e-5 * 4000 + 1e-8 * (3000 + 1000) * 2000 + factoring
    assert PACE.seconds(extent) == pytest.approx(expected)


def test_special_functions_of_the_estimate_take_their_time() -> None:
    plain, special = (Extent(3000, 2000, 1000, 100, special_columns=number) for number in (0, 800))
    entries, operations = 1e-6 * (3000 + PROBES) * 800, 1e-11 * 4 * 3000 * 2000 * 800
    assert PACE.seconds(special) - PACE.seconds(plain) == pytest.approx(entries + operations)


def test_functions_in_holes_belong_to_the_work_of_the_estimate_where_they_are_not_columns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """There may be many, and their Bessel functions take longer than all else."""
    domain: fs.Domain = SQUARE
    for center in ((0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)):
        domain = domain - fs.Disk(center, 0.1)
    problem = fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2) + 400 * u, 0), domain, [fs.Dirichlet(0)])
    holes = hole_columns(problem)
    corners = [basis for basis in special_columns(problem, True) if basis not in holes]
    points = fs.Points(0, boundary=400)
    without, beside, few = (
        module.extent_of(problem, FeaturePlan(fs.Characteristic(100), points, columns, "tried"))
        for points, columns in ((points, ()), (points, holes), (fs.Points(0, boundary=18), ()))
    )
    assert without.special == len(holes) + len(corners)
    assert without.special_columns == sum(basis.size for basis in (*holes, *corners))
    assert beside.special == len(corners)
    assert beside.special_columns == sum(basis.size for basis in corners)
    assert few.special_columns < 144 / 1.2 - 100  # no more than the rows can tell apart
    monkeypatch.setattr(module, "timed", lambda step: (step(), 1.0))  # whatever the size of a step is
    slow = module.try_out(problem, FeaturePlan(fs.Characteristic(100), points, (), "tried"), threads=1)
    assert slow.special > 0
    assert slow.each_special > module._USUAL.each_special


@pytest.mark.parametrize("seconds", [0.2, 0.4, 0.8, 1.6])
def test_as_many_neurons_as_time_allows(seconds: float) -> None:
    extent = Extent(rows=6000, neurons=4000, checks=1000, further=500)
    neurons = Outlook(extent, PACE).neurons_within(seconds)
    assert 0 < neurons < 4000
    assert PACE.seconds(extent.scaled(neurons / 4000)) <= seconds < PACE.seconds(extent.scaled((neurons + 2) / 4000))


def test_all_or_nothing() -> None:
    outlook = Outlook(Extent(6000, 4000, 1000, 500), PACE)
    assert outlook.neurons_within(1e9) == 4000
    assert outlook.neurons_within(1e-3) == 0


def test_trying_out_touches_a_small_part_and_no_random_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = []
    assemble = module.assemble

    def counted(basis: Any, blocks: Any, **settings: Any) -> Any:
        entries.append(basis.size * sum(len(block) for block in blocks))
        return assemble(basis, blocks, **settings)

    monkeypatch.setattr(module, "assemble", counted)
    monkeypatch.setattr(module, "LONG", 0.2)
    solution = fs.solve(poisson(0, 20), tol=1e-2, rng=3, approach="band")
    assert entries, "rounds of this size are tried out"
    assert sum(entries) < 0.2 * sum(done.neurons * done.rows for done in solution.report.rounds)
    monkeypatch.setattr(module, "LONG", np.inf)
    again = fs.solve(poisson(0, 20), tol=1e-2, rng=3, approach="band")
    np.testing.assert_array_equal(again.coefficients, solution.coefficients)


def test_functions_of_the_users_are_always_tried_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody knows how long they take."""
    tried = []
    try_out = module.try_out
    monkeypatch.setattr(module, "try_out", lambda *given: tried.append(1) or try_out(*given))
    monkeypatch.setattr(module, "LONG", np.inf)
    fs.solve(poisson(0), tol=1e-2, rng=0, approach="band")
    assert not tried
    fs.solve(poisson(lambda p: np.cos(p[:, 0])), tol=1e-2, rng=0, approach="band")
    assert tried


def test_a_slow_pace_makes_a_small_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first round too: a machine a million times slower affords the fewest functions there are."""
    slow = Pace(draw=1.0, place=1.0, fill=1.0, factor=1.0, special=1.0, each_special=0.0, fixed=0.0)
    monkeypatch.setattr(module, "try_out", lambda *given: slow)
    monkeypatch.setattr(module, "LONG", 0.0)
    with pytest.warns(fs.AccuracyWarning, match=r"budget of 600 s.*about .* d"):
        solution = fs.solve(poisson(0, 20), rng=0, approach="band")
    assert solution.report.neurons == 100
    assert len(solution.report.rounds) == 1


def announced(monkeypatch: pytest.MonkeyPatch, seconds: float) -> tuple[list[Any], fs.Solution]:
    """What is told of a solve on a machine that takes so long for every round, as it thinks."""
    pace = Pace(draw=0.0, place=0.0, fill=0.0, factor=0.0, special=0.0, each_special=0.0, fixed=seconds)
    monkeypatch.setattr(
        "fspielm.solvers.round.look_ahead",
        lambda problem, plan, *_: Outlook(extent_of(problem, plan), pace),
    )
    events: list[Any] = []
    return events, fs.solve(poisson(0), tol=1e-2, rng=0, approach="band", progress=events.append)


def test_long_rounds_are_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    events, solution = announced(monkeypatch, 2.5)
    assert [type(event) for event in events] == [fs.Forecast, fs.Round] * len(solution.report.rounds)
    for forecast, done in zip(events[::2], events[1::2], strict=True):
        assert (forecast.number, forecast.why) == (done.number, done.why)
        assert forecast.seconds == done.forecast >= 2.5
        assert str(forecast).startswith(f"round {done.number}: {forecast.neurons} functions, ")
        assert " rows, will take about 2." in str(forecast)


def test_short_rounds_are_not_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    events, solution = announced(monkeypatch, 1.5)
    assert tuple(events) == solution.report.rounds
    assert all(done.forecast >= 1.5 for done in events)
