"""The automatic solver: bands, the kinds of features to try, and rounds until the estimate meets the tolerance."""

from __future__ import annotations

import logging
from dataclasses import replace

from fspielm.errors import MemoryBudgetError, ProblemError
from fspielm.solvers.afford import FEWEST, Limit, limits
from fspielm.solvers.attempt import Attempt, timed
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
        raise failure or ProblemError(f"approach: {run.ending}")
    return run.best, bands


def _is_enough(run: Run, stage: Stage, bands: Bands) -> bool:
    """Whether the rounds of a stage made any other superfluous: good enough, as good as can be, or all that is left."""
    trial: Trial | None = stage.first()
    redrawn = False
    while trial is not None:
        outlook = look_ahead(run.problem, trial, run.budget.thread_count, run.operation)
        exceeded = limits(run, trial, outlook)
        if exceeded:
            trial = _smaller(run, stage, trial, exceeded, bands)
            if trial is None:
                return bool(run.ending)
            outlook = Outlook(extent_of(run.problem, trial), outlook.pace)
        latest = play(run, trial, outlook.seconds)
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


def _smaller(run: Run, stage: Stage, wanted: Trial, exceeded: list[Limit], bands: Bands) -> Trial | None:
    """The trial as far as the budget goes, with the ending said; None if it is not worth a round.

    A stage whose features cannot be fewer leaves it to the next one, and nothing has ended then.
    """
    tightest = min(exceeded, key=lambda limit: limit.neurons)
    hopeless = stage.is_waste(_BY_FAR * tightest.neurons)
    smaller = stage.smaller(wanted, min(tightest.neurons, _TOKEN) if hopeless else tightest.neurons)
    if smaller is None:
        stage.ending = tightest.reason
        return None
    if not run.rounds and tightest.resource == "memory" and tightest.neurons < min(FEWEST, wanted.neurons):
        raise MemoryBudgetError(f"the band found ({_found(run, bands)}) is too high: {tightest.reason}")
    run.ending = tightest.reason
    no_larger = run.rounds and smaller.neurons < 1.1 * run.rounds[-1].neurons
    return None if no_larger or (run.rounds and stage.is_waste(tightest.neurons)) else smaller


def _found(run: Run, bands: Bands) -> str:
    return ", ".join(
        f"{symbol}: {frequency:.4g}, set by {source}"
        for symbol, frequency, source in zip(run.problem.coordinates, bands.frequencies, bands.sources, strict=True)
    )
