"""The rows of a study as a CSV file, written and read."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TypeVar, final

from fspielm.disk import check_place, open_file, staged_file
from fspielm.errors import ProblemError
from fspielm.jobs.job import AUTOMATIC, BY_NAME, DONE, FAILED, JOB_COLUMNS, REAL, THREADS, UNKNOWN, Job, Outcome, Row
from fspielm.jobs.plan import Plan
from fspielm.jobs.store import Store

# ---- The origin of the rows


_SUFFIX = ".origin.json"


@final
@dataclass(frozen=True)
class Origin:
    """Where the rows of a CSV file come from."""

    plan: str
    # digests of the problems
    subjects: Mapping[str, str]
    # of the automatic solver
    tol: float
    # by digest
    environments: Mapping[str, Mapping[str, str]]

    @classmethod
    def of(cls, plan: Plan, environments: Mapping[str, Mapping[str, str]]) -> Origin:
        """The origin of the rows of a study."""
        return cls(plan.name, {name: subject.digest for name, subject in plan.subjects.items()}, plan.tol, environments)

    def as_json(self) -> str:
        """The text of the file."""
        return json.dumps(asdict(self), indent=1, sort_keys=True) + "\n"

    def differences(self, plan: Plan, subjects: Collection[str], methods: Collection[str]) -> Iterator[str]:
        """Why solves of these subjects and methods are not those of a plan."""
        for name in sorted(subjects):
            if self.subjects.get(name) != plan.subjects[name].digest:
                yield f"its problem {name!r}, or what that is measured with, is another one"
        if AUTOMATIC in methods and self.tol != plan.tol:
            yield f"its automatic solves have tol={self.tol:g}, those of the plan {plan.tol:g}"
        for environment in self.environments.values():
            threads = environment.get(THREADS, UNKNOWN)
            if threads not in (UNKNOWN, str(plan.threads)):
                yield (
                    f"it was solved with {threads} threads, and the plan has {plan.threads}, which changes last bits; "
                    "give the plan the same number"
                )


def origin_path(table: Path) -> Path:
    """The path of the origin of a CSV file."""
    return table.with_suffix(_SUFFIX)


def read_origin(path: Path) -> Origin:
    """Read the origin of rows from a file."""
    try:
        with open_file(path) as file:
            content = json.loads(file.read().decode("utf-8"))
        origin = Origin(**content)
        whole = isinstance(origin.subjects, dict) and isinstance(origin.environments, dict)
        if not whole or not all(isinstance(one, dict) for one in origin.environments.values()):
            raise TypeError("it is none of a study's")
    except OSError as error:
        raise ProblemError(f"cannot read {str(path)!r}: {error.strerror}; it belongs to the table beside it") from error
    except (ValueError, TypeError) as error:
        raise ProblemError(f"cannot read {str(path)!r}: {error}") from error
    return origin


# ---- The rows


T = TypeVar("T")

_WHOLE = ("rows", "rank")
# The number of neurons that an automatic solve chose; other jobs state their own.
_USED = "neurons_used"
_RESULTS = ("status", "measure", *REAL, _USED, *_WHOLE, "seconds", *BY_NAME)
COLUMNS = (*JOB_COLUMNS, *_RESULTS, "ended", "environment", "message")


@final
@dataclass(frozen=True)
class Taken:
    """How many rows of a CSV file a study has taken."""

    # rows that were added to the study
    new: int
    # rows of solves that the study had already; it keeps its own
    known: int
    # rows of solves that are not in its plan
    foreign: int


@final
@dataclass(frozen=True)
class Table:
    """Rows of a plan from a CSV file."""

    rows: tuple[Row, ...]
    # by digest
    environments: Mapping[str, Mapping[str, str]]
    # how many further rows the file has
    foreign: int


def export_csv(store: str | os.PathLike[str], path: str | os.PathLike[str]) -> Path:
    """Write the solves of a study to a CSV file, and their origin to an ``.origin.json`` file beside it.

    Errors have all of their digits, residuals and seconds six.

    Parameters
    ----------
    store : path
        The study.
    path : path
        A name ending in ``.csv``.

    Returns
    -------
    Path
        The CSV file.
    """
    target = Path(path)
    check_place(target, (".csv",))
    with Store.open(store, read_only=True) as study:
        rows, origin = study.rows(), Origin.of(study.plan, study.environments())
    with staged_file(origin_path(target)) as draft:
        draft.write_text(origin.as_json(), encoding="utf-8")
    with staged_file(target) as draft, draft.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(map(_cells, rows))
    return target


def import_csv(store: Store, path: str | os.PathLike[str]) -> Taken:
    """Add the solves of a CSV file that a study lacks; all of them or, if one cannot be added, none."""
    return take(store, read_table(store.plan, path))


def read_table(plan: Plan, path: str | os.PathLike[str]) -> Table:
    """The solves of a CSV file that belong to a plan, without failed ones.

    Refused if there are none, or if they are of other problems or were made on other terms.
    """
    source = Path(path)
    rows = list(read_rows(source))
    origin = read_origin(origin_path(source))
    planned = {job.key for job in plan.jobs}
    ours = [row for row in rows if row.job.key in planned]
    if rows and not ours:
        raise ProblemError(f"no row of {str(source)!r} belongs to this plan; its first is {rows[0].job.key}")
    good = [row for row in ours if row.done]
    for found in origin.differences(plan, {row.job.subject for row in good}, {row.job.method for row in good}):
        raise ProblemError(f"{str(source)!r} is of another study: {found}")
    used = {row.environment for row in good if row.environment}
    if unknown := used - origin.environments.keys():
        raise ProblemError(
            f"{str(source)!r} refers to the environment {min(unknown)!r}, which {origin_path(source).name!r} beside it "
            "does not have; keep the two files together"
        )
    return Table(tuple(good), {name: origin.environments[name] for name in used}, len(rows) - len(ours))


def take(store: Store, table: Table) -> Taken:
    """Add the rows of a table that a study lacks; a success replaces a failure."""
    done = {row.job.key for row in store.rows() if row.done}
    new = [row for row in table.rows if row.job.key not in done]
    environments = {row.environment: table.environments[row.environment] for row in new if row.environment}
    store.record_all(new, environments, replace_failed=True)
    return Taken(len(new), len(table.rows) - len(new), table.foreign)


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of a CSV file that `export_csv` wrote."""
    try:
        file = TextIOWrapper(open_file(path), encoding="utf-8", newline="")
    except OSError as error:
        raise ProblemError(f"cannot read {str(path)!r}: {error.strerror}") from error
    with file:
        table = csv.DictReader(file)
        try:
            missing = set(COLUMNS) - set(table.fieldnames or ())
            if missing:
                raise ProblemError(f"{str(path)!r} is no table of a study: it has no column {min(missing)!r}")
            seen: set[str] = set()
            for cells in table:
                row = _row(cells)
                if row.job.key in seen:
                    raise ValueError("the same solve a second time")
                seen.add(row.job.key)
                yield row
        except ProblemError:
            raise
        except UnicodeDecodeError:
            raise ProblemError(f"{str(path)!r} is no text; a store is made one by 'fspielm study export'") from None
        except (ValueError, TypeError, KeyError, csv.Error) as error:
            raise ProblemError(f"{str(path)!r}, line {table.line_num}: {error}") from error


def _cells(row: Row) -> dict[str, Any]:
    outcome = row.outcome.as_dict()
    return {
        **row.job.columns,
        **{name: outcome[name] for name in ("status", "measure", "message", *REAL, *_WHOLE)},
        **{name: _short(outcome[name]) for name in BY_NAME},
        _USED: outcome["neurons"],
        "seconds": f"{outcome['seconds']:.6g}",
        "ended": row.ended,
        "environment": row.environment,
    }


def _short(numbers: Mapping[str, float]) -> str:
    return json.dumps({name: float(f"{value:.6g}") for name, value in numbers.items()})


def _row(cells: Mapping[str, str]) -> Row:
    if None in cells.values():
        raise ValueError("the line is cut short")
    job = Job.from_columns(
        cells["subject"],
        cells["method"],
        *(_optional(float, cells[name]) for name in ("mu_min", "mu_max")),
        _optional(int, cells["neurons"]),
        cells["least_squares"] or None,
        cells["scaling"] or None,
        seed=int(cells["seed"]),
    )
    if cells["status"] not in (DONE, FAILED):
        raise ValueError(f"the status must be {DONE} or {FAILED}; got {cells['status']!r}")
    numbers: dict[str, Any] = {name: _optional(float, cells[name]) for name in REAL}
    numbers |= {name: _optional(int, cells[name]) for name in _WHOLE}
    numbers |= {name: _numbers(cells[name]) for name in BY_NAME}
    outcome = Outcome(
        cells["status"],
        cells["message"],
        cells["measure"],
        neurons=_optional(int, cells[_USED]),
        seconds=float(cells["seconds"]),
        **numbers,
    )
    return Row(job, outcome, cells["ended"], cells["environment"])


def _numbers(text: str) -> dict[str, float]:
    content = json.loads(text)
    if not isinstance(content, dict):
        raise ValueError(f"numbers by name are expected, as in {{}}; got {text!r}")
    return {str(name): float(value) for name, value in content.items()}


def _optional(kind: Callable[[str], T], text: str) -> T | None:
    return kind(text) if text else None
