"""The filled band: cosines of all frequencies that the solution may have. Serves every equation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np

from fspielm.collocation import allot_points
from fspielm.equations import Problem, natural_scales
from fspielm.features import Basis, for_unknowns
from fspielm.features.special import open_conflicts, special_columns, special_names
from fspielm.solvers.approach import Approach
from fspielm.solvers.attempt import Attempt, Outcome
from fspielm.solvers.layouts import Layout, least_core
from fspielm.solvers.request import Request
from fspielm.solvers.stages.stage import Ending, Stage, Step
from fspielm.solvers.stages.target import Target, next_target, shrink, too_few
from fspielm.solvers.trial import FeatureTrial, Trial
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
@dataclass(frozen=True, eq=False)
class FilledBand(Stage):
    """A band around what the equation and its data have, made wider or denser; beside it, singular functions.

    Attributes
    ----------
    request : Request
    bands : Bands
    target : Target
        What the band is laid out for.
    layout : Layout
        The features for that.
    columns : tuple of Basis
        Functions beside the band.
    rounds : int
        How many there were.
    shown : tuple of Outcome
        What those showed that the next one is to be compared with.
    plain : (FilledBand, Attempt) or None
        The stage before singular functions were added unasked, and its last attempt.
    """

    approach: ClassVar[Approach] = "band"
    title: ClassVar[str] = "a filled band"
    redraws: ClassVar[bool] = False

    bands: Bands
    target: Target
    layout: Layout
    columns: tuple[Basis, ...] = ()
    rounds: int = 0
    shown: tuple[Outcome, ...] = ()
    plain: tuple[FilledBand, Attempt] | None = None

    def first(self) -> Step:
        """The band that was found."""
        return self._step(self.target.why)

    def next(self, latest: Attempt) -> Step | Ending:
        """A wider band, a denser one, or the same with singular functions."""
        now = replace(self, rounds=self.rounds + 1, shown=(*self.shown, latest.outcome))
        return now._following(latest)

    def _following(self, latest: Attempt) -> Step | Ending:
        if self._is_worse_than_plain():
            assert self.plain is not None
            plain, before = self.plain
            without = replace(self, columns=(), shown=plain.shown)
            return without._enlarged(before, largest=latest.outcome.neurons)
        return self._enlarged(latest, largest=latest.outcome.neurons)

    def _enlarged(self, latest: Attempt, largest: int) -> Step | Ending:
        problem, stage = self.request.problem, self
        stalled = self._is_stalled(largest)
        if self._calls_for_singular(latest.outcome, stalled):
            columns = special_columns(problem, True)
            # not what may be kept of it for other data, which is as large as its matrix
            stage = replace(self, columns=columns, plain=(self, replace(latest, reusable=None)))
            if columns:  # with other functions, another start
                return replace(stage, shown=())._step(special_names(problem))
        target = None if stalled else next_target(self.request, latest, self.layout, self.target)
        if target is None:
            return Ending(_nothing_left(problem), cause="stalled")
        return replace(stage, target=target, layout=target.layout(self.request.lengths))._step(target.why)

    def onward(self, latest: Attempt) -> Step | None:
        """The next band, whatever rounds so far have shown."""
        target = next_target(self.request, latest, self.layout, self.target)
        if target is None:
            return None
        stage = replace(self, target=target, layout=target.layout(self.request.lengths), rounds=0, shown=())
        return stage._step(target.why)

    def smaller(self, trial: Trial, neurons: int) -> Trial:
        """Fewer digits first, then a sparser band."""
        beside = sum(basis.size for basis in self.columns)
        each = (neurons - beside) // len(self.request.problem.unknowns)
        layout = shrink(self.target, self.request.lengths, max(each, 1))
        return replace(self, layout=layout)._step(trial.why).trial

    def around(self, problem: Problem) -> FilledBand:
        """The same for another linearisation of a nonlinear problem."""
        return replace(self, request=replace(self.request, problem=problem))

    def again(self, request: Request, bands: Bands, spare: float) -> Step | None:
        """As much wider than the first band as this one was, and for as many digits."""
        fresh, first = filled_band(request, bands), filled_band(self.request, self.bands)
        core = fresh.target.core * np.maximum(self.target.core / first.target.core, 1.0)
        target = replace(fresh.target, core=core, decades=self.target.decades)
        columns = special_columns(request.problem, True) if self.columns and not first.columns else fresh.columns
        return replace(fresh, target=target, layout=target.layout(request.lengths), columns=columns).first()

    def is_waste(self, neurons: int) -> bool:
        """Whether the band would be sparse."""
        return too_few(self.target, self.request.lengths, neurons // len(self.request.problem.unknowns))

    def _step(self, why: str) -> Step:
        sizes, layout = [basis.size for basis in self.columns], self.layout
        neurons, special = layout.family.neurons + sum(sizes), max(sizes, default=0)
        points = self.request.points or allot_points(
            self.request.problem, neurons, layout.widths, layout.factor, special
        )
        scales = natural_scales(self.request.problem, 0.5 * layout.widths)
        return Step(FeatureTrial(for_unknowns(layout.family, scales), points, self.columns, why), self)

    def _calls_for_singular(self, latest: Outcome, stalled: bool) -> bool:
        """Whether singular functions at the corners should be added, unless the user decided about them.

        They are where coefficients are so large that no band may hold the solution, or wider bands bring nothing more.
        """
        rough = latest.growth >= _SINGULAR_GROWTH and latest.error >= _SINGULAR_ERROR
        decided = self.request.singular is not None or self.plain is not None
        return not decided and (rough or stalled) and not open_conflicts(self.request.problem)

    def _is_worse_than_plain(self) -> bool:
        """Whether the singular functions that were added have not helped.

        They have two rounds to show it, by a smaller estimate or smaller coefficients: one estimate alone says too
        little.
        """
        if self.plain is None or not self.columns or len(self.shown) < 2:
            return False
        before = self.plain[1].outcome
        return min(done.error for done in self.shown) > before.error and self.shown[-1].growth >= before.growth

    def _is_stalled(self, largest: int) -> bool:
        """Whether two larger rounds in a row brought less than half a digit.

        While no digit is certain and rounds are cheap, more are tried, unless the data are known not to be smooth.
        """
        problem, errors = self.request.problem, [done.error for done in self.shown]
        if self.rounds >= _MOST_ROUNDS or (self.bands.unsettled and len(errors) >= 3):
            return True
        if len(errors) >= 3 and np.isinf(errors[-1]):
            hopeless = bool(problem.missing) or bool(open_conflicts(problem))
            return hopeless or largest >= _MOST_BLIND_NEURONS
        return len(errors) >= 3 and min(errors[-2:]) > 0.3 * errors[-3]


def filled_band(request: Request, bands: Bands) -> FilledBand:
    """The stage before its first round."""
    problem = request.problem
    core = least_core(bands.frequencies, request.lengths)
    most = _FIRST_DECADES.get(problem.dimension, _FIRST_DECADES_ABOVE)
    # data that are not smooth have no more digits to give
    decades = _ROUGH_DECADES if bands.unsettled else min(-np.log10(request.tol) + _MARGIN, most)
    target = Target(core, decades, "band of the equation and its data")
    columns = () if request.singular is None else special_columns(problem, request.singular)
    return FilledBand(request, bands, target, target.layout(request.lengths), columns)


def _nothing_left(problem: Problem) -> str:
    inside = [c.name for c in problem.constraints if c.region.kind == "inside"]
    if inside:
        return (
            f"more functions do not help any more; the data of {', '.join(map(repr, inside))} probably fit the "
            "equation and the other conditions no better than this (the solution is the compromise of least squares), "
            "or the solution is not smooth somewhere"
        )
    space = getattr(problem.domain, "space", problem.domain)
    where = "at a corner of the domain, or " if space.corners() else ""
    return (
        f"more functions do not help any more; the solution is probably not smooth somewhere: {where}where data have "
        "kinks or do not fit each other"
    )
