"""Solution.refine(): the same problem to more digits, from where a solve has ended."""

from __future__ import annotations

import warnings
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from fspielm.accuracy import judge
from fspielm.collocation import Patchwork
from fspielm.equations import Problem
from fspielm.equations.open_domain import incident_of
from fspielm.errors import AccuracyWarning, ProblemError
from fspielm.features import CellBasis
from fspielm.geometry.cells import Frames, tile_as
from fspielm.solution import Solution
from fspielm.solvers.automatic import solve_automatically
from fspielm.solvers.budget import Budget
from fspielm.solvers.progress import reporter
from fspielm.solvers.randomness import Streams
from fspielm.solvers.record import Record
from fspielm.solvers.request import Request
from fspielm.solvers.so_far import offering
from fspielm.solvers.solve import check_settings, finish, finish_quietly, solve
from fspielm.solvers.stages.cells import Cells

# Places of each relation where data are looked for.
_PLACES = 50


def refined(solution: Solution, tol: float, budget: Budget | None, progress: Any) -> Solution:
    """For `Solution.refine`, whose arguments these are."""
    check_settings(tol, None, None, None, budget)
    _check_refinable(solution)
    if solution.error_estimate <= tol:
        why = judge(solution.problem, solution.estimate, tol, "").reason
        return replace(solution, report=replace(solution.report, tol=tol, converged=True, reason=why))
    with offering(partial(_better, solution, tol), "solution"):
        request, record = solution._origin or _from_cells(solution)
        if request is None or not solution.problem.is_linear:
            found = _solved_again(solution, request, tol, budget, progress)
        else:
            found = _continued(request, record, tol, budget, progress)
        return _better(solution, tol, found)


def _better(solution: Solution, tol: float, found: Solution | None) -> Solution:
    """What was found; or else what it was to be better than, with the verdict for the tolerance that it misses."""
    if found is not None and found.error_estimate < solution.error_estimate:
        return found
    why = solution.report.reason if found is None else found.report.reason
    return replace(solution, report=replace(solution.report, tol=tol, converged=False, reason=why))


def _from_cells(solution: Solution) -> tuple[Request | None, Record]:
    """What to go on from where nothing else is left of a solve: the cells of a linear problem, of one material."""
    problem, basis, budget = solution.problem, solution.basis, Budget()
    streams, seed = Streams.spawned(solution.report.rng)
    request = Request(problem, solution.report.tol, budget, streams, seed)
    if not isinstance(basis, CellBasis) or not isinstance(basis.frames, Frames) or not problem.is_linear:
        return None, Record(budget)
    tiling = tile_as(problem.domain, basis.frames)
    patchwork = Patchwork(problem, tiling, basis.degrees, basis.scales, request.threads)
    return request, Record(budget, stage=Cells(request, patchwork))


def _continued(request: Request, record: Record, tol: float, budget: Budget | None, progress: Any) -> Solution:
    """Rounds that go on where those of a linear problem have ended."""
    # so that rounds draw what those of a solve with this tolerance would
    streams = deepcopy(record.streams) or request.streams
    own = replace(request, tol=tol, budget=budget or request.budget, streams=streams, progress=reporter(progress))
    with offering(partial(finish_quietly, own)):
        return finish(own, solve_automatically(own, coarser=record), quietly=True)


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
