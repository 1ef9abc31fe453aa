"""Newton's method with one discretisation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from time import perf_counter
from typing import final

import numpy as np

from fspielm.arrays import NumberArray, safe_norm
from fspielm.collocation import BlockRows, Finite
from fspielm.deadline import Deadline
from fspielm.equations import Problem, identity
from fspielm.equations.nonlinear import Iterate, Moving, moving
from fspielm.geometry import Sites
from fspielm.linalg import Factored
from fspielm.solution import NewtonStep
from fspielm.solvers.attempt import factor
from fspielm.solvers.newton.expansion import Expansion
from fspielm.solvers.newton.way import DONE, Reached, Way
from fspielm.solvers.request import Request
from fspielm.solvers.timing import timed

_MOST_STEPS = 30
# Steps end before the budget does: another one would take as long as the last, and so does what is found out then.
_BEFORE_THE_END = 2.0
# A step that would leave more than this share of the residual has nothing to gain but from better functions.
_RESOLVED = 0.5
# Steps that are rounding; and those after which another number is put in front of the nonlinear terms.
_SMALL, _ON_THE_WAY = 1e-13, 1e-2
# Steps so small that the next one should be far smaller; and what a residual that stays keeps of the one before.
_QUADRATIC, _STAYS = 1e-4, 0.25
# Full steps that are smaller are close to a solution.
_CLOSE = 0.1
# Points at which steps are measured.
_POINTS = 400


@final
@dataclass(frozen=True, eq=False)
class Iterated:
    """Where Newton's method came to with one discretisation.

    Attributes
    ----------
    finite : Finite
        The linear problem that was solved last, made finite.
    blocks : sequence of BlockRows
    factored : Factored
    coefficients : (M,) array
        Its solution; where the last step was shortened, of what was reached with it.
    before, iterate : Iterate
        What it was linearised around, and what the coefficients make.
    steps : tuple of NewtonStep
    seconds : float
        That the last factorisation took.
    failure : str
        Why it is no solution; empty where it is one.
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

    Attributes
    ----------
    problem : Problem
        Not linear.
    request : Request
    solving, probing : Moving
        The linear problem around the present iterate, and around others that are looked at.
    deadline : Deadline
    round : int
        That it is done in, for progress.
    share : float
        A number in front of the nonlinear terms.
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
        """For a nonlinear problem."""
        problem = request.problem
        return cls(problem, request, moving(problem), moving(problem), deadline)

    def run(self, finite: Finite, start: Iterate, *, most: int = _MOST_STEPS) -> Iterated:
        """From an iterate to a solution, as far as the functions allow.

        Raises
        ------
        IterateError
            If something has no finite value at the start.
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
            reached = way.shortened(surely=change < _ON_THE_WAY)
            before, failure = at, ""
            if reached is None:
                reached = Reached(target, coefficients, 1.0, np.inf if way.base is None else way.base)
                failure = "no step in its direction makes the residual smaller"
            steps += (NewtonStep(self.round, len(steps) + 1, reached.residual, change, reached.damping, self.share),)
            self.request.progress(steps[-1])
            at, known = reached.iterate, reached.coefficients
            done = failure or self._is_done(reached, way, steps)
            if not done and len(steps) >= (2 * most if _is_close(steps[-1]) else most):
                failure = f"{len(steps)} steps were not enough"
            elif not done and self.deadline.seconds_left <= _BEFORE_THE_END * (perf_counter() - began):
                failure = f"the budget of {self.request.budget.seconds:g} s ended it after {len(steps)} steps"
            if done or failure:
                final = target if known is None else Expansion(self.problem, finite.basis, known, finite.threads)
                return Iterated(
                    finite, system.blocks, factored, final.coefficients, before, final, steps, seconds, failure
                )

    def probe(self, iterate: Iterate) -> Problem:
        """The linear problem around an iterate, until another one is asked for."""
        return self.probing.to(iterate, self.share)

    def _is_done(self, reached: Reached, way: Way, steps: Sequence[NewtonStep]) -> bool:
        change = steps[-1].step
        if reached.damping < 1.0:
            return False
        # where convergence should be quadratic, nothing but rounding makes a residual stay
        if change < _QUADRATIC and len(steps) > 1 and reached.residual > _STAYS * steps[-2].residual:
            return True
        if (self.share < 1.0 and change < _ON_THE_WAY) or change < _SMALL or reached.residual <= DONE * way.linear:
            return True
        return way.base is not None and way.linear > _RESOLVED * way.base

    def _change(self, start: Iterate, end: Iterate) -> float:
        """How far apart iterates are, relative to the size of the second."""
        stated = self.problem.stated
        operators = [identity(self.problem.dimension).on(place) for place in range(len(stated.unknowns))]
        first, last = (each.evaluate_each(operators, self._points) for each in (start, end))
        return max(_ratio(safe_norm(b - a), safe_norm(b)) for a, b in zip(first, last, strict=True))

    @cached_property
    def _points(self) -> Sites:
        rng = np.random.default_rng(0)
        return Sites(self.problem.domain.sample(_POINTS, rng, "low-discrepancy"))


def _is_close(step: NewtonStep) -> bool:
    """Whether a few steps more should do."""
    return step.damping == 1.0 and step.step < _CLOSE


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else float(part > 0)
