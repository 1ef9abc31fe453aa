"""What comes in from outside, in problem files: a wave by its name and arguments, or an expression."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import fields
from difflib import get_close_matches
from typing import Any

import sympy as sp

from fspielm.equations.comes_in import as_incident, beam, plane_wave, point_source
from fspielm.equations.incident import Beam, ByUnknown, Formula, Incident, PlaneWaves, PointSource
from fspielm.errors import ProblemError
from fspielm.expressions import Scope, print_expression
from fspielm.files.names import Names
from fspielm.files.table import Table

# By the names of the functions that make them: these functions, and the fields that are their arguments.
_MAKERS: dict[str, Callable[..., Incident]] = {
    "plane_wave": plane_wave,
    "point_source": point_source,
    "beam": beam,
}
_FIELDS: dict[type[Incident], tuple[str, tuple[str, ...]]] = {
    PlaneWaves: ("plane_wave", ("wavenumber", "directions")),
    PointSource: ("point_source", ("wavenumber", "at")),
    Beam: ("beam", ("wavenumber", "direction", "focus", "waist")),
}


def read_incident(file: Table, names: Names) -> Incident | None:
    """What the key "incident" of a file says, if it is there."""
    if "incident" not in file:
        return None
    unknowns = {unknown.func.__name__: unknown for unknown in names.unknowns}
    if len(unknowns) == 1 or not isinstance(file["incident"], dict):
        return _read_field(file, "incident", names)
    table = file.table("incident")
    table.check_keys([], unknowns)
    return as_incident(
        {unknown: _read_field(table, name, names) for name, unknown in unknowns.items() if name in table}
    )


def _read_field(file: Table, key: str, names: Names) -> Incident:
    if not isinstance(file[key], dict):
        return Formula(file.parse(names.function, file.written(file[key], key), key))
    table = file.table(key)
    if "type" not in table:
        table.check_keys(["type"], {key for make in _MAKERS.values() for key in inspect.signature(make).parameters})
    kind = table.text("type")
    if kind not in _MAKERS:
        near = get_close_matches(kind.lower(), _MAKERS, 1, 0.5)
        remedy = f"did you mean {near[0]!r}?" if near else f"the types are {', '.join(_MAKERS)}"
        raise table.error(f"no type {kind!r} of incident field; {remedy}", "type")
    make = _MAKERS[kind]
    arguments = list(inspect.signature(make).parameters)
    table.check_keys(["type", *arguments])
    read = {name: table.as_numbers(table[name], name, names) for name in arguments if name != "k"}
    k = table.parse(names.function, table.written(table["k"], "k"), "k")
    return table.make(lambda: make(k=k, **read))


def describe_incident(incident: Incident, scope: Scope) -> str | dict[str, Any]:
    """What `read_incident` reads as the same field."""
    if isinstance(incident, ByUnknown):
        return {str(unknown.func): describe_incident(field, scope) for unknown, field in incident.fields}
    if isinstance(incident, Formula):
        return print_expression(incident.expression, scope)
    if type(incident) not in _FIELDS:
        raise ProblemError(f"a problem file has no word for incident={incident!r}; write it as an expression")
    kind, own = _FIELDS[type(incident)]
    k, *others = (getattr(incident, name) for name in own)
    if isinstance(incident, PlaneWaves):
        if len(incident.directions) > 1:
            raise ProblemError("a problem file holds one plane wave, or a beam; write a sum of waves as an expression")
        others = [incident.directions[0]]
    arguments = [name for name in inspect.signature(_MAKERS[kind]).parameters if name != "k"]
    plain = {name: list(v) if isinstance(v, tuple) else v for name, v in zip(arguments, others, strict=True)}
    return {"type": kind, "k": print_expression(sp.sympify(k), scope), **plain}


def expressions_in(incident: Incident | None) -> Iterator[Any]:
    """What was written of it with SymPy."""
    if isinstance(incident, ByUnknown):
        for _, one in incident.fields:
            yield from expressions_in(one)
    elif incident is not None:
        values = [getattr(incident, field.name) for field in fields(incident)]  # type: ignore[arg-type]
        yield from (value for value in values if isinstance(value, sp.Basic))
