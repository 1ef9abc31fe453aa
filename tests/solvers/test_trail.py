"""Which kinds of features go on while there is time, and what is said of it."""

import re
import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.solvers import Ending, StopReason
from fspielm.solvers.driver import Trail, ending_of, take_larger_steps
from fspielm.solvers.round import Outcome, Outlook, Pace, Record, extent_of

x, y, z = sp.symbols("x y z")
STALLED = Ending("nothing more", cause=StopReason.STALLED)


def outcome(neurons: int, error: float, misfit: float = 1.0) -> Outcome:
    return Outcome(error, 1.0, neurons, 0.0, misfit)


class Kind:
    """Rounds that double in size and cost so much each; their errors fall by a factor."""

    title = "functions"

    def __init__(
        self, fall: float, cost: float, error: float = 1e-1, amplification: float = 1.0, rounds: int = 3
    ) -> None:
        self.fall, self.cost, self.error, self.size, self.played = fall, cost, error, 100, 0
        estimate = SimpleNamespace(amplification=amplification, beyond="")
        discretisation = SimpleNamespace(problem=SimpleNamespace(missing=""))
        self.attempt = SimpleNamespace(estimate=estimate, discretisation=discretisation)
        self.trail = Trail(lambda: self.onward(None), self.pursue, lambda step: self.cost)
        for _ in range(rounds):
            self.pursue(self.trail, None)
        self.trail.ending, self.played = STALLED, 0

    def onward(self, latest: Any) -> Any:
        return SimpleNamespace(strategy=self, plan=SimpleNamespace(size=f"{2 * self.size} functions"))

    def pursue(self, trail: Trail, step: Any) -> Ending:
        self.played += 1
        self.size, self.error, self.cost = 2 * self.size, self.error / self.fall, 2 * self.cost
        latest = SimpleNamespace(**vars(self.attempt), outcome=outcome(self.size, self.error))
        trail.add(self, latest)  # type: ignore[arg-type]
        return STALLED if self.played < 20 else Ending("no time", cause=StopReason.BUDGET, seconds=7.0)


def record(seconds: float, spent: float) -> Any:
    return SimpleNamespace(
        budget=fs.Budget(seconds=seconds), spent=spent, meets=lambda tol: False, note_larger_steps=lambda title: None
    )


@pytest.mark.parametrize(
    ("shown", "helps"),
    [
        ([], False),
        ([outcome(100, 1e-2)], False),
        ([outcome(100, 1e-2), outcome(200, 6e-3)], True),  # by 1.5 with each doubling
        ([outcome(100, 1e-2), outcome(200, 8e-3)], False),
        ([outcome(100, 1.0), outcome(200, 1e-2), outcome(400, 9e-3), outcome(800, 8e-3)], False),  # lately
        ([outcome(100, np.inf), outcome(400, np.inf, 0.1)], True),  # without any digit, residuals tell
        ([outcome(100, np.inf), outcome(400, np.inf, 0.9)], False),
        ([outcome(100, np.inf, 1e-9), outcome(400, 0.4)], True),
        ([outcome(100, 0.4), outcome(400, np.inf, 1e-9)], False),
    ],
)
def test_rounds_show_whether_more_would_help(shown: list[Outcome], helps: bool) -> None:
    trail = Trail(lambda: None, lambda *_: STALLED, lambda _: 0.0)  # type: ignore[arg-type, return-value]
    trail.shown.extend(shown)
    assert trail.helps == helps


def test_what_helps_goes_on_to_the_end_of_the_budget_and_what_does_not_ends_soon() -> None:
    good, idle = Kind(fall=2.0, cost=1.0), Kind(fall=1.1, cost=0.1)
    take_larger_steps([idle.trail, good.trail], record(600, 5), tol=1e-8)
    assert good.played == 20  # until its own ending
    assert 1 <= idle.played <= 8  # while that is cheap
    assert ending_of([idle.trail, good.trail]) == Ending("no time", cause=StopReason.BUDGET, seconds=7.0)


def test_without_a_solution_that_is_determined_nothing_goes_on() -> None:
    lost = Kind(fall=2.0, cost=0.1, amplification=1e9)
    take_larger_steps([lost.trail], record(600, 5), tol=1e-8)
    assert lost.played == 0


def test_a_gamble_that_is_too_dear_is_named_with_its_cost() -> None:
    dear = Kind(fall=1.1, cost=4.0, rounds=1)  # 8 s now
    take_larger_steps([dear.trail], record(12, 5), tol=1e-8)
    assert dear.played == 0
    said = ending_of([dear.trail]).reason
    assert re.search(r"next.* 400 functions.* 8\.0 s: allow 16 s", said)


def test_rounds_that_brought_little_keep_their_own_reason() -> None:
    dear = Kind(fall=1.1, cost=1.0)
    take_larger_steps([dear.trail], record(40, 5), tol=1e-8)
    assert ending_of([dear.trail]).reason == STALLED.reason


def test_the_best_round_without_digits_is_that_of_the_least_misfit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fspielm.solvers.round.operation_of", lambda latest: None)
    kept = Record(fs.Budget())
    basis = plan = SimpleNamespace(why="", cells=None, widths=lambda basis: ())
    for misfit in (0.3, 0.1, 0.2):
        shown = outcome(100, np.inf, misfit)
        kept.add(
            SimpleNamespace(outcome=shown, seconds={}, rows=1, basis=basis, plan=plan),  # type: ignore[arg-type]
            forecast=0.0,
            seconds=0.0,
        )
    assert kept.best is not None
    assert kept.best.outcome.misfit == 0.1


def test_where_time_is_too_short_for_a_band_cells_come_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine on which functions all over the domain are dear."""
    u = sp.Function("u")(x)
    problem = fs.Problem(sp.Eq(-u.diff(x, 2) / 50 + u.diff(x), 1), fs.Interval(0, 1), [fs.Dirichlet(0)])
    pace = Pace(draw=0.0, place=0.0, fill=0.0, factor=2e-4, special=0.0, each_special=0.0, fixed=1.0)
    look = lambda problem, plan, *_: Outlook(extent_of(problem, plan), pace)  # noqa: E731
    monkeypatch.setattr(sys.modules["fspielm.solvers.round"], "look_ahead", look)
    solution = fs.solve(problem, rng=0, budget=fs.Budget(seconds=60))
    assert solution.converged
    assert solution.report.choice.endswith("polynomials in cells came next")


@pytest.mark.slow
def test_a_layer_that_small_rounds_do_not_see_is_found() -> None:
    u = sp.Function("u")(x, y, z)
    laplace = u.diff(x, 2) + u.diff(y, 2) + u.diff(z, 2)
    problem = fs.Problem(sp.Eq(-laplace / 50 + u.diff(x), 1), fs.Box((0, 0, 0), (1, 1, 1)), [fs.Dirichlet(0)])
    solution = fs.solve(problem, tol=0.1, rng=0)
    assert solution.converged
    assert not np.isfinite(solution.report.rounds[2].error_estimate)
    assert "a filled band went on" in solution.report.choice


def test_very_many_wavelengths_are_named() -> None:
    u = sp.Function("u")(x, y)
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + (2 * sp.pi * 10**6) ** 2 * u, 1)
    problem = fs.Problem(equation, fs.Box((0, 0), (1, 1)), [fs.Dirichlet(0)])
    said = r"1,000,000 wavelengths.*\de12.*\d+ wave"
    with pytest.warns(fs.AccuracyWarning, match=said) as caught:
        fs.solve(problem, rng=0, budget=fs.Budget(memory=2**30))
    assert str(caught[0].message).count("GiB") == 1


def test_waves_in_a_box_are_named_where_time_is_short_too() -> None:
    u = sp.Function("u")(x, y)
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + (2 * sp.pi * 10**6) ** 2 * u, 0)
    problem = fs.Problem(equation, fs.Box((0, 0), (1, 1)), [fs.Dirichlet(1)])
    with pytest.warns(fs.AccuracyWarning, match="1,000,000 wavelengths"):
        solution = fs.solve(problem, rng=0, budget=fs.Budget(seconds=200, memory=2**30), approach="characteristic")
    assert max(each.neurons for each in solution.report.rounds) < 20000


OBJECTS = {
    "disk": fs.Disk((0, 0), 1),
    "ellipse": fs.Ellipse((0, 0), (1, 2)),
    "box": fs.Box((0, 0), (1, 1)),
    "ball": fs.Ball((0, 0, 0), 1),
    "ellipsoid": fs.Ellipsoid((0, 0, 0), (1, 1, 2)),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_an_object_of_very_many_wavelengths_is_refused_before_functions_are_placed(name: str) -> None:
    shape, k = OBJECTS[name], 2 * sp.pi * 10**6
    coordinates = (x, y, z)[: shape.dimension]
    u = sp.Function("u")(*coordinates)
    equation = sp.Eq(sum(u.diff(each, 2) for each in coordinates) + k**2 * u, 0)
    wave = fs.plane_wave(k, (1, 0, 0)[: shape.dimension])
    problem = fs.Problem(equation, fs.Exterior(shape), [fs.Dirichlet(0)], incident=wave)
    with pytest.raises(fs.MemoryBudgetError, match=r"\d,000,000 wavelengths"):
        fs.solve(problem, rng=0)


@pytest.mark.parametrize("regions", [False, True])
def test_a_domain_that_is_split_is_not_to_be_split(regions: bool) -> None:
    u, a = sp.Function("u")(x), sp.Function("a")(x)
    domain = fs.Regions(left=fs.Interval(0, 0.5), right=fs.Interval(0.5, 1)) if regions else fs.Interval(0, 1)
    given = {a: fs.ByRegion(left=1.0, right=2.0)} if regions else {}
    equation = sp.Eq(-((a if regions else 1) * u.diff(x)).diff(x), 1)
    problem = fs.Problem(equation, domain, [fs.Dirichlet(0)], given=given)
    bands = fs.infer_bands(problem, np.random.default_rng(0))
    solution = fs.solve(problem, rng=0)
    rough = replace(bands, unsettled=("right-hand side",))
    said = fs.judge(problem, solution.estimate, 0.0, "", rough).reason
    assert ("split the domain" in said) == (not regions)
    assert ("move the borders" in said) == regions
    # where rounds have shown that more time helps, that is what is said
    more = "more time is needed"
    assert fs.judge(problem, solution.estimate, 0.0, more, rough, more_helps=True).reason.endswith(more)
