"""The filled band: cosines of all frequencies that the solution may have. Serves every equation."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, final

import numpy as np

from fspielm.collocation import allot_points
from fspielm.equations import Problem
from fspielm.features import Basis
from fspielm.solvers.approach import Approach
from fspielm.solvers.attempt import Attempt
from fspielm.solvers.corner_functions import open_conflicts
from fspielm.solvers.layouts import Layout, least_core
from fspielm.solvers.rounds import Run
from fspielm.solvers.search import Target, next_target, shrink, too_few
from fspielm.solvers.special import special_columns, special_names
from fspielm.solvers.stages.stage import Stage
from fspielm.solvers.trial import Trial
from fspielm.spectrum import Bands

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


@final
class FilledBand(Stage):
    """A band around what the equation and its data have, made wider or denser; beside it, singular functions.

    Parameters
    ----------
    run : Run
    bands : Bands
    """

    approach: ClassVar[Approach] = "band"

    def __init__(self, run: Run, bands: Bands) -> None:
        self._run = run
        self._bands = bands
        self._first_round = len(run.rounds)
        self._columns: tuple[Basis, ...] = ()
        if run.singular is not None:
            self._columns = special_columns(run.problem, run.singular)
        # the last attempt before singular functions were added unasked, and the rounds made with them in vain
        self._plain: Attempt | None = None
        self._plain_rounds = 0
        self._discarded: set[int] = set()
        self._target = self._first_target()
        self._used = self._target.layout(run.lengths)

    def _first_target(self) -> Target:
        problem, tol = self._run.problem, self._run.tol
        core = least_core(self._bands.frequencies, self._run.lengths)
        most = _FIRST_DECADES.get(problem.dimension, _FIRST_DECADES_ABOVE)
        # data that are not smooth have no more digits to give
        decades = _ROUGH_DECADES if self._bands.unsettled else min(-np.log10(tol) + _MARGIN, most)
        return Target(core, decades, "band of the equation and its data")

    def first(self) -> Trial:
        """The band that was found."""
        self._first_round = len(self._run.rounds)
        return self._trial(self._target, self._used)

    def next(self, latest: Attempt) -> Trial | None:
        """A wider band, a denser one, or the same with singular functions."""
        run = self._run
        latest = self._unless_worse(latest)
        stalled = self._is_stalled()
        if self._add_singular(latest, stalled):
            return self._trial(replace(self._target, why=special_names(run.problem)), self._used)
        target = None
        if not stalled:
            target = next_target(
                run.problem,
                latest,
                self._used,
                self._target,
                run.tol,
                run.lengths,
                run.streams.probes,
                threads=run.budget.thread_count,
            )
        if target is None:
            self.ending = _nothing_left(run.problem)
            return None
        self._target, self._used = target, target.layout(run.lengths)
        return self._trial(target, self._used)

    def smaller(self, trial: Trial, neurons: int) -> Trial:
        """Fewer digits first, then a sparser band."""
        beside = sum(basis.size for basis in self._columns)
        self._used = shrink(self._target, self._run.lengths, max(neurons - beside, 1))
        return self._trial(replace(self._target, why=trial.why), self._used)

    def is_waste(self, neurons: int) -> bool:
        """Whether the band would be sparse."""
        return too_few(self._target, self._run.lengths, neurons)

    def _trial(self, target: Target, used: Layout) -> Trial:
        sizes = [basis.size for basis in self._columns]
        neurons, special = used.family.neurons + sum(sizes), max(sizes, default=0)
        points = self._run.points or allot_points(self._run.problem, neurons, used.widths, used.factor, special)
        return Trial(used.family, points, self._columns, target.why)

    def _add_singular(self, latest: Attempt, stalled: bool) -> bool:
        """Whether singular functions at the corners were added, unless the user decided about them.

        They are where coefficients are so large that no band may hold the solution, or wider bands bring nothing more.
        """
        assert latest.estimate is not None
        problem = self._run.problem
        rough = latest.growth >= _SINGULAR_GROWTH and latest.estimate.relative >= _SINGULAR_ERROR
        decided = self._run.singular is not None or self._plain is not None
        if decided or not (rough or stalled) or open_conflicts(problem):
            return False
        self._plain, self._plain_rounds = latest, len(self._run.rounds)
        self._columns = special_columns(problem, True)
        return bool(self._columns)

    def _unless_worse(self, latest: Attempt) -> Attempt:
        """The latest attempt; the one before singular functions, and none of these any more, if they do not help.

        They have two rounds to show it, by a smaller estimate or smaller coefficients: one estimate alone says too
        little.
        """
        if self._plain is None or not self._columns:
            return latest
        assert self._plain.estimate is not None
        tried = self._run.rounds[self._plain_rounds :]
        smaller = min(done.error_estimate for done in tried) <= self._plain.estimate.relative
        if len(tried) < 2 or smaller or tried[-1].growth < self._plain.growth:
            return latest
        self._columns = ()
        self._discarded.update(done.number for done in tried)
        return self._plain

    def _is_stalled(self) -> bool:
        """Whether two larger rounds in a row brought less than half a digit.

        While no digit is certain and rounds are cheap, more are tried, unless the data are known not to be smooth.
        """
        problem, rounds = self._run.problem, self._run.rounds
        # with other functions, another start
        first = self._plain_rounds if self._columns and self._plain is not None else self._first_round
        estimates = [done.error_estimate for done in rounds[first:] if done.number not in self._discarded]
        if len(rounds) - self._first_round >= _MOST_ROUNDS or (self._bands.unsettled and len(estimates) >= 3):
            return True
        if len(estimates) >= 3 and np.isinf(estimates[-1]):
            hopeless = bool(problem.missing) or bool(open_conflicts(problem))
            return hopeless or rounds[-1].neurons >= _MOST_BLIND_NEURONS
        return len(estimates) >= 3 and min(estimates[-2:]) > 0.3 * estimates[-3]


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
