"""Conditions, data by region and incident fields in problem files."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.logic.boolalg import Boolean

from fspielm.errors import ProblemError
from fspielm.expr.functions import describe
from fspielm.expr.printing import print_equation, print_expression
from fspielm.expr.scope import Scope
from fspielm.files.names import Names
from fspielm.files.toml import Table, shown
from fspielm.problem.further_conditions import Condition, Measured, Periodic
from fspielm.problem.interfaces import Interface
from fspielm.problem.normal import NormalComponent, NormalDerivative
from fspielm.problem.problem import Problem
from fspielm.problem.scattering.incident import (
    Beam,
    ByUnknown,
    Formula,
    Incident,
    PlaneWaves,
    PointSource,
    as_incident,
    beam,
    plane_wave,
    point_source,
)
from fspielm.problem.scattering.media import Transparent
from fspielm.problem.statement import AnyCondition, Dirichlet, Initial, Neumann, Robin, Symmetry
from fspielm.problem.substitutions import ByRegion

# ---- Data by region: a table with a number or an expression for each region


def read_by_region(table: Table, key: str, read: Callable[[str], sp.Expr]) -> ByRegion:
    """The data of the table under `key`; `read` reads each."""
    own = table.table(key)
    values = {}
    for name, value in own.content.items():
        read_value = own.parse(read, own.expression(value, name), name)
        values[name] = read_value if isinstance(value, str) else value
    return table.make(lambda: ByRegion(**values), key)


def read_given(table: Table, names: Names) -> Names:
    """The names together with the functions that are given by region."""
    functions: dict[str, ByRegion] = {}
    for name, value in table.content.items():
        if not isinstance(value, dict):
            raise table.error(
                f"{name} must be a table with a value for each region; write an expression for all of the domain into "
                "the equation itself",
                name,
            )
        functions[name] = read_by_region(table, name, names.function)
        table.make(lambda: dataclasses.replace(names, functions=functions).check(), name)
    return dataclasses.replace(names, functions=functions)


def given_by_region(problem: Problem) -> tuple[dict[sp.Symbol, ByRegion], dict[AppliedUndef, ByRegion]]:
    """What a problem is given by region: values of symbols, and functions of the coordinates; refuse anything else."""
    symbols, functions = {}, {}
    order = ", ".join(map(str, problem.coordinates))
    for key, value in (problem.statement.given or {}).items():
        if isinstance(key, sp.Symbol):
            if isinstance(value, ByRegion):
                symbols[key] = value
            continue
        cannot = "which a problem file cannot hold"
        if not isinstance(value, ByRegion):
            raise ProblemError(f"given[{key}] is a callable, {cannot}; write it as an expression")
        if isinstance(key, sp.Derivative):
            raise ProblemError(f"given[{key}] is a derivative, {cannot}; give {key.expr} alone, as an expression")
        applied = key if isinstance(key, AppliedUndef) else key(*problem.coordinates)
        if applied.args != problem.coordinates:
            raise ProblemError(f"given[{key}] is no function of {order}, {cannot}; write it with all of them")
        functions[applied] = value
    return symbols, functions


def describe_given(data: Mapping[Any, ByRegion], scope: Scope) -> dict[str, dict[str, Any]]:
    """The tables of data by the names of the symbols or functions."""
    return {
        str(key.func.__name__ if isinstance(key, AppliedUndef) else key): _describe_by_region(
            value, f"given[{key}]", scope
        )
        for key, value in data.items()
    }


def _describe_by_region(data: ByRegion, what: str, scope: Scope) -> dict[str, Any]:
    """The table that `read_by_region` reads as the same data."""
    return {name: _plain_value(value, f"{what}, in {name!r},", scope) for name, value in data.items}


def _plain_value(value: Any, what: str, scope: Scope) -> Any:
    if callable(value) and not isinstance(value, sp.Basic):
        raise ProblemError(f"{what} is {describe(value)}, which a problem file cannot hold; write it as an expression")
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if number else print_expression(sp.sympify(value), scope)


# ---- Conditions: any kind by its fields


# A new condition needs its name here, and a line in _READERS if its fields have a new type.
_KINDS = (Dirichlet, Neumann, Robin, Periodic, Symmetry, Condition, Measured, Initial, Interface, Transparent)
CONDITIONS: dict[str, type[Any]] = {kind.kind: kind for kind in _KINDS}
# The names of conditions in acoustics.
_OTHER_WORDS = {"hard": "neumann", "rigid": "neumann", "soft": "dirichlet", "impedance": "robin"}


def read_condition(table: Table, names: Names) -> AnyCondition:
    """The condition of a table."""
    if "type" not in table:
        table.check_keys(["type"], {key for kind in CONDITIONS.values() for key in _keys(kind)})
    name = table.text("type")
    if name.lower() not in CONDITIONS:
        near = get_close_matches(name.lower(), CONDITIONS, 1)
        types = f"the types are {', '.join(CONDITIONS)}"
        known = f"write {_OTHER_WORDS[name.lower()]!r}; {types}" if name.lower() in _OTHER_WORDS else types
        remedy = f"did you mean {near[0]!r}?" if near else known
        raise table.error(f"no type {name!r} of condition; {remedy}", "type")
    kind = CONDITIONS[name.lower()]
    fields = [field for field in dataclasses.fields(kind) if field.init]
    required = [field.name for field in fields if field.default is dataclasses.MISSING]
    table.check_keys(["type", *required], [key for key in _keys(kind) if key not in required])
    arguments = {
        field.name: _READERS[str(field.type)](table, field.name, names)
        for field in fields
        if field.name in table or (field.name == "on" and "where" in table)
    }
    condition: AnyCondition = table.make(lambda: kind(**arguments))
    return condition


def describe_condition(condition: AnyCondition, scope: Scope) -> dict[str, Any]:
    """The table that `read_condition` reads as the same condition."""
    kind = type(condition)
    if CONDITIONS.get(condition.kind) is not kind:
        raise ProblemError(f"a problem file has no word for {condition!r}; its conditions are {', '.join(CONDITIONS)}")
    on_boundary = dataclasses.replace(scope, normal_derivative=NormalDerivative, normal=NormalComponent)
    table: dict[str, Any] = {"type": condition.kind}
    for field in dataclasses.fields(condition):  # type: ignore[arg-type]
        value = getattr(condition, field.name)
        if field.name == "equation":
            table["equation"] = print_equation(value, on_boundary)
        elif isinstance(value, Boolean) and field.name == "on":
            table["where"] = print_expression(value, scope)
        elif field.default is dataclasses.MISSING or value != field.default:
            table[field.name] = _plain_field(value, f"{kind.__name__}: {field.name}", on_boundary)
    return table


def _keys(kind: type[Any]) -> list[str]:
    """The keys that a table of this kind may have."""
    names = [field.name for field in dataclasses.fields(kind) if field.init]
    return [*names, "where"] if "on" in names else names


def _read_value(table: Table, key: str, names: Names) -> Any:
    value = table[key]
    if isinstance(value, str):
        return table.parse(names.datum, value, key)
    table.as_number(value, key, names)  # refuses what is no number, or not finite
    return value


def _read_where(table: Table, key: str, names: Names) -> Any:
    if "where" in table:
        if key in table:
            raise table.error(f"{key} and where both say where the condition holds; keep one", "where")
        return table.parse(names.condition, table.text("where"), "where")
    value = table[key]
    for part in value if isinstance(value, list) and value else [value]:
        if not isinstance(part, str):
            wanted = "the name of a part of the boundary, or a list of names"
            raise table.error(f"{key} must be {wanted}; got {shown(value)}", key)
        if any(sign in part for sign in "<>="):
            raise table.error(f"{key} names parts of the boundary; for a comparison write where = {part!r}", key)
    return value


def _read_values(table: Table, key: str, names: Names) -> Any:
    value = table[key]
    listed = isinstance(value, list)
    return table.as_numbers(value, key, names, real=False) if listed else _read_value(table, key, names)


def _read_faces(table: Table, key: str, names: Names) -> Any:
    return tuple(table[key]) if isinstance(table[key], list) else table.text(key)


def _by_unknown(read: Callable[[Table, str, Names], Any]) -> Callable[[Table, str, Names], Any]:
    """A reader of what `read` reads, or of a table of such values by region or by unknown."""

    def reader(table: Table, key: str, names: Names) -> Any:
        if not isinstance(table[key], dict):
            return read(table, key, names)
        if _is_by_region(table[key], names):
            return read_by_region(table, key, names.datum)
        known = {unknown.func.__name__: unknown for unknown in names.unknowns}
        entries = table.table(key)
        entries.check_keys([], known)
        return {
            known[name]: read_by_region(entries, name, names.datum)
            if isinstance(value, dict)
            else read(entries, name, names)
            for name, value in entries.content.items()
        }

    return reader


def _is_by_region(table: Mapping[str, Any], names: Names) -> bool:
    """Whether the keys of a table are regions rather than unknowns."""
    return bool(table) and set(table) <= {*names.regions} - {u.func.__name__ for u in names.unknowns}


def _read_fluxes(table: Table, key: str, names: Names) -> Any:
    """One value, or one for each equation."""
    value = table[key]
    if not isinstance(value, list):
        return _read_value(table, key, names)
    return tuple(table.parse(names.datum, table.expression(item, key), key) for item in value)


# How a field of a condition is read, by its annotation.
_READERS: dict[str, Callable[[Table, str, Names], Any]] = {
    "Value": _read_value,
    "Value | Mapping[Any, Value]": _by_unknown(_read_value),
    "Where | None": _read_where,
    "float": lambda table, key, names: table.number(key, names),
    "int": lambda table, key, names: table.whole(key),
    "sp.Basic": lambda table, key, names: table.parse(names.stated_condition, table.text(key), key),
    "Any": lambda table, key, names: table.as_numbers(table[key], key, names),
    "ArrayLike": lambda table, key, names: table.as_numbers(table[key], key, names),
    "ArrayLike | Value | Mapping[Any, Any]": _by_unknown(_read_values),
    "str | tuple[str, str]": _read_faces,
    "tuple[str, str] | None": _read_faces,
    "Value | tuple[Value, ...]": _read_fluxes,
}


def _plain_field(value: Any, what: str, scope: Scope) -> Any:
    """A field of a condition as TOML has it."""
    if isinstance(value, ByRegion):
        return _describe_by_region(value, what, scope)
    if isinstance(value, Mapping):
        return {
            unknown if isinstance(unknown, str) else str(unknown.func.__name__): _plain_field(item, what, scope)
            for unknown, item in value.items()
        }
    if isinstance(value, complex):
        value = sp.sympify(value)
    if isinstance(value, sp.Basic):
        return print_expression(value, scope)
    if isinstance(value, tuple | list):
        return [_plain_field(item, what, scope) for item in value]
    if isinstance(value, str | int):
        return value
    try:
        return float(value)
    except TypeError:
        what = f"{what} is {describe(value)}"
        raise ProblemError(f"{what}, which a problem file cannot hold; write it as an expression") from None


# ---- Incident fields: a wave by its name and arguments, or an expression


# The functions that make incident fields by name; and for each class its name and the attributes that are arguments.
_MAKERS: dict[str, Callable[..., Incident]] = {"plane_wave": plane_wave, "point_source": point_source, "beam": beam}
_ARGUMENTS: dict[type[Incident], tuple[str, tuple[str, ...]]] = {
    PlaneWaves: ("plane_wave", ("wavenumber", "directions")),
    PointSource: ("point_source", ("wavenumber", "at")),
    Beam: ("beam", ("wavenumber", "direction", "focus", "waist")),
}


def read_incident(file: Table, names: Names) -> Incident | None:
    """The incident field of a file, if it has the key "incident"."""
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
        return Formula(file.parse(names.function, file.expression(file[key], key), key))
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
    k = table.parse(names.function, table.expression(table["k"], "k"), "k")
    return table.make(lambda: make(k=k, **read))


def describe_incident(incident: Incident, scope: Scope) -> str | dict[str, Any]:
    """What `read_incident` reads as the same field: an expression or a table."""
    if isinstance(incident, ByUnknown):
        return {str(unknown.func): describe_incident(field, scope) for unknown, field in incident.fields}
    if isinstance(incident, Formula):
        return print_expression(incident.expression, scope)
    if type(incident) not in _ARGUMENTS:
        raise ProblemError(f"a problem file has no word for incident={incident!r}; write it as an expression")
    kind, attributes = _ARGUMENTS[type(incident)]
    k, *others = (getattr(incident, name) for name in attributes)
    if isinstance(incident, PlaneWaves):
        if len(incident.directions) > 1:
            raise ProblemError("a problem file holds one plane wave, or a beam; write a sum of waves as an expression")
        others = [incident.directions[0]]
    arguments = [name for name in inspect.signature(_MAKERS[kind]).parameters if name != "k"]
    plain = {name: list(v) if isinstance(v, tuple) else v for name, v in zip(arguments, others, strict=True)}
    return {"type": kind, "k": print_expression(sp.sympify(k), scope), **plain}


def expressions_in(incident: Incident | None) -> Iterator[Any]:
    """The SymPy expressions of an incident field."""
    if isinstance(incident, ByUnknown):
        for _, one in incident.fields:
            yield from expressions_in(one)
    elif incident is not None:
        values = [getattr(incident, field.name) for field in dataclasses.fields(incident)]  # type: ignore[arg-type]
        yield from (value for value in values if isinstance(value, sp.Basic))
