"""One round of Newton's method, and its error estimate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
import sympy as sp

from fspielm.arrays import NumberArray, safe_rms
from fspielm.collocation.system import Finite
from fspielm.errors import IterateError, ProblemError, SolveError
from fspielm.estimate.estimate import ErrorEstimate
from fspielm.estimate.examination import Examination, examine
from fspielm.numerics.tolerances import PROBES
from fspielm.problem.compiled import Compiled, split_real_imaginary
from fspielm.problem.nonlinear.iterate import AtPoints, AtSites, Iterate, SlotValues
from fspielm.problem.parameters import used_in
from fspielm.problem.problem import Problem, compile_statement, problem_of
from fspielm.solution.report import NewtonStep
from fspielm.solvers.newton.iteration import Expansion, Iterated, Newton, applied_to_sum, deviations
from fspielm.solvers.request import Request
from fspielm.solvers.round import RoundPlan, RoundResult, factor
from fspielm.solvers.strategies.strategy import BETTER, GROWTH

# ---- Smooth functions that meet the conditions, as another start


def smooth_problem(problem: Problem, around: Iterate) -> Problem | None:
    """Laplace's equation with the conditions of a problem, linearised around an iterate; None if it does not suit.

    It suits one unknown that does not depend on time, in an equation of second order.
    """
    nonlinear = problem.nonlinear
    assert nonlinear is not None
    order = max(equation.operator.order for equation in problem.pattern if equation.region.kind == "domain")
    if len(problem.stated.unknowns) > 1 or problem.domain.time is not None or order != 2 or problem.interfaces:
        return None
    unknown = problem.stated.unknowns[0].symbol
    at = SlotValues(problem, around)
    needs_normals = [law.needs_normals for law in nonlinear.laws]
    filled = nonlinear.filled(lambda law, slot: (AtSites if needs_normals[law] else AtPoints)(at, law, slot))
    laplace = sp.Add(*(unknown.diff(coordinate, 2) for coordinate in problem.coordinates))
    statement = replace(filled, equations=(sp.Eq(laplace, 0, evaluate=False),))
    try:
        made = compile_statement(replace(statement, given=used_in(filled.given or {}, statement.expressions)))
    except ProblemError:
        return None
    if problem.whole is None or made.whole is not None:
        return made
    # the problem has conjugates of its unknown, Laplace's equation has not
    return problem_of(split_real_imaginary(Compiled(made.statement, made.unknowns, made.pattern, made.givens)))


# ---- Other starts, where Newton's method fails

# The first factor of the nonlinear terms, and the least increase of it.
_FIRST, _LEAST = 0.25, 1.0 / 64
# Steps for each factor; if more are needed, the increase is halved.
_MOST_STEPS = 8


def run_from_any_start(
    newton: Newton, finite: Finite, start: Iterate, *, insist: bool, others: Sequence[Iterate] = ()
) -> Iterated:
    """Newton's method from a start; if it fails and we `insist`, from other ones.

    These are a smooth function that meets the conditions, the `others`, and solutions with a factor of the nonlinear
    terms that is raised to one. An `IterateError` says that something has no finite value at the start.
    """
    plain = newton.run(finite, start)
    if not plain.failure or not insist or newton.deadline.seconds_left <= 0:
        return plain
    steps = plain.steps
    smooth = _smooth_start(newton, finite, start)
    for other in (*(() if smooth is None else (smooth,)), *others):
        if newton.deadline.seconds_left <= 0:
            return replace(plain, steps=steps)
        done = _run_or_none(newton, finite, other)
        if done is not None:
            steps = _numbered(steps, done.steps)
            if not done.failure:
                return replace(done, steps=steps)
    return _by_raising_terms(newton, finite, start, replace(plain, steps=steps))


def further_steps(newton: Newton, done: Iterated) -> Iterated | None:
    """Further steps after convergence; None if steps shrink too slowly for that to help."""
    steps = done.steps
    if len(steps) > 1 and BETTER * steps[-1].step > steps[-2].step:  # at a fold steps halve
        return None
    if newton.deadline.seconds_left <= 0:
        return None
    further = _run_or_none(newton, done.finite, done.iterate)
    if further is None or further.failure or BETTER * further.steps[-1].step > steps[-1].step:
        return None
    return replace(further, steps=_numbered(steps, further.steps))


def _smooth_start(newton: Newton, finite: Finite, start: Iterate) -> Iterate | None:
    """A smooth function that meets the conditions."""
    problem = smooth_problem(newton.problem, start)
    if problem is None:
        return None
    other = finite.with_problem(problem)
    _, coefficients, _ = factor(newton.request.method, other.assemble(newton.request.scaling), in_place=True)
    return Expansion(newton.problem, other.basis, coefficients, other.threads)


def _by_raising_terms(newton: Newton, finite: Finite, start: Iterate, plain: Iterated) -> Iterated:
    """Raise a factor of the nonlinear terms to one, after a failure from the start."""
    at: Iterate = start
    share, more, steps = 0.0, _FIRST, plain.steps
    while newton.deadline.seconds_left > 0:
        aim = min(share + more, 1.0)
        done = _run_or_none(replace(newton, share=aim), finite, at)
        if done is not None:
            steps = _numbered(steps, done.steps)
        if done is not None and not done.failure:
            if aim == 1.0:
                return replace(done, steps=steps)
            at, share, more = done.iterate, aim, GROWTH * more
        elif more > _LEAST:
            more /= 2
        else:
            why = f"{plain.failure}, nor is there one beyond {share:.2g} times the nonlinear terms"
            return replace(plain, steps=steps, failure=why)
    return replace(plain, steps=steps)


def _run_or_none(newton: Newton, finite: Finite, start: Iterate) -> Iterated | None:
    try:
        return newton.run(finite, start, most=_MOST_STEPS if newton.share < 1.0 else 2 * _MOST_STEPS)
    except (IterateError, SolveError):
        return None


def _numbered(before: tuple[NewtonStep, ...], more: tuple[NewtonStep, ...]) -> tuple[NewtonStep, ...]:
    return before + tuple(replace(step, number=len(before) + place + 1) for place, step in enumerate(more))


# ---- Terms of higher order, and whether they matter
# Let u solve the linear problem around v, and K be the norm of the inverse of the linearisation. The error of u is at
# most that of the linear problem plus ``K |F(u) - F(v) - F'(v) (u - v)|``, the remainder of the last step, if v is no
# farther from the true solution than from u. By Newton and Kantorovich, there is exactly one solution nearby if K times
# the second derivative times the error is less than a half.

# Distance of the differences for the second derivative, relative to the solution.
_APART = 1e-4
# The product of Newton and Kantorovich must be clearly below a half.
_CERTAIN = 0.1


def higher_order(newton: Newton, examination: Examination, done: Iterated) -> tuple[float, float]:
    """Terms of higher order in held-out rows: the norm of the remainder of the last step, and the curvature.

    The curvature is the largest norm that was found of the second derivative along functions of size one.
    """
    finite, sensitivity = done.finite, examination.sensitivity
    examination = _thinned(examination, finite.problem)
    sites = examination.held_out.sites

    def size(coefficients: NumberArray) -> float:
        return max(safe_rms(values @ coefficients) for values in sensitivity.values)

    def beyond(around: Iterate, coefficients: NumberArray) -> float:
        """Norm of the equations minus their linearisation, at other coefficients."""
        there = Expansion(newton.problem, finite.basis, coefficients, finite.threads)
        apply = applied_to_sum(finite, coefficients)
        first = deviations(newton.probe(around), sites, apply)
        whole = deviations(newton.probe(there), sites, apply)
        return examination.norm({name: whole[name] - first[name] for name in whole})

    try:
        remainder = beyond(done.before, done.coefficients)
        scale = size(done.coefficients)
        curvature = 0.0
        for direction in (sensitivity.null, done.coefficients):
            length = size(direction)
            if not (length > 0 and np.isfinite(length)):
                continue
            apart = _APART * scale or _APART
            moved = done.coefficients + (apart / length) * direction
            curvature = max(curvature, 2 * beyond(done.iterate, moved) / apart / apart)
    except IterateError:
        return np.inf, np.inf
    return remainder, curvature


def nonlinear_residual(newton: Newton, examination: Examination, done: Iterated) -> float:
    """Norm of the residual of the nonlinear equations in held-out rows."""
    finite = done.finite
    apply = applied_to_sum(finite, done.coefficients)
    try:
        return examination.norm(deviations(newton.probe(done.iterate), examination.held_out.sites, apply))
    except IterateError:
        return np.inf


def _thinned(examination: Examination, problem: Problem) -> Examination:
    """With fewer held-out rows, which show terms of higher order as well."""
    held_out = examination.held_out
    summed = {relation.name for relation in problem.relations if relation.sum_weights is not None}
    every = {name: 1 if name in summed else max(len(sites) // PROBES, 1) for name, sites in held_out.sites.items()}
    sites = {name: each.select(slice(None, None, every[name])) for name, each in held_out.sites.items()}
    emphasis = {name: each[:: every[name]] for name, each in held_out.emphasis.items()}
    return replace(examination, held_out=replace(held_out, sites=sites, emphasis=emphasis, rows={}))


# ---- The round and its error estimate

NO_SOLUTION_NEARBY = "the linearisation is so close to singular that a solution nearby is not certain"


def newton_round(
    newton: Newton,
    linear: Request,
    plan: RoundPlan,
    start: Iterate,
    *,
    drawn: Finite | None = None,
    insist: bool = False,
    others: Sequence[Iterate] = (),
) -> tuple[RoundResult, Iterated]:
    """Solve once, from a start, or else from `others`; `linear` is the request for a linearisation.

    Functions and points are `drawn` already, or as planned. The result is that of the last linear problem, with the
    error estimate of the nonlinear one.
    """
    seconds: dict[str, float] = {}
    finite = plan.discretise(linear, seconds) if drawn is None else drawn
    began = perf_counter()
    done = run_from_any_start(newton, finite, start, insist=insist, others=others)
    seconds |= {"newton": perf_counter() - began - done.seconds, "solve": done.seconds}
    began = perf_counter()
    judged = _with_estimate(newton, linear, done)
    while judged.is_near and (further := further_steps(newton, judged.done)) is not None:
        judged = _with_estimate(newton, linear, further)
    examination, done, estimate = judged.examination, judged.done, judged.estimate
    cells = None
    if not estimate.relative <= linear.tol:
        cells = examination.by_cell(done.coefficients, estimate)
    seconds["estimate"] = perf_counter() - began
    latest = RoundResult(
        plan=plan,
        discretisation=done.finite,
        coefficients=done.coefficients,
        residuals=estimate.residuals,
        rank=done.factored.rank,
        condition=done.factored.condition,
        seconds=seconds,
        estimate=estimate,
        cells=cells,
    )
    return latest, done


@dataclass(frozen=True, eq=False)
class _Judged:
    """The result of Newton's method with its error estimate, and whether further steps may improve it."""

    examination: Examination
    done: Iterated
    estimate: ErrorEstimate
    is_near: bool = False


def _with_estimate(newton: Newton, request: Request, done: Iterated) -> _Judged:
    """The error estimate of the linear problem, with the terms of higher order of the nonlinear one.

    With K the amplification, C the curvature and s the last step, the linearisation around the result amplifies at most
    1 / (1 - K C s) times as much as the one before, which was factored: twice as much at a fold, where steps halve. The
    error is as much larger; and, by Newton and Kantorovich, at most 1 + h times that, where h is K C times the error.
    """
    # the problem that was solved changes with each iterate, and what it caches too: this is one of its own
    done = replace(done, finite=done.finite.with_problem(newton.problem.linearised(done.before)))
    examination = examine(done.finite, done.blocks, done.factored, request.streams.probes)
    linear = examination.estimate(done.coefficients)
    if done.failure:  # what the linear problem leaves says nothing then
        residual = nonlinear_residual(newton, examination, done)
        return _Judged(examination, done, replace(examination.with_remainder(linear, np.inf), residual=residual))
    if not np.isfinite(linear.relative):
        return _Judged(examination, done, linear)
    beyond, curvature = higher_order(newton, examination, done)
    step = max(done.steps[-1].step, 1e-15)
    bent = linear.amplification * curvature * linear.scale
    if bent * step < 1:
        more = 1 / (1 - bent * step)
        # the iterate before is as far from the true solution as from this one, plus the error of this one
        remainder = more * beyond * (1 + linear.relative / step) ** 2
        remainder += (more - 1) * linear.relative * linear.scale / linear.amplification
        estimate = examination.with_remainder(linear, remainder)
        product = more * bent * estimate.relative
        if product < _CERTAIN:
            rest = product * estimate.relative * estimate.scale / linear.amplification
            return _Judged(examination, done, examination.with_remainder(estimate, rest))
    # with better functions, the error may be small enough to be certain
    if linear.relative <= newton.request.tol:
        done = replace(done, failure=NO_SOLUTION_NEARBY)
    uncertain = examination.with_remainder(linear, np.inf)
    return _Judged(examination, done, uncertain, is_near=bent * linear.relative < _CERTAIN)
