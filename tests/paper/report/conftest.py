"""Studies with numbers made up: quick, and with everything that can go wrong in them."""

from __future__ import annotations

import math
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from fspielm.jobs import Job, Outcome, Plan, Row, Store, Subject, Sweep
from fspielm.paper.report.analysis import StudyResult, make_study

ENVIRONMENT = {"fspielm": "0.0", "processor": "made up <&>"}
PROBLEM = """
title = "A <string> & its load"
unknown = "u(x)"
equation = "dx(u, 2) = -sin(x)"
[domain]
shape = "Interval"
a = 0
b = 1
[[conditions]]
type = "dirichlet"
value = 0
"""

Fill = Callable[[Job], Outcome | None]


def outcome_of(job: Job) -> Outcome:
    """A plausible outcome, the same every time."""
    rng = np.random.default_rng([job.seed, *job.key.encode()])
    low, high = job.mu or (1.0, 10.0)
    error = 10.0 ** (-12 + 4 * abs(math.log10(high / 200)) + 0.1 * low + rng.uniform(0, 1.5))
    return Outcome("done", measure="exact", error=error, seconds=float(rng.uniform(0.5, 2)), neurons=job.neurons)


def make_rows(plan: Plan, fill: Fill = outcome_of) -> list[Row]:
    """A row for every job that `fill` has an outcome for."""
    found = ((job, fill(job)) for job in plan.jobs)
    return [Row(job, outcome, "2026-01-02T03:04:05+00:00", "abc") for job, outcome in found if outcome is not None]


def troubled(job: Job) -> Outcome | None:
    """Failures, errors beyond all numbers, errors of zero, a warning; and some not solved yet."""
    assert job.mu is not None
    if job.method == "tanh":
        return Outcome("failed", f"out of memory: <{job.seed + 3} GiB> & more")
    if job.method == "siren":
        return Outcome("done", measure="exact", error=None, seconds=1.0)
    if job.seed == 1 and job.mu[0] == 5.0:
        return None
    if job.method == "gff":
        return Outcome("done", "not converged", measure="exact", error=0.0, seconds=0.0)
    return outcome_of(job)


@pytest.fixture
def made_up() -> Fill:
    return outcome_of


@pytest.fixture
def in_trouble() -> Fill:
    return troubled


@pytest.fixture
def small_plan() -> Plan:
    sweep = Sweep(["poisson-1d"], ["tanh", "siren", "gff", "fs-l"], mu=[(1, 200), (5, 200), (1, 250)], seeds=[0, 1])
    return Plan("small", sweep)


@pytest.fixture
def string() -> Subject:
    """A problem file without an exact solution."""
    return Subject("a <string>", PROBLEM)


@pytest.fixture
def make_result() -> Callable[..., StudyResult]:
    """The result of a plan without a store."""

    def make(plan: Plan, fill: Fill = outcome_of) -> StudyResult:
        return make_study(plan, plan.terms(), make_rows(plan, fill), {"abc": ENVIRONMENT})

    return make


@pytest.fixture
def make_store(tmp_path: Path) -> Callable[..., Path]:
    """A store of a plan with an outcome for every job that `fill` has one for."""

    def make(plan: Plan, fill: Fill = outcome_of) -> Path:
        with Store.create(tmp_path / "study.db", plan, plan.terms()) as store:
            store.record_all(make_rows(plan, fill), {"abc": ENVIRONMENT})
        return tmp_path / "study.db"

    return make


@pytest.fixture
def parse() -> Callable[[str], Page]:
    return Page


class Page(HTMLParser):
    """Tags with their attributes, and text; refuses tags that do not match."""

    VOID = frozenset({"meta", "img", "br", "col"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs)
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] not in ("style", "script"):
            self.text += data

    def values(self, attribute: str, tag: str | None = None) -> list[str]:
        return [
            str(attributes[attribute])
            for name, attributes in self.tags
            if tag in (None, name) and attribute in attributes
        ]
