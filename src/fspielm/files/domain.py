"""Domains in problem files: any shape by the arguments it is built with in Python."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

import numpy as np
import sympy as sp

from fspielm.errors import ProblemError
from fspielm.expressions import Scope, parse_expression, print_expression
from fspielm.files.names import Names
from fspielm.files.table import Table, shown
from fspielm.geometry import Box, Domain, SpaceTime, Time, shapes

SHAPES: dict[str, Callable[..., Domain]] = {
    name: shape for name, shape in vars(shapes).items() if not name.startswith("_")
}

# What the outline of a shape may be a function of.
_CURVE_SYMBOLS = ("theta", "t", "s")


def read_domain(table: Table, names: Names) -> Domain:
    """The domain of a table: a shape, and times if it has them."""
    shape = read_shape(table, names, optional=("time",))
    if "time" not in table:
        return shape
    times = table["time"]
    if not isinstance(times, list) or len(times) != 2:
        raise table.error(f"time must be a list of its start and its end, as in [0, 1]; got {shown(times)}", "time")
    start, end = (table.as_number(value, "time", names) for value in times)
    return table.make(lambda: shape * Time(start, end), "time")


def read_shape(table: Table, names: Names, optional: tuple[str, ...] = ()) -> Domain:
    """The shape that a table names, built of its other keys."""
    if "shape" not in table:
        # first the other keys, one of which may be a misspelt "shape"
        table.check_keys(["shape"], [*optional, *(key for key in table.content if key in _all_keys())])
    kind = table.text("shape")
    if kind not in SHAPES:
        lower = {name.lower(): name for name in SHAPES}
        near = [lower[name] for name in get_close_matches(kind.lower(), lower, 1, 0.5)]
        remedy = f"did you mean {near[0]!r}?" if near else f"the shapes are {', '.join(SHAPES)}"
        raise table.error(f"no shape {kind!r}; {remedy}", "shape")
    parameters = inspect.signature(SHAPES[kind]).parameters
    required = [name for name, parameter in parameters.items() if parameter.default is parameter.empty]
    table.check_keys(["shape", *required], [*(name for name in parameters if name not in required), *optional])
    arguments = {
        name: _read_argument(table, name, str(parameter.annotation), names)
        for name, parameter in parameters.items()
        if name in table
    }
    return table.make(lambda: SHAPES[kind](**arguments))


def describe_domain(domain: Domain) -> dict[str, Any]:
    """The table of a domain, from which `read_domain` makes it again."""
    if isinstance(domain, SpaceTime):
        return describe_domain(domain.space) | {"time": [domain.time.start, domain.time.end]}
    if isinstance(domain, Box) and domain.dimension == 1:
        return {"shape": "Interval", "a": domain.lower[0], "b": domain.upper[0]}
    kind = type(domain).__name__
    if kind not in SHAPES:
        raise ProblemError(f"a problem file has no word for the domain {domain!r}; its shapes are {', '.join(SHAPES)}")
    values = {name: getattr(domain, name) for name in inspect.signature(type(domain)).parameters}
    return {"shape": kind} | {name: _plain(value) for name, value in values.items() if not _is_empty(value)}


def _read_argument(table: Table, key: str, annotation: str, names: Names) -> Any:
    """The value of one argument of a shape: what it is is told by how the argument is annotated."""
    value = table[key]
    if re.search(r"\bstr\b", annotation):
        return _as_texts(table, key, value)
    if "Expr" in annotation:
        return _as_curve(table, key, value, names.parameters)
    return _as_numbers(table, key, value, names)


def _as_texts(table: Table, key: str, value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_as_texts(table, key, item) for item in value)
    if not isinstance(value, str):
        raise table.error(f"{key} must be text in quotes; got {shown(value)}", key)
    return value


def _as_curve(table: Table, key: str, value: Any, parameters: Mapping[str, sp.Expr]) -> sp.Expr:
    symbols = tuple(sp.Symbol(name, real=True) for name in _CURVE_SYMBOLS if name not in parameters)
    scope = Scope(symbols, parameters=parameters)
    return table.parse(lambda text: parse_expression(text, scope), table.written(value, key), key)


def _as_numbers(table: Table, key: str, value: Any, names: Names) -> Any:
    if isinstance(value, list):
        return tuple(_as_numbers(table, key, item, names) for item in value)
    return table.as_number(value, key, names)


def _plain(value: Any) -> Any:
    """A field of a shape as TOML has it."""
    if isinstance(value, sp.Basic):
        names = {str(symbol) for symbol in value.free_symbols}
        known = names <= set(_CURVE_SYMBOLS)
        curve = value if known else value.xreplace({s: sp.Symbol(_CURVE_SYMBOLS[0]) for s in value.free_symbols})
        return print_expression(curve, Scope(tuple(sorted(curve.free_symbols, key=str))))
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, str | int | float):
        return value
    raise ProblemError(f"a problem file cannot hold {value!r}; callables have no place in it")


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str | tuple | list) and not value)


def _all_keys() -> set[str]:
    return {name for shape in SHAPES.values() for name in inspect.signature(shape).parameters}
