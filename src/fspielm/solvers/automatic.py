"""The automatic solver: bands, the kinds of features to try, and rounds until the estimate meets the tolerance."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import final

from fspielm.errors import OutOfTime, ProblemError, SolveError, SolveInterrupted, UnsuitableError
from fspielm.features.special import jump_places
from fspielm.solution import NewtonStep
from fspielm.solvers.afford import Afforded, afford
from fspielm.solvers.attempt import Attempt, attempt
from fspielm.solvers.failure import why_failed
from fspielm.solvers.record import Record
from fspielm.solvers.request import Request
from fspielm.solvers.stages import Ending, Stage, Step, check_asked_for, select_stages
from fspielm.solvers.timing import timed
from fspielm.solvers.trail import Trail, ending_of, press_on
from fspielm.spectrum import hidden_of, infer_bands
from fspielm.wording import duration, system_size

_log = logging.getLogger(__name__)

# Seconds of a round that is announced before it begins.
LONG = 2.0


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


@final
class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended the rounds; `course` is how far they came."""

    def __init__(self, course: Course) -> None:
        super().__init__()
        self.course = course


def run_rounds(record: Record, rounds: Callable[[], Course], course: Callable[[Attempt, str], Course]) -> Course:
    """How `rounds` went, under the deadline of their record.

    Where the deadline cuts them short, that is the best of those that ended: `course` makes it, for a reason. Ctrl-C
    raises `Interrupted` with it. Without any round that ended, these raise `SolveError` and `SolveInterrupted`.
    """
    try:
        with record.deadline.enforced():
            return rounds()
    except OutOfTime:
        if record.best is None:
            raise SolveError(_before_any_round(record)) from None
        return course(record.best, _during(record))
    except KeyboardInterrupt:
        if record.best is None:
            raise SolveInterrupted from None
        raise Interrupted(course(record.best, "it was interrupted")) from None


def _during(record: Record) -> str:
    """Why the round under way was abandoned."""
    begun, budget = record.under_way, record.budget.seconds or 0.0
    what = "" if begun is None else f" during round {begun.number} ({system_size(begun.neurons, begun.cells)})"
    needed = duration(budget + max(0.5 * budget, 0.0 if begun is None else begun.seconds))
    return f"the budget of {budget:g} s ended it{what}; allow {needed} or more with budget=fs.Budget(seconds=...)"


def _before_any_round(record: Record) -> str:
    begun, spent = record.under_way, record.budget.seconds or 0.0
    if begun is None:
        what, needed = "reading the data and choosing functions", 2 * spent
    else:
        what, needed = f"the coarsest round, {system_size(begun.neurons, begun.cells)},", max(2 * spent, begun.seconds)
    return (
        f"the budget of {spent:g} s ended before there was an answer: {what} needs more; "
        f"allow {duration(needed)} or more with budget=fs.Budget(seconds=...)"
    )


def solve_automatically(request: Request, before: Course | None = None) -> Course:
    """Run rounds until the estimate meets the tolerance, nothing is left to gain, or the budget ends it.

    Where a problem that differs little was solved `before`, what served it is tried first.
    """
    record = Record(request.budget)
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
    bands, seconds = timed(lambda: infer_bands(problem, request.streams.probes, record.patience))
    record.look(bands, seconds)
    for line in bands.lines(problem.coordinates):
        _log.debug("band %s", line)
    if before is not None:
        ending = _pursue_again(request, record, before)
        if record.best is not None and record.meets(request.tol):
            return Course(record.best, record, "as for the problem before", ending.reason)
    selection = select_stages(request, bands, record.patience)
    record.choice = selection.why
    _log.debug("features: %s", record.choice)
    trails: list[Trail] = []
    for step in selection.steps:
        if trails:
            if selection.stand_ins and record.best is not None:
                break
            record.choice += f"; {trails[-1].ending.reason}, so {step.stage.title} came next"
        trails.append(_trail(request, record, step))
        if trails[-1].follow().is_final:
            break
    failed = [trail for trail in trails if trail.failure is not None]
    if not trails[-1].ending.is_final and selection.last is not None:
        best, reason = record.best, trails[-1].ending.reason
        trails.append(replace(_trail(request, record, selection.steps[-1]), start=selection.last))
        trails[-1].follow()
        if record.best is not best:  # otherwise it is as if there had been no such thing
            record.choice += f"; {reason}, so {trails[-1].title} came next"
    if not trails[-1].ending.is_final:
        trails.extend(_trail(request, record, step) for step in selection.dearer)
        press_on(trails, record, request.tol)
    ending = ending_of(trails)
    if failed and failed[-1].ending.reason not in record.choice:
        record.choice += f"; {failed[-1].ending.reason}"
    if record.best is None:
        # only a kind that was asked for has no other to leave it to
        failure = failed[-1].failure if failed else None
        if failure is None or isinstance(failure, UnsuitableError):
            raise ProblemError(f"approach: {ending.reason}")
        raise failure
    return Course(record.best, record, record.choice, ending.reason, helps=ending.seconds > 0)


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
        afforded = afford(request, record, step)
        if isinstance(afforded, Ending):
            return afforded
        latest = _play(request, record, afforded, step.stage)
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
            floor = f"the floor of double precision is reached; a tolerance of {2 * error:.0e} can be met"
            return Ending(floor, is_final=True, cause="floor")


def _play(request: Request, record: Record, afforded: Afforded, stage: Stage | None = None) -> Attempt:
    """One round, announced if it is long, recorded and told."""
    trial = afforded.trial
    expected = record.begin(trial, trial.rows(request.problem), afforded.seconds)
    if afforded.seconds > LONG:
        _log.info("%s", expected)
        request.progress(expected)
    begun = perf_counter()
    latest = attempt(request, trial)
    request.progress(record.add(latest, forecast=afforded.seconds, seconds=perf_counter() - begun, stage=stage))
    # the factored system of the best round alone is kept, and counted, while the next one is under way
    return latest if latest is record.best else replace(latest, reusable=None)
