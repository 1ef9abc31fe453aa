"""One round: Newton's method, and what its solution is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import final

import numpy as np
import sympy as sp

from fspielm.arrays import NumberArray, safe_rms
from fspielm.collocation.system import Finite
from fspielm.errors import IterateError, ProblemError, SolveError
from fspielm.estimate.estimate import ErrorEstimate
from fspielm.estimate.examination import Examination, examine
from fspielm.problem.compiled import Compiled, split_real_imaginary
from fspielm.problem.nonlinear.iterate import Around, AtPoints, AtSites, Iterate
from fspielm.problem.parameters import used_in
from fspielm.problem.problem import Problem, compile_statement, problem_of
from fspielm.solution.report import NewtonStep
from fspielm.solvers.newton.iteration import Expansion, Iterated, Newton, deviations, of_sum
from fspielm.solvers.plan import Attempt, Trial, factor
from fspielm.solvers.request import Request

# ---- Functions that meet the conditions of a nonlinear problem, and are smooth: somewhere else to begin


# Of the equation: what a Laplacian can stand for.
_ORDER = 2


def smooth_problem(problem: Problem, around: Iterate) -> Problem | None:
    """The problem with Laplace's equation in the place of its own; None where that would not determine it.

    For one unknown, at rest, in an equation of second order. Conditions are linearised around an iterate.
    """
    nonlinear = problem.nonlinear
    assert nonlinear is not None
    order = max(equation.operator.order for equation in problem.pattern if equation.region.kind == "domain")
    if len(problem.stated.unknowns) > 1 or problem.domain.time is not None or order != _ORDER or problem.interfaces:
        return None
    unknown = problem.stated.unknowns[0].symbol
    at = Around(problem, around)
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
    # Laplace's equation has no conjugates, which the problem's own has
    return problem_of(split_real_imaginary(Compiled(made.statement, made.unknowns, made.pattern, made.givens)))


# ---- What is tried where Newton's method does not find a solution directly


# Of the nonlinear terms: the first share, and the least by which it is raised.
_FIRST, _LEAST = 0.25, 1.0 / 64
_FASTER = 1.5
# Steps for each share; where more are needed, a smaller one is.
_MOST_STEPS = 8
# Steps that become shorter only slowly, as at a fold, halve.
_HALVES = 0.75


def run_somehow(
    newton: Newton, finite: Finite, start: Iterate, *, insist: bool, others: Sequence[Iterate] = ()
) -> Iterated:
    """Newton's method from a start, and, where it fails and we `insist`, from elsewhere.

    From a smooth function that meets the conditions, from `others`, and then along a number in front of the nonlinear
    terms.

    Raises
    ------
    IterateError
        If something has no finite value at the start.
    """
    plain = newton.run(finite, start)
    if not plain.failure or not insist or newton.deadline.seconds_left <= 0:
        return plain
    steps = plain.steps
    smooth = _smooth(newton, finite, start)
    for elsewhere in (*(() if smooth is None else (smooth,)), *others):
        if newton.deadline.seconds_left <= 0:
            return replace(plain, steps=steps)
        done = _tried(newton, finite, elsewhere)
        if done is not None:
            steps = _numbered(steps, done.steps)
            if not done.failure:
                return replace(done, steps=steps)
    return _raised(newton, finite, start, replace(plain, steps=steps))


def one_more(newton: Newton, done: Iterated) -> Iterated | None:
    """A step more than the functions seem to need, or some; None where the last one shows that it leads nowhere."""
    steps = done.steps
    if len(steps) > 1 and steps[-1].step > _HALVES * steps[-2].step:
        return None
    if newton.deadline.seconds_left <= 0:
        return None
    further = _tried(newton, done.finite, done.iterate)
    if further is None or further.failure or further.steps[-1].step > _HALVES * steps[-1].step:
        return None
    return replace(further, steps=_numbered(steps, further.steps))


def _smooth(newton: Newton, finite: Finite, start: Iterate) -> Iterate | None:
    """A smooth function that meets the conditions."""
    problem = smooth_problem(newton.problem, start)
    if problem is None:
        return None
    other = finite.with_problem(problem)
    _, coefficients, _ = factor(newton.request.method, other.assemble(newton.request.scaling), in_place=True)
    return Expansion(newton.problem, other.basis, coefficients, other.threads)


def _raised(newton: Newton, finite: Finite, start: Iterate, plain: Iterated) -> Iterated:
    """Along a number in front of the nonlinear terms, after a failure from the start."""
    at: Iterate = start
    share, more, steps = 0.0, _FIRST, plain.steps
    while newton.deadline.seconds_left > 0:
        aim = min(share + more, 1.0)
        done = _tried(replace(newton, share=aim), finite, at)
        if done is not None:
            steps = _numbered(steps, done.steps)
        if done is not None and not done.failure:
            if aim == 1.0:
                return replace(done, steps=steps)
            at, share, more = done.iterate, aim, _FASTER * more
        elif more > _LEAST:
            more /= 2
        else:
            why = f"{plain.failure}, nor is there one beyond {share:.2g} times the nonlinear terms"
            return replace(plain, steps=steps, failure=why)
    return replace(plain, steps=steps)


def _tried(newton: Newton, finite: Finite, start: Iterate) -> Iterated | None:
    try:
        return newton.run(finite, start, most=_MOST_STEPS if newton.share < 1.0 else 2 * _MOST_STEPS)
    except (IterateError, SolveError):
        return None


def _numbered(before: tuple[NewtonStep, ...], more: tuple[NewtonStep, ...]) -> tuple[NewtonStep, ...]:
    return before + tuple(replace(step, number=len(before) + place + 1) for place, step in enumerate(more))


# ---- What Newton's method leaves out: terms of higher order, and whether it is close enough for them not to matter
# The error of the solution u of a linear problem around v, with K the norm of the inverse of the linearisation, is at
# most that of the linear problem and ``K |F(u) - F(v) - F'(v) (u - v)|``, the remainder of the last step, if v is no
# farther from the true solution than from u. By Newton and Kantorovich there is one nearby, and one only, if K times
# the second derivative times the error is less than a half.


# Of the size of the solution, how far away the second derivative is looked at, at least.
_APART = 1e-4
# Rows of each block that are looked at, about.
_ROWS = 800
# The product of Newton and Kantorovich must be clearly below a half.
CLOSE = 0.1


@final
@dataclass(frozen=True, eq=False)
class HigherOrder:
    """What terms of higher order amount to.

    Attributes
    ----------
    remainder : float
        Norm of what the last step left out, in scaled rows.
    curvature : float
        Norm of the second derivative along a function of size one, at most of those that were looked at.
    """

    remainder: float
    curvature: float


def higher_order(newton: Newton, examination: Examination, done: Iterated) -> HigherOrder:
    """Look at the rows that were held out."""
    finite, sensitivity = done.finite, examination.sensitivity
    examination = _thinned(examination, finite.problem)
    sites = examination.held_out.sites

    def size(coefficients: NumberArray) -> float:
        return max(safe_rms(values @ coefficients) for values in sensitivity.values)

    def beyond(around: Iterate, coefficients: NumberArray) -> float:
        """Norm of what the equations have more than their linearisation, at other coefficients."""
        there = Expansion(newton.problem, finite.basis, coefficients, finite.threads)
        apply = of_sum(finite.basis, coefficients, finite.threads)
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
        return HigherOrder(np.inf, np.inf)
    return HigherOrder(remainder, curvature)


def nonlinear_residual(newton: Newton, examination: Examination, done: Iterated) -> float:
    """Norm of what the equations leave, in the rows that were held out."""
    finite = done.finite
    apply = of_sum(finite.basis, done.coefficients, finite.threads)
    try:
        return examination.norm(deviations(newton.probe(done.iterate), examination.held_out.sites, apply))
    except IterateError:
        return np.inf


def _thinned(examination: Examination, problem: Problem) -> Examination:
    """With fewer rows held out, by which terms of higher order are seen as well."""
    held_out = examination.held_out
    summed = {relation.name for relation in problem.relations if relation.sum_weights is not None}
    every = {name: 1 if name in summed else max(len(sites) // _ROWS, 1) for name, sites in held_out.sites.items()}
    sites = {name: each.select(slice(None, None, every[name])) for name, each in held_out.sites.items()}
    emphasis = {name: each[:: every[name]] for name, each in held_out.emphasis.items()}
    return replace(examination, held_out=replace(held_out, sites=sites, emphasis=emphasis, rows={}))


# ---- One round: Newton's method with one discretisation, and what its solution is worth


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
