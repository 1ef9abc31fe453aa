"""Features that satisfy the equation: only the conditions are left to fit."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, TypeAlias, final

from fspielm.collocation import allot_conditions
from fspielm.features import Basis, Characteristic
from fspielm.features.special import hole_columns, satisfies, special_columns, special_names
from fspielm.solvers.approach import Approach
from fspielm.solvers.attempt import Attempt, Outcome
from fspielm.solvers.request import Request
from fspielm.solvers.stages.stage import Ending, Stage, Step
from fspielm.solvers.trial import FeatureTrial, Trial
from fspielm.spectrum import Bands

if TYPE_CHECKING:
    from fspielm.features import SourceBasis

# The family of a round, by how often it was enlarged.
Families: TypeAlias = Callable[[int], Characteristic]
# The stage for a problem before its first round, with the operations that a filled band would begin with.
Fresh: TypeAlias = Callable[[Request, Bands, float], "ExactFeatures"]

# A round has helped if coefficients have fallen so much; one with sources, if the estimate has.
_FEWER_COEFFICIENTS = 10.0
_BETTER_SOURCES = 3.0
# With more than these rounds to come, functions of another kind are tried first.
_FEW_ROUNDS = 2.5
# How much dearer a round is than the one before; what the way to the tolerance may cost, in first rounds of a band and
# in operations.
_WORK_RATIO = 1.5**3
_LONG_WAY = 10.0
_AFFORDABLE = 3e11
# Sources, and rounds with them.
_MOST_SOURCES = 1500
_SOURCE_ROUNDS = 3
# For the next of many problems that differ little: fewer functions if the estimate was below the tolerance by so much,
# by this factor, and no fewer than this share of the singular ones; more of them if it was hardly below, or was not.
_AMPLE, _FEWER, _LEAST_SHARE = 10.0, 0.93, 0.3
_SCARCE, _MORE = 2.5, 1.07
_NOT_ENOUGH = 1.25


@final
@dataclass(frozen=True, eq=False)
class ExactFeatures(Stage):
    """Zeros of the symbol, more of them round by round; then what belongs to corners; then sources outside.

    Attributes
    ----------
    request : Request
    families : callable
        The first family, and larger ones.
    limit : float
        Operations that a filled band would begin with.
    in_holes : tuple of Basis
        Multipoles that satisfy the equation.
    family : Characteristic
        The one that is used now, and how often it was `enlarged`.
    special, sources
        Functions beside it: in holes and at corners, which were tried or not; singular ones outside, and how many
        rounds there were with such.
    fresh : callable or None
        Makes the stage for another problem.
    share : float
        Of the singular functions, those with the lowest exponents that are used.
    before : Outcome or None
        Of the last round.
    """

    approach: ClassVar[Approach] = "characteristic"
    title: ClassVar[str] = "functions that satisfy the equation"

    families: Families
    limit: float
    in_holes: tuple[Basis, ...]
    family: Characteristic
    special: tuple[Basis, ...]
    tried_special: bool
    fresh: Fresh | None = None
    enlarged: int = 0
    share: float = 1.0
    sources: SourceBasis | None = None
    source_rounds: int = 0
    before: Outcome | None = None

    def first(self) -> Step:
        """As many as waves and data ask for."""
        has_multipoles = self.special == self.in_holes != ()
        return self._step(self.title + ", multipoles in the holes among them" * has_multipoles)

    def next(self, latest: Attempt) -> Step | Ending:
        """More functions as long as that helps, then singular ones, then sources."""
        before, after = self.before, latest.outcome
        stage = replace(self, before=after)
        return stage._following(before, latest) or Ending(
            "more functions that satisfy the equation did not help", cause="stalled"
        )

    def onward(self, latest: Attempt) -> Step:
        """More functions, without the sources that did not help."""
        return replace(self, before=None, sources=None, source_rounds=0)._larger()

    def again(self, request: Request, bands: Bands, spare: float) -> Step | None:
        """The same functions, or some fewer; where there were sources, they depend on the data."""
        if self.sources is not None or self.fresh is None:
            return None
        enlarged, share = self.enlarged, self.share
        if spare >= _AMPLE and enlarged:
            enlarged -= 1
        elif spare >= _AMPLE:
            share = max(_FEWER * share, _LEAST_SHARE)
        elif spare <= _SCARCE:
            share = min(_MORE * share, 1.0)
        fresh = self.fresh(request, bands, self.limit)
        unasked = self.tried_special and request.singular is None and self.special != self.in_holes
        stage = replace(fresh, enlarged=enlarged, family=fresh.families(enlarged))
        return (replace(stage, share=share)._singular() if unasked else stage)._step(self.title)

    def _following(self, before: Outcome | None, latest: Attempt) -> Step | None:
        after, tol = latest.outcome, self.request.tol
        if self.share < 1.0:
            return (
                replace(self, share=min(_NOT_ENOUGH * self.share, 1.0))
                ._singular()
                ._step(special_names(self.request.problem))
            )
        if self.source_rounds:
            helps = before is not None and _gain(before, after) >= _BETTER_SOURCES
            step = self._with_sources(latest) if helps or self.source_rounds == 1 else None
            has_way = self.sources is None and before is not None and self._has_helped(before, after)
            return self._larger() if step is None and has_way else step
        if before is None or _rounds_left(before, after, tol) <= _FEW_ROUNDS:
            return self._larger()
        helped = self._has_helped(before, after)
        stage = replace(self, tried_special=True)
        if not helped and self.tried_special and self.request.singular is None:
            stage = replace(stage, special=self.in_holes)
        step = self._with_special() or stage._with_sources(latest)
        if step is None and helped:  # where no sources were found, finer ones are looked for next time
            return replace(stage, source_rounds=self.source_rounds + 1)._larger()
        return step

    def _has_helped(self, before: Outcome, after: Outcome) -> bool:
        """Whether larger rounds are the best there is: coefficients fall fast, or the way is not long."""
        if after.growth * _FEWER_COEFFICIENTS <= before.growth:
            return True
        ahead = _rounds_left(before, after, self.request.tol)
        if not math.isfinite(ahead):
            return False
        return bool(after.work * _WORK_RATIO**ahead <= max(_LONG_WAY * self.limit, _AFFORDABLE))

    def smaller(self, trial: Trial, neurons: int) -> Trial:
        """Fewer functions."""
        beside = trial.neurons - self.family.neurons
        family = replace(self.family, neurons=max(neurons - beside, 1))
        return replace(self, family=family)._step(trial.why).trial

    def _larger(self) -> Step:
        enlarged = self.enlarged + 1
        stage = replace(self, enlarged=enlarged, family=self.families(enlarged))
        return stage._step("more functions that satisfy the equation")

    def _with_special(self) -> Step | None:
        """As many as before, with functions for corners and holes."""
        if self.tried_special:
            return None
        stage = self._singular()
        if sum(c.size for c in stage.special) <= sum(c.size for c in self.special):
            return None
        return stage._step(special_names(self.request.problem))

    def _singular(self) -> ExactFeatures:
        """The same with its share of the functions for corners and holes."""
        problem = self.request.problem
        exact = tuple(c for c in special_columns(problem, True, self.share) if satisfies(problem, c))
        return replace(self, special=exact, tried_special=True)

    def _with_sources(self, latest: Attempt) -> Step | None:
        """The first family, with sources where the data say that singularities are close to the boundary."""
        if self.source_rounds >= _SOURCE_ROUNDS:
            return None
        from fspielm.solvers.sources import source_columns  # much code, for some problems alone

        request = self.request
        sources = source_columns(
            request.problem,
            latest.basis,
            latest.coefficients,
            tol=request.tol,
            most=_MOST_SOURCES,
            fine=self.source_rounds > 0,
            threads=request.threads,
        )
        if sources is None:
            return None
        stage = replace(self, sources=sources, source_rounds=self.source_rounds + 1, family=self.families(0))
        return stage._step("sources outside, where the data vary fast")

    def _step(self, why: str) -> Step:
        columns = self.special if self.sources is None else (*self.special, self.sources)
        if self.request.points is not None:
            points = replace(self.request.points, interior=0)
        else:
            neurons = self.family.neurons + sum(c.size for c in self.special)
            points = allot_conditions(self.request.problem, neurons, self.family.reach)
        if self.sources is not None:
            from fspielm.solvers.sources import crowded

            points = crowded(points, self.sources)
        return Step(FeatureTrial(self.family, points, columns, why), self)


def exact_features(request: Request, families: Families, limit: float, fresh: Fresh | None = None) -> ExactFeatures:
    """The stage before its first round: with the functions asked for beside the family, or those in the holes."""
    problem, singular = request.problem, request.singular
    in_holes = tuple(columns for columns in hole_columns(problem) if satisfies(problem, columns))
    special = in_holes if singular is None else special_columns(problem, singular)
    tried = singular is not None
    return ExactFeatures(request, families, limit, in_holes, families(0), special, tried, fresh)


def _gain(before: Outcome, after: Outcome) -> float:
    """How much smaller the estimate has become."""
    return before.error / max(after.error, 1e-300) if math.isfinite(after.error) else 1.0


def _rounds_left(before: Outcome, after: Outcome, tol: float) -> float:
    """How many rounds more like the last one would do."""
    gain = _gain(before, after)
    return math.log(max(after.error / tol, 1.0)) / math.log(gain) if gain > 1 else math.inf
