"""The automatic solver for nonlinear problems: rounds of Newton's method with better and better functions."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any

from fspielm.deadline import limited_to
from fspielm.equations import Problem
from fspielm.equations.nonlinear import Iterate, as_iterate, why_unique
from fspielm.errors import IterateError
from fspielm.solution import NewtonStep, Solution
from fspielm.solvers.afford import Afforded, afford
from fspielm.solvers.attempt import Attempt
from fspielm.solvers.automatic import Course, at_floor, best_of, first_answer, run_rounds
from fspielm.solvers.newton.bands import bands_of, like_those_of
from fspielm.solvers.newton.iteration import Iterated, Newton
from fspielm.solvers.newton.kinds import Kind, kinds_for
from fspielm.solvers.newton.round import newton_round
from fspielm.solvers.record import LONG, Record
from fspielm.solvers.request import Request
from fspielm.solvers.stages import Ending, Step
from fspielm.solvers.trail import Trail, press_on
from fspielm.wording import OUT_OF_TIME

# Rounds in a row in which no solution is found.
_MOST_FAILURES = 2
# A solution with a smaller error than this shows its frequencies.
_MEASURABLE = 1e-2
# Functions that are laid out anew may be so much dearer than those of another round.
_DEARER = 1.0
# How often a round takes as long as one linear problem: the first, and those that begin close to the solution; and at
# least and at most, by what the one before has shown.
_TIMES_FIRST, _TIMES = 5.0, 3.0
_LEAST_TIMES, _MOST_TIMES = 1.0, 12.0
# Of the time that is left, what may go into laying out functions that others can stand for.
_LOOKING = 0.3
_TRY = (
    "try another guess=, a value of its parameters for which the solution is known to exist, or raise them step by "
    "step, with each solution as the guess for the next"
)
_TRY_IN_TIME = '; in time, approach="windows" goes on from what is known, step by step'


def solve_nonlinear(request: Request, guess: Any = None, earlier: Solution | None = None) -> Course:
    """Newton's method from a guess, zero by default, with functions that follow the solution.

    It may be expected to have the frequencies of an earlier one.
    """
    record = Record(request.budget)
    pursuits: list[_Pursuit] = []

    def course(best: Attempt, ending: str) -> Course:
        steps, failure = (pursuits[0].steps, pursuits[0].failure) if pursuits else ((), "")
        return Course(best, record, record.choice, ending, steps, failure, _remark(request.problem, failure))

    def rounds() -> Course:
        start, linear = _begin(request, record, guess)
        assert record.bands is not None
        if earlier is not None:
            record.bands = like_those_of(linear, record.bands, earlier)
        others = () if guess is not None else (_ones(request.problem),)
        pursuits.append(_Pursuit(Newton.of(request, record.deadline), record, start, others))
        best, ending = _pursue_kinds(pursuits[0], linear)
        return course(best, ending)

    return run_rounds(record, rounds, course)


def _pursue_kinds(pursuit: _Pursuit, linear: Request) -> tuple[Attempt, str]:
    """All kinds of functions that suit, one after the other: the best attempt, and why there was no further one."""
    record, trails = pursuit.record, list[Trail]()
    assert record.bands is not None
    for kind in kinds_for(linear, record.bands):
        came_next = f"{record.choice}; {trails[-1].ending.reason if trails else ''}, so {kind.title} came next"
        record.choice = came_next if record.choice else f"{kind.title}, {kind.why}"
        trails.append(Trail(partial(_first, linear, kind), pursuit.following(linear, kind), pursuit.forecast(linear)))
        trails[-1].follow()
        if trails[-1].ending.is_final:
            break
    else:
        press_on(trails, record, linear.tol)
    best, ending = best_of(record, trails, trails)
    return best, ending.reason


def _first(linear: Request, kind: Kind) -> Step:
    """What to begin a kind of functions with, if that does not take too long to lay out."""
    with limited_to(_LOOKING, f"laying out {kind.title}") if linear.approach is None else nullcontext():
        return kind.first(linear)


def _remark(problem: Problem, failure: str) -> str:
    """What is known of other solutions."""
    why = why_unique(problem)
    if why:
        return f"the problem is not linear, but has no other solution that is smooth, {why}"
    this = "solutions are" if failure else "this is one of"
    return f"the problem is not linear: {this} possibly several{' solutions' * (not failure)}, and guess= decides which"


def _begin(request: Request, record: Record, guess: Any) -> tuple[Iterate, Request]:
    """What to begin with, and a request for the linear problem around it.

    Where equations have no meaning at zero, and nothing else was given, that is one.
    """
    problem = request.problem

    def begin(start: Iterate) -> tuple[Iterate, Request]:
        linear = replace(request, problem=problem.linearised(start))
        record.look(partial(bands_of, linear))
        return start, linear

    if guess is not None:
        return begin(as_iterate(problem, guess))
    with suppress(IterateError):
        return begin(as_iterate(problem))
    return begin(_ones(problem))


def _ones(problem: Problem) -> Iterate:
    return as_iterate(problem, dict.fromkeys(problem.names, 1))


@dataclass(eq=False)
class _Pursuit:
    """Rounds, each from where the last one came to; `others` are where to begin if nothing is found from the start.

    Each takes about so many `times` as long as one linear problem.
    """

    newton: Newton
    record: Record
    start: Iterate
    others: tuple[Iterate, ...] = ()
    steps: tuple[NewtonStep, ...] = ()
    failure: str = ""
    times: float = _TIMES_FIRST

    def following(self, linear: Request, kind: Kind) -> Callable[[Trail, Step], Ending]:
        """What plays rounds with one kind of functions, from a step to where they end; each time from where it was."""
        anew, tol = kind.anew, self.newton.request.tol

        def pursue(trail: Trail, step: Step) -> Ending:
            nonlocal linear, anew
            failures: tuple[str, ...] = ()
            while True:
                play = partial(self._afford_and_play, linear, insist=not failures)
                played = first_answer(linear, self.record, step, play)
                if isinstance(played, Ending):  # what has digits already is not to be had from fewer functions
                    return replace(played, is_final=played.is_final or self._has_digits)
                afforded, latest, done = played
                linear = replace(linear, problem=done.finite.problem)
                stage = step.stage.around(linear.problem)
                lost = trail.add(stage, latest)
                error = latest.outcome.error
                if error <= tol:
                    return Ending("", is_final=True, cause="met")
                if afforded.limit is not None:
                    return replace(afforded.limit, is_final=True)
                failures = (*failures, done.failure) if done.failure else ()
                if self.record.seconds_left <= 0 or len(failures) == _MOST_FAILURES:
                    self.failure = _why_none(latest, failures[0], linear) if failures else ""
                    return Ending(
                        self.failure or OUT_OF_TIME, is_final=True, cause="exhausted" if failures else "budget"
                    )
                if lost is not None:
                    return lost
                if latest.is_at_floor:
                    return Ending(at_floor(error), is_final=True, cause="floor")
                following = stage.next(latest)
                if anew is not None and error < _MEASURABLE:
                    other = anew(linear, self.start, error / linear.tol)
                    larger = other.trial.neurons > latest.outcome.neurons
                    if larger and (isinstance(following, Ending) or _is_cheap(other, following, linear.problem)):
                        following, anew = other, None
                if isinstance(following, Ending):
                    return following
                step = following

        return pursue

    def forecast(self, linear: Request) -> Callable[[Step], float]:
        """What tells how many seconds a step will take."""
        record = self.record
        return lambda step: self.times * step.trial.outlook(linear, record.operation, record.seconds_left).seconds

    @property
    def _has_digits(self) -> bool:
        return self.record.best is not None and self.record.best.outcome.error < _MEASURABLE

    def _afford_and_play(
        self, linear: Request, step: Step, *, insist: bool
    ) -> tuple[Afforded, Attempt, Iterated] | Ending:
        """One round, recorded and told; or why there is none."""
        afforded = afford(linear, self.record, step, self.times)
        if isinstance(afforded, Ending):
            return afforded
        newton = replace(self.newton, round=self.record.begin(linear, afforded.trial, afforded.seconds).number)
        begun = perf_counter()
        latest, done = newton_round(newton, linear, afforded.trial, self.start, insist=insist, others=self.others)
        self.steps += done.steps
        if not done.failure:
            self.start, self.others = done.iterate, ()
        seconds = perf_counter() - begun
        as_long = self.times * seconds / afforded.seconds if seconds > LONG else _TIMES
        self.times = min(max(as_long, _LEAST_TIMES), _MOST_TIMES)
        linear.progress(self.record.add(latest, forecast=afforded.seconds, seconds=seconds))
        return afforded, latest, done


def _why_none(latest: Attempt, failure: str, request: Request) -> str:
    """Why no solution was found, in words."""
    assert latest.estimate is not None
    is_whole = request.approach is None and request.problem.domain.time is not None and request.problem.dimension == 2
    return (
        f"Newton's method came to no solution: {failure}; the linearisation amplifies residuals "
        f"{latest.estimate.amplification:.0e} times there, and would be singular at a fold, beyond which there is no "
        f"solution; {_TRY}{_TRY_IN_TIME if is_whole else ''}"
    )


def _is_cheap(one: Step, other: Step, problem: Problem) -> bool:
    return one.trial.work(problem) <= _DEARER * other.trial.work(problem)
