"""prepare(): factor once, then solve for many right-hand sides."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, final

import numpy as np

from fspielm.arrays import safe_norm
from fspielm.collocation import make_blocks
from fspielm.equations import Problem, with_data
from fspielm.errors import AccuracyWarning, SolveError
from fspielm.expressions import Value
from fspielm.linalg import QR
from fspielm.solution import HeldOut, Solution, estimate_error
from fspielm.solvers.attempt import Attempt, Streams, timed
from fspielm.solvers.automatic import solve_automatically
from fspielm.solvers.budget import Budget
from fspielm.solvers.corner_functions import missed_jumps
from fspielm.solvers.randomness import spawn
from fspielm.solvers.rounds import Run
from fspielm.solvers.singular import Choice, check_singular
from fspielm.solvers.solve import Progress, check_arguments, finish, reporter
from fspielm.solvers.verdict import judge


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
    _attempt: Attempt
    _held_out: HeldOut
    _budget: Budget
    _singular: Choice = None
    _progress: bool | Progress | None = None
    _with_source: list[Prepared] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"Prepared({self.solution!r})"

    def solve(self, right_hand_side: Value | None = None, values: Mapping[str, Any] | None = None) -> Solution:
        """Solve with other data, at a small fraction of the cost.

        Parameters
        ----------
        right_hand_side : number, Expr or callable, optional
            The right-hand side f of the equation read as ``operator(u) = f``; unchanged by default. If the plan was
            prepared without one, the first costs another preparation, as features that satisfy the equation without
            it do not serve.
        values : mapping, optional
            New values of conditions, by block name (``"dirichlet x-"``) or kind (``"dirichlet"``): numbers, expressions
            or callables; for ``"measured"`` an array too.

        Returns
        -------
        Solution
            With its own error estimate: data of a higher band than the plan's are noticed, with an
            `AccuracyWarning`.
        """
        problem = with_data(self.problem, right_hand_side, values)
        if self._attempt.family.satisfies_equation and problem.right_hand_side.constant != 0.0:
            return self._solve_with_source(problem)
        return self._solve(problem)

    def _solve_with_source(self, problem: Problem) -> Solution:
        """Solve with a right-hand side that the features cannot have: with another plan, made the first time."""
        if self._with_source:
            return self._with_source[0]._solve(problem)
        report = self.solution.report
        plan = prepare(
            problem,
            tol=report.tol,
            budget=self._budget,
            rng=report.rng,
            progress=self._progress,
            singular=self._singular,
        )
        self._with_source.append(plan)
        return self._with_source[0].solution

    def _solve(self, problem: Problem) -> Solution:
        reusable = self._attempt.reusable
        first = self._attempt.estimate
        assert reusable is not None
        assert first is not None
        system = reusable.system
        coefficients, solving = timed(lambda: self._coefficients(problem))
        estimate, estimating = timed(
            lambda: estimate_error(
                problem,
                self._attempt.basis,
                coefficients,
                reusable.factorisation,
                system,
                self._attempt.points,
                np.random.default_rng(0),  # not drawn from: everything random is kept
                threads=self._budget.thread_count,
                sensitivity=first.sensitivity,
                held_out=self._held_out,
            )
        )
        tol = self.solution.report.tol
        ending = "these data need another band than the plan's; solve them by themselves"
        missed = missed_jumps(problem, self._attempt.basis)
        if missed:
            (x, y), estimate = missed[0], replace(estimate, relative=math.inf, largest=math.inf)
            ending = f"values jump at ({x:.6g}, {y:.6g}), where those of the plan do not; solve them by themselves"
        verdict = judge(problem, estimate, tol, ending)
        report = replace(
            self.solution.report,
            residuals=dict(estimate.residuals),
            coefficient_norm=safe_norm(coefficients),
            seconds={"solve": solving, "estimate": estimating},
            error_estimate=estimate.relative,
            max_error_estimate=estimate.largest,
            scale=estimate.scale,
            converged=verdict.converged,
            reason=verdict.reason,
            bands={},
            rounds=(),
        )
        if not verdict.converged:
            warnings.warn(f"not converged: {verdict.reason}", AccuracyWarning, stacklevel=3)
        return Solution(problem, self._attempt.basis, coefficients, report, estimate)

    def _coefficients(self, problem: Problem) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        reusable = self._attempt.reusable
        assert reusable is not None
        blocks = make_blocks(problem, reusable.sites)
        scaled = [block.values * scale for block, scale in zip(blocks, reusable.system.scales, strict=True)]
        rotated = reusable.factorisation.rotate(np.concatenate(scaled))
        return reusable.factorisation.solve_triangle(rotated[: self._attempt.basis.size])


def prepare(
    problem: Problem,
    *,
    tol: float = 1e-8,
    budget: Budget | None = None,
    rng: int | np.random.Generator | None = None,
    progress: bool | Progress | None = None,
    singular: Choice = None,
) -> Prepared:
    """Solve a problem automatically and keep its factorisation for further right-hand sides and data.

    The band of the data given here decides the features: prepare with the most oscillating of the data to come.

    Parameters
    ----------
    problem, tol, budget, rng, progress, singular
        As for `solve`.

    Returns
    -------
    Prepared
    """
    check_arguments(problem, tol, None, None, None, budget)
    check_singular(singular)
    budget = budget or Budget()
    generators, seed = spawn(rng, 3)
    streams = Streams(*generators)
    run = Run(problem, tol, budget, streams, None, QR(), "rms", reporter(progress), reuse=True, singular=singular)
    done, bands = solve_automatically(run)
    if done.reusable is None:
        raise SolveError("the factorisation was not kept")
    solution = finish(problem, done, tol, QR(), "rms", seed, budget, streams, run=run, bands=bands)
    fresh = HeldOut(done.points.thinned().draw(problem, streams.probes))
    held_out = fresh.tabulated(problem, done.basis, budget.thread_count)
    return Prepared(problem, solution, done, held_out, budget, singular, progress)
