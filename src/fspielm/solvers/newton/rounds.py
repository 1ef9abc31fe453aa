"""The automatic solver for nonlinear problems: kinds of functions, and rounds of Newton's method with them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from time import perf_counter
from typing import Any, final

import numpy as np

from fspielm.arrays import real_parts
from fspielm.cells.patchwork import check_suitable
from fspielm.errors import IterateError, ProblemError, UnsuitableError
from fspielm.estimate.band_data import line_band
from fspielm.estimate.bands import Bands, bands_of_conditions, infer_bands, without_short_lines
from fspielm.geometry.boundary import Sites
from fspielm.geometry.domain import chord_lines
from fspielm.numerics.tolerances import TINY
from fspielm.problem.nonlinear.iterate import Iterate, as_iterate
from fspielm.problem.nonlinear.law import why_unique
from fspielm.problem.problem import Problem
from fspielm.resources import limited_to
from fspielm.solution.report import NewtonStep
from fspielm.solution.solution import Solution
from fspielm.solvers.driver import (
    FIRST_TIMES,
    FittedPlan,
    History,
    Rounds,
    Trail,
    best_of,
    play_rounds,
    run_rounds,
    take_larger_steps,
)
from fspielm.solvers.newton.iteration import LINEAR, Newton, newton_round, values_of
from fspielm.solvers.request import FINER, LONG, LOOKING, Request
from fspielm.solvers.round import CHORDS, PATIENCE, Ending, Record, RoundResult, Step, StopReason, Strategy
from fspielm.solvers.strategies.cells import cells_for
from fspielm.solvers.strategies.selection import allows_cells, check_asked_for, filled_band
from fspielm.wording import OUT_OF_TIME

# ---- Frequencies to begin with

# Right-hand sides contain harmonics of the solution: cubes have three times its frequencies. If the first frequencies
# are too low, the first rounds show it.
_HARMONICS = 3.0
# Pieces of the boundary shorter than this share of the longest side say nothing about the rest of the domain.
_SHORT = 0.02
# The source of a band that is not set by data.
BY_EQUATION = "the equation"
# Points on each line on which a solution is measured, more until its band is settled.
_SAMPLES = (256, 1024, 4096)


def first_bands(linear: Request) -> Bands:
    """The bands of the conditions and of the equation, or those of the right-hand side without harmonics if higher."""
    rng = linear.streams.probes
    found = infer_bands(linear.problem, rng)
    found = without_short_lines(linear.problem, found, _SHORT * float(np.max(linear.lengths)), rng)
    own = bands_of_conditions(linear.problem, found, rng)
    shared = found.frequencies / _HARMONICS
    frequencies = np.maximum(own.frequencies, shared)
    sources = tuple(
        theirs if high > low else one
        for theirs, one, high, low in zip(found.sources, own.sources, shared, own.frequencies, strict=True)
    )
    return replace(found, frequencies=frequencies, sources=sources)


def with_bands_of(linear: Request, bands: Bands, earlier: Solution) -> Bands:
    """The bands, with those of an earlier solution where the equation alone has set them."""
    none = replace(bands, frequencies=np.zeros(len(bands.frequencies)))
    shown = with_measured_bands(replace(linear, problem=earlier.problem), none, earlier)
    by_equation = np.array([source == BY_EQUATION for source in bands.sources])
    frequencies = np.where(by_equation, np.minimum(bands.frequencies, shown.frequencies), bands.frequencies)
    sources = tuple(
        "the solution before" if one else source for one, source in zip(by_equation, bands.sources, strict=True)
    )
    return replace(bands, frequencies=frequencies, sources=sources)


def with_measured_bands(linear: Request, bands: Bands, iterate: Iterate) -> Bands:
    """The bands, or those of an iterate along lines where these are higher."""
    problem, rng = linear.problem, linear.streams.probes
    seeds = problem.domain.sample(CHORDS, rng, "low-discrepancy")
    operators = values_of(problem.stated)
    frequencies, sources = bands.frequencies.copy(), list(bands.sources)
    for axis in range(problem.dimension):
        highest = 0.0
        for n in _SAMPLES:
            lines, lengths = chord_lines(problem.domain, seeds, axis, n)
            values = iterate.evaluate_each(operators, Sites(lines.reshape(-1, problem.dimension)))
            parts = [part.reshape(len(lines), n) for each in values for part in real_parts(each)]
            found = [line_band(part, lengths) for part in parts]
            highest = max(one.frequency for one in found)
            if all(one.settled for one in found):
                break
        if highest > frequencies[axis]:
            frequencies[axis], sources[axis] = highest, "the solution"
    return replace(bands, frequencies=frequencies, sources=tuple(sources))


# ---- Kinds of functions

# The first cells aim at a tolerance that is smaller by this factor, since further rounds are expensive.
_BETTER = 1e-3
# If the first cells have more unknowns than this, the frequencies that only the equation suggests are halved: solutions
# seldom have them.
_MANY = 20_000


@final
@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of functions, which makes its first step from a request for a linear problem.

    It may make another one `anew`, from such a request, an iterate, and the factor by which that missed the tolerance.
    """

    title: str
    why: str
    first: Callable[[Request], Step]
    anew: Callable[[Request, Iterate, float], Step] | None = None


def kinds_for(linear: Request, bands: Bands) -> list[Kind]:
    """Cells, whose refinement follows the solution, and then a filled band.

    A `ProblemError` says that the kind asked for does not suit.
    """
    if linear.approach in ("characteristic", "thin"):
        raise ProblemError(
            f"approach={linear.approach!r} is for linear problems, for it makes use of what satisfies the equation; "
            'take "patches" or "band", or leave it out'
        )
    check_asked_for(linear)

    def cells(request: Request, found: Bands, missed: float = 1.0) -> Step:
        better = replace(request, tol=max(_BETTER * request.tol / missed, TINY))
        strategy = cells_for(better, found, narrow=False)
        return replace(strategy, request=replace(request, tol=FINER * request.tol)).first()

    @cache
    def affordable() -> tuple[Bands, Step]:
        """The first bands and the first step."""
        found, by_equation = bands, np.array([source == BY_EQUATION for source in bands.sources])
        step = cells(linear, found)
        while step.plan.neurons > _MANY and np.any(by_equation & (found.frequencies * linear.lengths > 2 * np.pi)):
            found = replace(found, frequencies=np.where(by_equation, found.frequencies / 2, found.frequencies))
            step = cells(linear, found)
        return found, step

    def cells_anew(request: Request, iterate: Iterate, missed: float) -> Step:
        step = cells(request, with_measured_bands(request, affordable()[0], iterate), missed)
        return replace(step, plan=step.plan.because("cells for the frequencies of the solution"))

    def band(request: Request) -> Step:
        return filled_band(request, bands).first()

    asked = linear.approach is not None
    kinds = []
    if linear.approach != "band" and (asked or _suits_cells(linear)):
        why = "asked for" if asked else "which follow it"
        kinds.append(Kind("polynomials in cells", why, lambda _: affordable()[1], cells_anew))
    if linear.approach != "patches":
        kinds.append(Kind("a filled band", "asked for" if asked else "which serves every equation", band))
    return kinds


def _suits_cells(linear: Request) -> bool:
    with suppress(UnsuitableError):
        check_suitable(linear.problem)
        return allows_cells(linear)
    return False


# ---- Rounds of Newton's method with better and better functions

# Forecasts of rounds that are long follow the measured times, from one linear solve up to so many.
_MOST_TIMES = 12.0
_TRY = (
    "try another guess=, a value of its parameters for which the solution is known to exist, or raise them step by "
    "step, with each solution as the guess for the next"
)
_TRY_IN_TIME = '; in time, approach="windows" goes on from what is known, step by step'


def solve_nonlinear(request: Request, guess: Any = None, earlier: Solution | None = None) -> History:
    """Newton's method from a guess, zero by default; the frequencies of an earlier solution may be given."""
    record = Record(request.budget)
    states: list[_State] = []

    def history(best: RoundResult, ending: str) -> History:
        steps, failure = (states[0].steps, states[0].failure) if states else ((), "")
        return History(best, record, record.choice, ending, steps, failure, _remark(request.problem, failure))

    def rounds() -> History:
        start, linear = _begin(request, record, guess)
        assert record.bands is not None
        if earlier is not None:
            record.bands = with_bands_of(linear, record.bands, earlier)
        others = () if guess is not None else (_iterate_of_ones(request.problem),)
        states.append(_State(Newton.of(request, record.deadline), record, start, others))
        best, ending = _try_all_kinds(states[0], linear)
        return history(best, ending)

    return run_rounds(record, rounds, history)


def _try_all_kinds(state: _State, linear: Request) -> tuple[RoundResult, str]:
    """Try the kinds of functions that suit: the best attempt, and why there was no further one."""
    record, trails = state.record, list[Trail]()
    assert record.bands is not None
    for kind in kinds_for(linear, record.bands):
        came_next = f"{record.choice}; {trails[-1].ending.reason if trails else ''}, so {kind.title} came next"
        record.choice = came_next if record.choice else f"{kind.title}, {kind.why}"
        trails.append(state.trail(linear, kind))
        trails[-1].follow()
        if trails[-1].ending.is_final:
            break
    else:
        take_larger_steps(trails, record, linear.tol)
    best, ending = best_of(record, trails, trails)
    return best, ending.reason


def _first(linear: Request, kind: Kind) -> Step:
    """The first step of a kind of functions, unless it takes too long to lay out."""
    with limited_to(LOOKING, f"laying out {kind.title}") if linear.approach is None else nullcontext():
        return kind.first(linear)


def _remark(problem: Problem, failure: str) -> str:
    """A remark on other solutions."""
    why = why_unique(problem)
    if why:
        return f"the problem is not linear, but has no other solution that is smooth, {why}"
    this = "solutions are" if failure else "this is one of"
    return f"the problem is not linear: {this} possibly several{' solutions' * (not failure)}, and guess= decides which"


def _begin(request: Request, record: Record, guess: Any) -> tuple[Iterate, Request]:
    """The start, and a request for the linear problem around it; one where equations are not defined at zero."""
    problem = request.problem

    def begin(start: Iterate) -> tuple[Iterate, Request]:
        linear = replace(request, problem=problem.linearised(start))
        record.look(partial(first_bands, linear))
        return start, linear

    with nullcontext() if guess is not None else suppress(IterateError):
        return begin(as_iterate(problem, guess))
    return begin(_iterate_of_ones(problem))


def _iterate_of_ones(problem: Problem) -> Iterate:
    return as_iterate(problem, dict.fromkeys(problem.names, 1))


@dataclass(eq=False)
class _State:
    """What Newton's method has come to, over all kinds of functions: each round begins where the last one ended.

    `others` are where to begin if nothing is found from the start. A round takes about so many `times` as long as one
    linear problem.
    """

    newton: Newton
    record: Record
    start: Iterate
    others: tuple[Iterate, ...] = ()
    steps: tuple[NewtonStep, ...] = ()
    failure: str = ""
    times: float = FIRST_TIMES

    def trail(self, linear: Request, kind: Kind) -> Trail:
        """The trail of one kind of functions, which goes on from where it was each time that it is followed."""
        rounds = NewtonRounds(linear, self.record, self, kind.anew)

        def pursue(trail: Trail, step: Step) -> Ending:
            rounds.trail, rounds.failures = trail, ()
            return play_rounds(rounds, step)

        def forecast(step: Step) -> float:
            return self.times * step.plan.outlook(linear, self.record.operation, self.record.seconds_left).seconds

        return Trail(partial(_first, linear, kind), pursue, forecast)


@final
@dataclass(eq=False)
class NewtonRounds(Rounds):
    """Rounds of Newton's method with one kind of functions; the request follows its linearisation.

    `anew` lays functions out anew for the frequencies of the solution, once; `failures` are those of the last rounds.
    """

    request: Request
    record: Record
    state: _State
    anew: Callable[[Request, Iterate, float], Step] | None
    trail: Trail = field(init=False)
    failures: tuple[str, ...] = ()

    @property
    def times(self) -> float:
        """How many times as long as one linear solve a round takes."""
        return self.state.times

    def fit(self, step: Step) -> FittedPlan | Ending:
        """The plan of a step as far as the budget goes, after which no other kind of functions does better."""
        fitted, best = super().fit(step), self.record.best
        has_digits = best is not None and best.outcome.error < LINEAR
        if isinstance(fitted, Ending):  # what has digits already is not to be had from fewer functions
            return replace(fitted, is_final=fitted.is_final or has_digits)
        limit = fitted.limit
        return fitted if limit is None else replace(fitted, limit=replace(limit, is_final=True))

    def play(self, fitted: FittedPlan, strategy: Strategy) -> RoundResult:
        """One round, recorded and reported."""
        request, record, state, plan = self.request, self.record, self.state, fitted.plan
        newton = replace(state.newton, round=record.begin(request, plan, fitted.seconds).number)
        begun = perf_counter()
        insist = not self.failures
        latest, done = newton_round(newton, request, plan, state.start, insist=insist, others=state.others)
        state.steps += done.steps
        if not done.failure:
            state.start, state.others = done.iterate, ()
        seconds = perf_counter() - begun
        as_long = state.times * seconds / fitted.seconds if seconds > LONG else FIRST_TIMES
        state.times = min(max(as_long, 1.0), _MOST_TIMES)
        request.progress(record.add(latest, forecast=fitted.seconds, seconds=seconds))
        self.failures = (*self.failures, done.failure) if done.failure else ()
        self.request = replace(request, problem=done.finite.problem)
        self.trail.add(strategy.around(done.finite.problem), latest)
        return latest

    def why_ended(self, latest: RoundResult) -> Ending | None:
        """No time, no solution in several rounds, or a gamble that does not help."""
        failures = self.failures
        if self.record.seconds_left <= 0 or len(failures) == PATIENCE:
            self.state.failure = _why_none(latest, failures[0], self.request) if failures else ""
            cause = StopReason.EXHAUSTED if failures else StopReason.BUDGET
            return Ending(self.state.failure or OUT_OF_TIME, is_final=True, cause=cause)
        return self.trail.gamble_lost

    def following(self, step: Step, latest: RoundResult) -> Step | Ending:
        """What to try next: functions laid out anew, once the solution shows its frequencies, if they are cheap."""
        assert self.trail.strategy is not None
        following, error, linear = self.trail.strategy.next(latest), latest.outcome.error, self.request
        if self.anew is not None and error < LINEAR:  # which shows the frequencies of the solution
            other = self.anew(linear, self.state.start, error / linear.tol)
            larger = other.plan.neurons > latest.outcome.neurons
            work = other.plan.work(linear.problem)
            if larger and (isinstance(following, Ending) or work <= following.plan.work(linear.problem)):
                following, self.anew = other, None
        return following


def _why_none(latest: RoundResult, failure: str, request: Request) -> str:
    """Why no solution was found, in words."""
    assert latest.estimate is not None
    is_whole = request.approach is None and request.problem.domain.time is not None and request.problem.dimension == 2
    return (
        f"Newton's method came to no solution: {failure}; the linearisation amplifies residuals "
        f"{latest.estimate.amplification:.0e} times there, and would be singular at a fold, beyond which there is no "
        f"solution; {_TRY}{_TRY_IN_TIME if is_whole else ''}"
    )
