"""Plans, rows and stores that are quick to make."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fspielm.jobs import Job, Outcome, Plan, Store, Sweep

ROOM = """
unknown = "u(x)"
equation = "dx(u, 2) = -25*sin(5*x)"
domain = { shape = "Interval", a = 0, b = "pi" }
conditions = [{ type = "dirichlet", value = 0 }]
"""


@pytest.fixture
def plan() -> Plan:
    """Two methods, two ranges, two seeds on a light benchmark."""
    return Plan("small", [Sweep(["poisson-1d"], ["fs-l", "gff"], mu=[(5, 250), (25, 350)], seeds=[0, 1])])


@pytest.fixture
def store(plan: Plan, tmp_path: Path) -> Iterator[Store]:
    """The study of that plan, with nothing solved."""
    with Store.create(tmp_path / "small.db", plan, plan.terms()) as created:
        yield created


@pytest.fixture
def outcome() -> Outcome:
    """What a solve may have given, with numbers that need all their digits."""
    return Outcome(
        "done",
        measure="exact",
        error=0.1 + 0.2,
        held_out=1 / 3,
        residuals={"equation": 1e-7, "dirichlet x-": 2e-9},
        held_out_residuals={"equation": 2e-7, "dirichlet x-": 3e-9},
        neurons=200,
        rows=402,
        rank=150,
        condition=1e17,
        coefficient_norm=7.25,
        phases={"assembly": 0.01, "solve": 0.02},
        seconds=0.03,
    )


@pytest.fixture
def job() -> Job:
    """The first job of `plan`."""
    return Job("poisson-1d", "fs-l", 0, (5.0, 250.0), 200, "svd 1e-12", "none")
