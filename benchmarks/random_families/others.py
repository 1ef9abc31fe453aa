"""Solutions other than the one that a nonlinear problem was made from: found again, or none."""

from __future__ import annotations

import numpy as np

import fspielm as fs
from random_families.problem import RandomProblem

# By how much the second solve is to be better than the first, and what is the least that it is asked for.
_FINER, _LEAST = 1e-2, 1e-11
_POINTS = 4000
OTHER = "another solution than the one it was made from"


def distance_to_other(random: RandomProblem, solution: fs.Solution) -> tuple[float, str]:
    """The distance to a solution that is found by other functions, from this one, with smaller errors; and how.

    Newton's method stays where it is only if it is at a solution; another discretisation has none of the errors of the
    first. Infinite where nothing is found.
    """
    kinds = ("band", "patches") if solution.report.features.startswith("polynomials") else ("patches", "band")
    for approach in kinds:
        try:
            again = fs.solve(
                random.problem,
                tol=max(_FINER * random.tol, _LEAST),
                rng=random.seed + 1,
                guess=solution,
                approach=approach,  # type: ignore[arg-type]
                budget=fs.Budget(neurons=random.most, seconds=random.seconds),
            )
        except (fs.ProblemError, fs.SolveError, fs.MemoryBudgetError):
            continue
        if again.converged or again.error_estimate < random.tol:
            return _distance(random, solution, again), f"{OTHER}, found again by {approach}"
    return np.inf, "no solution"


def _distance(random: RandomProblem, one: fs.Solution, other: fs.Solution) -> float:
    """Relative L2, the largest of all unknowns."""
    points = random.problem.domain.sample(_POINTS, np.random.default_rng(random.seed))
    first, second = (np.asarray(each(points)).reshape(len(points), -1) for each in (one, other))
    return float(np.max(np.linalg.norm(first - second, axis=0) / np.linalg.norm(second, axis=0)))
