"""The automatic solver: bands, the kinds of features to try, and rounds until the estimate meets the tolerance."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import TypeVar, final

from fspielm.deadline import limited_to
from fspielm.errors import OutOfTime, ProblemError, SolveError, TooLongError, UnsuitableError
from fspielm.features.special import jump_places
from fspielm.solution import NewtonStep
from fspielm.solvers.afford import Afforded, afford
from fspielm.solvers.attempt import Attempt, attempt
from fspielm.solvers.failure import why_failed
from fspielm.solvers.record import Record
from fspielm.solvers.request import Request
from fspielm.solvers.so_far import INTERRUPTED, offering
from fspielm.solvers.stages import Ending, Stage, Step, check_asked_for, select_stages
from fspielm.solvers.trail import Trail, ending_of, press_on
from fspielm.spectrum import hidden_of, infer_bands
from fspielm.wording import duration, system_size

T = TypeVar("T")

_log = logging.getLogger(__name__)

# Of the time that is left, what a first round may take before there are so many times fewer functions.
_FIRST, _FEWER = 0.8, 8


@final
@dataclass(frozen=True, eq=False)
class Course:
    """How an automatic solve went.

    Attributes
    ----------
    best : Attempt
    record : Record
    choice : str
        Which features were chosen, and why.
    ending : str
        Why there was no further round.
    helps : bool
        Whether rounds have shown that more of them, for which there was no time, would help.
    newton : tuple of NewtonStep
        Of a problem that is not linear.
    failure : str
        Why Newton's method came to no solution; empty if it did.
    remark : str
        Whether there may be other solutions; empty where it is linear.
    """

    best: Attempt
    record: Record
    choice: str
    ending: str
    newton: tuple[NewtonStep, ...] = ()
    failure: str = ""
    remark: str = ""
    helps: bool = False


def run_rounds(record: Record, rounds: Callable[[], Course], course: Callable[[Attempt, str], Course]) -> Course:
    """How `rounds` went, under the deadline of their record.

    Where the deadline cuts them short, that is the best of those that ended: `course` makes it, for a reason. Without
    any, it raises `SolveError`. The same is offered to whoever interrupts them.
    """
    try:
        with record.deadline.enforced(), offering(lambda _: record.best and course(record.best, INTERRUPTED)):
            return rounds()
    except OutOfTime:
        if record.best is None:
            raise SolveError(_before_any_round(record)) from None
        return course(record.best, _during(record))


def _during(record: Record) -> str:
    """Why the round under way was abandoned."""
    begun, budget = record.under_way, record.budget.seconds or 0.0
    what = "" if begun is None else f" during round {begun.number} ({system_size(begun.neurons, begun.cells)})"
    needed = duration(budget + max(0.5 * budget, 0.0 if begun is None else begun.seconds))
    return f"the budget of {budget:g} s ended it{what}; allow {needed} or more with budget=fs.Budget(seconds=...)"


def _before_any_round(record: Record) -> str:
    begun, spent = record.under_way, record.budget.seconds or 0.0
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


def solve_automatically(request: Request, before: Course | None = None, *, coarser: Record | None = None) -> Course:
    """Run rounds until the estimate meets the tolerance, nothing is left to gain, or the budget ends it.

    Where a problem that differs little was solved `before`, what served it is tried first. Where the same one was, with
    a `coarser` tolerance, rounds go on from there.
    """
    record = Record(request.budget) if coarser is None else Record.after(coarser, request.budget)
    return run_rounds(
        record,
        lambda: _choose_and_pursue(request, record, before),
        lambda best, ending: Course(best, record, record.choice, ending),
    )


def _choose_and_pursue(request: Request, record: Record, before: Course | None) -> Course:
    """All kinds of features that suit, one after the other, until one is good enough."""
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
    served = record.stage  # where rounds go on
    if before is not None:
        ending = _pursue_again(request, record, before)
        if record.best is not None and record.meets(request.tol):
            return Course(record.best, record, "as for the problem before", ending.reason)
    selection = select_stages(request, bands)
    record.choice = selection.why
    _log.debug("functions: %s", record.choice)
    trails: list[Trail] = []
    steps = selection.steps if served is None else _steps_after(request, served, record.best, selection.steps)
    for step in steps:
        if trails:
            if selection.stand_ins and record.best is not None:
                break
            record.choice += f"; {trails[-1].ending.reason}, so {step.stage.title} came next"
        trails.append(_trail(request, record, step))
        if trails[-1].follow().is_final:
            break
    tried = tuple(trails)
    if not trails[-1].ending.is_final and selection.last is not None:
        before_last, reason = record.best, trails[-1].ending.reason
        trails.append(replace(_trail(request, record, selection.steps[-1]), start=selection.last))
        trails[-1].follow()
        if record.best is not before_last:  # otherwise it is as if there had been no such thing
            record.choice += f"; {reason}, so {trails[-1].title} came next"
    if not trails[-1].ending.is_final:
        trails.extend(_trail(request, record, step) for step in selection.dearer)
        press_on(trails, record, request.tol)
    failed = [trail.ending.reason for trail in tried if trail.failure is not None]
    if failed and failed[-1] not in record.choice:
        record.choice += f"; {failed[-1]}"
    best, ending = best_of(record, trails, tried)
    return Course(best, record, record.choice, ending.reason, helps=ending.seconds > 0)


def best_of(record: Record, trails: Sequence[Trail], tried: Sequence[Trail]) -> tuple[Attempt, Ending]:
    """The best attempt of all trails, and why there was no further one.

    Where there is none, it raises what failed last of the kinds that were `tried` before others stood in for them.
    """
    ending = ending_of(trails)
    if record.best is not None:
        return record.best, ending
    # only a kind that was asked for has no other to leave it to
    failure = next((trail.failure for trail in reversed(tried) if trail.failure is not None), None)
    if failure is None or isinstance(failure, UnsuitableError):
        raise ProblemError(f"approach: {ending.reason}")
    raise failure


def _steps_after(request: Request, stage: Stage, best: Attempt | None, steps: Sequence[Step]) -> Sequence[Step]:
    """Of the first steps of all kinds, those to try after a solve with a coarser tolerance.

    Kinds before the one that served were not enough. That one goes on from where it was, unless it would begin with
    more functions for this tolerance.
    """
    place = next((place for place, step in enumerate(steps) if type(step.stage) is type(stage)), None)
    size = (stage.first() if best is None else best).trial.neurons
    if place is not None and steps[place].trial.neurons > size:
        return steps[place:]
    try:
        further = replace(stage, request=request).first() if best is None else stage.finer(request, best)
    except Exception as error:  # whatever it is, all else can still be tried
        further = Ending(why_failed(error))
    others = steps if place is None else steps[place + 1 :]
    if isinstance(further, Step):
        return (further, *others)
    return others or steps[place:]


def _trail(request: Request, record: Record, step: Step) -> Trail:
    def forecast(step: Step) -> float:
        return step.trial.outlook(request, record.operation, record.seconds_left).seconds

    return Trail(lambda: step, partial(_pursue, request, record), forecast)


def _pursue_again(request: Request, record: Record, before: Course) -> Ending:
    """Rounds that begin with what a problem before was solved with, if it was."""
    stage, error = before.record.stage, before.best.outcome.error
    assert record.bands is not None
    try:
        step = None if stage is None or error > request.tol else stage.again(request, record.bands, request.tol / error)
        return Ending("") if step is None else _trail(request, record, step).follow()
    except Exception as error:  # whatever it is, all else can still be tried
        return Ending(why_failed(error))


def _pursue(request: Request, record: Record, trail: Trail, step: Step) -> Ending:
    """Rounds with one kind of features, from a first step to where they end."""
    redrawn = False
    while True:
        played = first_answer(request, record, step, partial(_afford_and_play, request, record))
        if isinstance(played, Ending):
            return played
        afforded, latest = played
        lost = trail.add(step.stage, latest)
        error = latest.outcome.error
        if error <= request.tol:
            return Ending("", is_final=True, cause="met")
        ended = afforded.limit or lost
        if ended is not None:
            return ended
        hopeless = hidden_of(request.problem).reason
        if hopeless:  # one answer is as uncertain as the next
            return Ending(hopeless, is_final=True)
        if not latest.is_at_floor:
            following = step.stage.next(latest)
            if isinstance(following, Ending):
                return following
            step = following
        elif step.stage.redraws and not redrawn:  # of few functions, others may have a smaller estimate
            redrawn, step = True, replace(step, trial=afforded.trial.because("drawn again"))
        else:
            return Ending(at_floor(error), is_final=True, cause="floor")


def at_floor(error: float) -> str:
    """That nothing is left to gain from an error on, and what to do about it."""
    if math.isfinite(error):
        return f"the floor of double precision is reached; a tolerance of {2 * error:.0e} can be met"
    return "the residual is rounding, which still leaves all digits open, as at a resonance; move coefficients off it"


def first_answer(request: Request, record: Record, step: Step, play: Callable[[Step], T]) -> T:
    """What `play` makes of a step; as long as there is no answer, of a smaller one where it takes too long.

    Some of the time is kept for that, or for other kinds of functions where these cannot be fewer, or are so in as many
    cells.
    """
    has_others = request.approach is None and not request.problem.domain.is_unbounded
    while record.best is None and has_others:
        try:
            with limited_to(_FIRST, f"a first round with {step.stage.title}"):
                return play(step)
        except TooLongError as error:
            fewer = step.trial.neurons // _FEWER if step.trial.cells is None else 0
            smaller = step.stage.smaller(step.trial, fewer) if fewer else None
            if smaller is None:
                raise
            _log.debug("%s", error)
            step = replace(step, trial=smaller)
    return play(step)


def _afford_and_play(request: Request, record: Record, step: Step) -> tuple[Afforded, Attempt] | Ending:
    afforded = afford(request, record, step)
    return afforded if isinstance(afforded, Ending) else (afforded, _play(request, record, afforded, step.stage))


def _play(request: Request, record: Record, afforded: Afforded, stage: Stage) -> Attempt:
    """One round, recorded and told."""
    record.begin(request, afforded.trial, afforded.seconds)
    begun = perf_counter()
    latest = attempt(request, afforded.trial)
    request.progress(record.add(latest, forecast=afforded.seconds, seconds=perf_counter() - begun, stage=stage))
    # the factored system of the best round alone is kept, and counted, while the next one is under way
    return latest if latest is record.best else replace(latest, reusable=None)
