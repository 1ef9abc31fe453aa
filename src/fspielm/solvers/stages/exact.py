"""Features that satisfy the equation: only the conditions are left to fit."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import ClassVar, final

from fspielm.collocation import Points, allot_conditions
from fspielm.features import Basis, Characteristic
from fspielm.solvers.approach import Approach
from fspielm.solvers.attempt import Attempt
from fspielm.solvers.hole_functions import hole_columns
from fspielm.solvers.probing import satisfies
from fspielm.solvers.rounds import Run
from fspielm.solvers.special import special_columns, special_names
from fspielm.solvers.stages.stage import Stage
from fspielm.solvers.trial import Trial

_GROWTH = 1.5
# A round has helped if coefficients or the estimate have fallen so much.
_FEWER_COEFFICIENTS = 10.0
_SMALLER_ESTIMATE = 10.0
_MOST_POOR_ROUNDS = 2
# Fewer rows than this would not even determine the functions.
_FEWEST = 8


@final
class ExactFeatures(Stage):
    """Zeros of the symbol, more of them round by round, then what belongs to corners.

    Parameters
    ----------
    run : Run
    neurons : int
        How many to begin with.
    limit : float
        Operations of a round beyond which one that did not help is not followed by a larger one.
    """

    approach: ClassVar[Approach] = "characteristic"

    def __init__(self, run: Run, neurons: int, limit: float) -> None:
        self._run = run
        self._limit = limit
        self._family = Characteristic(neurons)
        self._holes = tuple(c for c in hole_columns(run.problem) if satisfies(run.problem, c))
        self._columns: tuple[Basis, ...] = self._holes
        if run.singular is not None:
            self._columns = special_columns(run.problem, run.singular)
        self._before: Attempt | None = None
        self._poor = 0
        self._tried_special = run.singular is not None

    def first(self) -> Trial:
        """As many as waves and data ask for."""
        beside = ", multipoles in the holes among them" if self._columns == self._holes != () else ""
        return self._trial(self._family, f"functions that satisfy the equation{beside}")

    def next(self, latest: Attempt) -> Trial | None:
        """More functions as long as that helps, then singular ones."""
        helped = self._before is None or _has_helped(self._before, latest)
        self._before = latest
        self._poor = 0 if helped else self._poor + 1
        return self._more(helped) or self._with_special()

    def _more(self, helped: bool) -> Trial | None:
        """More of the same, unless the last rounds were poor: those that help are worth more than a filled band."""
        larger = replace(self._family, neurons=int(_GROWTH * self._family.neurons))
        trial = self._trial(larger, "more functions that satisfy the equation")
        if self._poor >= _MOST_POOR_ROUNDS or not (helped or trial.work(self._run.problem) <= self._limit):
            self.ending = "more functions that satisfy the equation do not help any more"
            return None
        self._family = larger
        return trial

    def _with_special(self) -> Trial | None:
        """As many as before, with functions for corners and holes."""
        if self._tried_special:
            return None
        self._tried_special = True
        exact = tuple(c for c in special_columns(self._run.problem, True) if satisfies(self._run.problem, c))
        if sum(c.size for c in exact) <= sum(c.size for c in self._columns):
            return None
        self._poor, self._columns = 0, exact
        return self._trial(self._family, special_names(self._run.problem))

    def smaller(self, trial: Trial, neurons: int) -> Trial:
        """Fewer functions."""
        self._family = replace(self._family, neurons=max(neurons - sum(c.size for c in self._columns), _FEWEST))
        return self._trial(self._family, trial.why)

    def is_waste(self, neurons: int) -> bool:
        """Never known beforehand."""
        return False

    def _trial(self, family: Characteristic, why: str) -> Trial:
        neurons = family.neurons + sum(c.size for c in self._columns)
        return Trial(family, self._points(neurons), self._columns, why)

    def _points(self, neurons: int) -> Points:
        if self._run.points is not None:
            return replace(self._run.points, interior=0)
        return allot_conditions(self._run.problem, neurons)


def _has_helped(before: Attempt, after: Attempt) -> bool:
    assert before.estimate is not None
    assert after.estimate is not None
    estimates = before.estimate.relative, after.estimate.relative
    smaller = math.isfinite(estimates[1]) and _SMALLER_ESTIMATE * estimates[1] <= estimates[0]
    return smaller or after.growth * _FEWER_COEFFICIENTS <= before.growth
