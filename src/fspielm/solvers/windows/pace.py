"""How long a window should be: a few of the times in which a solution changes."""

from __future__ import annotations

import numpy as np

from fspielm.arrays import NumberArray, safe_rms
from fspielm.equations import Problem, Relation
from fspielm.equations.nonlinear import as_iterate
from fspielm.equations.operator import derivative, identity
from fspielm.errors import ProblemError
from fspielm.geometry import Sites
from fspielm.solution import Solution
from fspielm.solvers.windows.window import guess_at_start

# So many of these times in a window: Newton's method begins with what does not change.
_CHANGES = 2.0
# Of the time given, the shortest one.
_SHORTEST = 1e-4
_POINTS = 400


def first_length(problem: Problem) -> float | None:
    """Of the first window: by the data at the start, and what the equations make of them; None if that is nothing."""
    time, stated = problem.domain.time, problem.stated
    assert time is not None
    try:
        guess = as_iterate(problem, guess_at_start(problem) or None)
        points = problem.domain.sample(_POINTS, np.random.default_rng(0), "low-discrepancy")  # only looks
        points[:, -1] = time.start
        value = identity(problem.dimension)
        sizes = [
            safe_rms(own)
            for own in guess.evaluate_each([value.on(i) for i in range(len(stated.unknowns))], Sites(points))
        ]
        left = problem.residual(guess, points).reshape(len(points), -1)
    except ProblemError:  # of what has no value at the start, nothing is known
        return None
    equations = [relation for relation in stated.pattern if relation.region.kind == "domain"]
    times = [_time(own, each, max(sizes), points) for own, each in zip(equations, left.T, strict=True)]
    known = [each for each in times if each is not None]
    return _within(min(known), time.duration) if known and max(sizes) > 0 else None


def next_length(problem: Problem, before: Solution) -> float:
    """Of a window after one that is solved."""
    time, stated = problem.domain.time, problem.stated
    assert time is not None
    points = before.problem.domain.sample(_POINTS, np.random.default_rng(0), "low-discrepancy")
    later = derivative((0,) * (problem.dimension - 1) + (1,))
    places = range(len(stated.unknowns))
    value = identity(problem.dimension)
    found = before.evaluate_each([each.on(place) for each in (value, later) for place in places], Sites(points))
    size = max(safe_rms(own) for own in found[: len(places)])
    change = max(safe_rms(own) for own in found[len(places) :])
    return _within(size / change, time.duration) if change > 0 else time.duration


def _time(equation: Relation, left: NumberArray, size: float, points: NumberArray) -> float | None:
    """In which a solution of some size changes by as much, if an equation leaves so much without change."""
    terms = [term for term in equation.operator.terms if term.orders[-1] == term.order > 0]
    if not terms:
        return None
    highest = max(term.order for term in terms)
    leading = sum(safe_rms(np.abs(term.at(Sites(points)))) for term in terms if term.order == highest)
    change = safe_rms(np.abs(left))
    return None if change == 0 else float((size * leading / change) ** (1 / highest))


def _within(change: float, duration: float) -> float:
    return float(np.clip(_CHANGES * change, _SHORTEST * duration, duration))
