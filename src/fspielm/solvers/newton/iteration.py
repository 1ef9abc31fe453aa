"""Newton's method with one discretisation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from time import perf_counter
from typing import final

import numpy as np

from fspielm.arrays import NumberArray, safe_norm
from fspielm.basis.basis import Basis
from fspielm.basis.evaluation.sums import evaluate, evaluate_each
from fspielm.collocation.least_squares import Factored
from fspielm.collocation.system import BlockRows, Finite, make_block
from fspielm.errors import IterateError
from fspielm.geometry.boundary import Sites
from fspielm.numerics.tolerances import PROBES, ROUNDING
from fspielm.problem.nonlinear.iterate import Iterate
from fspielm.problem.operator import Operator, identity
from fspielm.problem.problem import Moving, Problem, moving
from fspielm.resources import Deadline
from fspielm.solution.evaluation import Sum, sums_of, with_conjugates
from fspielm.solution.report import NewtonStep
from fspielm.solvers.request import Request, timed
from fspielm.solvers.round import factor

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
