"""The nonlinear terms raised step by step, where Newton's method does not find a solution directly."""

from __future__ import annotations

from dataclasses import replace

from fspielm.collocation import Finite
from fspielm.equations.nonlinear import Iterate
from fspielm.errors import IterateError, SolveError
from fspielm.solution import NewtonStep
from fspielm.solvers.newton.iteration import Iterated, Newton

# Of the nonlinear terms: the first share, and the least by which it is raised.
_FIRST, _LEAST = 0.25, 1.0 / 128
# Steps for each share; where more are needed, a smaller one is.
_MOST_STEPS = 8


def run_or_raise(newton: Newton, finite: Finite, start: Iterate) -> Iterated:
    """Newton's method from a start, and, where it fails, along a number in front of the nonlinear terms.

    Raises
    ------
    IterateError
        If something has no finite value at the start.
    """
    plain = newton.run(finite, start)
    if not plain.failure:
        return plain
    at: Iterate = start
    share, raised, steps = 0.0, _FIRST, plain.steps
    while share < 1.0:
        aim = min(share + raised, 1.0)
        done = _tried(replace(newton, share=aim), finite, at)
        if done is not None:
            steps = _numbered(steps, done.steps)
        if done is not None and not done.failure:
            at, share, raised = done.iterate, aim, 1.5 * raised
            if share == 1.0:
                return replace(done, steps=steps)
        elif raised > _LEAST:
            raised /= 2
        else:
            why = f"{plain.failure}, nor is a solution found beyond {share:.3g} times the nonlinear terms"
            return replace(plain, steps=steps, failure=why)
    raise AssertionError  # the last share is one


def _tried(newton: Newton, finite: Finite, start: Iterate) -> Iterated | None:
    try:
        return newton.run(finite, start, most=_MOST_STEPS if newton.share < 1.0 else 2 * _MOST_STEPS)
    except (IterateError, SolveError):
        return None


def _numbered(before: tuple[NewtonStep, ...], more: tuple[NewtonStep, ...]) -> tuple[NewtonStep, ...]:
    return before + tuple(replace(step, number=len(before) + place + 1) for place, step in enumerate(more))
