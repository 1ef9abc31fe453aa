"""solve(): from a problem to a solution."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any, TypeVar

import numpy as np

from fspielm.collocation import (
    Points,
    Scaling,
    assemble,
    check_memory,
    check_scaling,
    make_blocks,
    points_for,
)
from fspielm.equations import Problem
from fspielm.errors import ProblemError
from fspielm.features import Family
from fspielm.linalg import QR, LeastSquares
from fspielm.solution import Report, Solution
from fspielm.solvers.budget import Budget
from fspielm.solvers.randomness import spawn

T = TypeVar("T")


def solve(
    problem: Problem,
    *,
    features: Family | None = None,
    points: Points | None = None,
    least_squares: LeastSquares | None = None,
    scaling: Scaling = "rms",
    budget: Budget | None = None,
    rng: int | np.random.Generator | None = None,
) -> Solution:
    """Solve a linear problem by collocation with random features and one least-squares solve.

    Parameters
    ----------
    problem : Problem
    features : Family
        Which features to draw, and how many.
    points : Points, optional
        How many collocation points; by default in proportion to the neurons.
    least_squares : LeastSquares, optional
        `QR` by default; the paper's is ``TruncatedSVD(1e-12)``.
    scaling : {"rms", "none"}
        Whether every block of rows is divided by its root-mean-square entry; the paper's is ``"none"``.
    budget : Budget, optional
        Limits on memory and threads.
    rng : int, Generator or None
        Seed of features and points.

    Returns
    -------
    Solution

    Raises
    ------
    ProblemError
        If an argument is wrong, before any long computation.
    MemoryBudgetError
        If the system would not fit, before it is allocated.
    SolveError
        If the least-squares method cannot solve the system.
    """
    _check_arguments(problem, features, points, least_squares, budget)
    assert features is not None
    check_scaling(scaling)
    budget = budget or Budget()
    method = least_squares or QR()
    points = points or points_for(problem, features.neurons)
    counts = points.counts(problem)
    check_memory(
        sum(counts.values()),
        features.neurons,
        method.workspace(sum(counts.values()), features.neurons),
        budget.memory_limit,
    )
    (feature_rng, point_rng), seed = spawn(rng, 2)
    seconds: dict[str, float] = {}
    time_axis = None if problem.domain.time is None else problem.dimension - 1

    basis, seconds["features"] = _timed(
        lambda: features.draw(problem.dimension, feature_rng, time_axis=time_axis)
    )
    blocks, seconds["points"] = _timed(lambda: make_blocks(problem, points.draw(problem, point_rng)))
    system, seconds["assembly"] = _timed(
        lambda: assemble(basis, blocks, scaling=scaling, threads=budget.thread_count)
    )
    result, seconds["solve"] = _timed(lambda: method.solve(system.matrix, system.values))
    residuals, seconds["check"] = _timed(lambda: system.residuals(result.coefficients))
    report = Report(
        features=repr(features),
        least_squares=repr(method),
        scaling=scaling,
        neurons=basis.size,
        rows=len(system.values),
        points={block.name: len(block) for block in blocks},
        residuals=residuals,
        rank=result.rank,
        condition=result.condition,
        coefficient_norm=float(np.linalg.norm(result.coefficients)),
        seconds=seconds,
        seed=seed,
    )
    return Solution(problem, basis, result.coefficients, report)


def _check_arguments(problem: Any, features: Any, points: Any, least_squares: Any, budget: Any) -> None:
    if not isinstance(problem, Problem):
        raise ProblemError(f"problem must be an fs.Problem; got {problem!r}")
    if features is None:
        raise ProblemError(
            "features is required: for instance features=fs.FrequencyShift(2000, mu=(5, 100)), with mu up to "
            "a little above the highest frequency of the solution"
        )
    for name, value, kind, example in (
        ("features", features, Family, "fs.FrequencyShift(2000, mu=(5, 100))"),
        ("points", points, Points, "fs.Points(interior=4000, boundary=400)"),
        ("least_squares", least_squares, LeastSquares, "fs.QR()"),
        ("budget", budget, Budget, "fs.Budget(memory=8e9)"),
    ):
        if value is not None and not isinstance(value, kind):
            raise ProblemError(f"{name} must be an object such as {example}; got {value!r}")


def _timed(step: Callable[[], T]) -> tuple[T, float]:
    start = perf_counter()
    result = step()
    return result, perf_counter() - start
