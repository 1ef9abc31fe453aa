"""A study in one SQLite file: its plan, and every solve as it ends."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import Any, final

from fspielm.errors import ProblemError
from fspielm.study.environment import digest
from fspielm.study.job import Job
from fspielm.study.outcome import Outcome
from fspielm.study.plan import Plan, differences
from fspielm.study.rows import Row
from fspielm.study.terms import Terms
from fspielm.version import __version__
from fspielm.writing import staged_file

SUFFIX = ".db"

_FORMAT = 1
# "fspS", so that a file of ours is told from any other database.
_APPLICATION = 0x66737053
_BUSY_SECONDS = 30.0
_JSON = ("residuals", "held_out_residuals", "phases")
_OUTCOME = tuple(Outcome.__dataclass_fields__)
_INSERT = (
    f"INSERT INTO solves (job, {', '.join(_OUTCOME)}, ended, environment) "
    f"SELECT id, {', '.join('?' * len(_OUTCOME))}, ?, ? FROM jobs WHERE key = ?"
)


class StoreError(OSError):
    """The file cannot take what it should; what it has is safe."""


@final
class Store:
    """An open study.

    Every outcome is on the disk when `record` returns: a kill, or a loss of power, at any instant costs the solves
    that are running and nothing else.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    @classmethod
    def create(cls, path: str | os.PathLike[str], plan: Plan, terms: Terms) -> Store:
        """A new study; the file appears with all of its plan or not at all."""
        place = Path(path)
        meta = {
            "format": str(_FORMAT),
            "fspielm": __version__,
            "created": _now(),
            "plan": json.dumps(plan.as_dict()),
            "terms": json.dumps(terms.as_dict()),
        }
        schema = files("fspielm.study").joinpath("schema.sql").read_text(encoding="utf-8")
        with staged_file(place) as draft, closing(_connect(draft, "rw")) as connection, _says_what_fails(place):
            connection.executescript(f"BEGIN; {schema}; PRAGMA application_id = {_APPLICATION}; COMMIT;")
            connection.execute("BEGIN")
            connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
            connection.executemany("INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", _job_rows(plan.jobs))
            connection.execute("COMMIT")
        return cls.open(place)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, read_only: bool = False) -> Store:
        """A study that is there."""
        place = Path(path)
        if place.is_dir():
            raise ProblemError(f"{str(path)!r} is a folder, not a study")
        if not place.is_file():
            raise ProblemError(f"there is no study {str(path)!r}; 'fspielm study run PLAN --store {path}' begins one")
        # a run killed while it stored something left a journal, which only a writer can take back
        journal = place.with_name(f"{place.name}-journal")
        connection = _connect(place, "ro" if read_only and not journal.exists() else "rw")
        store = cls(place, connection)
        try:
            store._check_form()
        except BaseException:
            connection.close()
            raise
        return store

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    @property
    def plan(self) -> Plan:
        """The plan, as it was when the study began."""
        return Plan.from_dict(json.loads(self._meta("plan")))

    @property
    def terms(self) -> Terms:
        """What every solve is given."""
        return Terms(**json.loads(self._meta("terms")))

    def check_plan(self, plan: Plan) -> None:
        """Refuse another plan than the one this study began with, and say what differs."""
        found = differences(plan, self.plan, ("in this plan", "in the store"))
        if found:
            raise ProblemError(
                f"{str(self.path)!r} holds another plan ({'; '.join(found)}); give this one a store of its own"
            )

    def record(self, job: Job, outcome: Outcome, environment: Mapping[str, str]) -> None:
        """Keep the outcome of a job; a second one for the same job is refused."""
        name = digest(dict(environment)) if environment else ""
        self.record_all([Row(job, outcome, _now(), name)], {name: environment})

    def record_all(self, rows: Iterable[Row], environments: Mapping[str, Mapping[str, str]]) -> None:
        """Keep many outcomes at once, or none of them if one is refused."""
        with self._transaction() as cursor:
            cursor.executemany(
                "INSERT OR IGNORE INTO environments VALUES (?, ?)",
                [(name, json.dumps(dict(content))) for name, content in environments.items() if name],
            )
            for row in rows:
                cursor.execute(
                    _INSERT, [*_outcome_values(row.outcome), row.ended, row.environment or None, row.job.key]
                )
                if cursor.rowcount != 1:
                    raise ProblemError(f"the plan of {str(self.path)!r} has no solve {row.job.key!r}")

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Cursor]:
        with _says_what_fails(self.path), closing(self._connection.cursor()) as cursor:
            cursor.execute("BEGIN IMMEDIATE")
            try:
                yield cursor
                cursor.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    cursor.execute("ROLLBACK")
                raise

    def forget_failures(self) -> int:
        """Take back the failed solves, so that they are tried again; how many there were."""
        with self._transaction() as cursor:
            cursor.execute("DELETE FROM solves WHERE status = 'failed'")
            return int(cursor.rowcount)

    def missing(self) -> list[Job]:
        """The jobs that have not ended, in the order of the plan."""
        found = self._connection.execute(
            f"SELECT {', '.join(_JOB)} FROM jobs WHERE id NOT IN (SELECT job FROM solves) ORDER BY id"
        )
        return [_job(row) for row in found]

    def rows(self) -> list[Row]:
        """Every solve that has ended, in the order of the plan."""
        wanted = [f"jobs.{name}" for name in _JOB] + [f"solves.{name}" for name in (*_OUTCOME, "ended", "environment")]
        found = self._connection.execute(
            f"SELECT {', '.join(wanted)} FROM jobs JOIN solves ON jobs.id = solves.job ORDER BY jobs.id"
        )
        return [_row(row) for row in found]

    def environments(self) -> dict[str, dict[str, str]]:
        """What the solves ran on, by digest."""
        found = self._connection.execute("SELECT digest, content FROM environments ORDER BY digest")
        return {name: json.loads(content) for name, content in found}

    def _meta(self, name: str) -> str:
        found = self._connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        if found is None:
            raise ProblemError(f"{str(self.path)!r} is damaged: it has no {name}")
        return str(found[0])

    def _check_form(self) -> None:
        try:
            (application,) = self._connection.execute("PRAGMA application_id").fetchone()
            written = int(self._meta("format")) if application == _APPLICATION else None
        except sqlite3.DatabaseError as error:
            raise ProblemError(f"{str(self.path)!r} is no study: {error}") from error
        if written is None:
            raise ProblemError(f"{str(self.path)!r} is a database, but no study of fspielm")
        if written > _FORMAT:
            raise ProblemError(
                f"{str(self.path)!r} was written by fspielm {self._meta('fspielm')}, whose form {written} this version "
                f"({__version__}) does not know; upgrade with: pip install --upgrade fspielm"
            )


_JOB = ("subject", "method", "seed", "mu_min", "mu_max", "neurons", "least_squares", "scaling")


def _job_rows(jobs: Iterable[Job]) -> Iterator[tuple[Any, ...]]:
    for number, job in enumerate(jobs):
        low, high = job.mu or (None, None)
        settings = (low, high, job.neurons, job.least_squares, job.scaling, job.seed)
        yield (number, job.key, job.subject, job.method, *settings)


def _job(row: tuple[Any, ...]) -> Job:
    subject, method, seed, low, high, *rest = row
    return Job(subject, method, seed, None if low is None else (low, high), *rest)


def _row(row: tuple[Any, ...]) -> Row:
    count = len(_JOB)
    content = dict(zip(_OUTCOME, row[count:], strict=False))
    content |= {name: json.loads(content[name]) for name in _JSON}
    return Row(_job(row[:count]), Outcome(**content), row[-2], row[-1] or "")


def _outcome_values(outcome: Outcome) -> list[Any]:
    content = outcome.as_dict()
    return [json.dumps(content[name]) if name in _JSON else content[name] for name in _OUTCOME]


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    connection = None
    try:
        # transactions are begun by hand; no log beside the file, which is the whole study at any time
        connection = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode={mode}", uri=True, timeout=_BUSY_SECONDS, isolation_level=None
        )
        connection.execute("PRAGMA synchronous = EXTRA")
        connection.execute("PRAGMA foreign_keys = ON")
    except sqlite3.Error as error:
        if connection is not None:
            connection.close()
        raise ProblemError(f"cannot open {str(path)!r} as a study: {error}") from error
    return connection


@contextmanager
def _says_what_fails(path: Path) -> Iterator[None]:
    """Turn what SQLite cannot do (a full disk, a file that became read-only) into one clear sentence."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"cannot write to {str(path)!r}: {error}; what it holds is safe") from error


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
