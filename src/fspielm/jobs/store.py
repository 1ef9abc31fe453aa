"""A study in one SQLite file: its plan, and the outcome of every solve."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any, final

from fspielm.disk import staged_file
from fspielm.errors import ProblemError
from fspielm.jobs.job import BY_NAME, JOB_COLUMNS, Job, Outcome, Row, Terms, digest
from fspielm.jobs.plan import AnyPlan, Plan, differences
from fspielm.jobs.sandbox import SLOW_SECONDS
from fspielm.version import __version__

SUFFIX = ".db"
_FORMAT = 2
# "fspS": marks the database as one of fspielm.
_APPLICATION = 0x66737053
_JSON = (*BY_NAME, "measured")
_OUTCOME = tuple(Outcome.__dataclass_fields__)
INSERT_JOB = "INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
INSERT_SOLVE = (
    f"INSERT INTO solves (job, {', '.join(_OUTCOME)}, ended, environment) "
    f"SELECT id, {', '.join('?' * len(_OUTCOME))}, ?, ? FROM jobs WHERE key = ?"
)
SELECT_MISSING = f"SELECT {', '.join(JOB_COLUMNS)} FROM jobs WHERE id NOT IN (SELECT job FROM solves) ORDER BY id"
SELECT_ROWS = (
    f"SELECT {', '.join(f'jobs.{name}' for name in JOB_COLUMNS)}, "
    f"{', '.join(f'solves.{name}' for name in (*_OUTCOME, 'ended', 'environment'))} "
    "FROM jobs JOIN solves ON jobs.id = solves.job ORDER BY jobs.id"
)
# For stores of format 1, which have no column of measurements.
SELECT_UNMEASURED = SELECT_ROWS.replace("solves.measured", "'{}'")
# Files that SQLite keeps beside a database while it is written to, or after a kill.
_SIDECARS = ("-journal", "-wal", "-shm")


class StoreError(OSError):
    """The file cannot be written to; what it holds is safe."""


def _connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open an existing file; transactions are begun explicitly.

    A commit appends to a log beside the file and waits for the disk once: durable and fast. The log is merged into the
    file when it is closed or, after a kill, when it is opened again, which needs write access.
    """
    mode = "ro" if read_only and not any(_sidecar(path, name).exists() for name in _SIDECARS) else "rw"
    connection = None
    try:
        connection = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode={mode}", uri=True, timeout=SLOW_SECONDS, isolation_level=None
        )
        if mode == "rw" and not read_only:
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
    except sqlite3.Error as error:
        if connection is not None:
            connection.close()
        raise ProblemError(f"cannot open {str(path)!r} as a study: {_reason(error)}") from error
    return connection


def _remove_sidecars(path: Path) -> None:
    """Remove the side files of a database that is gone: SQLite would take them for those of a new one."""
    for name in _SIDECARS:
        _sidecar(path, name).unlink(missing_ok=True)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turn errors of SQLite while writing (a full disk, a read-only file) into a `StoreError`."""
    try:
        yield
    except sqlite3.Error as error:
        safe = "; what it holds is safe" if path.is_file() else ""
        raise StoreError(f"cannot write to {str(path)!r}: {_reason(error)}{safe}") from error


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turn errors of SQLite while reading, as of a damaged file, into a `ProblemError`."""
    try:
        yield
    except sqlite3.Error as error:
        raise ProblemError(f"cannot read {str(path)!r}: {error}") from error


def _reason(error: sqlite3.Error) -> str:
    """SQLite's message; a full disk is named, as its message does not."""
    full = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
    return "no space left on the disk" if full else str(error)


def _sidecar(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


@final
class Store:
    """An open study.

    Every outcome is on the disk when `record` returns. A kill or a loss of power loses the running solves only.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    @classmethod
    def create(cls, path: str | os.PathLike[str], plan: AnyPlan, terms: Terms) -> Store:
        """Create a study or sweep; the file appears complete or not at all, and never replaces another."""
        place = Path(path)
        if place.exists():
            raise ProblemError(f"{str(path)!r} is there already; open it, or name another file")
        meta = {
            "format": str(_FORMAT),
            "fspielm": __version__,
            "created": _now(),
            "plan": json.dumps(plan.as_dict()),
            "terms": json.dumps(asdict(terms)),
        }
        schema = files("fspielm.jobs").joinpath("schema.sql").read_text(encoding="utf-8")
        with _drafted(place) as draft, closing(_connect(draft)) as connection, _writing(place):
            connection.executescript(f"BEGIN; {schema}; PRAGMA application_id = {_APPLICATION}; COMMIT;")
            connection.execute("BEGIN")
            connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
            jobs = ((number, job.key, *job.columns.values()) for number, job in enumerate(plan.jobs))
            connection.executemany(INSERT_JOB, jobs)
            connection.execute("COMMIT")
            _remove_sidecars(place)
        return cls.open(place)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, read_only: bool = False) -> Store:
        """Open an existing study."""
        place = Path(path)
        if place.is_dir():
            raise ProblemError(f"{str(path)!r} is a folder, not a study")
        if place.exists() and not place.is_file():
            raise ProblemError(f"{str(path)!r} is a pipe or a device, not a study")
        if not place.is_file():
            raise ProblemError(f"there is no study {str(path)!r}; 'fspielm study run PLAN --store {path}' begins one")
        connection = _connect(place, read_only=read_only)
        store = cls(place, connection)
        try:
            store._check_format()
            if not read_only:
                store._upgrade_format()
        except BaseException:
            connection.close()
            raise
        return store

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @property
    def plan(self) -> Plan:
        """The plan of the study."""
        if "sweeps" not in self.content:
            raise ProblemError(f"{str(self.path)!r} is what fs.sweep keeps, and no study; fs.sweep reads it")
        return Plan.from_dict(self.content)

    @property
    def content(self) -> dict[str, Any]:
        """The plan of a study or a sweep, as plain values."""
        content: dict[str, Any] = json.loads(self._meta("plan"))
        return content

    @property
    def terms(self) -> Terms:
        """The terms of every solve."""
        return Terms(**json.loads(self._meta("terms")))

    def check_plan(self, plan: Plan) -> None:
        """Refuse a plan that differs from the stored one, and say how."""
        found = differences(plan, self.plan, ("in this plan", "in the store"))
        if found:
            raise ProblemError(
                f"{str(self.path)!r} holds another plan ({'; '.join(found)}); give this one a store of its own"
            )

    def record(self, job: Job, outcome: Outcome, environment: Mapping[str, str]) -> None:
        """Store the outcome of a job; a second one for the same job is refused."""
        name = digest(dict(environment)) if environment else ""
        self.record_all([Row(job, outcome, _now(), name)], {name: environment})

    def record_all(
        self, rows: Iterable[Row], environments: Mapping[str, Mapping[str, str]], *, replace_failed: bool = False
    ) -> None:
        """Store many outcomes, or none of them if one is refused; with `replace_failed`, replace failed ones."""
        with self._transaction() as cursor:
            cursor.executemany(
                "INSERT OR IGNORE INTO environments VALUES (?, ?)",
                [(name, json.dumps(dict(content))) for name, content in environments.items() if name],
            )
            for row in rows:
                if replace_failed:
                    failed = "status = 'failed' AND job = (SELECT id FROM jobs WHERE key = ?)"
                    cursor.execute(f"DELETE FROM solves WHERE {failed}", (row.job.key,))
                cursor.execute(INSERT_SOLVE, _solve_values(row))
                if cursor.rowcount != 1:
                    raise ProblemError(f"the plan of {str(self.path)!r} has no solve {row.job.key!r}")

    def forget_failures(self) -> int:
        """Delete the failed solves, so that they are tried again; return how many there were."""
        with self._transaction() as cursor:
            cursor.execute("DELETE FROM solves WHERE status = 'failed'")
            return int(cursor.rowcount)

    def missing(self) -> list[Job]:
        """The jobs that have not ended, in the order of the plan."""
        return [_read_job(values) for values in self._all(SELECT_MISSING)]

    def rows(self) -> list[Row]:
        """Every solve that has ended, in the order of the plan."""
        written = int(self._meta("format"))
        return [_read_row(values) for values in self._all(SELECT_ROWS if written > 1 else SELECT_UNMEASURED)]

    def environments(self) -> dict[str, dict[str, str]]:
        """The environments that solves ran in, by digest."""
        found = self._all("SELECT digest, content FROM environments ORDER BY digest")
        return {name: json.loads(content) for name, content in found}

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Cursor]:
        with _writing(self.path), closing(self._connection.cursor()) as cursor:
            cursor.execute("BEGIN IMMEDIATE")
            try:
                yield cursor
                cursor.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    cursor.execute("ROLLBACK")
                raise

    def _all(self, query: str) -> list[tuple[Any, ...]]:
        with _reading(self.path):
            return self._connection.execute(query).fetchall()

    def _meta(self, name: str) -> str:
        with _reading(self.path):
            found = self._connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        if found is None:
            raise ProblemError(f"{str(self.path)!r} is damaged: it has no {name}")
        return str(found[0])

    def _check_format(self) -> None:
        with _reading(self.path):
            (application,) = self._connection.execute("PRAGMA application_id").fetchone()
        if application != _APPLICATION:
            raise ProblemError(f"{str(self.path)!r} is a database, but no study of fspielm")
        written = int(self._meta("format"))
        if written > _FORMAT:
            raise ProblemError(
                f"{str(self.path)!r} was written by fspielm {self._meta('fspielm')}, whose form {written} this version "
                f"({__version__}) does not know; upgrade with: pip install --upgrade fspielm"
            )

    def _upgrade_format(self) -> None:
        """Add the column that a file of format 1 lacks."""
        if int(self._meta("format")) < _FORMAT:
            with self._transaction() as cursor:
                cursor.execute("ALTER TABLE solves ADD COLUMN measured TEXT NOT NULL DEFAULT '{}'")
                cursor.execute("UPDATE meta SET value = ? WHERE name = 'format'", (str(_FORMAT),))


@contextmanager
def _drafted(place: Path) -> Iterator[Path]:
    """A draft of a database, whose side files are removed in any case."""
    with staged_file(place) as draft:
        try:
            yield draft
        except (ProblemError, StoreError) as error:
            raise ProblemError(str(error).replace(str(draft), str(place))) from error
        finally:
            _remove_sidecars(draft)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _solve_values(row: Row) -> list[Any]:
    """The values of `INSERT_SOLVE`."""
    content = row.outcome.as_dict()
    outcome = [json.dumps(content[name]) if name in _JSON else content[name] for name in _OUTCOME]
    return [*outcome, row.ended, row.environment or None, row.job.key]


def _read_job(values: tuple[Any, ...]) -> Job:
    """A job as `SELECT_MISSING` gives it."""
    *others, seed = values
    return Job.from_columns(*others, seed=seed)


def _read_row(values: tuple[Any, ...]) -> Row:
    """A solve as `SELECT_ROWS` gives it."""
    count = len(JOB_COLUMNS)
    content = dict(zip(_OUTCOME, values[count:], strict=False))
    content |= {name: json.loads(content[name]) for name in _JSON}
    return Row(_read_job(values[:count]), Outcome(**content), values[-2], values[-1] or "")
