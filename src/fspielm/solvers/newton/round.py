"""One round: Newton's method with one discretisation, and what its solution is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

import numpy as np

from fspielm.accuracy import ErrorEstimate, Examination, examine
from fspielm.equations.nonlinear import Iterate
from fspielm.solvers.attempt import Attempt
from fspielm.solvers.newton.continuation import run_somehow
from fspielm.solvers.newton.iteration import Iterated, Newton
from fspielm.solvers.newton.remainder import CLOSE, higher_order, nonlinear_residual
from fspielm.solvers.request import Request
from fspielm.solvers.trial import Trial

NO_SOLUTION_NEARBY = "the linearisation is so close to singular that a solution nearby is not certain"


def newton_round(
    newton: Newton,
    linear: Request,
    trial: Trial,
    start: Iterate,
    *,
    insist: bool,
    others: Sequence[Iterate] = (),
) -> tuple[Attempt, Iterated]:
    """Solve once, from a start, or else from `others`; `linear` asks for a linearisation.

    The attempt is that of the last linear problem, and its error estimate that of the nonlinear one.
    """
    seconds: dict[str, float] = {}
    finite = trial.discretise(linear, seconds)
    began = perf_counter()
    done = run_somehow(newton, finite, start, insist=insist, others=others)
    seconds |= {"newton": perf_counter() - began - done.seconds, "solve": done.seconds}
    began = perf_counter()
    # the problem that was solved moves on; this one stays, and nothing of it was found out around another iterate
    finite = done.finite.with_problem(newton.problem.linearised(done.before))
    done = replace(done, finite=finite)
    examination = examine(finite, done.blocks, done.factored, linear.streams.probes)
    done, estimate = _judged(newton, examination, done)
    cells = None
    if not estimate.relative <= linear.tol:
        cells = examination.by_cell(done.coefficients, estimate)
    seconds["estimate"] = perf_counter() - began
    attempt = Attempt(
        trial=trial,
        discretisation=done.finite,
        coefficients=done.coefficients,
        residuals=estimate.residuals,
        rank=done.factored.rank,
        condition=done.factored.condition,
        seconds=seconds,
        estimate=estimate,
        cells=cells,
    )
    return attempt, done


def _judged(newton: Newton, examination: Examination, done: Iterated) -> tuple[Iterated, ErrorEstimate]:
    """The error estimate of the linear problem, with what the nonlinear one has more."""
    linear = examination.estimate(done.coefficients)
    if done.failure:  # what the linear problem leaves says nothing then
        residual = nonlinear_residual(newton, examination, done)
        return done, replace(examination.with_remainder(linear, np.inf), residual=residual)
    if not np.isfinite(linear.relative):
        return done, linear
    beyond = higher_order(newton, examination, done)
    step = max(done.steps[-1].step, 1e-15)
    # what was linearised around is as far from the true solution as from this one, and this one's error farther
    estimate = examination.with_remainder(linear, beyond.remainder * (1 + linear.relative / step) ** 2)
    product = estimate.amplification * beyond.curvature * estimate.relative * estimate.scale
    if product < CLOSE:
        return done, estimate
    uncertain = examination.with_remainder(linear, np.inf)
    # with a smaller error, from better functions, it may be certain
    is_final = linear.relative <= newton.request.tol
    return replace(done, failure=NO_SOLUTION_NEARBY) if is_final else done, uncertain
