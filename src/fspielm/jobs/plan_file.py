"""Plans as TOML files, read and written."""

from __future__ import annotations

import os
import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Callable, Sequence
from importlib.resources import files as resources
from itertools import product
from typing import Any, TypeVar

import numpy as np

from fspielm.disk import staged_file
from fspielm.errors import ProblemError, TextError
from fspielm.files.saved import load
from fspielm.files.toml import LARGEST, Table, open_document, shown, write_toml
from fspielm.jobs.job import MOST_SOLVES
from fspielm.jobs.plan import Plan, Sweep
from fspielm.jobs.subject import Subject
from fspielm.paper.cases import catalogue as cases
from fspielm.solution.evaluation import regular_grid

# ---- The tables of a plan file


T = TypeVar("T")

_LISTS: dict[str, tuple[type, str]] = {
    "subjects": (str, 'a list of names, as in ["heat"]'),
    "methods": (str, 'a list of names, as in ["fs-l", "fs-g"]'),
    "neurons": (int, "a list of whole numbers, as in [400, 800]"),
    "least_squares": (str, 'a list of methods, as in ["svd 1e-12", "qr"]'),
    "scaling": (str, 'a list, as in ["none", "rms"]'),
    "seeds": (int, "a list of whole numbers, or how many (5 means 0 to 4)"),
}
_MU = '"best", "grid", a list of pairs as in [[5, 80], [10, 90]], or { min = [5, 10], max = [50, 60] }'
_QUOTED = re.compile(r"'([^']*)'")


def read_files(tables: Sequence[Table]) -> list[Subject]:
    """The problems under ``[[files]]``, with unique names."""
    found: dict[str, Subject] = {}
    for table in tables:
        subject = _read_file(table)
        if subject.name in found or subject.name in cases.names():
            owner = "another file" if subject.name in found else "a benchmark"
            raise table.error(f"{owner} has the name {subject.name!r}; give this one its own with name = ...", "name")
        found[subject.name] = subject
    return list(found.values())


def _read_file(table: Table) -> Subject:
    """The problem in a file, or in a text of the plan itself."""
    table.check_keys([], ["path", "name", "reference", "text", "values"])
    for one, other in (("path", "text"), ("reference", "values")):
        if one in table and other in table:
            raise table.error(f"either {one} or {other}, not both", other)
    name = table.text("name")
    if "text" in table:
        if not name.strip():
            raise table.error('text needs a name beside it, as in name = "room"', "text")
        text = table.text("text")
        subject = Subject(name, text if "\n" in text else f"{text}\n")
        with_place(table, subject.open, "text")
    elif "path" in table:
        path = table.path_beside("path", "plan", exists=True)
        subject = table.make(lambda: Subject.from_file(path, name=name), "path")
    else:
        raise table.error("the key 'path' is missing")
    if "values" in table:
        return _with_values(table, subject)
    if "reference" in table:
        reference = table.path_beside("reference", "plan", exists=True)
        return table.make(lambda: subject.with_reference(load(reference)), "reference")
    return subject


def _with_values(table: Table, subject: Subject) -> Subject:
    """The subject with the values of a reference that `write_plan` wrote."""
    text = table.text("values")
    points = regular_grid(subject.open().problem.domain)
    try:
        values = np.frombuffer(b64decode(text.encode("ascii"), validate=True), dtype="<f8")
    except (Base64Error, UnicodeError, ValueError):
        raise table.error("values must be what write_plan wrote: numbers in base64", "values") from None
    if len(values) != len(points) or not np.all(np.isfinite(values)):
        raise table.error(
            f"values must be {len(points)} finite numbers, one for each point of the grid; got {len(values)}", "values"
        )
    return Subject(subject.name, subject.text, text)


def read_sweep(table: Table, subjects: Sequence[Subject]) -> Sweep:
    """The sweep of one of ``[[sweeps]]``, which may name these problems."""
    table.check_keys(["subjects", "methods"], ["mu", *list(_LISTS)[2:]])
    settings: dict[str, Any] = {key: _list(table, key) for key in _LISTS if key in table}
    if "mu" in table:
        settings["mu"] = _ranges(table)
    sweep = with_place(table, lambda: Sweep(**settings))
    # build a plan of this sweep alone, so that its errors point at this table
    with_place(table, lambda: Plan("sweep", [sweep], subjects))
    return sweep


def _list(table: Table, key: str) -> Sequence[Any]:
    value = table[key]
    kind, wanted = _LISTS[key]
    if key == "seeds" and isinstance(value, int) and not isinstance(value, bool):
        if not 0 < value <= MOST_SOLVES:
            raise table.error(f"seeds must be {wanted}, at most {MOST_SOLVES}; got {shown(value)}", key)
        return range(value)
    if not isinstance(value, list) or not all(_is_a(item, kind) for item in value):
        raise table.error(f"{key} must be {wanted}; got {shown(value)}", key)
    return value


def _ranges(table: Table) -> Any:
    mu = table["mu"]
    if isinstance(mu, str):
        return mu
    if isinstance(mu, dict):
        inner = Table(mu, table.document, (*table.path, "mu"))
        inner.check_keys(["min", "max"])
        for key in ("min", "max"):
            if not _are_numbers(inner[key]):
                raise inner.error(f"{key} must be a list of numbers; got {shown(inner[key])}", key)
        if len(inner["min"]) * len(inner["max"]) > MOST_SOLVES:
            raise table.error(f"mu has more than {MOST_SOLVES} combinations of min and max", "mu")
        return list(product(inner["min"], inner["max"]))
    if not isinstance(mu, list) or not all(_are_numbers(pair) and len(pair) == 2 for pair in mu):
        raise table.error(f"mu must be {_MU}; got {shown(mu)}", "mu")
    return [tuple(pair) for pair in mu]


def _number(table: Table, key: str) -> float:
    if not _is_a(table[key], float):
        raise table.error(f"{key} must be a number; got {shown(table[key])}", key)
    return float(table[key])


def _are_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(_is_a(item, float) for item in value)


def _is_a(value: Any, kind: type) -> bool:
    """Whether a value is a text, an integer or a number; an integer also has to fit a float."""
    if kind is str:
        return isinstance(value, str)
    if isinstance(value, int):
        return not isinstance(value, bool) and value.bit_length() < 1024
    return kind is float and isinstance(value, float)


def with_place(table: Table, build: Callable[[], T], key: str = "") -> T:
    """What `build` makes; its errors get the place of the key that they name, and of the value that they quote."""
    try:
        return build()
    except ProblemError as error:
        reason = error.reason if isinstance(error, TextError) else str(error)
        wrong_key = key or _key_named_in(table, reason)
        quoted = _QUOTED.search(reason)
        raise table.document.error(
            f"{table.label}{reason}",
            (*table.path, wrong_key) if wrong_key else table.path,
            f'"{quoted.group(1)}"' if quoted and not key else "",
        ) from None


def _key_named_in(table: Table, reason: str) -> str:
    if reason.startswith("unknown case"):
        return "subjects"
    words = re.findall(r"\w+", reason.replace("least squares", "least_squares"))
    return next((word for word in words if word in table), "")


# ---- Whole files


_NUMBERS = ("seconds", "memory", "tol")


def read_plan(source: str | os.PathLike[str]) -> Plan:
    """The plan that a file states.

    Parameters
    ----------
    source : path or str
        The path of a TOML file, or the text itself if it has several lines.

    Returns
    -------
    Plan

    Raises
    ------
    ProblemError
        For anything that cannot be read or planned, with its place in the file.

    Examples
    --------
    >>> plan = read_plan('''
    ... name = "mine"
    ... [[sweeps]]
    ... subjects = ["poisson-1d"]
    ... methods = ["fs-l", "fs-g"]
    ... mu = { min = [5, 10], max = [50, 60] }
    ... seeds = 3
    ... ''')
    >>> len(plan.jobs)
    24
    """
    document = open_document(source, "plan file")
    file = Table(document.content(), document)
    file.check_keys(["name", "sweeps"], ["files", "threads", *_NUMBERS])
    terms: dict[str, Any] = {key: _number(file, key) for key in _NUMBERS if key in file}
    if "threads" in file:
        terms["threads"] = file.whole("threads")
    subjects = read_files(file.tables("files"))
    name = file.text("name")
    sweeps = [read_sweep(table, subjects) for table in file.tables("sweeps")]
    return with_place(file, lambda: Plan(name, sweeps, subjects, **terms))


def write_plan(plan: Plan, path: str | os.PathLike[str] | None = None) -> str:
    """Write a plan as a file that `read_plan` reads back as the same plan.

    Parameters
    ----------
    plan : Plan
        Its problem files, and the values of their references, go into the same file.
    path : path, optional
        Where to write it; by default the text is only returned.

    Returns
    -------
    str
        The text of the file.
    """
    if not isinstance(plan, Plan):
        raise ProblemError(f"plan must be an fs.study.Plan; got {plan!r}")
    content = {key: value for key, value in plan.as_dict().items() if value is not None}
    content["files"] = [_file_table(subject) for subject in plan.files]
    content["sweeps"] = [_without_empty(sweep.as_dict()) for sweep in plan.sweeps]
    text = write_toml(_without_empty(content))
    if len(text) > LARGEST:
        raise ProblemError(
            f"the plan has {len(text)} characters, a plan file at most {LARGEST}; keep its problems and references in "
            "files of their own, under [[files]]"
        )
    if path is not None:
        with staged_file(path) as draft:
            draft.write_text(text, encoding="utf-8")
    return text


def example_plan() -> str:
    """A plan file with comments, to start from."""
    return resources("fspielm.jobs").joinpath("example.toml").read_text(encoding="utf-8")


def _file_table(subject: Subject) -> dict[str, str]:
    values = {"values": subject.reference} if subject.reference else {}
    return {"name": subject.name, **values, "text": subject.text}


def _without_empty(content: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in content.items() if value != []}
