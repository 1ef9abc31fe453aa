"""The automatic solver: bands, the kinds of features to try, and rounds until the estimate meets the tolerance."""

from __future__ import annotations

import logging
from dataclasses import replace

from fspielm.errors import ProblemError, SolveError
from fspielm.solvers.afford import CAUTIOUS_RATE, limits, refuse_memory
from fspielm.solvers.attempt import Attempt, timed
from fspielm.solvers.corner_functions import data_jump
from fspielm.solvers.rounds import Run, play
from fspielm.solvers.search import at_floor
from fspielm.solvers.stages import Stage, select_stages
from fspielm.solvers.trial import Trial
from fspielm.spectrum import Bands, infer_bands

_log = logging.getLogger(__name__)


def solve_automatically(run: Run) -> tuple[Attempt, Bands]:
    """Run rounds until the estimate meets the tolerance, nothing is left to gain, or the budget ends it.

    Returns the best attempt; `run` then tells the rounds and why they ended.
    """
    problem = run.problem
    if run.singular is None and data_jump(problem):
        run.singular = True  # without the functions that jump, no round would have a digit
    bands, run.band_seconds = timed(lambda: infer_bands(problem, run.streams.probes))
    for symbol, frequency, source in zip(problem.coordinates, bands.frequencies, bands.sources, strict=True):
        _log.debug("band %s: %.4g, set by %s", symbol, frequency, source)
    selection = select_stages(run, bands)
    run.choice = selection.why
    _log.debug("features: %s", run.choice)
    *others, last = selection.stages
    for stage in others:
        try:
            enough = _is_enough(run, stage, bands)
        except SolveError as error:  # columns that the conditions do not tell apart: another kind may do
            enough, stage.ending = False, str(error)
        if enough:
            break
        run.choice += f"; {stage.ending}, so a filled band came next"
    else:
        if not _is_enough(run, last, bands):
            run.ending = last.ending
    if run.best is None:  # only a kind that was asked for has no other to leave it to
        raise ProblemError(f"approach: {run.ending}")
    return run.best, bands


def _is_enough(run: Run, stage: Stage, bands: Bands) -> bool:
    """Whether the rounds of a stage made any other superfluous: good enough, as good as can be, or all that is left."""
    trial: Trial | None = stage.first()
    redrawn = False
    while trial is not None:
        trial = _affordable(run, stage, trial, bands)
        if trial is None:
            return bool(run.ending)
        latest = play(run, trial)
        assert latest.estimate is not None
        if latest.estimate.relative <= run.tol or run.ending:
            return True
        if not at_floor(latest):
            trial = stage.next(latest)
        elif redrawn or stage.approach == "band":
            run.ending = (
                "the floor of double precision is reached; a tolerance of "
                f"{2 * latest.estimate.relative:.0e} can be met"
            )
            return True
        else:  # of few functions, others may have a smaller estimate
            redrawn, trial = True, replace(trial, why="drawn again")
    return False


def _affordable(run: Run, stage: Stage, wanted: Trial, bands: Bands) -> Trial | None:
    """The trial as far as the budget goes, with the ending said where that is less; None if it is not worth a round.

    A stage whose features cannot be fewer leaves it to the next one, and nothing has ended then.
    """
    rate = run.rate or CAUTIOUS_RATE * run.budget.thread_count
    exceeded = limits(
        run.problem,
        wanted,
        run.budget,
        run.method,
        run.seconds_left,
        rate,
        kept=run.kept_bytes,
        points_by_hand=run.points is not None,
    )
    if not exceeded:
        return wanted
    tightest = min(exceeded, key=lambda limit: limit.neurons)
    smaller = stage.smaller(wanted, tightest.neurons)
    if smaller is None:
        stage.ending = tightest.reason
        return None
    memory = [limit for limit in exceeded if limit.resource == "memory"]
    hopeless = tightest.resource == "seconds" and stage.is_waste(tightest.neurons)
    if memory and not run.rounds and (tightest.resource == "memory" or hopeless):
        refuse_memory(run.problem, bands, memory[0])
    run.ending = tightest.reason
    no_larger = run.rounds and smaller.neurons < 1.1 * run.rounds[-1].neurons
    return None if no_larger or (run.rounds and stage.is_waste(tightest.neurons)) else smaller
