"""Solution.refine(): the same problem to more digits, from where a solve has ended."""

from __future__ import annotations

import warnings
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from fspielm.cells.basis import CellBasis
from fspielm.cells.frames import Frames
from fspielm.cells.patchwork import Patchwork
from fspielm.cells.tiling import tile_as
from fspielm.errors import AccuracyWarning, ProblemError
from fspielm.estimate.estimate import judge
from fspielm.problem.problem import Problem
from fspielm.problem.scattering.open_domain import incident_of
from fspielm.solution.solution import Solution
from fspielm.solvers.driver import finish, finish_quietly, solve_automatically
from fspielm.solvers.request import INTERRUPTED, Budget, Progress, Request, Streams, offering, reporter
from fspielm.solvers.round import Record
from fspielm.solvers.solve import check_settings, solve
from fspielm.solvers.strategies.cells import Cells

# Attributes of requests that are also arguments of `solve`.
_SETTINGS = ("tol", "budget", "progress", "points", "scaling", "singular", "approach")


def refine(
    solution: Solution, tol: float, *, budget: Budget | None = None, progress: Progress | bool | None = None
) -> Solution:
    """The function behind `Solution.refine`."""
    check_settings(tol, budget)
    _check_refinable(solution)
    if solution.error_estimate <= tol:
        why = judge(solution.problem, solution.estimate, tol, "").reason
        return replace(solution, report=replace(solution.report, tol=tol, converged=True, reason=why))
    request, record = solution._origin or _origin_of_loaded(solution)
    streams = deepcopy(record.streams) or request.streams  # as a solve with this tolerance would begin with
    own = replace(request, tol=tol, budget=budget or request.budget, streams=streams, progress=reporter(progress))
    with offering(partial(_better_one, solution, tol), "solution"):
        found = _better_one(solution, tol, _refined(solution, own, record))
    if not found.converged:
        warnings.warn(f"not converged: {found.report.reason}", AccuracyWarning, stacklevel=3)
    return found


def _refined(solution: Solution, request: Request, record: Record) -> Solution:
    """Go on with the rounds of a linear problem; or solve again, with the solution as the guess if nonlinear."""
    if record.strategy is not None:
        with offering(partial(finish_quietly, request)):
            return finish(request, solve_automatically(request, coarser=record), quietly=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AccuracyWarning)  # the caller warns
        settings: dict[str, Any] = {name: getattr(request, name) for name in _SETTINGS}
        guess = None if solution.problem.is_linear else solution
        return solve(solution.problem, rng=request.seed, least_squares=request.method, guess=guess, **settings)


def _better_one(solution: Solution, tol: float, found: Solution | None) -> Solution:
    """The better one of both solutions; the old one with the verdict for the new tolerance, which it misses."""
    if found is not None and found.error_estimate < solution.error_estimate:
        return found
    cut = f"the error estimate {solution.error_estimate:.1e} misses the tolerance {tol:.0e}: {INTERRUPTED}"
    why = cut if found is None else found.report.reason
    return replace(solution, report=replace(solution.report, tol=tol, converged=False, reason=why))


def _origin_of_loaded(solution: Solution) -> tuple[Request, Record]:
    """Where to go on from a solution that was loaded: with its cells, for a linear problem of one material."""
    problem, basis, report = solution.problem, solution.basis, solution.report
    streams, seed = Streams.spawned(report.rng)
    request = Request(problem, report.tol, Budget(), streams, seed, approach="windows" if report.windows else None)
    record = Record(request.budget)
    is_whole = problem.is_linear and not report.windows
    if is_whole and isinstance(basis, CellBasis) and isinstance(basis.frames, Frames):
        tiling = tile_as(problem.domain, basis.frames)
        patchwork = Patchwork(problem, tiling, basis.degrees, basis.scales, request.threads)
        record.strategy = Cells(request, patchwork)
    return request, record


def _check_refinable(solution: Solution) -> None:
    """Refuse solutions that another solve would not reproduce."""
    problem, report = solution.problem, solution.report
    why = ""
    if solution.caption or (problem.is_linear and not problem.relations):
        why = "it is a part of a solution; refine the whole one, and take the part of that"
    elif not report.rounds:
        why = "its functions were chosen by hand, and say nothing of others; solve again, without them or with more"
    elif problem.is_linear and problem.constraints and not _has_data(problem):
        why = "it is a mode, or zero: the problem has no data; call fs.eigenmodes with a smaller tol"
    if why:
        raise ProblemError(f"this solution cannot be refined: {why}")


def _has_data(problem: Problem) -> bool:
    rng = np.random.default_rng(0)  # only looks
    sampled = (each.values(each.sample(50, rng, "low-discrepancy")) for each in problem.relations)
    return (problem.domain.is_unbounded and bool(incident_of(problem))) or any(map(np.any, sampled))
