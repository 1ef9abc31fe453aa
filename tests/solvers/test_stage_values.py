"""Stages as values: what `first` and `next` return, and that they change nothing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.collocation.system import RowBlock
from fspielm.estimate import Peak
from fspielm.geometry import Sites
from fspielm.problem import identity
from fspielm.solvers import Ending, Step, Strategy
from fspielm.solvers.driver import FittedPlan, LinearRounds, Trail
from fspielm.solvers.request import Request, Streams
from fspielm.solvers.round import Outcome, Record, RoundResult, run_round
from fspielm.solvers.strategies.exact import exact_features
from fspielm.solvers.strategies.selection import FilledBand, filled_band, thin_spectrum

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
LAPLACIAN = u.diff(x, 2) + u.diff(y, 2)
L_SHAPE = fs.Polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)])
HOMOGENEOUS = fs.Problem(LAPLACIAN, L_SHAPE, [fs.Dirichlet(x * y)])
OSCILLATING = fs.Problem(sp.Eq(LAPLACIAN, sp.sin(20 * x)), L_SHAPE, [fs.Dirichlet(0)])


def asked(problem: fs.Problem, **settings: Any) -> Request:
    streams, seed = Streams.spawned(0)
    return Request(problem, 1e-8, fs.Budget(), streams, seed, **settings)


def bands(problem: fs.Problem) -> Any:
    return fs.infer_bands(problem, np.random.default_rng(0))


@dataclass(frozen=True)
class Shown:
    """As much of an attempt as a strategy looks at where coefficients are small."""

    outcome: Outcome
    reusable: object = "a factored system"
    estimate: object = field(default_factory=lambda: SimpleNamespace(has_settled=True))


def shown(error: float, growth: float = 1.0) -> Any:
    return Shown(Outcome(error, growth, 100, 1e6))


def stages() -> dict[str, Strategy]:
    peak = Peak(np.array([20.0, 0.0]), np.zeros(2))
    return {
        "band": filled_band(asked(HOMOGENEOUS), bands(HOMOGENEOUS)),
        "characteristic": exact_features(asked(HOMOGENEOUS), lambda n: fs.Characteristic(100 * (n + 1)), 1e9),
        "thin": thin_spectrum(asked(OSCILLATING), bands(OSCILLATING), (peak,), np.inf),
    }


@pytest.mark.parametrize("name", ["band", "characteristic", "thin"])
def test_asking_changes_neither_the_stage_nor_the_first_step(name: str) -> None:
    strategy = stages()[name]
    fields = dict(vars(strategy))
    streams = strategy.request.streams  # type: ignore[attr-defined]
    state = streams.probes.bit_generator.state
    first = strategy.first()
    assert repr(strategy.first().plan.family) == repr(first.plan.family)
    assert streams.probes.bit_generator.state == state
    following = first.strategy.next(shown(1e-3))
    assert isinstance(following, Step)
    assert following.strategy is not first.strategy
    assert all(vars(strategy)[name] is value for name, value in fields.items())
    assert vars(strategy).keys() == fields.keys()
    assert repr(strategy.first().plan.family) == repr(first.plan.family)


def follow(step: Step, *errors: float) -> Step:
    for error in errors:
        following = step.strategy.next(shown(error))
        assert isinstance(following, Step)
        step = following
    return step


def test_singular_functions_that_do_not_help_are_left_out_again() -> None:
    plain = follow(filled_band(asked(HOMOGENEOUS), bands(HOMOGENEOUS)).first(), 1e-7, 1e-7)
    with_singular = follow(plain, 1e-7)
    assert with_singular.plan.why == "singular functions at the corners"
    strategy = with_singular.strategy
    assert isinstance(strategy, FilledBand)
    assert strategy.columns
    assert strategy.shown == ()
    assert strategy.plain is not None
    assert strategy.plain[1].reusable is None  # as large as a matrix, for nothing
    # worse once says too little; twice, and the rounds before them count again, which had stalled
    worse = follow(with_singular, 2e-7)
    assert worse.plan.columns
    ending = worse.strategy.next(shown(2e-7))
    assert isinstance(ending, Ending)
    assert ending.reason.startswith("more functions do not help")
    assert isinstance(follow(with_singular, 2e-7, 5e-8), Step)


def test_only_the_best_round_keeps_its_factored_system() -> None:
    request = asked(HOMOGENEOUS, reuse=True)
    record = Record(request.budget)
    strategy = filled_band(request, bands(HOMOGENEOUS))
    plan = strategy.first().plan
    rounds = LinearRounds(request, record, Trail(strategy.first, lambda *_: Ending(""), lambda _: 0.0))
    for neurons, is_best in ((120, True), (30, False)):
        latest = rounds.play(FittedPlan(strategy.smaller(plan, neurons), 0.0), strategy)
        assert (latest.reusable is not None) == is_best
    assert record.best is not None
    assert record.kept_bytes == record.best.reusable.factored.nbytes > 0  # type: ignore[union-attr]


@pytest.mark.parametrize("is_sure", [True, False])
def test_a_larger_round_contradicts_an_estimate_that_is_too_small(is_sure: bool) -> None:
    request = asked(HOMOGENEOUS)
    strategy = filled_band(request, bands(HOMOGENEOUS))
    plan = strategy.first().plan
    coarse, fine, finer = (run_round(request, strategy.smaller(plan, neurons)) for neurons in (30, 120, 140))
    points = HOMOGENEOUS.domain.sample(300, np.random.default_rng(1))
    value = RowBlock("", ((identity(2), Sites(points)),), np.zeros(len(points)))
    values = [value.evaluate(done.basis, done.coefficients, 1) for done in (coarse, fine)]
    difference = np.linalg.norm(values[0] - values[1]) / np.linalg.norm(values[0])
    record = Record(request.budget)
    for round_ in (claiming(coarse, 1e-9), claiming(fine, 1e-8 if is_sure else np.inf)):
        record.add(round_, forecast=0.0, seconds=0.0, problem=HOMOGENEOUS)
    assert record.best is not None
    assert record.best.basis is (fine if is_sure else coarse).basis
    assert is_sure or record.best.outcome.error > 0.7 * difference
    record = Record(request.budget)
    for round_ in (claiming(fine, 1e-2), claiming(finer, np.inf)):
        record.add(round_, forecast=0.0, seconds=0.0, problem=HOMOGENEOUS)
    assert record.best.outcome.error == pytest.approx(1e-2)


def claiming(done: RoundResult, error: float) -> RoundResult:
    """A round that claims an error."""
    assert done.estimate is not None
    fields = tuple(replace(field, relative=error) for field in done.estimate.fields)
    return replace(done, estimate=replace(done.estimate, relative=error, fields=fields))
