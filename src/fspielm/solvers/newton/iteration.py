"""Newton's method with one discretisation: damped steps, other starts, the round and its error estimate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from time import perf_counter
from typing import final

import numpy as np
import sympy as sp

from fspielm.arrays import NumberArray, safe_norm, safe_rms
from fspielm.basis.basis import Basis
from fspielm.basis.evaluation.sums import evaluate, evaluate_each
from fspielm.collocation.least_squares import Factored
from fspielm.collocation.system import BlockRows, Finite, make_block
from fspielm.errors import IterateError, ProblemError, SolveError
from fspielm.estimate.estimate import ErrorEstimate
from fspielm.estimate.examination import Examination, examine
from fspielm.geometry.boundary import Sites
from fspielm.numerics.tolerances import PROBES, ROUNDING
from fspielm.problem.compiled import Compiled, split_real_imaginary
from fspielm.problem.nonlinear.iterate import AtPoints, AtSites, Iterate, SlotValues
from fspielm.problem.operator import Operator, identity
from fspielm.problem.parameters import used_in
from fspielm.problem.problem import Moving, Problem, compile_statement, moving, problem_of
from fspielm.resources import Deadline
from fspielm.solution.evaluation import Sum, sums_of, with_conjugates
from fspielm.solution.report import NewtonStep
from fspielm.solvers.request import Request, timed
from fspielm.solvers.round import BETTER, GROWTH, RoundPlan, RoundResult, factor

# ---- Unknowns and places to look at


def values_of(problem: Problem) -> list[Operator]:
    """The operators that take the values of all unknowns."""
    return [identity(problem.dimension).on(place) for place in range(len(problem.unknowns))]


def probes_in(problem: Problem) -> Sites:
    """The same points all over the domain for whoever looks at functions in it."""
    return Sites(problem.domain.sample(PROBES, np.random.default_rng(0), "low-discrepancy"))


# ---- Residuals of the equations and conditions

# Applies an operator to a function at sites.
Apply = Callable[[Operator, Sites], NumberArray]
Deviations = dict[str, NumberArray]


def applied_to_sum(finite: Finite, coefficients: NumberArray) -> Apply:
    """Apply operators to a sum of the functions of a discretisation."""
    return lambda operator, sites: evaluate(
        finite.basis, coefficients, operator, sites, threads=finite.threads, method="tiles"
    )


def applied_to_iterate(problem: Problem, iterate: Iterate) -> Apply | None:
    """Apply operators to an iterate; None where operators act on the real and imaginary parts, and it is complex."""
    if problem.whole is not None:
        return None
    return lambda operator, sites: iterate.evaluate_each([operator], sites)[0]


def deviations(problem: Problem, places: Mapping[str, Sites], apply: Apply) -> Deviations:
    """Left minus right-hand sides of a linear problem, by the names of those relations that have sites."""
    found: Deviations = {}
    for relation in problem.relations:
        if relation.name in places:
            block = make_block(relation, places[relation.name])
            rows = block.summed(np.asarray(sum(apply(operator, sites) for operator, sites in block.pieces)))
            found[relation.name] = rows - block.values
    return found


def norm(deviations: Deviations, scales: Mapping[str, NumberArray]) -> float:
    """The norm of all deviations, in scaled rows."""
    return safe_norm(np.concatenate([scales[name] * each for name, each in deviations.items()]))


# ---- Iterates that are sums of functions


@final
@dataclass(frozen=True, eq=False)
class Expansion:
    """A sum of functions to linearise around."""

    problem: Problem
    basis: Basis
    coefficients: NumberArray
    threads: int

    def evaluate_each(self, operators: Sequence[Operator], sites: Sites) -> NumberArray:
        """T operators on the unknowns as stated, at n sites; shape ``(T, n)``."""
        return evaluate_each(*self._as_stated, operators, sites, threads=self.threads, method="tiles")

    @cached_property
    def _as_stated(self) -> Sum:
        if self.problem.whole is None:
            return self.basis, self.coefficients
        return with_conjugates(sums_of(self.problem, self.basis, self.coefficients))


@final
@dataclass(frozen=True, eq=False)
class Between:
    """An iterate on the line between two others, at a `share` of the way."""

    start: Iterate
    end: Iterate
    share: float

    def evaluate_each(self, operators: Sequence[Operator], sites: Sites) -> NumberArray:
        """T operators at n sites; shape ``(T, n)``."""
        first, last = (each.evaluate_each(operators, sites) for each in (self.start, self.end))
        return (1 - self.share) * first + self.share * last


# ---- One step, damped until the residual falls

# The shortest damped step, as a share of the full one.
_SHORTEST = 2.0**-9
# The square of the residual must fall by at least this share of the decrease for a linear equation.
_DECREASE = 0.1
# Relative uncertainty of a residual.
_UNCERTAIN = 1e-3
# A residual within this factor of that of the linear problem is as small as these functions allow; one within this
# factor of the last one hardly falls.
DONE = 3.0


@final
@dataclass(frozen=True, eq=False)
class Reached:
    """The iterate after a damped step; with coefficients if it is a sum of the current functions."""

    iterate: Iterate
    coefficients: NumberArray | None
    damping: float
    residual: float


@final
@dataclass(frozen=True, eq=False)
class Way:
    """The way from an iterate to the solution of the linear problem around it.

    `probe` makes the linear problem around an iterate. The `start` has coefficients that are `known` if it is a sum of
    the current functions. The `target` is the solution.
    """

    probe: Callable[[Iterate], Problem]
    finite: Finite
    blocks: Sequence[BlockRows]
    start: Iterate
    known: NumberArray | None
    target: Expansion

    @cached_property
    def _rows(self) -> tuple[Mapping[str, Sites], Mapping[str, NumberArray]]:
        rows = self.finite.fitted(self.blocks)
        return {name: sites for name, (sites, _) in rows.items()}, {name: scales for name, (_, scales) in rows.items()}

    @cached_property
    def linear(self) -> float:
        """The residual of the linear problem, at its solution."""
        return self._residual(self.finite.problem, self._sum(self.target.coefficients))

    @cached_property
    def base(self) -> float | None:
        """The residual at the start; None if it is not known."""
        apply = applied_to_iterate(self.target.problem, self.start) if self.known is None else self._sum(self.known)
        return None if apply is None else self._residual(self.finite.problem, apply)

    def damped(self, *, surely: bool) -> Reached | None:
        """The longest damped step that reduces the residual enough; None if there is none.

        If the step is `surely` right, the full one is taken, since the rest of the residual may be rounding.
        """
        share = 1.0
        while share >= _SHORTEST:
            reached = self._reached(share)
            if reached is not None and (surely or reached.residual <= DONE * self.linear or self._is_good(reached)):
                return reached
            share /= 2
        return None

    def _is_good(self, reached: Reached) -> bool:
        if self.base is None:
            return bool(np.isfinite(reached.residual))
        # products: they may overflow to infinity, where powers would raise
        before, after = self.base * self.base, reached.residual * reached.residual
        promised = max(before - self.linear * self.linear, 0.0)
        least = before - _DECREASE * reached.damping * promised
        return after <= least * (1 + _UNCERTAIN * reached.damping)

    def _reached(self, share: float) -> Reached | None:
        """The iterate after a share of the step; None where the equations are not defined there."""
        end = self.target
        try:
            if share == 1.0 or self.known is not None:
                start = 0.0 if self.known is None else (1 - share) * self.known
                coefficients = end.coefficients if share == 1.0 else start + share * end.coefficients
                there = Expansion(end.problem, end.basis, coefficients, end.threads)
                residual = self._residual(self.probe(there), self._sum(coefficients))
                return Reached(there, coefficients, share, residual)
            between = Between(self.start, end, share)
            problem = self.probe(between)
            apply = applied_to_iterate(problem, between)
            # for complex unknowns this is not the residual there; it shows only that it is finite
            return Reached(between, None, share, self._residual(problem, apply or self._sum(end.coefficients)))
        except IterateError:
            return None

    def _sum(self, coefficients: NumberArray) -> Apply:
        return applied_to_sum(self.finite, coefficients)

    def _residual(self, problem: Problem, apply: Apply) -> float:
        places, scales = self._rows
        return norm(deviations(problem, places, apply), scales)


# ---- Newton's method

_MOST_STEPS = 30
# Steps end when less than so many times the seconds of the last one are left: for another step and the estimate.
_BEFORE_THE_END = 2.0
# Solutions differ so little, relative to their size, that a linear problem describes the difference.
LINEAR = 1e-2


@final
@dataclass(frozen=True, eq=False)
class Iterated:
    """The result of Newton's method with one discretisation: the last linear problem, factored, and the iterate.

    There are the iterates before and after the last step, the `seconds` of the last factorisation, and the `failure`,
    why this is no solution; empty if it is one.
    """

    finite: Finite
    blocks: Sequence[BlockRows]
    factored: Factored
    coefficients: NumberArray
    before: Iterate
    iterate: Expansion
    steps: tuple[NewtonStep, ...]
    seconds: float
    failure: str = ""


@final
@dataclass(frozen=True, eq=False)
class Newton:
    """Newton's method for a problem, with steps shortened until the residual falls.

    `solving` and `probing` are the linear problems around the current iterate, and around others. The `round` is for
    progress; the `share` is the factor of the nonlinear terms.
    """

    problem: Problem
    request: Request
    solving: Moving
    probing: Moving
    deadline: Deadline
    round: int = 1
    share: float = 1.0

    @classmethod
    def of(cls, request: Request, deadline: Deadline) -> Newton:
        """Newton's method for the problem of a request."""
        problem = request.problem
        return cls(problem, request, moving(problem), moving(problem), deadline)

    def run(self, finite: Finite, start: Iterate, *, most: int = _MOST_STEPS) -> Iterated:
        """Iterate from a start to a solution, as far as the functions allow.

        An `IterateError` says that something has no finite value at the start.
        """
        at: Iterate = start
        known: NumberArray | None = None
        steps: tuple[NewtonStep, ...] = ()
        while True:
            began = perf_counter()
            finite = finite.with_problem(self.solving.to(at, self.share))
            system = finite.assemble(self.request.scaling)
            (factored, coefficients, _), seconds = timed(partial(factor, self.request.method, system, in_place=True))
            target = Expansion(self.problem, finite.basis, coefficients, finite.threads)
            change = self._change(at, target)
            way = Way(self.probe, finite, system.blocks, at, known, target)
            reached = way.damped(surely=change < LINEAR)
            before, failure = at, ""
            if reached is None:
                reached = Reached(target, coefficients, 1.0, np.inf if way.base is None else way.base)
                failure = "no step in its direction makes the residual smaller"
            steps += (NewtonStep(self.round, len(steps) + 1, reached.residual, change, reached.damping, self.share),)
            self.request.progress(steps[-1])
            at, known = reached.iterate, reached.coefficients
            done = failure or self._is_done(reached, way, steps)
            is_close = steps[-1].damping == 1.0 and steps[-1].step ** 2 < LINEAR  # the next one would be linear
            if not done and len(steps) >= (2 * most if is_close else most):
                failure = f"{len(steps)} steps were not enough"
            elif not done and self.deadline.seconds_left <= _BEFORE_THE_END * (perf_counter() - began):
                failure = f"the budget of {self.request.budget.seconds:g} s ended it after {len(steps)} steps"
            if done or failure:
                final = target if known is None else Expansion(self.problem, finite.basis, known, finite.threads)
                return Iterated(
                    finite, system.blocks, factored, final.coefficients, before, final, steps, seconds, failure
                )

    def probe(self, iterate: Iterate) -> Problem:
        """The linear problem around an iterate, valid until the next call."""
        return self.probing.to(iterate, self.share)

    def _is_done(self, reached: Reached, way: Way, steps: Sequence[NewtonStep]) -> bool:
        change = steps[-1].step
        if reached.damping < 1.0:
            return False
        # after a linear step convergence should be quadratic: a residual stagnates because of rounding only
        if change < LINEAR**2 and len(steps) > 1 and DONE * reached.residual > steps[-2].residual:
            return True
        if (self.share < 1.0 and change < LINEAR) or change < ROUNDING or reached.residual <= DONE * way.linear:
            return True
        return way.base is not None and DONE * way.linear > way.base

    def _change(self, start: Iterate, end: Iterate) -> float:
        """The distance of two iterates, relative to the second."""
        operators = values_of(self.problem.stated)
        first, last = (each.evaluate_each(operators, self._points) for each in (start, end))
        return max(_ratio(safe_norm(b - a), safe_norm(b)) for a, b in zip(first, last, strict=True))

    @cached_property
    def _points(self) -> Sites:
        return probes_in(self.problem)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else float(part > 0)


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
_FEW_STEPS = 8


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
        return newton.run(finite, start, most=_FEW_STEPS if newton.share < 1.0 else 2 * _FEW_STEPS)
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
