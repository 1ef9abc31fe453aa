"""A solve with features chosen by hand: one round, nothing searched for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fspielm.basis.basis import Basis
from fspielm.basis.exact.symbol import check_homogeneous, symbol_of
from fspielm.basis.random.families import Band, Each, Family, Joined, for_unknowns
from fspielm.basis.singular.columns import satisfies, special_columns
from fspielm.collocation.points import Points, allot_conditions, allot_points, join_points, points_for
from fspielm.collocation.system import check_memory
from fspielm.errors import ProblemError, UnsuitableError
from fspielm.estimate.sensitivity import nearby_number
from fspielm.problem.problem import Problem
from fspielm.solvers.request import Request
from fspielm.solvers.round import FeaturePlan, RoundResult, run_round


def solve_by_hand(request: Request, features: Family) -> RoundResult:
    """Solve once with `features`; the error is estimated if the method leaves what that takes."""
    problem, method = request.problem, request.method
    try:
        for family in features.parts:
            if family.satisfies_equation:
                symbol_of(problem.determinant)
        if features.satisfies_equation:
            check_homogeneous(problem)
    except UnsuitableError as error:
        raise ProblemError(f"features={features!r}: {error}") from None
    features = _for_every_unknown(features, len(problem.unknowns))
    columns = special_columns(problem, request.singular or False)
    points = _suitable(request.points or default_points(problem, features), problem, features, columns)
    plan = FeaturePlan(features, points, columns, "chosen by hand")
    rows, neurons, itemsize = plan.rows(problem), plan.neurons, request.itemsize
    probing = itemsize * rows * (plan.further(problem) + plan.special_columns(problem))
    further = method.workspace(rows, neurons, itemsize=itemsize) + probing
    check_memory(rows, neurons, further, request.budget.memory_limit, itemsize=itemsize)
    try:
        return run_round(request, plan, by_hand=True)
    except UnsuitableError as error:  # seen when they are drawn
        raise ProblemError(f"features={features!r}: {error}") from None


def _for_every_unknown(features: Family, number: int) -> Family:
    """The features for each of several unknowns, unless they are for all together already."""
    if number == 1 or features.satisfies_equation or isinstance(features, Each):
        return features
    if isinstance(features, Joined):
        return Joined([_for_every_unknown(part, number) for part in features.parts])
    return for_unknowns(features, np.ones(number))


def default_points(problem: Problem, features: Family) -> Points:
    """Points that suit the features: as many as a band needs, or the paper's proportions."""
    if isinstance(features, Joined):
        points = join_points(problem, [default_points(problem, part) for part in features.parts])
        probed = points.interior and any(part.satisfies_equation for part in features.parts)
        # rows of the equation for the further functions that the error estimate looks at
        return replace(points, interior=points.interior + 2 * nearby_number(problem)) if probed else points
    if isinstance(features, Each):
        return default_points(problem, features.family)
    if features.satisfies_equation:
        return allot_conditions(problem, features.neurons, getattr(features, "reach", None))
    if not isinstance(features, Band):
        return points_for(problem, features.neurons)
    lower, upper = problem.domain.bounding_box
    widths = np.maximum(features.widths, np.pi / (upper - lower))  # a single frequency fills a period as well
    evenly = float(np.prod(2 * widths * (upper - lower) / (2 * np.pi)))
    factor_per_axis = max((features.neurons / evenly) ** (1 / len(widths)), 1.0)
    return allot_points(problem, features.neurons, widths, factor_per_axis)


def _suitable(points: Points, problem: Problem, features: Family, columns: Sequence[Basis]) -> Points:
    """The points, with none for an equation that all functions satisfy: such rows are rounding."""
    if features.satisfies_equation:
        others = sum(basis.size for basis in columns if not satisfies(problem, basis))
        if not others:
            return replace(points, interior=0)
        return points if points.interior else replace(points, interior=points_for(problem, others).interior)
    if points.interior:
        return points
    raise ProblemError(
        f"points: interior must be at least 1 with features={features!r}, which do not satisfy the equation by "
        "themselves"
    )
