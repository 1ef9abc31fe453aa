"""Jobs and outcomes as the rows of a database, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from fspielm.study.job import Job
from fspielm.study.outcome import Outcome
from fspielm.study.rows import Row

_JOB = ("subject", "method", "seed", "mu_min", "mu_max", "neurons", "least_squares", "scaling")
_JSON = ("residuals", "held_out_residuals", "phases", "measured")
_OUTCOME = tuple(Outcome.__dataclass_fields__)

INSERT_JOB = "INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
INSERT_SOLVE = (
    f"INSERT INTO solves (job, {', '.join(_OUTCOME)}, ended, environment) "
    f"SELECT id, {', '.join('?' * len(_OUTCOME))}, ?, ? FROM jobs WHERE key = ?"
)
SELECT_MISSING = f"SELECT {', '.join(_JOB)} FROM jobs WHERE id NOT IN (SELECT job FROM solves) ORDER BY id"
SELECT_ROWS = (
    f"SELECT {', '.join(f'jobs.{name}' for name in _JOB)}, "
    f"{', '.join(f'solves.{name}' for name in (*_OUTCOME, 'ended', 'environment'))} "
    "FROM jobs JOIN solves ON jobs.id = solves.job ORDER BY jobs.id"
)
# Of stores that were begun before solves were measured.
SELECT_UNMEASURED = SELECT_ROWS.replace("solves.measured", "'{}'")


def job_values(jobs: Iterable[Job]) -> Iterator[tuple[Any, ...]]:
    """The values of `INSERT_JOB` for every job of a plan, in its order."""
    for number, job in enumerate(jobs):
        low, high = job.mu or (None, None)
        settings = (low, high, job.neurons, job.least_squares, job.scaling, job.seed)
        yield (number, job.key, job.subject, job.method, *settings)


def solve_values(row: Row) -> list[Any]:
    """The values of `INSERT_SOLVE`."""
    content = row.outcome.as_dict()
    outcome = [json.dumps(content[name]) if name in _JSON else content[name] for name in _OUTCOME]
    return [*outcome, row.ended, row.environment or None, row.job.key]


def read_job(values: tuple[Any, ...]) -> Job:
    """A job as `SELECT_MISSING` gives it."""
    subject, method, seed, low, high, *rest = values
    return Job(subject, method, seed, None if low is None else (low, high), *rest)


def read_row(values: tuple[Any, ...]) -> Row:
    """A solve as `SELECT_ROWS` gives it."""
    count = len(_JOB)
    content = dict(zip(_OUTCOME, values[count:], strict=False))
    content |= {name: json.loads(content[name]) for name in _JSON}
    return Row(read_job(values[:count]), Outcome(**content), values[-2], values[-1] or "")
