"""Domains in problem files."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from difflib import get_close_matches
from functools import reduce
from typing import Any

import numpy as np
import sympy as sp

from fspielm.errors import ProblemError
from fspielm.expr.parser import parse_real
from fspielm.expr.printing import print_expression
from fspielm.expr.scope import Scope
from fspielm.files.names import Names
from fspielm.files.toml import Table, shown
from fspielm.geometry.combination import Combination, combine
from fspielm.geometry.domain import Domain
from fspielm.geometry.exterior import Exterior
from fspielm.geometry.regions import Regions
from fspielm.geometry.shapes.box import Box
from fspielm.geometry.shapes.catalogue import SHAPES
from fspielm.geometry.time import SpaceTime, Time
from fspielm.geometry.transform import Transformed, transform
from fspielm.numerics.tolerances import SAME

# ---- Single shapes, by the arguments that they have in Python


# Shapes that may come from another file, given by the key "file", and the method that reads it.
_LOADERS = {"Polygon": "from_geojson", "Surface": "load"}

# Other names of shapes.
_OTHER_WORDS = {
    "circle": "Disk",
    "rectangle": "Box",
    "square": "Box",
    "cube": "Box",
    "ring": "Annulus",
    "sphere": "Ball",
}

# Parameters of the outline of a shape.
_CURVE_SYMBOLS = ("theta", "t", "s")


def _read_shape(table: Table, names: Names, optional: tuple[str, ...] = ()) -> Domain:
    """The shape that a table names, made of its other keys except those in `optional`."""
    if "shape" not in table:
        # check the other keys first, as one of them may be a misspelt "shape"
        known = {key for shape in SHAPES.values() for key in _parameters(shape)}
        table.check_keys(["shape"], [*optional, *(key for key in table.content if key in known)])
    kind = table.text("shape")
    if kind not in SHAPES:
        lower = {name.lower(): name for name in SHAPES}
        near = [lower[name] for name in get_close_matches(kind.lower(), lower, 1, 0.7)]
        likely = _OTHER_WORDS.get(kind.lower()) or (near[0] if near else None)
        remedy = f"did you mean {likely!r}? " if likely else ""
        raise table.error(f"no shape {kind!r}; {remedy}the shapes are {', '.join(SHAPES)}", "shape")
    if "file" in table and kind in _LOADERS:
        return _load(table, kind, optional)
    parameters = _parameters(SHAPES[kind])
    required = [name for name, parameter in parameters.items() if parameter.default is parameter.empty]
    others = [name for name in parameters if name not in required]
    table.check_keys(["shape", *required], [*others, *optional, *(["file"] if kind in _LOADERS else [])])
    arguments = {
        name: _read_argument(table, name, str(parameter.annotation), names)
        for name, parameter in parameters.items()
        if name in table
    }
    return table.make(lambda: SHAPES[kind](**arguments))


def _describe_shape(domain: Domain) -> dict[str, Any]:
    """The table that `_read_shape` reads as the same shape."""
    if isinstance(domain, Box) and domain.dimension == 1:
        named = {"name": domain.name} if domain.name else {}
        return {"shape": "Interval", "a": domain.lower[0], "b": domain.upper[0], **named}
    kind = type(domain).__name__
    if kind not in SHAPES:
        raise ProblemError(f"a problem file has no word for the domain {domain!r}; its shapes are {', '.join(SHAPES)}")
    values = {name: getattr(domain, name) for name in inspect.signature(type(domain)).parameters}
    return {"shape": kind} | {name: _plain(value) for name, value in values.items() if not _is_empty(value)}


def _load(table: Table, kind: str, optional: tuple[str, ...]) -> Domain:
    table.check_keys(["shape", "file"], ["name", *optional])
    path = table.path_beside("file", exists=True)
    load: Callable[..., Domain] = getattr(SHAPES[kind], _LOADERS[kind])
    return table.make(lambda: load(path, name=table.text("name")), "file")


def _parameters(shape: Callable[..., Domain]) -> dict[str, inspect.Parameter]:
    """The arguments of a shape except callables, which text cannot hold."""
    parameters = inspect.signature(shape).parameters
    return {name: p for name, p in parameters.items() if "Derivative" not in str(p.annotation)}


def _read_argument(table: Table, key: str, annotation: str, names: Names) -> Any:
    """The value of one argument of a shape, by its annotation: text, a curve, or numbers."""
    value = table[key]
    if re.search(r"\bstr\b", annotation) and not isinstance(value, int):
        return _as_texts(table, key, value)
    if re.search(r"\b(Expr|Coordinate)\b", annotation):
        symbols = tuple(sp.Symbol(name, real=True) for name in _CURVE_SYMBOLS if name not in names.parameters)
        scope = Scope(symbols, parameters=names.parameters)
        return table.parse(lambda text: parse_real(text, scope), table.expression(value, key), key)
    return table.as_numbers(value, key, names)


def _as_texts(table: Table, key: str, value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_as_texts(table, key, item) for item in value)
    if not isinstance(value, str):
        raise table.error(f"{key} must be text in quotes; got {shown(value)}", key)
    return value


def _plain(value: Any) -> Any:
    """A field of a shape as TOML has it."""
    if isinstance(value, sp.Basic):
        known = {str(symbol) for symbol in value.free_symbols} <= set(_CURVE_SYMBOLS)
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


# ---- Shapes moved, rotated and scaled by keys of their tables


# In this order: a shape is scaled and rotated in place, then moved.
_MOVES = ("scale", "rotate", "move", "transform")


def _read_moves(domain: Domain, table: Table, names: Names) -> Domain:
    """The domain after the moves of a table."""
    if "scale" in table:
        scale = _arguments(table, "scale", names, "factor", ("center",))
        domain = table.make(lambda: domain.scaled(**scale), "scale")
    if "rotate" in table:
        rotate = _arguments(table, "rotate", names, "angle", ("axis", "center"))
        domain = table.make(lambda: domain.rotated(**rotate), "rotate")
    if "move" in table:
        offset = table.as_numbers(table["move"], "move", names)
        domain = table.make(lambda: domain.moved(offset), "move")
    if "transform" in table:
        stated = table.table("transform")
        stated.check_keys(["matrix", "offset"])
        matrix, shift = (stated.as_numbers(stated[key], key, names) for key in ("matrix", "offset"))
        domain = stated.make(lambda: _transform(domain, matrix, shift))
    return domain


def _arguments(table: Table, key: str, names: Names, main: str, others: tuple[str, ...]) -> dict[str, Any]:
    """The arguments of a move: the main one by itself, or a table with others."""
    if not isinstance(table[key], dict):
        return {main: table.as_number(table[key], key, names)}
    stated = table.table(key)
    stated.check_keys([main], others)
    return {name: stated.as_numbers(value, name, names) for name, value in stated.content.items()}


def _transform(domain: Domain, matrix: Any, offset: Any) -> Domain:
    d = domain.dimension
    try:
        rows, shift = np.array(matrix, dtype=np.float64), np.array(offset, dtype=np.float64)
    except (TypeError, ValueError):
        rows = shift = np.empty(0)
    if rows.shape != (d, d) or shift.shape != (d,):
        raise ProblemError(f"matrix must have {d} rows of {d} numbers, and offset {d} numbers")
    determinant = np.linalg.det(rows)
    square = np.abs(determinant) ** (2 / d)
    if not (determinant > 0 and np.allclose(rows @ rows.T, square * np.eye(d), rtol=0, atol=SAME * square)):
        raise ProblemError("matrix must be a rotation times a positive factor")
    return transform(domain, rows, shift)


# ---- Domains: shapes, their combinations, and both of them moved


_OPERATIONS = ("union", "intersection", "difference")
# Keys of the table of a domain.
SPACES = ("shape", *_OPERATIONS, "regions", "exterior", "time")


def read_domain(table: Table, names: Names) -> Domain:
    """The domain of a table, with times if it has them."""
    if "time" not in table:
        return _read_space(table, names, optional=("time",))
    time = _read_time(table, names)
    if set(table.content) == {"time"}:
        return time
    return table.make(lambda: _read_space(table, names, optional=("time",)) * time, "time")


def _read_time(table: Table, names: Names) -> Time:
    times = table["time"]
    if not isinstance(times, list) or len(times) != 2:
        raise table.error(f"time must be a list of its start and its end, as in [0, 1]; got {shown(times)}", "time")
    start, end = (table.as_number(value, "time", names) for value in times)
    return table.make(lambda: Time(start, end), "time")


def describe_domain(domain: Domain) -> dict[str, Any]:
    """The table that `read_domain` reads as the same domain, to the last bit."""
    if isinstance(domain, Time):
        return {"time": [domain.start, domain.end]}
    if isinstance(domain, SpaceTime):
        return describe_domain(domain.space) | describe_domain(domain.time)
    if isinstance(domain, Combination):
        return {domain.operation: [describe_domain(domain.first), describe_domain(domain.second)]}
    if isinstance(domain, Regions):
        return {"regions": {name: describe_domain(shape) for name, shape in domain.shapes.items()}}
    if isinstance(domain, Exterior):
        shown = {} if domain.window is None else {"window": [list(corner) for corner in domain.window]}
        again = {} if domain.period is None else {"period": domain.period}
        return {"exterior": [describe_domain(shape) for shape in domain.shapes], **shown, **again}
    if isinstance(domain, Transformed):
        transform = {"matrix": [list(row) for row in domain.matrix], "offset": list(domain.offset)}
        return describe_domain(domain.shape) | {"transform": transform}
    return _describe_shape(domain)


def _read_space(table: Table, names: Names, optional: tuple[str, ...] = ()) -> Domain:
    """A shape or a combination of shapes, moved if the table says so; regions; or the exterior of shapes."""
    if "regions" in table:
        table.check_keys(["regions"], optional)
        shapes = table.table("regions")
        own = {name: _read_space(shapes.table(name), names) for name in shapes.content}
        return table.make(lambda: Regions(**own), "regions")
    if "exterior" in table:
        table.check_keys(["exterior"], ["window", "period", *optional])
        objects = [_read_space(shape, names) for shape in table.tables("exterior")]
        window = table.as_numbers(table["window"], "window", names) if "window" in table else None
        period = table.number("period", names)
        return table.make(lambda: Exterior(*objects, window=window, period=period), "exterior")
    also = (*_MOVES, *optional)
    stated = [key for key in _OPERATIONS if key in table]
    if not stated:
        return _read_moves(_read_shape(table, names, (*_OPERATIONS, "regions", "exterior", *also)), table, names)
    operation = stated[0]
    table.check_keys([operation], also)
    operands = [_read_space(operand, names) for operand in table.tables(operation)]
    if len(operands) < 2:
        raise table.error(f"{operation} takes a list of at least two shapes; got {len(operands)}", operation)
    # a - b - c for a difference of three
    combined = table.make(lambda: reduce(lambda a, b: combine(operation, a, b), operands), operation)  # type: ignore[arg-type]
    return _read_moves(combined, table, names)
