"""Solve and measure one job; failures become outcomes too."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import fields
from time import perf_counter
from typing import Any

import numpy as np

from fspielm.arrays import FloatArray, safe_rms
from fspielm.basis.evaluation.sums import evaluate
from fspielm.collocation.points import Points, points_for
from fspielm.collocation.system import HeldOut, make_blocks, matrix_bytes
from fspielm.errors import AccuracyWarning, MemoryBudgetError, ProblemError, SolveError
from fspielm.geometry.boundary import Sites
from fspielm.jobs.job import AUTOMATIC, DONE, Job, Outcome, Terms, failure, make_least_squares
from fspielm.jobs.subject import Bench
from fspielm.paper.cases.case import make_features
from fspielm.problem.operator import identity
from fspielm.solution.report import Report
from fspielm.solution.solution import Solution
from fspielm.solvers.request import Budget, Streams, spawn
from fspielm.solvers.solve import solve


def perform(job: Job, bench: Bench, terms: Terms) -> Outcome:
    """Solve a job and measure the solution; a failure is an outcome too."""

    def solve_and_measure() -> Outcome:
        begun = perf_counter()
        solution = solve(bench.problem, **settings(job, bench, terms), rng=job.seed)
        return _measure(job, bench, terms, solution, perf_counter() - begun)

    return outcome_of(solve_and_measure)


def outcome_of(solve_and_measure: Callable[[], Outcome]) -> Outcome:
    """The outcome of solving and measuring, with the solver's warning; or why it failed."""
    begun = perf_counter()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", AccuracyWarning)
            # the error of a solve tells of overflow; NumPy need not
            with np.errstate(all="ignore"):
                outcome = solve_and_measure()
        said = [str(warning.message) for warning in caught if issubclass(warning.category, AccuracyWarning)]
        return Outcome(**vars(outcome) | {"message": said[0] if said else ""})
    except MemoryBudgetError as error:
        needed = str(error).split(";", 1)[0]
        return failure(f"{needed}; allow more with the plan's memory, in bytes", perf_counter() - begun)
    except MemoryError as error:
        return failure(f"out of memory: {error}" if str(error) else "out of memory", perf_counter() - begun)
    except (ProblemError, SolveError, ArithmeticError) as error:
        return failure(str(error), perf_counter() - begun)
    except Exception as error:
        # a study goes on whatever one of its solves does
        return failure(f"{type(error).__name__}: {error}", perf_counter() - begun)


def settings(job: Job, bench: Bench, terms: Terms) -> dict[str, Any]:
    """Keyword arguments of `fspielm.solve` for a job."""
    if job.method == AUTOMATIC:
        budget = Budget(memory=terms.share, threads=terms.threads, seconds=terms.seconds)
        return {"tol": terms.tol, "budget": budget}
    budget = Budget(memory=terms.memory, threads=terms.threads)
    assert job.mu is not None
    assert job.neurons is not None
    assert job.least_squares is not None
    groups = {} if bench.case is None else {"groups": bench.case.paper.groups}
    return {
        "features": make_features(job.method, job.neurons, job.mu, **groups),
        "points": bench.points(job.neurons),
        "least_squares": make_least_squares(job.least_squares),
        "scaling": job.scaling,
        "tol": terms.tol,
        "budget": budget,
    }


def needed_memory(job: Job, bench: Bench, terms: Terms) -> float:
    """Bytes that a solve needs; its share if that is not known in advance."""
    if job.neurons is None or job.least_squares is None:
        return terms.share
    rows = sum(bench.points(job.neurons).counts(bench.problem).values())
    return matrix_bytes(rows, job.neurons) + make_least_squares(job.least_squares).workspace(rows, job.neurons)


def _measure(job: Job, bench: Bench, terms: Terms, solution: Solution, seconds: float) -> Outcome:
    report = solution.report

    def values(points: FloatArray) -> FloatArray:
        # as `solution(points)`, with the threads of the study
        sites, identical = Sites(points), identity(bench.problem.dimension)
        method = solution.summation
        return evaluate(solution.basis, solution.coefficients, identical, sites, threads=terms.threads, method=method)

    if bench.relative_error is None:
        estimate: float | None = solution.error_estimate
        error = estimate
    else:
        estimate = report.error_estimate
        error = bench.relative_error(values)
    automatic = job.method == AUTOMATIC
    points = points_for(bench.problem, report.neurons) if automatic else bench.points(report.neurons)
    held_out, blocks = _held_out_residuals(solution, points, job.seed, terms.threads)
    return outcome_from(
        report,
        seconds,
        measure=bench.measure,
        error=error,
        space_time_error=bench.space_time_error(values),
        error_estimate=estimate,
        held_out=held_out,
        held_out_residuals=blocks,
    )


def outcome_from(report: Report, seconds: float, **measured: Any) -> Outcome:
    """The outcome of a solve: what its report tells, and what was measured besides."""
    return Outcome(
        DONE,
        residuals={name: residual.rms for name, residual in report.residuals.items()},
        neurons=report.neurons,
        rows=report.rows,
        rank=report.rank,
        condition=report.condition,
        coefficient_norm=report.coefficient_norm,
        phases=dict(report.seconds),
        seconds=seconds,
        **measured,
    )


def _held_out_residuals(solution: Solution, points: Points, seed: int, threads: int) -> tuple[float, dict[str, float]]:
    """The residual at fresh points relative to the data there, weighted as the paper's rows; and that of each block."""
    problem = solution.problem
    # one stream more than the solve had, so that the points differ
    (*_, rng), _ = spawn(seed, len(fields(Streams)) + 1)
    held_out = HeldOut(points.thinned().draw(problem, rng))
    # Trefftz functions are fitted without rows of the equation; weight it as if it had them
    rows = {**points.counts(problem), **solution.report.points}
    residual, data, blocks = 0.0, 0.0, {}
    for block in make_blocks(problem, held_out.sites):
        values = held_out.apply(block, solution.basis, solution.coefficients, threads)
        blocks[block.name] = safe_rms(values - block.values)
        weight = math.sqrt(rows[block.name])
        residual = math.hypot(residual, weight * blocks[block.name])
        data = math.hypot(data, weight * safe_rms(block.values))
    return (residual / data if data > 0 else residual), blocks
