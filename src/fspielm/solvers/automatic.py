"""The automatic solver: bands, a first layout, and rounds until the estimate meets the tolerance."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import perf_counter

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.collocation import Points, Scaling, allot_points
from fspielm.equations import Problem, corner_conflicts
from fspielm.features import Basis
from fspielm.linalg import LeastSquares
from fspielm.solution import Round
from fspielm.solvers.afford import CAUTIOUS_RATE, limits, refuse_memory, shrink, too_few, work
from fspielm.solvers.attempt import Attempt, Streams, attempt, timed
from fspielm.solvers.budget import Budget
from fspielm.solvers.density import Layout
from fspielm.solvers.search import Target, at_floor, next_target
from fspielm.solvers.singular import Choice
from fspielm.solvers.special import special_columns, special_names
from fspielm.spectrum import Bands, infer_bands

_log = logging.getLogger(__name__)

_MOST_ROUNDS = 20
_MOST_BLIND_NEURONS = 1000
# Digits laid out for beyond the tolerance: the estimate is some ten to a hundred times larger than the error.
_MARGIN = 1.5
# More than these gain nothing: double precision ends them.
_FIRST_DECADES = {1: 11.5, 2: 11.5}
_FIRST_DECADES_ABOVE = 12.0
_ROUGH_DECADES = 4.0
# Coefficients that a solution within reach of the band seldom needs, and one that is not smooth always does; with an
# error below the second number, a wider band is tried first.
_SINGULAR_GROWTH = 1e5
_SINGULAR_ERROR = 1e-4
# Even constant data make solutions that vary, so some of a period across the domain is assumed; in three and more
# dimensions, where that costs most, nothing is until a round asks for it.
_LEAST_PERIODS = {1: 0.75, 2: 0.75}


@dataclass(eq=False)
class Run:
    """The state of an automatic solve: what is fixed, what was tried, what is left to spend."""

    problem: Problem
    tol: float
    budget: Budget
    streams: Streams
    points: Points | None
    method: LeastSquares
    scaling: Scaling
    progress: Callable[[Round], None]
    reuse: bool = False
    singular: Choice = None
    columns: tuple[Basis, ...] = ()
    plain: Attempt | None = None
    plain_rounds: int = 0
    discarded: set[int] = field(default_factory=set)
    started: float = field(default_factory=perf_counter)
    rounds: list[Round] = field(default_factory=list)
    best: Attempt | None = None
    rate: float = 0.0
    band_seconds: float = 0.0
    ending: str = ""

    @property
    def lengths(self) -> FloatArray:
        """Extent of the domain along each axis."""
        lower, upper = self.problem.domain.bounding_box
        return upper - lower

    def points_for(self, used: Layout) -> Points:
        """The user's points, or as many as the layout needs."""
        sizes = [basis.size for basis in self.columns]
        neurons, special = used.family.neurons + sum(sizes), max(sizes, default=0)
        return self.points or allot_points(self.problem, neurons, used.widths, used.factor, special)


def solve_automatically(run: Run) -> tuple[Attempt, Bands]:
    """Run rounds until the estimate meets the tolerance, nothing is left to gain, or the budget ends it.

    Returns the best attempt; `run` then tells the rounds and why they ended.
    """
    problem = run.problem
    bands, run.band_seconds = timed(lambda: infer_bands(problem, run.streams.probes))
    for symbol, frequency, source in zip(problem.coordinates, bands.frequencies, bands.sources, strict=True):
        _log.debug("band %s: %.4g, set by %s", symbol, frequency, source)
    least = _LEAST_PERIODS.get(problem.dimension, 0.0)
    core = np.maximum(bands.frequencies, least * 2 * np.pi / run.lengths)
    most = _FIRST_DECADES.get(problem.dimension, _FIRST_DECADES_ABOVE)
    # data that are not smooth have no more digits to give
    decades = _ROUGH_DECADES if bands.unsettled else min(-np.log10(run.tol) + _MARGIN, most)
    target: Target | None = Target(core, decades, "band of the equation and its data")
    if run.singular is not None:
        run.columns = special_columns(problem, run.singular)
    while target is not None:
        used = _affordable(run, target, bands)
        if used is None:
            break
        latest = _round(run, used, target.why)
        assert latest.estimate is not None
        if latest.estimate.relative <= run.tol:
            break
        if run.ending:  # the budget allowed less than was wanted
            break
        if at_floor(latest):
            run.ending = (
                "the floor of double precision is reached; a tolerance of "
                f"{2 * latest.estimate.relative:.0e} can be met"
            )
            break
        latest = _unless_worse(run, latest)
        stalled = _stalled(run, bands)
        if _add_singular(run, latest, stalled):
            target = replace(target, why=special_names(run.problem))
            continue
        if stalled:
            break
        target = next_target(
            problem,
            latest,
            used,
            target,
            run.tol,
            run.lengths,
            run.streams.probes,
            threads=run.budget.thread_count,
        )
    if not run.ending:
        run.ending = _nothing_left(problem)
    assert run.best is not None
    return run.best, bands


def _add_singular(run: Run, latest: Attempt, stalled: bool) -> bool:
    """Whether singular functions at the corners were added, unless the user decided about them.

    They are where coefficients are so large that no band may hold the solution, or wider bands bring nothing more.
    """
    assert latest.estimate is not None
    rough = latest.growth >= _SINGULAR_GROWTH and latest.estimate.relative >= _SINGULAR_ERROR
    if run.singular is not None or run.plain is not None or not (rough or stalled) or corner_conflicts(run.problem):
        return False
    run.plain, run.plain_rounds = latest, len(run.rounds)
    run.columns = special_columns(run.problem, True)
    return bool(run.columns)


def _unless_worse(run: Run, latest: Attempt) -> Attempt:
    """The latest attempt; the one before singular functions, and none of these any more, if they do not help.

    They have two rounds to show it, by a smaller estimate or smaller coefficients: one estimate alone says too little.
    """
    if run.plain is None or not run.columns:
        return latest
    assert run.plain.estimate is not None
    tried = run.rounds[run.plain_rounds :]
    smaller = min(done.error_estimate for done in tried) <= run.plain.estimate.relative
    if len(tried) < 2 or smaller or tried[-1].growth < run.plain.growth:
        return latest
    run.columns = ()
    run.discarded.update(done.number for done in tried)
    return run.plain


def _nothing_left(problem: Problem) -> str:
    inside = [c.name for c in problem.constraints if c.region.kind == "inside"]
    if inside:
        return (
            f"more features do not help any more; the data of {', '.join(map(repr, inside))} probably fit the equation "
            "and the other conditions no better than this (the solution is the compromise of least squares), or the "
            "solution is not smooth somewhere"
        )
    space = getattr(problem.domain, "space", problem.domain)
    where = "at a corner of the domain, or " if space.corners() else ""
    return (
        f"more features do not help any more; the solution is probably not smooth somewhere: {where}where data have "
        "kinks or do not fit each other"
    )


def _round(run: Run, used: Layout, why: str) -> Attempt:
    begun = perf_counter()
    latest = attempt(
        run.problem,
        used.family,
        run.points_for(used),
        run.method,
        run.scaling,
        run.streams,
        threads=run.budget.thread_count,
        estimate=True,
        keep_matrix=False,
        reuse=run.reuse,
        columns=run.columns,
    )
    spent = perf_counter() - begun
    run.rate = work(latest.rows, latest.basis.size) / spent
    assert latest.estimate is not None
    best = run.best
    if best is None or best.estimate is None or latest.estimate.relative <= best.estimate.relative:
        run.best = latest
    done = Round(
        number=len(run.rounds) + 1,
        why=why,
        neurons=latest.basis.size,
        rows=latest.rows,
        widths=used.family.widths,
        error_estimate=latest.estimate.relative,
        growth=latest.growth,
        seconds=spent,
    )
    run.rounds.append(done)
    _log.info("%s", done)
    run.progress(done)
    return latest


def _affordable(run: Run, target: Target, bands: Bands) -> Layout | None:
    """The layout of a target as far as the budget goes; None, with the ending said, where it does not."""
    wanted = target.layout(run.lengths)
    rows = sum(run.points_for(wanted).counts(run.problem).values())
    left = np.inf if run.budget.seconds is None else run.budget.seconds - (perf_counter() - run.started)
    rate = run.rate or CAUTIOUS_RATE * run.budget.thread_count
    kept = 0 if run.best is None or run.best.reusable is None else run.best.reusable.system.augmented.nbytes
    exceeded = limits(run.budget, run.method, wanted.family.neurons, rows, left, rate, kept)
    if not exceeded:
        return wanted
    tightest = min(exceeded, key=lambda limit: limit.neurons)
    smaller = shrink(target, run.lengths, tightest.neurons)
    memory = [limit for limit in exceeded if limit.resource == "memory"]
    hopeless = tightest.resource == "seconds" and too_few(target, run.lengths, tightest.neurons)
    if memory and not run.rounds and (tightest.resource == "memory" or hopeless):
        refuse_memory(run.problem, bands, memory[0])
    run.ending = tightest.reason
    if run.rounds and smaller.family.neurons < 1.1 * run.rounds[-1].neurons:
        return None  # no larger than what was tried: the budget is the end
    return smaller


def _stalled(run: Run, bands: Bands) -> bool:
    """Whether two larger rounds in a row brought less than half a digit.

    While no digit is certain and rounds are cheap, more are tried, unless the data are known not to be smooth.
    """
    first = run.plain_rounds if run.columns else 0  # with other functions, another start
    estimates = [done.error_estimate for done in run.rounds[first:] if done.number not in run.discarded]
    if len(run.rounds) >= _MOST_ROUNDS or (bands.unsettled and len(estimates) >= 3):
        return True
    if len(estimates) >= 3 and np.isinf(estimates[-1]):
        hopeless = bool(run.problem.missing) or bool(corner_conflicts(run.problem))
        return hopeless or run.rounds[-1].neurons >= _MOST_BLIND_NEURONS
    return len(estimates) >= 3 and min(estimates[-2:]) > 0.3 * estimates[-3]
