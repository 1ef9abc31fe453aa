"""Plans as text: TOML in and out."""

from __future__ import annotations

import os
from importlib.resources import files as resources
from typing import Any

from fspielm.errors import ProblemError
from fspielm.files.document import LARGEST, open_document
from fspielm.files.table import Table
from fspielm.files.toml import write_toml
from fspielm.study.plan import Plan
from fspielm.study.plan_tables import number, placed, read_files, read_sweep
from fspielm.study.subject import Subject
from fspielm.study.sweep import Sweep
from fspielm.writing import staged_file

_NUMBERS = ("seconds", "memory", "tol")


def read_plan(source: str | os.PathLike[str]) -> Plan:
    """The plan that a file states.

    Parameters
    ----------
    source : path or str
        The path of a TOML file; a string of several lines is taken for the text itself.

    Returns
    -------
    Plan

    Raises
    ------
    ProblemError
        For whatever cannot be read or planned as written, with its place in the file.

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
    terms: dict[str, Any] = {key: number(file, key) for key in _NUMBERS if key in file}
    if "threads" in file:
        terms["threads"] = file.whole("threads")
    subjects = read_files(file.tables("files"))
    name = file.text("name")
    sweeps = [read_sweep(table, subjects) for table in file.tables("sweeps")]
    return placed(file, lambda: Plan(name, sweeps, subjects, **terms))


def write_plan(plan: Plan, path: str | os.PathLike[str] | None = None) -> str:
    """Write a plan as a file that `read_plan` reads back as the same plan.

    Parameters
    ----------
    plan : Plan
        Its problem files, and the values of their references, go into the same file.
    path : path, optional
        Where to write it; nothing is written without.

    Returns
    -------
    str
        The text of the file.
    """
    if not isinstance(plan, Plan):
        raise ProblemError(f"plan must be an fs.study.Plan; got {plan!r}")
    content = {key: value for key, value in plan.as_dict().items() if value is not None}
    content["files"] = [_plain_file(subject) for subject in plan.files]
    content["sweeps"] = [_plain_sweep(sweep) for sweep in plan.sweeps]
    text = write_toml({key: value for key, value in content.items() if value != []})
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
    return resources("fspielm.study").joinpath("example.toml").read_text(encoding="utf-8")


def _plain_file(subject: Subject) -> dict[str, str]:
    values = {"values": subject.reference} if subject.reference else {}
    return {"name": subject.name, **values, "text": subject.text}


def _plain_sweep(sweep: Sweep) -> dict[str, Any]:
    return {key: value for key, value in sweep.as_dict().items() if value != []}
