"""Problem files, read."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.expr.functions import make_field
from fspielm.expr.scope import Scope
from fspielm.files.conditions import read_by_region, read_condition, read_given, read_incident
from fspielm.files.domain import SPACES, read_domain
from fspielm.files.draft import ProblemDraft, ProblemFile
from fspielm.files.names import Names
from fspielm.files.toml import Table, open_document, shown
from fspielm.geometry.time import regions_in
from fspielm.problem.problem import Problem
from fspielm.problem.substitutions import ByRegion
from fspielm.resources import read_size
from fspielm.solvers.request import APPROACHES, Budget

_UNKNOWN = re.compile(r"\s*(\w+)\s*\(\s*(\w+(?:\s*,\s*\w+)*)\s*\)\s*")
_LIMITS = ("neurons", "seconds", "memory", "threads")
# The name of rng in files of version 0.1.
_OLD_RNG = "seed"
_SETTINGS = ("tol", "rng", _OLD_RNG, "approach", "guess", *_LIMITS)
_OUTPUTS = ("plot", "table")
# The tables of keys that a user may write above all tables by mistake.
_ELSEWHERE = {
    **dict.fromkeys(SPACES, "domain"),
    **dict.fromkeys(_SETTINGS, "solve"),
    **dict.fromkeys(_OUTPUTS, "output"),
    "exact": "reference",
}


def read_problem(source: str | os.PathLike[str]) -> Problem:
    """Read the problem that a file states.

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
        If something cannot be read or solved as written, with its place in the file.

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
    return read_draft(source).problem_file()


def read_draft(source: str | os.PathLike[str]) -> ProblemDraft:
    """The parts that a file states, whether or not they make a problem; see `read_problem`."""
    document = open_document(source)
    file = Table(document.content(), document)
    unknowns, equations = (_singular_or_plural(file, key) for key in ("unknown", "equation"))
    file.check_keys(
        [unknowns, equations, "domain", "conditions"],
        ["title", "parameters", "given", "incident", "solve", "output", "reference"],
        _ELSEWHERE,
    )
    names = _read_parameters(file.table("parameters"), _read_unknowns(file, unknowns))
    names = read_given(file.table("given"), names.fixing(file["domain"]))
    stated = tuple(file.parse(names.equation, text, equations) for text in file.texts(equations))
    domain = read_domain(file.table("domain"), names)
    regions = regions_in(domain)
    names = replace(names, regions=() if regions is None else regions.names)
    return ProblemDraft(
        document.name,
        names,
        stated,
        domain,
        tuple(read_condition(table, names) for table in file.tables("conditions")),
        read_incident(file, names),
        {"title": file.text("title"), "fixed": names.fixed}
        | _read_settings(file.table("solve"), names)
        | _read_outputs(file.table("output"))
        | _read_reference(file.table("reference"), names),
    )


def _singular_or_plural(file: Table, key: str) -> str:
    """The key or its plural, whichever the file has."""
    plural = f"{key}s"
    if key in file and plural in file:
        raise file.error(f"{key} and {plural} mean the same; keep one", plural)
    return plural if plural in file else key


def _read_unknowns(file: Table, key: str) -> Names:
    unknowns = [_read_unknown(file, key, text) for text in file.texts(key)]
    coordinates = unknowns[0].args
    for unknown in unknowns:
        if unknown.args != coordinates:
            raise file.error(
                f"{key}: {unknowns[0]} and {unknown} must have the same coordinates, in the same order", key
            )
    time = coordinates[-1] if "time" in file.table("domain") else None
    file.make(lambda: Scope(coordinates, time, tuple(unknowns)), key)
    return Names(tuple(unknowns), time)


def _read_unknown(file: Table, key: str, text: str) -> AppliedUndef:
    match = _UNKNOWN.fullmatch(text)
    if match is None:
        raise file.error(f'{key} must be a function of its coordinates, as in "u(x, y)"; got {shown(text)}', key)
    return sp.Function(match.group(1))(*(sp.Symbol(name.strip()) for name in match.group(2).split(",")))


def _read_parameters(table: Table, names: Names) -> Names:
    """The names with the parameters; each may use those above it that are the same in all regions."""
    parameters: dict[str, sp.Expr] = {}
    formulas: dict[str, sp.Expr] = {}
    regional: dict[str, ByRegion] = {}
    read = replace(names, parameters=parameters, formulas=formulas, regional=regional)  # sees them grow
    for name, value in table.content.items():
        if isinstance(value, dict):
            regional[name] = read_by_region(table, name, read.formula)
        else:
            text = table.expression(value, name)
            parameters[name], formulas[name] = (table.parse(f, text, name) for f in (read.number, read.formula))
        table.make(replace(names, parameters={name: sp.S.Zero}).check, name)
    return read


def _read_settings(table: Table, names: Names) -> dict[str, Any]:
    table.check_keys([], _SETTINGS)
    settings: dict[str, Any] = {} if "guess" not in table else {"guess": _read_functions(table, "guess", names)}
    if "approach" in table:
        settings["approach"] = table.text("approach")
        if settings["approach"] not in APPROACHES:
            known = ", ".join(APPROACHES)
            raise table.error(f"approach must be one of {known}; got {settings['approach']!r}", "approach")
    if "tol" in table:
        settings["tol"] = table.number("tol", names)
        if not 0 < settings["tol"] < 1:
            raise table.error(f"tol must lie between 0 and 1; got {settings['tol']}", "tol")
    for key in ("rng", _OLD_RNG):
        if key not in table:
            continue
        if "rng" in settings:
            raise table.error(f"{_OLD_RNG} is what rng was called; give one of the two", key)
        settings["rng"] = table.whole(key)
        if settings["rng"] < 0:
            raise table.error(f"{key} must be a whole number, 0 or more; got {settings['rng']}", key)
    limits: dict[str, Any] = {
        key: table.whole(key) if key in ("neurons", "threads") else _size(table, key) or table.number(key, names)
        for key in _LIMITS
        if key in table
    }
    return settings | {"budget": table.make(lambda: Budget(**limits))}


def _size(table: Table, key: str) -> float | None:
    """The bytes of a memory limit such as "4GB"."""
    return read_size(table[key]) if key == "memory" and isinstance(table[key], str) else None


def _read_outputs(table: Table) -> dict[str, Path]:
    table.check_keys([], _OUTPUTS)
    return {key: table.path_beside(key) for key in table.content}


def _read_reference(table: Table, names: Names) -> dict[str, Any]:
    table.check_keys([], ["exact"])
    return {"exact": _read_functions(table, "exact", names)} if "exact" in table else {}


def _read_functions(table: Table, key: str, names: Names) -> sp.Expr | dict[str, sp.Expr]:
    """A function of the coordinates; for a system one for each unknown, or for some of them."""
    if not isinstance(table[key], dict):
        if len(names.unknowns) > 1:
            wanted = ", ".join(f'{unknown.func.__name__} = "..."' for unknown in names.unknowns)
            raise table.error(f"{key} must be a table by unknown, as in {{ {wanted} }}", key)
        return _read_function(table, key, names, key)
    fields = table.table(key)
    fields.check_keys([], [unknown.func.__name__ for unknown in names.unknowns])
    return {name: _read_function(fields, name, names, key) for name in fields.content}


def _read_function(table: Table, key: str, names: Names, what: str) -> sp.Expr:
    written = table.parse(names.function, table.expression(table[key], key), key)
    function: sp.Expr = written.xreplace({**names.given([written]), **names.values})
    table.make(lambda: make_field(function, names.coordinates, what=what), key)
    return function
