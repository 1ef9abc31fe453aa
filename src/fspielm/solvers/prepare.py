"""prepare(): factor once, then solve for many right-hand sides."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, final

import numpy as np

from fspielm.arrays import safe_norm
from fspielm.basis.singular.columns import Choice, check_singular, missed_jumps
from fspielm.collocation.least_squares import Factored
from fspielm.errors import ProblemError, SolveError
from fspielm.estimate.estimate import judge
from fspielm.estimate.examination import Examination
from fspielm.estimate.narrow import find_narrow
from fspielm.expr.functions import Value
from fspielm.problem.derived import with_data
from fspielm.problem.problem import Problem
from fspielm.solution.solution import Solution
from fspielm.solvers.driver import finish, judged, solve_automatically, warn_unless
from fspielm.solvers.request import Approach, Budget, Progress, Request, check_approach, timed
from fspielm.solvers.solve import check_arguments


@final
@dataclass(frozen=True, eq=False, repr=False)
class Prepared:
    """A solved problem whose factorisation serves for other data.

    Attributes
    ----------
    problem : Problem
    solution : Solution
        For the data it was prepared with; their band decided the features.
    """

    problem: Problem
    solution: Solution
    _factored: Factored
    _examination: Examination
    _budget: Budget
    _singular: Choice = None
    _progress: bool | Progress | None = None
    _with_source: list[Prepared] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"Prepared({self.solution!r})"

    def solve(
        self, right_hand_side: Value | Sequence[Value] | None = None, values: Mapping[str, Any] | None = None
    ) -> Solution:
        """Solve with other data, at a small fraction of the cost.

        Parameters
        ----------
        right_hand_side : number, Expr or callable, optional
            The right-hand side f of the equation read as ``operator(u) = f``; for a system a list of them, one for
            each equation. Unchanged by default. If the problem was prepared without one, the first costs another
            preparation, as features that satisfy the equation without it do not serve.
        values : mapping, optional
            New values of conditions, by block name (``"dirichlet x-"``, or ``"dirichlet x- u"`` with several unknowns)
            or kind (``"dirichlet"``): numbers, expressions or callables; for ``"measured"`` an array too. With several
            unknowns also mappings from those that get new ones: ``{"dirichlet": {u: 1}}``.

        Returns
        -------
        Solution
            With its own error estimate: data of a higher band than those it was prepared with are noticed,
            with an `AccuracyWarning`.
        """
        problem = with_data(self.problem, right_hand_side, values)
        if self._examination.discretisation.satisfies_equation and not problem.is_homogeneous:
            return self._solve_with_source(problem)
        return self._solve(problem)

    def _solve_with_source(self, problem: Problem) -> Solution:
        """Solve with a right-hand side that the features do not hold, which needs another preparation once."""
        if self._with_source:
            return self._with_source[0]._solve(problem)
        tol, rng = self.solution.report.tol, self.solution.report.rng
        settings: dict[str, Any] = {"budget": self._budget, "progress": self._progress, "singular": self._singular}
        self._with_source.append(prepare(problem, tol=tol, rng=rng, **settings))
        return self._with_source[0].solution

    def _solve(self, problem: Problem) -> Solution:
        tol, examination = self.solution.report.tol, self._examination
        discretisation = examination.discretisation
        values = discretisation.with_problem(problem).values
        coefficients, solving = timed(lambda: self._factored.solve(values(examination.blocks)))
        estimate, estimating = timed(lambda: examination.settled(examination.estimate(coefficients, problem), tol))
        ending = "these data need another band than those that were prepared for; solve them by themselves"
        missed = missed_jumps(problem, discretisation.basis)
        if missed:
            (x, y), estimate = missed[0], replace(estimate, relative=math.inf, largest=math.inf, unresolved=None)
            where = f"values jump at ({x:.6g}, {y:.6g}), where those that were prepared for do not"
            ending = f"{where}; solve them by themselves"
        verdict = judge(problem, estimate, tol, ending)
        report = replace(
            judged(self.solution.report, problem, estimate, verdict),
            residuals=dict(estimate.residuals),
            coefficient_norm=safe_norm(coefficients),
            seconds={"solve": solving, "estimate": estimating},
            bands={},
            rounds=(),
            sampled=tuple(str(look) for look in find_narrow(problem).looks),
        )
        warn_unless(verdict, stacklevel=4)
        return Solution(problem, discretisation.basis, coefficients, report, estimate)


def prepare(
    problem: Problem,
    *,
    tol: float = 1e-8,
    budget: Budget | None = None,
    rng: int | np.random.Generator | None = None,
    progress: bool | Progress | None = None,
    singular: Choice = None,
    approach: Approach | None = None,
) -> Prepared:
    """Solve a problem automatically and keep its factorisation for further right-hand sides and data.

    The band of the data given here decides the features: prepare with the most oscillating of the data to come.

    Parameters
    ----------
    problem, tol, budget, rng, progress, singular, approach
        As for `solve`.

    Returns
    -------
    Prepared
    """
    check_arguments(problem, tol, budget)
    check_singular(singular)
    check_approach(approach)
    if problem.domain.is_unbounded:
        raise ProblemError("prepare is for bounded domains; solve an open one again for other data, fs.solve(problem)")
    request = Request.of(problem, tol, budget, rng, progress, singular=singular, approach=approach, reuse=True)
    history = solve_automatically(request)
    kept = history.best.reusable
    if kept is None:
        raise SolveError("the factorisation was not kept")
    solution = finish(request, history)
    examination = kept.examination.for_many(request.streams.probes)
    return Prepared(problem, solution, kept.factored, examination, request.budget, singular, progress)
