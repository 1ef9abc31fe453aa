"""Features that satisfy the equation: only the conditions are left to fit."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar, TypeAlias, final

from fspielm.collocation import allot_conditions
from fspielm.features import Basis, Characteristic, SourceBasis
from fspielm.solvers.approach import Approach
from fspielm.solvers.attempt import Attempt
from fspielm.solvers.hole_functions import hole_columns
from fspielm.solvers.probing import satisfies
from fspielm.solvers.rounds import Run
from fspielm.solvers.sources import crowded, source_columns
from fspielm.solvers.special import special_columns, special_names
from fspielm.solvers.stages.stage import Stage
from fspielm.solvers.trial import Trial

# The family of a round, by how often it was enlarged.
Families: TypeAlias = Callable[[int], Characteristic]

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


@final
class ExactFeatures(Stage):
    """Zeros of the symbol, more of them round by round; then what belongs to corners; then sources outside.

    Parameters
    ----------
    run : Run
    families : callable
        The first family, and larger ones.
    limit : float
        Operations that a filled band would begin with.
    """

    approach: ClassVar[Approach] = "characteristic"

    def __init__(self, run: Run, families: Families, limit: float) -> None:
        self._run = run
        self._families = families
        self._limit = limit
        self._enlarged = 0
        self._family = families(0)
        self._holes: tuple[Basis, ...] = tuple(c for c in hole_columns(run.problem) if satisfies(run.problem, c))
        self._special = self._holes if run.singular is None else special_columns(run.problem, run.singular)
        self._sources: SourceBasis | None = None
        self._source_rounds = 0
        self._before: Attempt | None = None
        self._tried_special = run.singular is not None

    def first(self) -> Trial:
        """As many as waves and data ask for."""
        beside = ", multipoles in the holes among them" if self._special == self._holes != () else ""
        return self._trial(f"functions that satisfy the equation{beside}")

    def next(self, latest: Attempt) -> Trial | None:
        """More functions as long as that helps, then singular ones, then sources."""
        before, self._before = self._before, latest
        self.ending = "more functions that satisfy the equation did not help"
        if self._source_rounds:
            helps = before is not None and _gain(before, latest) >= _BETTER_SOURCES
            return self._with_sources(latest) if helps or self._source_rounds == 1 else None
        if before is None or _rounds_left(before, latest, self._run.tol) <= _FEW_ROUNDS:
            return self._larger()
        helped = self._has_helped(before, latest)
        if not helped and self._tried_special and self._run.singular is None:
            self._special = self._holes
        return self._with_special() or self._with_sources(latest) or (self._larger() if helped else None)

    def _has_helped(self, before: Attempt, latest: Attempt) -> bool:
        """Whether larger rounds are the best there is: coefficients fall fast, or the way is not long."""
        if latest.growth * _FEWER_COEFFICIENTS <= before.growth:
            return True
        ahead = _rounds_left(before, latest, self._run.tol)
        if not math.isfinite(ahead):
            return False
        return bool(latest.work * _WORK_RATIO**ahead <= max(_LONG_WAY * self._limit, _AFFORDABLE))

    def smaller(self, trial: Trial, neurons: int) -> Trial:
        """Fewer functions."""
        beside = trial.neurons - trial.family.neurons
        self._family = replace(self._family, neurons=max(neurons - beside, 1))
        return self._trial(trial.why)

    def _larger(self) -> Trial:
        self._enlarged += 1
        self._family = self._families(self._enlarged)
        return self._trial("more functions that satisfy the equation")

    def _with_special(self) -> Trial | None:
        """As many as before, with functions for corners and holes."""
        if self._tried_special:
            return None
        self._tried_special = True
        exact = tuple(c for c in special_columns(self._run.problem, True) if satisfies(self._run.problem, c))
        if sum(c.size for c in exact) <= sum(c.size for c in self._special):
            return None
        self._special = exact
        return self._trial(special_names(self._run.problem))

    def _with_sources(self, latest: Attempt) -> Trial | None:
        """The first family, with sources where the data say that singularities are close to the boundary."""
        if self._source_rounds >= _SOURCE_ROUNDS:
            return None
        self._source_rounds += 1
        run = self._run
        self._sources = source_columns(
            run.problem,
            latest.basis,
            latest.coefficients,
            tol=run.tol,
            most=_MOST_SOURCES,
            fine=self._source_rounds > 1,
            threads=run.budget.thread_count,
        )
        if self._sources is None:
            return None
        self._family = self._families(0)
        return self._trial("sources outside, where the data vary fast")

    def _trial(self, why: str) -> Trial:
        run = self._run
        columns = self._special if self._sources is None else (*self._special, self._sources)
        if run.points is not None:
            points = replace(run.points, interior=0)
        else:
            neurons = self._family.neurons + sum(c.size for c in self._special)
            points = allot_conditions(run.problem, neurons, self._family.reach)
        return Trial(self._family, points if self._sources is None else crowded(points, self._sources), columns, why)


def _gain(before: Attempt, after: Attempt) -> float:
    """How much smaller the estimate has become."""
    assert before.estimate is not None
    assert after.estimate is not None
    if not math.isfinite(after.estimate.relative):
        return 1.0
    return before.estimate.relative / max(after.estimate.relative, 1e-300)


def _rounds_left(before: Attempt, after: Attempt, tol: float) -> float:
    """How many rounds more like the last one would do."""
    assert after.estimate is not None
    gain = _gain(before, after)
    return math.log(max(after.estimate.relative / tol, 1.0)) / math.log(gain) if gain > 1 else math.inf
