"""Single shapes in problem files: any of them, by the arguments it is built with in Python."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from fspielm.errors import ProblemError
from fspielm.expressions import Scope, parse_real, print_expression
from fspielm.files.names import Names
from fspielm.files.table import Table, shown
from fspielm.geometry import SHAPES, Box, Domain

# Shapes that may come from another file, named by the key "file", and what reads it.
LOADERS = {"Polygon": "from_geojson", "Surface": "load"}

# What people may call a shape.
_OTHER_WORDS = {
    "circle": "Disk",
    "rectangle": "Box",
    "square": "Box",
    "cube": "Box",
    "ring": "Annulus",
    "sphere": "Ball",
}

# What the outline of a shape may be a function of.
_CURVE_SYMBOLS = ("theta", "t", "s")


def read_shape(table: Table, names: Names, optional: tuple[str, ...] = ()) -> Domain:
    """The shape that a table names, built of its other keys; those of `optional` are for others to read."""
    if "shape" not in table:
        # first the other keys, one of which may be a misspelt "shape"
        known = {key for shape in SHAPES.values() for key in _parameters(shape)}
        table.check_keys(["shape"], [*optional, *(key for key in table.content if key in known)])
    kind = table.text("shape")
    if kind not in SHAPES:
        lower = {name.lower(): name for name in SHAPES}
        near = [lower[name] for name in get_close_matches(kind.lower(), lower, 1, 0.7)]
        likely = _OTHER_WORDS.get(kind.lower()) or (near[0] if near else None)
        remedy = f"did you mean {likely!r}? " if likely else ""
        raise table.error(f"no shape {kind!r}; {remedy}the shapes are {', '.join(SHAPES)}", "shape")
    if "file" in table and kind in LOADERS:
        return _load(table, kind, optional)
    parameters = _parameters(SHAPES[kind])
    required = [name for name, parameter in parameters.items() if parameter.default is parameter.empty]
    others = [name for name in parameters if name not in required]
    table.check_keys(["shape", *required], [*others, *optional, *(["file"] if kind in LOADERS else [])])
    arguments = {
        name: _read_argument(table, name, str(parameter.annotation), names)
        for name, parameter in parameters.items()
        if name in table
    }
    return table.make(lambda: SHAPES[kind](**arguments))


def plain_shape(domain: Domain) -> dict[str, Any]:
    """The table of a shape, from which `read_shape` makes it again."""
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
    path = table.document.beside(table.text("file"))
    if path is None:
        raise table.error(
            f"file must name a file beside the problem file, or below; got {shown(table['file'])}", "file"
        )
    if path.exists() and not path.is_file():  # a pipe would be waited for
        raise table.error(f"file must name a file; {shown(table['file'])} is none", "file")
    load: Callable[..., Domain] = getattr(SHAPES[kind], LOADERS[kind])
    return table.make(lambda: load(Path(path), name=table.text("name")), "file")


def _parameters(shape: Callable[..., Domain]) -> dict[str, inspect.Parameter]:
    """The arguments of a shape that text can hold: all but callables."""
    parameters = inspect.signature(shape).parameters
    return {name: p for name, p in parameters.items() if "Derivative" not in str(p.annotation)}


def _read_argument(table: Table, key: str, annotation: str, names: Names) -> Any:
    """The value of one argument of a shape: what it is is told by how the argument is annotated."""
    value = table[key]
    if re.search(r"\bstr\b", annotation) and not isinstance(value, int):
        return _as_texts(table, key, value)
    if re.search(r"\b(Expr|Coordinate)\b", annotation):
        return _as_curve(table, key, value, names.parameters)
    return table.as_numbers(value, key, names)


def _as_texts(table: Table, key: str, value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_as_texts(table, key, item) for item in value)
    if not isinstance(value, str):
        raise table.error(f"{key} must be text in quotes; got {shown(value)}", key)
    return value


def _as_curve(table: Table, key: str, value: Any, parameters: Mapping[str, sp.Expr]) -> sp.Expr:
    symbols = tuple(sp.Symbol(name, real=True) for name in _CURVE_SYMBOLS if name not in parameters)
    scope = Scope(symbols, parameters=parameters)
    return table.parse(lambda text: parse_real(text, scope), table.written(value, key), key)


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
