"""The automatic solver: rounds until the estimate meets the tolerance, and the solution with its verdict and report.

`play_rounds` is the loop of rounds. Linear problems, Newton's method and searches for modes share it, each with its own
`Rounds`.
"""

from __future__ import annotations

import logging
import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import Literal, final

import numpy as np

from fspielm.arrays import FloatArray, safe_norm
from fspielm.basis.singular.columns import jump_places
from fspielm.collocation.householder import Householder
from fspielm.collocation.system import Discretisation, check_memory
from fspielm.errors import (
    AccuracyWarning,
    MemoryBudgetError,
    OutOfTime,
    ProblemError,
    SolveError,
    TooLongError,
    UnsuitableError,
)
from fspielm.estimate.bands import infer_bands
from fspielm.estimate.estimate import ILL_POSED, ErrorEstimate, Verdict, judge
from fspielm.estimate.examination import examine
from fspielm.estimate.narrow import find_narrow
from fspielm.estimate.stability import find_hidden
from fspielm.problem.problem import Problem
from fspielm.resources import MANY_WAVES, calm, limited_to, memory_left
from fspielm.solution.open_space import as_stated
from fspielm.solution.report import BandReport, NewtonStep, Report, field_reports
from fspielm.solution.solution import Solution
from fspielm.solvers.request import INTERRUPTED, STAGE, Budget, Request, offering, silence
from fspielm.solvers.round import (
    BETTER,
    LEAST_GROWTH,
    LEAST_ROWS_PER_FUNCTION,
    Ending,
    Expected,
    Outcome,
    Record,
    RoundPlan,
    RoundResult,
    Step,
    StopReason,
    Strategy,
    run_round,
    why_failed,
)
from fspielm.solvers.strategies.selection import check_asked_for, select_strategies
from fspielm.wording import duration, readable_bytes, system_size, too_many_waves

_log = logging.getLogger(__name__)

# ---- Fitting a round into the budget

# A round may take this many times its forecast.
_FORECAST_MARGIN = 1.25
# The first round has at least so many functions, however little time is left.
_FEWEST = 100
# A budget that is too small for a first digit by more than `_BY_FAR`, or for the round by more than `_HOPELESS`, is
# tried with at most `_TOKEN` functions: few show as well as many that there is no digit.
_BY_FAR, _HOPELESS, _TOKEN = 2, 100, 500
# A solve imports modules of so many bytes: a smaller budget does not count what the process holds.
_MODULES = 2**26


@final
@dataclass(frozen=True, eq=False)
class FittedPlan:
    """A plan that fits into the budget, with the forecast of its `seconds`.

    The `limit` says why it is smaller than wanted, and the last one therefore.
    """

    plan: RoundPlan
    seconds: float
    limit: Ending | None = None


def fit_budget(request: Request, record: Record, step: Step, times: float = 1.0) -> FittedPlan | Ending:
    """The plan of a step, made smaller where the budget requires it; an ending if that is not worth a round.

    A round solves the plan so many `times`. What exceeds another limit is not timed.
    """
    plan, ended = step.plan, None
    exceeded = _limits(request, record, plan)
    if exceeded:
        tightest = min(exceeded, key=lambda limit: limit.neurons)
        fitting = _fit_into(request, record, step, tightest)
        if isinstance(fitting, Ending):
            return fitting
        plan, ended = fitting, tightest.ending(plan)
    outlook = plan.outlook(request, record.operation, record.seconds_left)
    late = _time_limit(record, plan, outlook, times)
    if late is None:
        return FittedPlan(plan, times * outlook.seconds, ended)
    fitting = _fit_into(request, record, step, late)  # not from one that is smaller already
    if isinstance(fitting, Ending):
        return fitting
    return FittedPlan(fitting, times * outlook.of(request.problem, fitting).seconds, ended or late.ending(plan))


@dataclass(frozen=True)
class _Limit:
    """The most neurons that a resource allows, and the reason in words."""

    neurons: int
    resource: Literal["neurons", "memory", "seconds", "points"]
    reason: str
    seconds: float = 0.0

    def ending(self, plan: RoundPlan) -> Ending:
        """The ending for this plan: not final where another kind may need less time, or fewer functions than cells."""
        cheaper = self.resource == "seconds" or (self.resource == "neurons" and plan.cells is not None)
        return Ending(self.reason, is_final=not cheaper, cause=StopReason.BUDGET, seconds=self.seconds)


def _fit_into(request: Request, record: Record, step: Step, limit: _Limit) -> RoundPlan | Ending:
    """The plan of a step within a limit; an ending that is not final where its strategy cannot use fewer features."""
    strategy, wanted = step.strategy, step.plan
    hopeless = strategy.is_waste(_BY_FAR * limit.neurons) or wanted.neurons > _HOPELESS * limit.neurons
    most = min(limit.neurons, _TOKEN) if hopeless else limit.neurons
    smaller = strategy.smaller(wanted, most)
    # memory grows no faster than the square of the neurons: reduce them in steps
    while smaller is not None and limit.resource == "memory" and _exceeds_memory(request, record, smaller):
        most = int(0.9 * most)
        if most < min(_FEWEST, wanted.neurons) and not record.rounds:
            assert record.bands is not None
            found = ", ".join(record.bands.lines(request.problem.coordinates))
            raise MemoryBudgetError(f"the band found ({found}) is too high: {limit.reason}")
        smaller = strategy.smaller(wanted, most) if most > 0 else None
    if smaller is None:
        if limit.resource == "memory":
            raise MemoryBudgetError(limit.reason)
        return replace(limit.ending(wanted), is_final=False)
    # functions in cells are many: their number does not compare with that of others
    alike = [each for each in record.rounds[-1:] if (each.cells is None) == (wanted.cells is None)]
    no_larger = alike and smaller.neurons < LEAST_GROWTH * alike[0].neurons
    if no_larger or (record.rounds and strategy.is_waste(limit.neurons)):
        return limit.ending(wanted)
    return smaller


def _limits(request: Request, record: Record, plan: RoundPlan) -> list[_Limit]:
    """What a plan would exceed of the budget, except time, and of the points chosen by hand."""
    wanted, budget = plan.neurons, request.budget
    exceeded = []
    if request.points is not None and LEAST_ROWS_PER_FUNCTION * wanted > (rows := plan.rows(request.problem)):
        reason = f"{plan.size} are needed, too many for the {rows} rows of the points chosen by hand; give more"
        exceeded.append(_Limit(int(rows / LEAST_ROWS_PER_FUNCTION), "points", reason))
    if budget.neurons is not None and wanted > budget.neurons:
        needed = wanted if plan.cells is None else plan.size
        reason = f"the budget of {budget.neurons} functions ended it, {needed} are needed; allow more"
        exceeded.append(_Limit(budget.neurons, "neurons", reason))
    if _exceeds_memory(request, record, plan):
        memory, left = bytes_of(request, record, plan), _memory_left_for(request, record)
        remain = "" if memory > budget.memory_limit else f"{readable_bytes(left)} that remain of the "
        reason = _too_many_waves(request, record, plan, memory) or (
            f"{plan.size} need {readable_bytes(memory)} of memory, above the {remain}budget of "
            f"{readable_bytes(budget.memory_limit)}; solve on a smaller domain, or allow more with "
            "budget=fs.Budget(memory=...)"
        )
        exceeded.append(_Limit(int(wanted * (left / memory) ** 0.5), "memory", reason))
    return exceeded


def _too_many_waves(request: Request, record: Record, plan: RoundPlan, memory: float) -> str:
    """A reason that names the wavelengths, if these are why memory is exceeded; empty otherwise."""
    assert record.bands is not None
    limit, waves = request.budget.memory_limit, float(max(record.bands.frequencies * request.lengths)) / (2 * math.pi)
    if waves < MANY_WAVES or memory < _BY_FAR * limit:
        return ""
    return too_many_waves(waves, plan.neurons, memory, limit, request.problem.dimension)


def _time_limit(record: Record, plan: RoundPlan, outlook: Expected, times: float) -> _Limit | None:
    """The most neurons that time allows, if that is less than the plan has."""
    budget, needed = record.budget.seconds, times * outlook.seconds
    if budget is None or _FORECAST_MARGIN * needed <= record.seconds_left:
        return None
    total = duration(max(record.spent + _FORECAST_MARGIN * needed, _FORECAST_MARGIN * budget))
    reason = (
        f"the budget of {round(budget, 2):g} s ended it, {plan.size} would take about {duration(needed)} more; "
        f"allow {total} in all with budget=fs.Budget(seconds=...)"
    )
    affordable = outlook.neurons_within(record.seconds_left / _FORECAST_MARGIN / times)
    return _Limit(affordable if record.rounds else max(affordable, _FEWEST), "seconds", reason, needed)


def _exceeds_memory(request: Request, record: Record, plan: RoundPlan) -> bool:
    return bytes_of(request, record, plan) > _memory_left_for(request, record)


def _memory_left_for(request: Request, record: Record) -> float:
    """Bytes that a round may take, including what is kept of an earlier one."""
    limit = request.budget.memory_limit
    return limit if limit < _MODULES else min(limit, record.kept_bytes + max(memory_left(), 0.0))


def bytes_of(request: Request, record: Record, plan: RoundPlan) -> int:
    """Memory of a round with what is kept of an earlier one; a lower bound where counting rows would take long."""
    square = request.itemsize * plan.neurons**2 if plan.cells is None else 0
    return record.kept_bytes + (square if square > _BY_FAR * request.budget.memory_limit else plan.nbytes(request))


# ---- The loop of rounds

# A first round may take this share of the time left; after that, it is tried with so many times fewer functions.
FIRST_SHARE, _FEWER = 0.8, 8
# A first round of nonlinear problems, or of modes, takes so many times as long as one linear solve.
FIRST_TIMES = 5.0


class Rounds(ABC):
    """How to play the rounds of one kind of problem; the `request` is for the linear problem of the next round."""

    request: Request
    record: Record

    @property
    def times(self) -> float:
        """How many times as long as one linear solve a round takes."""
        return 1.0

    def fit(self, step: Step) -> FittedPlan | Ending:
        """The plan of a step as far as the budget goes."""
        return fit_budget(self.request, self.record, step, self.times)

    @abstractmethod
    def play(self, fitted: FittedPlan, strategy: Strategy) -> RoundResult | Ending:
        """One round, recorded and reported; an ending if it leaves nothing to go on from."""

    def why_ended(self, latest: RoundResult) -> Ending | None:
        """Why a round that missed the tolerance is the last one, whatever its strategy would try next."""
        return None

    def at_floor(self, step: Step, latest: RoundResult) -> Step | Ending:
        """What to do after a round at the floor of double precision."""
        reason = (
            "the residual is rounding, which still leaves all digits open, as at a resonance; move coefficients off it"
        )
        if math.isfinite(error := latest.outcome.error):
            reason = f"the floor of double precision is reached; a tolerance of {2 * error:.0e} can be met"
        return Ending(reason, is_final=True, cause=StopReason.FLOOR)

    def following(self, step: Step, latest: RoundResult) -> Step | Ending:
        """What to try after any other round, or why nothing is left to gain."""
        return step.strategy.next(latest)


def play_rounds(rounds: Rounds, step: Step) -> Ending:
    """Play rounds from a step on, until one meets the tolerance or nothing is left to gain.

    Each round is forecast, made to fit the budget, played and recorded; then its strategy says what to try next.
    """
    while True:
        played = _play_or_shrink(rounds, step)
        if isinstance(played, Ending):
            return played
        fitted, latest = played
        if latest.outcome.error <= rounds.request.tol:
            return Ending("", is_final=True, cause=StopReason.MET)
        ended = fitted.limit or rounds.why_ended(latest)
        if ended is not None:
            return ended
        following = rounds.at_floor(step, latest) if latest.is_at_floor else rounds.following(step, latest)
        if isinstance(following, Ending):
            return following
        step = following


def _play_or_shrink(rounds: Rounds, step: Step) -> tuple[FittedPlan, RoundResult] | Ending:
    """One round; as long as there is no answer, one with fewer functions where it takes too long.

    Some of the time is kept for that, or for other kinds of functions where fewer of these are of no use, or where they
    are on cells.
    """
    request, record = rounds.request, rounds.record
    has_others = request.approach is None and not request.problem.domain.is_unbounded
    while record.best is None and has_others:
        try:
            with limited_to(FIRST_SHARE, f"a first round with {step.strategy.title}"):
                return _fit_and_play(rounds, step)
        except TooLongError as error:
            fewer = step.plan.neurons // _FEWER if step.plan.cells is None else 0
            smaller = step.strategy.smaller(step.plan, fewer) if fewer else None
            if smaller is None:
                raise
            _log.debug("%s", error)
            step = replace(step, plan=smaller)
    return _fit_and_play(rounds, step)


def _fit_and_play(rounds: Rounds, step: Step) -> tuple[FittedPlan, RoundResult] | Ending:
    fitted = rounds.fit(step)
    if isinstance(fitted, Ending):
        return fitted
    latest = rounds.play(fitted, step.strategy)
    return latest if isinstance(latest, Ending) else (fitted, latest)


# ---- One kind of features after the other, and which of them goes on while there is time

# Larger rounds help if the error is better after each doubling of the size, over the last doublings.
_DOUBLINGS, _LEAST_DOUBLINGS = 2, 0.5
# A gamble is a larger round of a kind whose errors do not fall yet. All of them may take a share of the budget, and so
# many times as long as all rounds before: twice as many functions take about eight times as long.
_TIMES = 16.0

_NOT_TRIED = Ending("", cause=StopReason.STALLED)


@final
@dataclass(eq=False)
class Trail:
    """The rounds with one kind of features.

    `start` makes the first step; `pursue` plays rounds from a step on and adds each to the trail; `forecast` gives the
    seconds of a step. The rounds leave the `title` of the kind, the `ending`, the outcomes that were `shown`, the last
    `strategy` with its `latest` round, and the `failure` that ended them. A gamble goes on only while its rounds help.
    """

    start: Callable[[], Step]
    pursue: Callable[[Trail, Step], Ending]
    forecast: Callable[[Step], float]
    title: str = ""
    ending: Ending = _NOT_TRIED
    shown: list[Outcome] = field(default_factory=list)
    strategy: Strategy | None = None
    latest: RoundResult | None = None
    failure: Exception | None = None
    is_gamble: bool = False

    def add(self, strategy: Strategy, latest: RoundResult) -> None:
        """Add a round."""
        self.strategy, self.latest = strategy, latest
        self.shown.append(latest.outcome)

    @property
    def gamble_lost(self) -> Ending | None:
        """Why a gamble ends after the latest round; None if it helps, or is no gamble."""
        if not self.is_gamble or self.helps:
            return None
        return self.ending if self.ending.reason else Ending(f"{self.title} did not help", cause=StopReason.STALLED)

    def follow(self, step: Step | None = None) -> Ending:
        """Play rounds from a step on, the first one by default."""
        try:
            step = step or self.start()
            self.title = step.strategy.title
            self.ending = self.pursue(self, step)
        except Exception as error:  # whatever it is, other kinds may still find a solution
            self.ending, self.failure = Ending(why_failed(error)), error
        return self.ending

    def offer(self) -> tuple[float, Step] | None:
        """A larger step than the kind takes by itself, or its first, with its seconds; None if that is of no use."""
        try:
            step = self._onward()
            return None if step is None else (self.forecast(step), step)
        except Exception as error:
            self.ending = Ending(why_failed(error))
            return None

    def _onward(self) -> Step | None:
        if self.ending.cause is not StopReason.STALLED:
            return None
        if self.strategy is None or self.latest is None or self.latest.estimate is None:
            return self.start()
        estimate, problem = self.latest.estimate, self.latest.discretisation.problem
        is_determined = not problem.missing and estimate.amplification <= ILL_POSED and not estimate.beyond
        return self.strategy.onward(self.latest) if is_determined else None

    @property
    def has_doubled(self) -> bool:
        """Whether sizes have grown enough to compare errors."""
        return self._error_fall[0] >= _LEAST_DOUBLINGS

    @property
    def helps(self) -> bool:
        """Whether errors fall fast enough for larger rounds to help."""
        doublings, fallen = self._error_fall
        return self.has_doubled and fallen >= BETTER**doublings

    @property
    def _error_fall(self) -> tuple[float, float]:
        """How often sizes have doubled, counting the last doublings only, and by what factor the error fell."""
        if not self.shown:
            return 0.0, 1.0
        largest = max(done.neurons for done in self.shown)
        small = max(largest / 2**_DOUBLINGS, min(done.neurons for done in self.shown))
        before = min(done.badness for done in self.shown if done.neurons <= small)
        now = max(min(done.badness for done in self.shown), 1e-300)
        return math.log2(largest / small), max(before / now, 1.0)


def take_larger_steps(trails: Sequence[Trail], record: Record, tol: float) -> None:
    """Go on with larger steps after all kinds have ended by themselves, the cheapest step of all kinds first.

    Kinds whose errors fall with each doubling take part; those of others only while they are cheap, as a gamble.
    """
    most = _TIMES * record.spent
    gamble = min(STAGE * (record.budget.seconds or float("inf")), most)
    with_more_time = most - gamble
    offers = {i: offer for i, trail in enumerate(trails) if (offer := trail.offer())}
    while not record.meets(tol):
        going = [i for i, (seconds, _) in offers.items() if trails[i].helps or seconds <= gamble]
        if not going:
            break
        cheapest = min(going, key=lambda i: offers[i][0])
        trail, (_, step), began = trails[cheapest], offers.pop(cheapest), record.spent
        record.note_larger_steps(step.strategy.title)
        trail.is_gamble = not trail.helps
        trail.follow(step)
        gamble -= 0.0 if trail.helps else record.spent - began
        if offer := trail.offer():
            offers[cheapest] = offer
    for i, (seconds, step) in offers.items():
        few = trails[i].shown and not trails[i].has_doubled  # otherwise its own reason says more
        if few and gamble < seconds <= gamble + with_more_time:
            trails[i].ending = Ending(
                f"rounds so far brought little; the next one, {step.plan.size}, may show more and would take about "
                f"{duration(seconds)}: allow {duration(seconds / STAGE)} with budget=fs.Budget(seconds=...)"
            )


def ending_of(trails: Sequence[Trail]) -> Ending:
    """The ending that says what would help most; its `seconds` are zero unless more time would."""

    def rank(trail: Trail) -> tuple[bool, bool, float]:
        cause = trail.ending.cause
        least = min((done.badness for done in trail.shown), default=float("inf"))
        is_done = cause in (StopReason.MET, StopReason.FLOOR)
        return not is_done, not (cause is StopReason.BUDGET and trail.helps), least

    best = min((trail for trail in trails if trail.ending.reason or trail.shown), key=rank)
    return best.ending if best.helps else replace(best.ending, seconds=0.0)


# ---- Linear problems


@final
@dataclass(frozen=True, eq=False)
class History:
    """How an automatic solve went: the `choice` of features, and the `ending`, why there was no further round.

    More rounds would help where `helps` says so, if there was time for them. For nonlinear problems there are the steps
    of Newton's method, the reason of its `failure`, if any, and a `remark` on other solutions.
    """

    best: RoundResult
    record: Record
    choice: str
    ending: str
    newton: tuple[NewtonStep, ...] = ()
    failure: str = ""
    remark: str = ""
    helps: bool = False


def run_rounds(
    record: Record, rounds: Callable[[], History], history: Callable[[RoundResult, str], History]
) -> History:
    """Call `rounds` under the deadline of their record.

    Where the deadline or an interruption cuts them short, `history` makes a result of the best round, with the reason.
    A `SolveError` says that the deadline came before the end of the first round.
    """
    try:
        offered = offering(lambda _: record.best and history(record.best, INTERRUPTED))
        with calm(), record.deadline.enforced(), offered:
            return rounds()
    except OutOfTime:
        if record.best is None:
            raise SolveError(_why_no_answer(record)) from None
        return history(record.best, _why_cut_short(record))


def _why_cut_short(record: Record) -> str:
    """The reason of a solve whose last round was cut short."""
    begun, budget = record.under_way, round(record.budget.seconds or 0.0, 2)
    what = "" if begun is None else f" during round {begun.number} ({system_size(begun.neurons, begun.cells)})"
    needed = duration(budget + max(0.5 * budget, 0.0 if begun is None else begun.seconds))
    return f"the budget of {budget:g} s ended it{what}; allow {needed} or more with budget=fs.Budget(seconds=...)"


def _why_no_answer(record: Record) -> str:
    begun, spent = record.under_way, round(record.budget.seconds or 0.0, 2)
    needed = 2 * max(spent, sum(record.seconds.values()))
    if begun is None:
        what = "reading the data and choosing functions"
    else:
        what = f"the coarsest round, {system_size(begun.neurons, begun.cells)},"
        needed = max(needed, begun.seconds)
    return (
        f"the budget of {spent:g} s ended before there was an answer: {what} needs more; "
        f"allow {duration(needed)} or more with budget=fs.Budget(seconds=...)"
    )


def solve_automatically(request: Request, before: History | None = None, *, coarser: Record | None = None) -> History:
    """Run rounds until the estimate meets the tolerance, nothing is left to gain, or the budget ends it.

    `before` is the solve of a similar problem, whose features are tried first; `coarser` that of the same problem with
    a larger tolerance, from which rounds go on.
    """
    record = Record(request.budget) if coarser is None else Record.after(coarser, request.budget)
    return run_rounds(
        record,
        lambda: _try_all_kinds(request, record, before),
        lambda best, ending: History(best, record, record.choice, ending),
    )


def _try_all_kinds(request: Request, record: Record, before: History | None) -> History:
    """Try the kinds of features that suit, one after the other, until one is good enough."""
    problem = request.problem
    if request.singular is None and jump_places(problem):
        request = replace(request, singular=True)  # without the functions that jump, no round would have a digit
    check_asked_for(request)  # before data are looked at, which takes its time
    if record.bands is None:
        record.look(lambda: infer_bands(problem, request.streams.probes), request.streams)
    bands = record.bands
    assert bands is not None
    for line in bands.lines(problem.coordinates):
        _log.debug("band %s", line)
    served = record.strategy  # where rounds go on
    if before is not None:
        ending = _begin_as_before(request, record, before)
        if record.best is not None and record.meets(request.tol):
            return History(record.best, record, "as for the problem before", ending.reason)
    selection = select_strategies(request, bands)
    record.choice = selection.why
    _log.debug("functions: %s", record.choice)
    trails: list[Trail] = []
    steps = selection.steps if served is None else _steps_for_finer(request, served, record.best, selection.steps)
    for step in steps:
        if trails:
            if selection.stand_ins and record.best is not None:
                break
            record.choice += f"; {trails[-1].ending.reason}, so {step.strategy.title} came next"
        trails.append(_trail(request, record, step))
        if trails[-1].follow().is_final:
            break
    tried = tuple(trails)
    if not trails[-1].ending.is_final and selection.last is not None:
        before_last, reason = record.best, trails[-1].ending.reason
        trails.append(replace(_trail(request, record, selection.steps[-1]), start=selection.last))
        trails[-1].follow()
        if record.best is not before_last:  # otherwise it is not worth mentioning
            record.choice += f"; {reason}, so {trails[-1].title} came next"
    if not trails[-1].ending.is_final:
        trails.extend(_trail(request, record, step) for step in selection.dearer)
        take_larger_steps(trails, record, request.tol)
    failed = [trail.ending.reason for trail in tried if trail.failure is not None]
    if failed and failed[-1] not in record.choice:
        record.choice += f"; {failed[-1]}"
    best, ending = best_of(record, trails, tried)
    return History(best, record, record.choice, ending.reason, helps=ending.seconds > 0)


def best_of(record: Record, trails: Sequence[Trail], tried: Sequence[Trail]) -> tuple[RoundResult, Ending]:
    """The best attempt of all trails, and why there was no further one.

    Without any, it raises the last failure of the kinds that were `tried` first.
    """
    ending = ending_of(trails)
    if record.best is not None:
        return record.best, ending
    # only a kind that was asked for has no other to leave it to
    failure = next((trail.failure for trail in reversed(tried) if trail.failure is not None), None)
    if failure is None or isinstance(failure, UnsuitableError):
        raise ProblemError(f"approach: {ending.reason}")
    raise failure


def _steps_for_finer(
    request: Request, strategy: Strategy, best: RoundResult | None, steps: Sequence[Step]
) -> Sequence[Step]:
    """The first steps to try after a solve with a larger tolerance, which this strategy has served.

    Kinds before it were not enough. It goes on from where it was, unless it would now begin with more functions.
    """
    place = next((place for place, step in enumerate(steps) if type(step.strategy) is type(strategy)), None)
    size = (strategy.first() if best is None else best).plan.neurons
    if place is not None and steps[place].plan.neurons > size:
        return steps[place:]
    try:
        further = replace(strategy, request=request).first() if best is None else strategy.finer(request, best)
    except Exception as error:  # whatever it is, other kinds may still find a solution
        further = Ending(why_failed(error))
    others = steps if place is None else steps[place + 1 :]
    if isinstance(further, Step):
        return (further, *others)
    return others or steps[place:]


def _trail(request: Request, record: Record, step: Step) -> Trail:
    return Trail(
        start=lambda: step,
        pursue=lambda trail, step: play_rounds(LinearRounds(request, record, trail), step),
        forecast=lambda step: step.plan.outlook(request, record.operation, record.seconds_left).seconds,
    )


@final
@dataclass(eq=False)
class LinearRounds(Rounds):
    """Rounds of a linear problem with one kind of features, added to its trail."""

    request: Request
    record: Record
    trail: Trail
    redrawn: bool = False

    def play(self, fitted: FittedPlan, strategy: Strategy) -> RoundResult:
        """One round, recorded and reported."""
        request, record = self.request, self.record
        record.begin(request, fitted.plan, fitted.seconds)
        begun = perf_counter()
        latest = run_round(request, fitted.plan)
        seconds = perf_counter() - begun
        done = record.add(latest, forecast=fitted.seconds, seconds=seconds, strategy=strategy, problem=request.problem)
        request.progress(done)
        if latest is not record.best:  # only the best round keeps its factored system, which takes memory
            latest = replace(latest, reusable=None)
        self.trail.add(strategy, latest)
        return latest

    def why_ended(self, latest: RoundResult) -> Ending | None:
        """The end of a gamble, or a problem for which every answer is uncertain."""
        if self.trail.gamble_lost is not None:
            return self.trail.gamble_lost
        hopeless = find_hidden(self.request.problem).reason
        return Ending(hopeless, is_final=True) if hopeless else None

    def at_floor(self, step: Step, latest: RoundResult) -> Step | Ending:
        """Draw the features again, once: where they are few, others may have a smaller estimate."""
        if self.redrawn or not step.strategy.redraws:
            return super().at_floor(step, latest)
        self.redrawn = True
        return replace(step, plan=latest.plan.because("drawn again"))


def _begin_as_before(request: Request, record: Record, before: History) -> Ending:
    """Play rounds that begin with the features that solved the problem before, if any did."""
    strategy, error = before.record.strategy, before.best.outcome.error
    assert record.bands is not None
    try:
        step = (
            None
            if strategy is None or error > request.tol
            else strategy.again(request, record.bands, request.tol / error)
        )
        return Ending("") if step is None else _trail(request, record, step).follow()
    except Exception as error:  # whatever it is, other kinds may still find a solution
        return Ending(why_failed(error))


# ---- Make a `Solution` with its verdict and report


def finish_quietly(request: Request, found: History | Solution | None) -> Solution | None:
    """A solution of the rounds so far; a solution by windows is returned as it is."""
    return finish(request, found, quietly=True) if isinstance(found, History) else found


def solution_of(
    request: Request,
    problem: Problem,
    found: RoundResult,
    record: Record,
    choice: str,
    ending: str = "",
    newton: tuple[NewtonStep, ...] = (),
    failure: str = "",
) -> Solution:
    """A solution of what no rounds of its own have led to, such as a mode or a place of a curve; without a warning."""
    history = History(found, record, choice, ending, newton, failure)
    return finish(replace(request, problem=problem), history, quietly=True)


def finish(request: Request, solved: RoundResult | History, *, quietly: bool = False) -> Solution:
    """Make a solution from a solve by hand or from rounds; `quietly` without a warning if it has not converged."""
    problem, tol = request.problem, request.tol
    history = solved if isinstance(solved, History) else None
    done = solved.best if isinstance(solved, History) else solved
    bands, band_reports = None if history is None else history.record.bands, {}
    if bands is not None:
        each = zip(problem.coordinates, bands.frequencies, bands.sources, strict=True)
        band_reports = {str(symbol): BandReport(float(frequency), source) for symbol, frequency, source in each}
    estimate = done.estimate
    verdict = None
    # a nonlinear problem is judged by the linear one that was solved last
    linear = problem if problem.is_linear else done.discretisation.problem
    if estimate is not None:
        ending, failure = ("", "") if history is None else (history.ending, history.failure)
        more_helps = history is not None and history.helps
        verdict = judge(linear, estimate, tol, ending, bands, failure, more_helps=more_helps)
    report = Report(
        features=done.plan.description,
        least_squares=repr(request.method),
        scaling=request.scaling,
        neurons=done.basis.size,
        rows=done.rows,
        points=done.discretisation.counts,
        residuals=dict(done.residuals),
        rank=done.rank,
        condition=done.condition,
        coefficient_norm=safe_norm(done.coefficients),
        seconds=dict(done.seconds) if history is None else history.record.seconds,
        rng=request.seed,
        tol=tol,
        error_estimate=None,
        max_error_estimate=None,
        scale=None,
        converged=None,
        reason="",
        bands=band_reports,
        rounds=() if history is None else history.record.rounds,
        choice="" if history is None else history.choice,
        sampled=() if estimate is None else tuple(str(look) for look in find_narrow(linear).looks),
        remarks=problem.remarks if history is None or not history.remark else (*problem.remarks, history.remark),
        cells=len(done.basis.on_cells[0].frames) if done.basis.on_cells else None,
        tiling="".join(basis.in_words for basis in done.basis.on_cells),
        newton=() if history is None else history.newton,
    )
    _log.debug("%s, %d rows x %d columns, rank %d", report.features, report.rows, report.neurons, report.rank)
    if estimate is not None and verdict is not None:
        report = judged(report, problem, estimate, verdict)
        _log.info("%s: %s", "converged" if verdict.converged else "not converged", verdict.reason)
        if not quietly:
            warn_unless(verdict, stacklevel=5)
    origin = None
    if history is not None and (history.record.strategy is not None or not problem.is_linear):
        origin = replace(request, progress=silence), history.record
    if problem.domain.is_unbounded:
        assert estimate is not None  # features chosen by hand were refused
        return Solution(*as_stated(problem, done.basis, done.coefficients), report, estimate, _origin=origin)
    if estimate is not None:
        return Solution(problem, done.basis, done.coefficients, report, estimate, _origin=origin)
    # the solution keeps this, so it has neither the fitted rows nor the progress function
    assert isinstance(done.discretisation, Discretisation)  # only features chosen by hand are judged later
    unplaced = replace(done.discretisation, sites={})
    seed = int(request.streams.probes.integers(2**63))
    later = partial(_judge_later, unplaced, done.coefficients, tol, request.budget, seed)
    return Solution(problem, done.basis, done.coefficients, report, later)


def judged(report: Report, problem: Problem, estimate: ErrorEstimate, verdict: Verdict) -> Report:
    """The report with an error estimate and its verdict."""
    return replace(
        report,
        error_estimate=estimate.relative,
        max_error_estimate=estimate.largest,
        scale=estimate.scale,
        converged=verdict.converged,
        reason=verdict.reason,
        fields=field_reports(problem, estimate) if len(problem.unknowns) > 1 else {},
    )


def warn_unless(verdict: Verdict, *, stacklevel: int) -> None:
    """Warn if a verdict is that the tolerance is not met."""
    if not verdict.converged:
        warnings.warn(f"not converged: {verdict.reason}", AccuracyWarning, stacklevel=stacklevel)


def _judge_later(
    discretisation: Discretisation, coefficients: FloatArray, tol: float, budget: Budget, seed: int
) -> ErrorEstimate:
    """Estimate the error when it is first used, with the warning that an immediate estimate would have given.

    The method of the solve left no triangular factor, so that another factorisation is needed. Sites are drawn again.
    The budget is that of the machine that estimates, which need not be that of the solve.
    """
    problem, rng = discretisation.problem, np.random.default_rng(seed)
    sites = discretisation.points.draw(problem, rng)
    drawn = replace(discretisation, sites=sites, threads=budget.thread_count)
    check_memory(drawn.rows, drawn.basis.size, 0, budget.memory_limit, itemsize=drawn.basis.dtype.itemsize)
    system = drawn.assemble("rms")
    estimate = examine(drawn, system.blocks, Householder.of_matrix(system.matrix), rng).estimate(coefficients)
    warn_unless(judge(problem, estimate, tol, ""), stacklevel=5)
    return estimate
