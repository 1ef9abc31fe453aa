"""follow(): solutions along a parameter."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from fspielm.errors import AccuracyWarning, IterateError, OutOfTime, ProblemError, SolveError
from fspielm.problem.problem import Problem
from fspielm.resources import Deadline, current_deadline
from fspielm.solvers.continuation.branch import Branch
from fspielm.solvers.continuation.path import Along, Curve, Equations, Metric, Place, Station, read_along
from fspielm.solvers.continuation.walk import Notary, Walk, functions_at_rest, go_and_survey, solve_with_any
from fspielm.solvers.request import STAGE, Approach, Budget, Progress, Request, check_approach, offering
from fspielm.solvers.solve import check_arguments
from fspielm.wording import duration


@offering(lambda branch: branch if isinstance(branch, Branch) else None, "branch")
def follow(
    problem: Problem,
    parameter: sp.Symbol,
    interval: tuple[float, float],
    *,
    guess: Any = None,
    tol: float = 1e-8,
    points: int = 60,
    switch: bool = True,
    budget: Budget | None = None,
    rng: int | np.random.Generator | None = None,
    progress: bool | Progress | None = None,
    approach: Approach | None = None,
) -> Branch:
    """Follow solutions of a nonlinear problem along one of its parameters, around folds.

    Steps along the curve of solutions (pseudo-arclength) begin at the lower end of the interval, and end where the
    parameter leaves it. Folds, where the curve turns back, and bifurcations, where other curves cross it, are located;
    the other curves are followed too.

    Parameters
    ----------
    problem : Problem
        With the parameter as a symbol; if it is among what is given, its value there has no meaning.
    parameter : Symbol
    interval : (float, float)
        Between which values of the parameter solutions are looked for.
    guess : number, Expr, callable, Solution, or mapping of such by unknown, optional
        For the first solution, as in `solve`.
    tol : float
        Relative L2 error of each solution, measured by the estimate.
    points : int
        Of each branch, at most.
    switch : bool
        Whether to follow branches that begin at bifurcations of the first one.
    budget : Budget, optional
        Limits; the seconds are those of all solutions together. By default each solve has those of `Budget`.
    rng : int, Generator or None
        Seed of features and points.
    progress : bool or callable, optional
        True writes lines to standard error; a callable receives what `solve` tells.
    approach : {"band", "patches"}, optional
        The kind of functions; by default cosines that fill a band, and cells where they are not good enough.

    Returns
    -------
    Branch
        Its points are solutions with error estimates; an `AccuracyWarning` tells of those that miss the tolerance.

    Raises
    ------
    ProblemError
        If an argument is wrong, the parameter does not occur, or there is no solution to begin with.
    SolveInterrupted
        After Ctrl-C; its `branch` has the points that were found.
    """
    along = read_along(problem, parameter, interval)
    check_arguments(along.at(along.lower), tol, budget)
    check_approach(approach)
    if isinstance(points, bool) or not isinstance(points, int | np.integer) or points < 2:
        raise ProblemError(f"points must be a whole number, at least 2; got {points!r}")
    request = Request.of(along.at(along.lower), tol, budget, rng, progress, approach=approach)
    deadline = Deadline.within(None if budget is None else budget.seconds)
    try:
        with deadline.enforced():
            curve, notary, first = _begin(along, request, guess)
    except OutOfTime:
        raise SolveError(
            f"the budget of {request.budget.seconds:g} s ended before there was a solution to begin with; allow "
            f"{duration(2 * (request.budget.seconds or 0.0))} or more with budget=fs.Budget(seconds=...)"
        ) from None
    walk = Walk(curve, notary, points, deadline)
    branch = go_and_survey(along, walk, first, switch=switch)
    _warn(branch, tol)
    return branch


def _begin(along: Along, request: Request, guess: Any) -> tuple[Curve, Notary, Station]:
    """The first solution, and the functions for the others, as long as they are good enough."""
    try:
        with current_deadline().share(STAGE).enforced():
            history = solve_with_any(request, None if request.problem.is_linear else guess)
    except IterateError as error:
        raise ProblemError(f"at {along.parameter} = {along.lower:g}, where solutions begin, {error}") from error
    if history.failure:
        raise ProblemError(
            f"there is no solution to begin with at {along.parameter} = {along.lower:g}: {history.failure}"
        )
    best = history.best
    coefficients = best.coefficients
    if not np.any(coefficients):
        with current_deadline().share(STAGE).enforced():
            best = functions_at_rest(request).best
        coefficients = np.zeros(best.basis.size)
    equations = Equations(along, request, best.discretisation)
    local = equations.at(Place(coefficients, along.lower))
    metric = Metric.on(best.discretisation, 1.0, along.length)
    # solution and parameter change at the same rate at the beginning
    unit = along.length * metric.size(local.sideways)
    curve = Curve(equations, replace(metric, unit=unit if unit > 0 else 1.0))
    upward = Place(np.zeros(len(coefficients)), 1.0)
    return curve, Notary(request, best.plan), curve.station(local, upward)


def _warn(branch: Branch, tol: float) -> None:
    every = [point for one in (branch, *branch.branches) for point in one.points]
    missed = [point for point in every if not point.converged]
    if missed:
        worst = max(point.solution.error_estimate for point in missed)
        warnings.warn(
            f"{len(missed)} of {len(every)} points have error estimates above {tol:g}, of {worst:.1e} at most; close "
            "to folds and bifurcations that cannot be helped, elsewhere another approach or a larger budget may",
            AccuracyWarning,
            stacklevel=4,
        )
