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
# Of a solution's size, what varies of it at least: the rest is the same everywhere, and says nothing about changes.
_VARIES = 0.1
# Of the time given, the shortest one.
_SHORTEST = 1e-4
_POINTS = 400


def first_length(problem: Problem, varies: float = _VARIES) -> float | None:
    """Of the first window: by the data at the start, and what the equations make of them; None if that is nothing.

    Of the data, at least a share `varies`; all of them, if it is one.
    """
    time, stated = problem.domain.time, problem.stated
    assert time is not None
    try:
        guess = as_iterate(problem, guess_at_start(problem) or None)
        points = problem.domain.sample(_POINTS, np.random.default_rng(0), "low-discrepancy")  # only looks
        points[:, -1] = time.start
        value = identity(problem.dimension)
        values = guess.evaluate_each([value.on(i) for i in range(len(stated.unknowns))], Sites(points))
        left = problem.residual(guess, points).reshape(len(points), -1)
    except ProblemError:  # of what has no value at the start, nothing is known
        return None
    equations = [relation for relation in stated.pattern if relation.region.kind == "domain"]
    changes = [_change(values, own, varies) for own in left.T]
    times = [_time(own, each, points) for own, each in zip(equations, changes, strict=True)]
    known = [each for each in times if each is not None]
    return _within(min(known), time.duration) if known and np.any(values) else None


def next_length(problem: Problem, before: Solution) -> float:
    """Of a window after one that is solved."""
    time, stated = problem.domain.time, problem.stated
    assert time is not None
    points = before.problem.domain.sample(_POINTS, np.random.default_rng(0), "low-discrepancy")
    later = derivative((0,) * (problem.dimension - 1) + (1,))
    places = range(len(stated.unknowns))
    value = identity(problem.dimension)
    found = before.evaluate_each([each.on(place) for each in (value, later) for place in places], Sites(points))
    change = min(_change(found[: len(places)], own, _VARIES) for own in found[len(places) :])
    return _within(change, time.duration) if np.isfinite(change) else time.duration


def _time(equation: Relation, change: float, points: NumberArray) -> float | None:
    """In which a solution changes by its own size, of what that is over what an equation leaves without change."""
    terms = [term for term in equation.operator.terms if term.orders[-1] == term.order > 0]
    if not terms:
        return None
    highest = max(term.order for term in terms)
    leading = sum(safe_rms(np.abs(term.at(Sites(points)))) for term in terms if term.order == highest)
    return float((leading * change) ** (1 / highest)) if np.isfinite(change) else None


def _change(values: NumberArray, rates: NumberArray, varies: float) -> float:
    """The size of unknowns ``(U, n)`` over that of rates ``(n,)``, infinite where nothing changes.

    What is the same everywhere is apart from the rest: a large constant does not make a small pulse any slower.
    """
    size = max(safe_rms(own) for own in values)
    varying = max(varies * size, *(safe_rms(own - own.mean()) for own in values))
    each = (size, safe_rms(rates)), (varying, safe_rms(rates - rates.mean()))
    return min((whole / rate for whole, rate in each if rate > 0), default=np.inf)


def _within(change: float, duration: float) -> float:
    return float(np.clip(_CHANGES * change, _SHORTEST * duration, duration))
