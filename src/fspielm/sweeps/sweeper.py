"""Who solves the rows of a sweep, one after the other in one process."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, final

import sympy as sp

from fspielm.equations import Problem
from fspielm.errors import ProblemError
from fspielm.solution import Solution
from fspielm.solvers import Budget
from fspielm.solvers.series import Series
from fspielm.study.job import Job
from fspielm.study.outcome import DONE, ESTIMATE, Outcome
from fspielm.study.perform import outcome_of
from fspielm.study.terms import Terms
from fspielm.sweeps.grid import Grid
from fspielm.sweeps.quantities import Measure, take


@final
@dataclass(eq=False)
class Sweeper:
    """Solves rows and measures their solutions; each begins with what served the row before.

    Attributes
    ----------
    problem : Problem
    parameters : tuple of Symbol
    grid : Grid
    measure : callable
    neurons : int or None
        Of each solve, at most.
    """

    problem: Problem
    parameters: tuple[sp.Symbol, ...]
    grid: Grid
    measure: Measure
    neurons: int | None = None
    _series: list[Series] = field(default_factory=list)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_series": []}

    def perform(self, job: Job, terms: Terms) -> Outcome:
        """Solve a row and measure its solution; what goes wrong is an outcome too."""
        return outcome_of(lambda: self._solve_and_measure(job, terms))

    def _solve_and_measure(self, job: Job, terms: Terms) -> Outcome:
        begun = perf_counter()
        if not self._series:
            budget = Budget(neurons=self.neurons, seconds=terms.seconds, memory=terms.share, threads=terms.threads)
            self._series.append(Series(terms.tol, budget, job.seed))
        solution = self._series[0].solve(self._problem_of(job.subject))
        seconds = perf_counter() - begun
        return _outcome(solution, take(self.measure, solution), seconds)

    def _problem_of(self, label: str) -> Problem:
        """The problem with the numbers of a row."""
        try:
            return self.problem.at(dict(zip(self.parameters, self.grid.rows[label], strict=True)))
        except ProblemError as error:
            raise ProblemError(f"with {label} the problem cannot be stated: {error}") from error


def _outcome(solution: Solution, measured: dict[str, Any], seconds: float) -> Outcome:
    report = solution.report
    return Outcome(
        DONE,
        measure=ESTIMATE,
        error=report.error_estimate,
        error_estimate=report.error_estimate,
        residuals={name: residual.rms for name, residual in report.residuals.items()},
        neurons=report.neurons,
        rows=report.rows,
        rank=report.rank,
        condition=report.condition,
        coefficient_norm=report.coefficient_norm,
        phases=dict(report.seconds),
        seconds=seconds,
        measured=measured,
    )
