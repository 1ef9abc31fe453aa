"""One job: solved as `fspielm.solve` would, measured as its subject says, its failures told."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import fspielm as fs
from fspielm.errors import ProblemError, SolveError
from fspielm.jobs import Job, Subject
from fspielm.jobs import perform as module
from fspielm.jobs.job import Terms
from fspielm.jobs.perform import needed_memory, perform, settings
from fspielm.solution import relative_error

from .conftest import ROOM

TERMS = Terms(threads=1, memory=4e9, share=2e9, seconds=None, tol=1e-8)
EXACT = ROOM + '[reference]\nexact = "sin(5*x)"\n'
OWN = Job("room", "fs-l", 3, (1.0, 15.0), 60, "svd 1e-12", "none")


def test_a_job_is_the_papers_solve_to_the_last_bit(job: Job) -> None:
    case = fs.cases.load("poisson-1d")
    solution = fs.solve(case.problem, **case.paper.settings("fs-l"), rng=0)
    outcome = perform(job, Subject("poisson-1d").open(), TERMS)
    assert outcome.status == "done"
    assert outcome.measure == "exact"
    assert outcome.error == case.relative_error(solution)
    assert outcome.rank == solution.report.rank
    assert outcome.residuals == {name: block.rms for name, block in solution.report.residuals.items()}
    assert outcome.held_out_residuals.keys() == outcome.residuals.keys()
    assert outcome.error_estimate is None
    assert outcome.held_out is not None
    assert 0 < outcome.held_out < 1e-6


def test_the_held_out_residual_is_relative_to_the_data(job: Job) -> None:
    bench = Subject("poisson-1d").open()
    hopeless = perform(replace(job, method="tanh"), bench, TERMS)
    assert hopeless.held_out is not None
    assert hopeless.held_out > 0.1


def test_every_method_solves(job: Job) -> None:
    bench = Subject("heat").open()
    for method in ("fs-l-space", "fs-g-space", "siren"):
        outcome = perform(replace(job, subject="heat", method=method, mu=(5.0, 80.0), neurons=120), bench, TERMS)
        assert outcome.status == "done", outcome.message
        assert outcome.neurons == 120


def test_the_automatic_solver_brings_its_estimate() -> None:
    outcome = perform(Job("poisson-1d", "automatic", 0), Subject("poisson-1d").open(), TERMS)
    assert outcome.error is not None
    assert outcome.error_estimate is not None
    assert outcome.error < outcome.error_estimate < 1e-8
    assert outcome.neurons is not None


def test_points_keep_the_papers_proportions() -> None:
    bench = Subject("heat").open()
    assert bench.points(1200) == fs.cases.load("heat").paper.points
    half = bench.points(600)
    assert (half.interior, half.boundary, half.initial) == (4000, 200, 500)


def test_a_slice_is_measured_over_all_times_too(job: Job) -> None:
    bench = Subject("advection-diffusion-pacman").open()
    pacman = replace(job, subject="advection-diffusion-pacman", mu=(16.0, 45.0), neurons=100)
    outcome = perform(pacman, bench, TERMS)
    assert outcome.space_time_error is not None


def test_a_file_is_measured_with_its_exact_solution() -> None:
    outcome = perform(OWN, Subject("room", EXACT).open(), TERMS)
    assert outcome.measure == "exact"
    assert outcome.error is not None
    assert outcome.error < 1e-6


def test_a_file_is_measured_with_a_reference_solution() -> None:
    reference = fs.solve(fs.read_problem(ROOM), rng=0)
    subject = Subject("room", ROOM).with_reference(reference)
    outcome = perform(OWN, Subject.from_dict(subject.as_dict()).open(), TERMS)
    exact = perform(OWN, Subject("room", EXACT).open(), TERMS)
    assert outcome.measure == "reference"
    assert outcome.error is not None
    assert exact.error is not None
    assert abs(outcome.error - exact.error) < 1e-8


def test_without_either_the_estimate_is_the_measure() -> None:
    outcome = perform(OWN, Subject("room", ROOM).open(), TERMS)
    exact = perform(OWN, Subject("room", EXACT).open(), TERMS)
    assert outcome.measure == "estimate"
    assert outcome.error == outcome.error_estimate
    assert outcome.error is not None
    assert exact.error is not None
    assert outcome.error >= exact.error


@pytest.mark.filterwarnings("ignore:not converged")  # too small on purpose
def test_a_reference_must_fit_the_problem() -> None:
    subject = Subject("room", ROOM)
    plane = fs.solve(fs.cases.load("heat").problem, features=fs.FrequencyShift(50, mu=(1, 9)), rng=0)
    with pytest.raises(ProblemError, match=r"room: the reference.*2 coord"):
        subject.with_reference(plane)
    shorter = fs.solve(fs.read_problem(ROOM.replace('"pi"', "1")), rng=0)
    with pytest.raises(ProblemError, match=r"room: the reference.*cover"):
        subject.with_reference(shorter)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MemoryError(), "out of memory"),
        (SolveError("the singular values did not converge"), "the singular values did not converge"),
        (RuntimeError("a library's own"), "RuntimeError: a library's own"),
    ],
)
def test_failures_are_outcomes(monkeypatch: pytest.MonkeyPatch, job: Job, error: Exception, message: str) -> None:
    def fail(*arguments: Any, **options: Any) -> None:
        raise error

    monkeypatch.setattr(module, "solve", fail)
    outcome = perform(job, Subject("poisson-1d").open(), TERMS)
    assert outcome.status == "failed"
    assert outcome.message == message
    assert outcome.error is None


def test_a_solve_beyond_the_plans_memory_fails_before_it_begins(job: Job) -> None:
    outcome = perform(job, Subject("poisson-1d").open(), replace(TERMS, memory=1e5))
    assert outcome.status == "failed"
    assert re.search(r"budget of 0\.1 MiB; .*the plan's memory", outcome.message)


def test_the_memory_of_a_job_is_known_before(job: Job) -> None:
    bench = Subject("poisson-1d").open()
    assert 8 * 402 * 201 < needed_memory(job, bench, TERMS) < 4e6
    assert needed_memory(Job("poisson-1d", "automatic", 0), bench, TERMS) == TERMS.share


def test_a_warning_is_kept_with_the_row(job: Job) -> None:
    outcome = perform(replace(job, least_squares="qr", mu=(1.0, 9.0)), Subject("poisson-1d").open(), TERMS)
    assert outcome.message.startswith("not converged")


def test_threads_and_memory_are_the_plans(job: Job) -> None:
    budget = settings(job, Subject("poisson-1d").open(), TERMS)["budget"]
    assert (budget.memory, budget.threads) == (4e9, 1)
    automatic = settings(Job("poisson-1d", "automatic", 0), Subject("poisson-1d").open(), TERMS)["budget"]
    assert automatic == fs.Budget(memory=2e9, threads=1, seconds=None)


def test_nothing_to_measure_on_is_no_error_of_zero() -> None:
    with pytest.raises(ProblemError, match=r"no point.*measuring grid"):
        relative_error(lambda points: points[:, 0], np.empty(0), np.empty((0, 2)))
