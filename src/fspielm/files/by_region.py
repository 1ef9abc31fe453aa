"""Data by region in problem files: a table with a number or an expression for each region."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.equations import ByRegion, Problem
from fspielm.errors import ProblemError
from fspielm.expressions import Scope, describe, print_expression
from fspielm.files.names import Names
from fspielm.files.table import Table


def read_by_region(table: Table, key: str, read: Callable[[str], sp.Expr]) -> ByRegion:
    """The data of the table under `key`, each read by `read`."""
    own = table.table(key)
    values = {}
    for name, value in own.content.items():
        read_value = own.parse(read, own.written(value, name), name)
        values[name] = read_value if isinstance(value, str) else value
    return table.make(lambda: ByRegion(**values), key)


def read_given(table: Table, names: Names) -> Names:
    """The names with the functions that are given by region."""
    functions: dict[str, ByRegion] = {}
    for name, value in table.content.items():
        if not isinstance(value, dict):
            raise table.error(
                f"{name} must be a table with a value for each region; write an expression for all of the domain into "
                "the equation itself",
                name,
            )
        functions[name] = read_by_region(table, name, names.function)
        table.make(lambda: names.with_functions(functions).check(), name)
    return names.with_functions(functions)


def given_by_region(problem: Problem) -> tuple[dict[sp.Symbol, ByRegion], dict[AppliedUndef, ByRegion]]:
    """What a problem is given by region: numbers of symbols, and functions of the coordinates.

    Raises
    ------
    ProblemError
        Where something else is given, or a function in other coordinates, which a file cannot hold.
    """
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


def describe_by_region(data: ByRegion, what: str, scope: Scope) -> dict[str, Any]:
    """The table of data, from which `read_by_region` makes them again."""
    return {name: _plain(value, f"{what}, in {name!r},", scope) for name, value in data.items}


def _plain(value: Any, what: str, scope: Scope) -> Any:
    if callable(value) and not isinstance(value, sp.Basic):
        raise ProblemError(f"{what} is {describe(value)}, which a problem file cannot hold; write it as an expression")
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if number else print_expression(sp.sympify(value), scope)


def by_name(data: Mapping[Any, ByRegion], scope: Scope) -> dict[str, dict[str, Any]]:
    """The tables of data by the names of the symbols or functions."""
    return {_name(key): describe_by_region(value, f"given[{key}]", scope) for key, value in data.items()}


def _name(key: sp.Expr) -> str:
    return str(key.func.__name__ if isinstance(key, AppliedUndef) else key)
