"""Make a `Solution` with its verdict and report."""

from __future__ import annotations

import logging
import warnings
from dataclasses import replace
from functools import partial

import numpy as np

from fspielm.arrays import FloatArray, safe_norm
from fspielm.collocation.householder import Householder
from fspielm.collocation.system import Discretisation, check_memory
from fspielm.errors import AccuracyWarning
from fspielm.estimate.estimate import ErrorEstimate, Verdict, judge
from fspielm.estimate.examination import examine
from fspielm.estimate.narrow import find_narrow
from fspielm.problem.problem import Problem
from fspielm.solution.open_space import as_stated
from fspielm.solution.report import BandReport, NewtonStep, Report, field_reports
from fspielm.solution.solution import Solution
from fspielm.solvers.driver import History, Record
from fspielm.solvers.request import Budget, Request, silence
from fspielm.solvers.round import RoundResult

_log = logging.getLogger(__name__)


def finish_quietly(request: Request, found: History | Solution | None) -> Solution | None:
    """A solution of the rounds so far; a solution by windows is returned as it is."""
    return finish(request, found, quietly=True) if isinstance(found, History) else found


def solution_of(
    request: Request,
    problem: Problem,
    found: RoundResult,
    record: Record,
    choice: str,
    ending: str = "",
    newton: tuple[NewtonStep, ...] = (),
    failure: str = "",
) -> Solution:
    """A solution of what no rounds of its own have led to, such as a mode or a place of a curve; without a warning."""
    history = History(found, record, choice, ending, newton, failure)
    return finish(replace(request, problem=problem), history, quietly=True)


def finish(request: Request, solved: RoundResult | History, *, quietly: bool = False) -> Solution:
    """Make a solution from a solve by hand or from rounds; `quietly` without a warning if it has not converged."""
    problem, tol = request.problem, request.tol
    history = solved if isinstance(solved, History) else None
    done = solved.best if isinstance(solved, History) else solved
    bands, band_reports = None if history is None else history.record.bands, {}
    if bands is not None:
        each = zip(problem.coordinates, bands.frequencies, bands.sources, strict=True)
        band_reports = {str(symbol): BandReport(float(frequency), source) for symbol, frequency, source in each}
    estimate = done.estimate
    verdict = None
    # a nonlinear problem is judged by the linear one that was solved last
    linear = problem if problem.is_linear else done.discretisation.problem
    if estimate is not None:
        ending, failure = ("", "") if history is None else (history.ending, history.failure)
        more_helps = history is not None and history.helps
        verdict = judge(linear, estimate, tol, ending, bands, failure, more_helps=more_helps)
    report = Report(
        features=done.plan.description,
        least_squares=repr(request.method),
        scaling=request.scaling,
        neurons=done.basis.size,
        rows=done.rows,
        points=done.discretisation.counts,
        residuals=dict(done.residuals),
        rank=done.rank,
        condition=done.condition,
        coefficient_norm=safe_norm(done.coefficients),
        seconds=dict(done.seconds) if history is None else history.record.seconds,
        rng=request.seed,
        tol=tol,
        error_estimate=None,
        max_error_estimate=None,
        scale=None,
        converged=None,
        reason="",
        bands=band_reports,
        rounds=() if history is None else history.record.rounds,
        choice="" if history is None else history.choice,
        sampled=() if estimate is None else tuple(str(look) for look in find_narrow(linear).looks),
        remarks=problem.remarks if history is None or not history.remark else (*problem.remarks, history.remark),
        cells=len(done.basis.on_cells[0].frames) if done.basis.on_cells else None,
        tiling="".join(basis.in_words for basis in done.basis.on_cells),
        newton=() if history is None else history.newton,
    )
    _log.debug("%s, %d rows x %d columns, rank %d", report.features, report.rows, report.neurons, report.rank)
    if estimate is not None and verdict is not None:
        report = judged(report, problem, estimate, verdict)
        _log.info("%s: %s", "converged" if verdict.converged else "not converged", verdict.reason)
        if not quietly:
            warn_unless(verdict, stacklevel=5)
    origin = None
    if history is not None and (history.record.strategy is not None or not problem.is_linear):
        origin = replace(request, progress=silence), history.record
    if problem.domain.is_unbounded:
        assert estimate is not None  # features chosen by hand were refused
        return Solution(*as_stated(problem, done.basis, done.coefficients), report, estimate, _origin=origin)
    if estimate is not None:
        return Solution(problem, done.basis, done.coefficients, report, estimate, _origin=origin)
    # the solution keeps this, so it has neither the fitted rows nor the progress function
    assert isinstance(done.discretisation, Discretisation)  # only features chosen by hand are judged later
    unplaced = replace(done.discretisation, sites={})
    seed = int(request.streams.probes.integers(2**63))
    later = partial(_judge_later, unplaced, done.coefficients, tol, request.budget, seed)
    return Solution(problem, done.basis, done.coefficients, report, later)


def judged(report: Report, problem: Problem, estimate: ErrorEstimate, verdict: Verdict) -> Report:
    """The report with an error estimate and its verdict."""
    return replace(
        report,
        error_estimate=estimate.relative,
        max_error_estimate=estimate.largest,
        scale=estimate.scale,
        converged=verdict.converged,
        reason=verdict.reason,
        fields=field_reports(problem, estimate) if len(problem.unknowns) > 1 else {},
    )


def warn_unless(verdict: Verdict, *, stacklevel: int) -> None:
    """Warn if a verdict is that the tolerance is not met."""
    if not verdict.converged:
        warnings.warn(f"not converged: {verdict.reason}", AccuracyWarning, stacklevel=stacklevel)


def _judge_later(
    discretisation: Discretisation, coefficients: FloatArray, tol: float, budget: Budget, seed: int
) -> ErrorEstimate:
    """Estimate the error when it is first used, with the warning that an immediate estimate would have given.

    The method of the solve left no triangular factor, so that another factorisation is needed. Sites are drawn again.
    The budget is that of the machine that estimates, which need not be that of the solve.
    """
    problem, rng = discretisation.problem, np.random.default_rng(seed)
    sites = discretisation.points.draw(problem, rng)
    drawn = replace(discretisation, sites=sites, threads=budget.thread_count)
    check_memory(drawn.rows, drawn.basis.size, 0, budget.memory_limit, itemsize=drawn.basis.dtype.itemsize)
    system = drawn.assemble("rms")
    estimate = examine(drawn, system.blocks, Householder.of_matrix(system.matrix), rng).estimate(coefficients)
    warn_unless(judge(problem, estimate, tol, ""), stacklevel=5)
    return estimate
