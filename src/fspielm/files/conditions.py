"""Conditions in problem files: any kind by its fields."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

import sympy as sp
from sympy.logic.boolalg import Boolean

from fspielm.equations import (
    AnyCondition,
    ByRegion,
    Condition,
    Dirichlet,
    Initial,
    Interface,
    Measured,
    Neumann,
    NormalComponent,
    NormalDerivative,
    Periodic,
    Robin,
    Symmetry,
)
from fspielm.equations.conditions.transparent import Transparent
from fspielm.errors import ProblemError
from fspielm.expressions import Scope, describe, print_equation, print_expression
from fspielm.files.by_region import describe_by_region, read_by_region
from fspielm.files.names import Names
from fspielm.files.table import Table, shown

# A new condition is its name here; and where its fields are of a new type, a line in _READERS.
_KINDS = (Dirichlet, Neumann, Robin, Periodic, Symmetry, Condition, Measured, Initial, Interface, Transparent)
CONDITIONS: dict[str, type[Any]] = {kind.kind: kind for kind in _KINDS}
# What the same is called in acoustics; and how much a word has to be like one of ours to be a slip.
_MEANT = {"hard": "neumann", "rigid": "neumann", "soft": "dirichlet", "impedance": "robin"}
_ALIKE = 0.7


def read_condition(table: Table, names: Names) -> AnyCondition:
    """The condition of a table."""
    if "type" not in table:
        table.check_keys(["type"], {key for kind in CONDITIONS.values() for key in _keys(kind)})
    name = table.text("type")
    if name.lower() not in CONDITIONS:
        near = get_close_matches(name.lower(), CONDITIONS, 1, _ALIKE)
        types = f"the types are {', '.join(CONDITIONS)}"
        meant = f"write {_MEANT[name.lower()]!r}; {types}" if name.lower() in _MEANT else types
        remedy = f"did you mean {near[0]!r}?" if near else meant
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
    """The table of a condition, from which `read_condition` makes it again."""
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
            table[field.name] = _plain(value, f"{kind.__name__}: {field.name}", on_boundary)
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


def _read_points(table: Table, key: str, names: Names) -> Any:
    return table.as_numbers(table[key], key, names)


def _read_faces(table: Table, key: str, names: Names) -> Any:
    return tuple(table[key]) if isinstance(table[key], list) else table.text(key)


def _read_equation(table: Table, key: str, names: Names) -> Any:
    return table.parse(names.stated_condition, table.text(key), key)


def _read_number(table: Table, key: str, names: Names) -> float | None:
    return table.number(key, names)


def _read_whole(table: Table, key: str, names: Names) -> int | None:
    return table.whole(key)


def _by_unknown(read: Callable[[Table, str, Names], Any]) -> Callable[[Table, str, Names], Any]:
    """What `read` reads, or a table of that by unknown."""

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
    """Whether a table is by the names of regions, and not by those of unknowns."""
    return bool(table) and set(table) <= {*names.regions} - {u.func.__name__ for u in names.unknowns}


def _read_fluxes(table: Table, key: str, names: Names) -> Any:
    """One value, or one for each equation."""
    value = table[key]
    if not isinstance(value, list):
        return _read_value(table, key, names)
    return tuple(table.parse(names.datum, table.written(item, key), key) for item in value)


# By the type of a field of a condition, as its class is annotated.
_READERS: dict[str, Callable[[Table, str, Names], Any]] = {
    "Value": _read_value,
    "Value | Mapping[Any, Value]": _by_unknown(_read_value),
    "Where | None": _read_where,
    "float": _read_number,
    "int": _read_whole,
    "sp.Basic": _read_equation,
    "Any": _read_points,
    "ArrayLike": _read_points,
    "ArrayLike | Value | Mapping[Any, Any]": _by_unknown(_read_values),
    "str | tuple[str, str]": _read_faces,
    "tuple[str, str] | None": _read_faces,
    "Value | tuple[Value, ...]": _read_fluxes,
}


def _plain(value: Any, what: str, scope: Scope) -> Any:
    """A field of a condition as TOML has it."""
    if isinstance(value, ByRegion):
        return describe_by_region(value, what, scope)
    if isinstance(value, Mapping):
        return {_name(unknown): _plain(item, what, scope) for unknown, item in value.items()}
    if isinstance(value, complex):
        value = sp.sympify(value)
    if isinstance(value, sp.Basic):
        return print_expression(value, scope)
    if isinstance(value, tuple | list):
        return [_plain(item, what, scope) for item in value]
    if isinstance(value, str | int):
        return value
    try:
        return float(value)
    except TypeError:
        what = f"{what} is {describe(value)}"
        raise ProblemError(f"{what}, which a problem file cannot hold; write it as an expression") from None


def _name(unknown: Any) -> str:
    return unknown if isinstance(unknown, str) else str(unknown.func.__name__)
