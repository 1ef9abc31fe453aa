"""One round: Newton's method with one discretisation, and what its solution is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from fspielm.accuracy import ErrorEstimate, Examination, examine
from fspielm.equations.nonlinear import Iterate
from fspielm.solvers.attempt import Attempt
from fspielm.solvers.newton.continuation import one_more, run_somehow
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
    judged = _judge(newton, linear, done)
    while judged.is_near and (further := one_more(newton, judged.done)) is not None:
        judged = _judge(newton, linear, further)
    examination, done, estimate = judged.examination, judged.done, judged.estimate
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


@dataclass(frozen=True, eq=False)
class _Judged:
    """What Newton's method came to and its error estimate; and whether it may yet come closer by further steps."""

    examination: Examination
    done: Iterated
    estimate: ErrorEstimate
    is_near: bool = False


def _judge(newton: Newton, request: Request, done: Iterated) -> _Judged:
    """The error estimate of the linear problem, with what the nonlinear one has more.

    With K the amplification, C the curvature and s the last step, the linearisation around what was reached amplifies
    at most 1 / (1 - K C s) times as much as the one before it, which was factored: twice as much at a fold, where
    steps halve. The error is as much larger; and, by Newton and Kantorovich, 1 + h times that at most, where h is K C
    times the error, and small.
    """
    # the problem that was solved moves on; this one stays, and nothing of it was found out around another iterate
    done = replace(done, finite=done.finite.with_problem(newton.problem.linearised(done.before)))
    examination = examine(done.finite, done.blocks, done.factored, request.streams.probes)
    linear = examination.estimate(done.coefficients)
    if done.failure:  # what the linear problem leaves says nothing then
        residual = nonlinear_residual(newton, examination, done)
        return _Judged(examination, done, replace(examination.with_remainder(linear, np.inf), residual=residual))
    if not np.isfinite(linear.relative):
        return _Judged(examination, done, linear)
    beyond = higher_order(newton, examination, done)
    step = max(done.steps[-1].step, 1e-15)
    bent = linear.amplification * beyond.curvature * linear.scale
    if bent * step < 1:
        more = 1 / (1 - bent * step)
        # what was linearised around is as far from the true solution as from this one, and this one's error farther
        remainder = more * beyond.remainder * (1 + linear.relative / step) ** 2
        remainder += (more - 1) * linear.relative * linear.scale / linear.amplification
        estimate = examination.with_remainder(linear, remainder)
        product = more * bent * estimate.relative
        if product < CLOSE:
            rest = product * estimate.relative * estimate.scale / linear.amplification
            return _Judged(examination, done, examination.with_remainder(estimate, rest))
    # with a smaller error, from better functions, it may be certain
    if linear.relative <= newton.request.tol:
        done = replace(done, failure=NO_SOLUTION_NEARBY)
    uncertain = examination.with_remainder(linear, np.inf)
    return _Judged(examination, done, uncertain, is_near=bent * linear.relative < CLOSE)
