"""What the estimate has to add for functions that are beyond the basis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray, safe_rms
from fspielm.collocation import Discretisation
from fspielm.equations import Problem, identity
from fspielm.features import Basis
from fspielm.features.characteristic import directions_needed, scene_of
from fspielm.features.evaluation import evaluate
from fspielm.geometry import Sites
from fspielm.spectrum import Hidden, hidden_of

# Data and solutions are known to so many digits.
_ROUNDING = 2e-16
# Where the solution is looked at.
_PROBES = 256
# A frequency that is in a basis up to this is in it.
_SLACK = 1 - 1e-3
# e-foldings that no number would hold.
_MOST_FOLDINGS = 700.0


@final
@dataclass(frozen=True)
class Beyond:
    """An error that no residual within a basis shows, and what makes it; infinite where nothing bounds it."""

    error: float = 0.0
    reason: str = ""


def beyond_basis(problem: Problem, discretisation: Discretisation, coefficients: NumberArray) -> Beyond:
    """What may hide beyond the basis of a solution of `problem`."""
    hidden = hidden_of(problem)
    if hidden.reason:
        return Beyond(float("inf"), hidden.reason)
    if hidden.passing:
        return _passing(problem, hidden, discretisation.basis)
    return _grown(problem, hidden, discretisation, coefficients)


def passing_size(problem: Problem) -> int:
    """How many functions hold what the conditions of a problem let through, where that is anything to be held."""
    lower, upper = problem.domain.bounding_box
    affordable = float(hidden_of(problem).affordable(upper - lower).max())
    return _size(problem, affordable) if affordable else 0


def _size(problem: Problem, frequency: float) -> int:
    """All orders up to the frequency around the domain, as of waves of that length."""
    scene = scene_of(problem.domain)
    return directions_needed(frequency * scene.radius(tuple(range(scene.dimension))), problem.dimension)


def _passing(problem: Problem, hidden: Hidden, basis: Basis) -> Beyond:
    """Whether the basis holds the functions that conditions let through: then the sensitivity has seen them."""
    highest = _highest(basis)
    lower, upper = problem.domain.bounding_box
    for function in hidden.passing:
        if np.all(function.along * (upper - lower) <= 2 * np.pi):
            continue  # which every basis holds
        if np.any(_SLACK * function.along > highest) or basis.size < _size(problem, function.frequency):
            return Beyond(
                float("inf"),
                f"a function of frequency {function.frequency:.3g} along the boundary satisfies the equation and "
                f"{function.condition!r} almost, and is beyond the features that were solved with, so that it may be in "
                "the solution unseen; the sign of the condition may be wrong (alpha u + beta du/dn, n outward, with "
                "alpha and beta of one sign), or allow more features",
            )
    return Beyond()


def _grown(
    problem: Problem, hidden: Hidden, discretisation: Discretisation, coefficients: NumberArray
) -> Beyond:
    """What the last digits of the solution at every time have grown to, at frequencies that the basis does not hold."""
    growth, time = hidden.growth, problem.domain.time
    if growth is None or time is None or not len(growth.rates):
        return Beyond()
    unseen = np.any(_SLACK * growth.frequencies > _highest(discretisation.basis), axis=1)
    if not unseen.any():
        return Beyond()
    fastest = int(np.argmax(np.where(unseen, growth.foldings, 0.0)))
    sites = Sites(problem.domain.sample(_PROBES, np.random.default_rng(0), "low-discrepancy"))  # only looks
    values = evaluate(discretisation.basis, coefficients, identity(problem.dimension), sites, threads=1)
    left = np.minimum(time.end - sites.points[:, -1], growth.durations[fastest])
    grown = np.exp(np.minimum(growth.rates[fastest] * left, _MOST_FOLDINGS))
    error = _ROUNDING * safe_rms(values * grown)
    frequency = float(np.linalg.norm(growth.frequencies[fastest, :-1]))
    what = f"of frequency {frequency:.3g} " if problem.dimension > 1 else ""
    return Beyond(
        error,
        f"a disturbance {what}grows by a factor of 1e{growth.foldings[fastest] / np.log(10):.0f} over the time given, and "
        "with it the last digits of the data; shorten the time, or check the signs of the equation",
    )


def _highest(basis: Basis) -> FloatArray:
    """The highest frequency along each axis; as steep as it is where it is complex."""
    known = [leaf.frequencies for leaf in basis.leaves]
    sizes = [np.abs(W).max(axis=0) for W in known if W is not None and len(W)]
    return np.max([np.zeros(basis.dimension), *sizes], axis=0)
