"""The automatic solver: bands, the kinds of features to try, and rounds until the estimate meets the tolerance."""

from __future__ import annotations

import logging
from dataclasses import replace

from fspielm.errors import MemoryBudgetError, ProblemError, UnsuitableError
from fspielm.solvers.afford import FEWEST, Limit, bytes_of, limits, time_limit
from fspielm.solvers.attempt import Attempt, timed
from fspielm.solvers.corner_functions import jump_places
from fspielm.solvers.failure import why_failed
from fspielm.solvers.pace import Outlook, extent_of, look_ahead
from fspielm.solvers.rounds import Run, play
from fspielm.solvers.search import at_floor
from fspielm.solvers.stages import Stage, select_stages
from fspielm.solvers.trial import Trial
from fspielm.spectrum import Bands, infer_bands

_log = logging.getLogger(__name__)

# Where the budget falls short of a first digit by more than this factor, few functions say so as well as many.
_BY_FAR = 2
_TOKEN = 500


def solve_automatically(run: Run) -> tuple[Attempt, Bands]:
    """Run rounds until the estimate meets the tolerance, nothing is left to gain, or the budget ends it.

    Returns the best attempt; `run` then tells the rounds and why they ended.
    """
    problem = run.problem
    if run.singular is None and jump_places(problem):
        run.singular = True  # without the functions that jump, no round would have a digit
    bands, run.phases["bands"] = timed(lambda: infer_bands(problem, run.streams.probes, run.patience))
    for symbol, frequency, source in zip(problem.coordinates, bands.frequencies, bands.sources, strict=True):
        _log.debug("band %s: %.4g, set by %s", symbol, frequency, source)
    selection = select_stages(run, bands)
    run.choice = selection.why
    _log.debug("features: %s", run.choice)
    failure: Exception | None = None
    for stage in selection.stages:
        if stage is not selection.stages[0]:
            run.choice += f"; {run.ending}, so a filled band came next"
        run.ending = ""
        try:
            if _is_enough(run, stage, bands):
                break
            run.ending = stage.ending
        except Exception as error:  # whatever it is, it leaves what other kinds find
            run.ending, failure = why_failed(error), error
    if run.best is None:
        # only a kind that was asked for has no other to leave it to
        if failure is None or isinstance(failure, UnsuitableError):
            raise ProblemError(f"approach: {run.ending}")
        raise failure
    return run.best, bands


def _is_enough(run: Run, stage: Stage, bands: Bands) -> bool:
    """Whether the rounds of a stage made any other superfluous: good enough, as good as can be, or all that is left."""
    wanted: Trial | None = stage.first()
    redrawn = False
    while wanted is not None:
        trial, seconds = _affordable(run, stage, wanted, bands)
        if trial is None:
            return bool(run.ending)
        latest = play(run, trial, seconds)
        assert latest.estimate is not None
        if latest.estimate.relative <= run.tol or run.ending:
            return True
        if not at_floor(latest):
            wanted = stage.next(latest)
        elif redrawn or stage.approach == "band":
            run.ending = (
                "the floor of double precision is reached; a tolerance of "
                f"{2 * latest.estimate.relative:.0e} can be met"
            )
            return True
        else:  # of few functions, others may have a smaller estimate
            redrawn, wanted = True, replace(trial, why="drawn again")
    return False


def _affordable(run: Run, stage: Stage, wanted: Trial, bands: Bands) -> tuple[Trial | None, float]:
    """The trial as far as the budget goes, and how long it will take; None if it is not worth a round.

    What does not fit anyway is not tried out.
    """
    trial: Trial | None = wanted
    exceeded = limits(run, wanted)
    if exceeded:
        trial = _smaller(run, stage, wanted, min(exceeded, key=lambda limit: limit.neurons), bands)
    if trial is None:
        return None, 0.0
    outlook = look_ahead(run.problem, trial, run.budget.thread_count, run.operation)
    late = time_limit(run, trial, outlook)
    if late is None:
        return trial, outlook.seconds
    trial = _smaller(run, stage, trial, late, bands)
    return trial, 0.0 if trial is None else Outlook(extent_of(run.problem, trial), outlook.pace).seconds


def _smaller(run: Run, stage: Stage, wanted: Trial, limit: Limit, bands: Bands) -> Trial | None:
    """The trial as far as a limit goes, with the ending said; None if it is not worth a round.

    A stage whose features cannot be fewer leaves it to the next one, and nothing has ended then.
    """
    most = min(limit.neurons, _TOKEN) if stage.is_waste(_BY_FAR * limit.neurons) else limit.neurons
    smaller = stage.smaller(wanted, most)
    # memory grows with the neurons' square or less: what is left of it is found in steps
    while smaller is not None and limit.resource == "memory" and bytes_of(run, smaller) > run.budget.memory_limit:
        most = int(0.9 * most)
        if most < min(FEWEST, wanted.neurons) and not run.rounds:
            raise MemoryBudgetError(f"the band found ({_found(run, bands)}) is too high: {limit.reason}")
        smaller = stage.smaller(wanted, most) if most > 0 else None
    if smaller is None:
        if limit.resource == "memory":
            raise MemoryBudgetError(limit.reason)
        stage.ending = limit.reason
        return None
    run.ending = limit.reason
    no_larger = run.rounds and smaller.neurons < 1.1 * run.rounds[-1].neurons
    return None if no_larger or (run.rounds and stage.is_waste(limit.neurons)) else smaller


def _found(run: Run, bands: Bands) -> str:
    return ", ".join(
        f"{symbol}: {frequency:.4g}, set by {source}"
        for symbol, frequency, source in zip(run.problem.coordinates, bands.frequencies, bands.sources, strict=True)
    )
