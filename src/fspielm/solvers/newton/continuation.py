"""What is tried where Newton's method does not find a solution directly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fspielm.collocation import Finite
from fspielm.equations.nonlinear import Iterate, smooth_problem
from fspielm.errors import IterateError, SolveError
from fspielm.solution import NewtonStep
from fspielm.solvers.attempt import factor
from fspielm.solvers.newton.expansion import Expansion
from fspielm.solvers.newton.iteration import Iterated, Newton

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
