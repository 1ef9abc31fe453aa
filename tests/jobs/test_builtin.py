"""The plans that come with the package: every kind of solve they have is one that can be done."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import fspielm as fs
from fspielm.jobs import Job, Subject, builtin_plan, builtin_plans
from fspielm.jobs import perform as module
from fspielm.jobs.job import AUTOMATIC, Terms
from fspielm.jobs.perform import perform

_TERMS = Terms(threads=1, memory=2e9, share=2e9, seconds=None, tol=1e-1)
_FEW = 24
_FEW_AUTOMATIC = 150
# Whose shapes take most of the time.
_LARGE = ("helmholtz-panda", "advection-diffusion-pacman")

# one solve of every case with every method of every plan; the plans share most of them
_JOBS = {(job.subject, job.method): job for name in builtin_plans() for job in builtin_plan(name).jobs}


def _small(job: Job) -> Job:
    return job if job.neurons is None else replace(job, neurons=_FEW)


@pytest.fixture
def few_neurons(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit the automatic solver, which no plan can, so that its first rounds are its last."""

    def solve(problem: fs.Problem, **settings: Any) -> fs.Solution:
        if "features" not in settings:
            settings["budget"] = replace(settings["budget"], neurons=_FEW_AUTOMATIC)
        return fs.solve(problem, **settings)

    monkeypatch.setattr(module, "solve", solve)


@pytest.mark.usefixtures("few_neurons")
@pytest.mark.parametrize(
    "subject",
    [
        pytest.param(subject, marks=[pytest.mark.slow] if subject in _LARGE else [])
        for subject in dict.fromkeys(subject for subject, _ in _JOBS)
    ],
)
def test_every_kind_of_solve_in_the_plans_is_done(subject: str) -> None:
    bench = Subject(subject).open()
    for job in (_small(job) for (name, _), job in _JOBS.items() if name == subject):
        outcome = perform(job, bench, _TERMS)
        assert outcome.status == "done", f"{job.key}: {outcome.message}"
        assert outcome.neurons is not None
        assert outcome.neurons <= (_FEW_AUTOMATIC if job.method == AUTOMATIC else _FEW)
        assert outcome.held_out is not None
        assert outcome.held_out >= 0
        # the equation is checked also where the features satisfy it, and it had no rows
        assert "equation" in outcome.held_out_residuals


def test_the_check_of_features_that_satisfy_the_equation_is_of_the_equation_too() -> None:
    outcome = perform(Job("heat", AUTOMATIC, 0), Subject("heat").open(), _TERMS)
    assert "equation" not in outcome.residuals
    assert outcome.held_out_residuals["equation"] < 1e-10
    assert outcome.held_out is not None
    assert outcome.held_out < 1e-10
