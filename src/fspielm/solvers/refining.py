"""Solution.refine(): the same problem to more digits, from where a solve has ended."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from fspielm.accuracy import judge
from fspielm.equations import Problem
from fspielm.equations.open_domain import incident_of
from fspielm.errors import AccuracyWarning, ProblemError
from fspielm.solution import Solution
from fspielm.solvers.automatic import Course, solve_automatically
from fspielm.solvers.budget import Budget
from fspielm.solvers.progress import reporter
from fspielm.solvers.randomness import Streams
from fspielm.solvers.request import Request
from fspielm.solvers.so_far import offering
from fspielm.solvers.solve import check_settings, finish_quietly, solve

# Places of each relation where data are looked for.
_PLACES = 50


def refined(solution: Solution, tol: float, budget: Budget | None, progress: Any) -> Solution:
    """For `Solution.refine`, whose arguments these are."""
    check_settings(tol, None, None, None, budget)
    problem, report = solution.problem, solution.report
    _check_refinable(solution)
    if solution.error_estimate <= tol:
        verdict = judge(problem, solution.estimate, tol, "")
        return replace(solution, report=replace(report, tol=tol, converged=True, reason=verdict.reason))
    if solution._origin is None:
        return _solved_again(solution, None, tol, budget, progress)
    request, course = solution._origin
    if not problem.is_linear:
        return _solved_again(solution, request, tol, budget, progress)
    streams, _ = Streams.spawned(request.seed)
    own = replace(request, tol=tol, budget=budget or request.budget, streams=streams, progress=reporter(progress))
    return _continued(own, course)


def _continued(request: Request, course: Course) -> Solution:
    """Rounds that go on where those of a linear problem have ended."""
    with offering(partial(finish_quietly, request), "solution"):
        found = finish_quietly(request, solve_automatically(request, coarser=course))
    assert found is not None
    return found


def _solved_again(
    solution: Solution, request: Request | None, tol: float, budget: Budget | None, progress: Any
) -> Solution:
    """With what is known of it: where it is not linear, the solution to begin with."""
    settings: dict[str, Any] = {"rng": solution.report.rng, "budget": budget}
    if request is not None:
        settings = {
            "rng": request.seed,
            "budget": budget or request.budget,
            "points": request.points,
            "least_squares": request.method,
            "scaling": request.scaling,
            "singular": request.singular,
            "approach": request.approach,
        }
    problem = solution.problem
    if not problem.is_linear:
        settings["guess"] = solution
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AccuracyWarning)  # told by whoever asked
        return solve(problem, tol=tol, progress=progress, **settings)


def _check_refinable(solution: Solution) -> None:
    """Refuse what another solve would not find again."""
    problem, report = solution.problem, solution.report
    why = ""
    if solution.caption or (problem.is_linear and not problem.relations):
        why = "it is a part of a solution; refine the whole one, and take the part of that"
    elif not report.rounds:
        why = "its features were chosen by hand, and say nothing of others; solve again, without them or with more"
    elif problem.is_linear and problem.constraints and not _has_data(problem):
        why = "it is a mode, or zero: the problem has no data; call fs.eigenmodes with a smaller tol"
    if why:
        raise ProblemError(f"this solution cannot be refined: {why}")


def _has_data(problem: Problem) -> bool:
    if problem.domain.is_unbounded and incident_of(problem):
        return True
    rng = np.random.default_rng(0)  # only looks
    sampled = (relation.values(relation.sample(_PLACES, rng, "low-discrepancy")) for relation in problem.relations)
    return any(np.any(values != 0) for values in sampled)
