"""Problems from files."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import sympy as sp

from fspielm.equations import Problem
from fspielm.expressions import Scope, check_name, make_field
from fspielm.files.conditions import read_condition
from fspielm.files.document import open_document
from fspielm.files.domain import read_domain
from fspielm.files.names import Names
from fspielm.files.problem_file import ProblemFile
from fspielm.files.table import Table
from fspielm.solvers import Budget

_UNKNOWN = re.compile(r"\s*(\w+)\s*\(\s*(\w+(?:\s*,\s*\w+)*)\s*\)\s*")
_BUDGET = ("neurons", "seconds", "memory", "threads")


def read_problem(source: str | os.PathLike[str]) -> Problem:
    """The problem that a file states.

    Parameters
    ----------
    source : path or str
        The path of a TOML file; a string of several lines is taken for the text itself.

    Returns
    -------
    Problem

    Raises
    ------
    ProblemError
        For whatever cannot be read or solved as written, with its place in the file.

    Examples
    --------
    >>> problem = read_problem('''
    ... unknown = "u(x)"
    ... equation = "dx(u, 2) = sin(x)"
    ... domain = { shape = "Interval", a = 0, b = "pi" }
    ... conditions = [{ type = "dirichlet", value = 0 }]
    ... ''')
    >>> problem.domain
    Interval(0.0, 3.141592653589793)
    """
    return read_problem_file(source).problem


def read_problem_file(source: str | os.PathLike[str]) -> ProblemFile:
    """The problem that a file states, with its title, settings, outputs and reference; see `read_problem`."""
    document = open_document(source)
    file = Table(document.content(), document)
    file.check_keys(
        ["unknown", "equation", "domain", "conditions"], ["title", "parameters", "solve", "output", "reference"]
    )
    names = _read_names(file)
    problem = _read_statement(file, names)
    settings = file.table("solve")
    settings.check_keys([], ["tol", "seed", *_BUDGET])
    output = file.table("output")
    output.check_keys([], ["plot", "table"])
    tol = settings.number("tol", names)
    return ProblemFile(
        problem,
        title=file.text("title"),
        tol=ProblemFile.tol if tol is None else tol,
        seed=settings.whole("seed"),
        budget=_read_budget(settings, names),
        exact=_read_exact(file.table("reference"), names),
        plot=_read_path(output, "plot", document.folder),
        table=_read_path(output, "table", document.folder),
    )


def _read_names(file: Table) -> Names:
    match = _UNKNOWN.fullmatch(file.text("unknown"))
    if match is None:
        raise file.error(
            f'unknown must be a function of its coordinates, as in "u(x, y)"; got {file["unknown"]!r}', "unknown"
        )
    coordinates = tuple(sp.Symbol(name.strip()) for name in match.group(2).split(","))
    unknown = sp.Function(match.group(1))(*coordinates)
    timed = isinstance(file["domain"], dict) and "time" in file["domain"]
    time = coordinates[-1] if timed else None
    file.make(lambda: Scope(coordinates, time, unknown), "unknown")
    table = file.table("parameters")
    values: dict[str, sp.Expr] = {}
    for name, value in table.content.items():
        table.make(lambda name=name: check_name(name, "the parameter"), name)  # type: ignore[misc]
        above = Names(unknown, time, dict(values))
        number = table.as_number(value, name, above)
        text = value if isinstance(value, str) else table.written(value, name)
        values[name] = table.parse(above.constant, text, name) if number else sp.Integer(0)
        file.make(lambda: Scope(coordinates, time, unknown, values), "parameters")
    return Names(unknown, time, values)


def _read_statement(file: Table, names: Names) -> Problem:
    domain = read_domain(file.table("domain"), names)
    equation = file.parse(names.equation, file.text("equation"), "equation")
    conditions = [read_condition(table, names) for table in file.tables("conditions")]
    stated = [equation, *(part for condition in conditions for part in vars(condition).values())]
    return file.make(lambda: Problem(equation, domain, conditions, names.given(stated)))


def _read_budget(table: Table, names: Names) -> Budget:
    limits: dict[str, Any] = {
        key: table.whole(key) if key in ("neurons", "threads") else table.number(key, names)
        for key in _BUDGET
        if key in table
    }
    return table.make(lambda: Budget(**limits))


def _read_exact(table: Table, names: Names) -> sp.Expr | None:
    table.check_keys([], ["exact"])
    if "exact" not in table:
        return None
    value = table["exact"]
    text = value if isinstance(value, str) else table.written(table.as_number(value, "exact", names), "exact")
    written = table.parse(names.function, text, "exact")
    exact: sp.Expr = written.xreplace(names.given([written]))
    table.make(lambda: make_field(exact, names.unknown.args, what="exact"), "exact")
    return exact


def _read_path(table: Table, key: str, folder: Path) -> Path | None:
    """The path of an output: beside the problem file or below, so that a file from elsewhere overwrites nothing."""
    if key not in table:
        return None
    path = Path(table.text(key))
    if not path.name or path.is_absolute() or ".." in path.parts:
        raise table.error(
            f"{key} must name a file beside the problem file or in a folder there; got {str(path)!r}", key
        )
    return folder / path
