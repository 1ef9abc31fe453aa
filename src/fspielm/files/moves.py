"""Shapes moved, rotated and scaled by keys of their tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from fspielm.errors import ProblemError
from fspielm.files.names import Names
from fspielm.files.table import Table
from fspielm.geometry import Domain, Transformed
from fspielm.geometry.transform import transform

# In this order: a shape is scaled and rotated where it is, then moved.
MOVES = ("scale", "rotate", "move", "transform")


def move(domain: Domain, table: Table, names: Names) -> Domain:
    """The domain as the table says it is moved."""
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
        domain = _transformed(domain, table, names)
    return domain


def plain_move(domain: Transformed) -> dict[str, Any]:
    """The keys of a moved shape, exact to the last bit."""
    return {"transform": {"matrix": [list(row) for row in domain.matrix], "offset": list(domain.offset)}}


def _arguments(table: Table, key: str, names: Names, main: str, others: tuple[str, ...]) -> dict[str, Any]:
    """The arguments of a move: the main one alone, or a table with others."""
    if not isinstance(table[key], dict):
        return {main: table.as_number(table[key], key, names)}
    stated = table.table(key)
    stated.check_keys([main], others)
    return {name: stated.as_numbers(value, name, names) for name, value in stated.content.items()}


def _transformed(domain: Domain, table: Table, names: Names) -> Domain:
    stated = table.table("transform")
    stated.check_keys(["matrix", "offset"])
    matrix, offset = (stated.as_numbers(stated[key], key, names) for key in ("matrix", "offset"))
    return stated.make(lambda: _transform(domain, matrix, offset))


def _transform(domain: Domain, matrix: Any, offset: Any) -> Domain:
    d = domain.dimension
    try:
        rows, shift = np.array(matrix, dtype=np.float64), np.array(offset, dtype=np.float64)
    except (TypeError, ValueError):
        rows = shift = np.empty(0)
    if rows.shape != (d, d) or shift.shape != (d,):
        raise ProblemError(f"matrix must have {d} rows of {d} numbers, and offset {d} numbers")
    factor = np.abs(np.linalg.det(rows)) ** (1 / d)
    if not (
        np.linalg.det(rows) > 0 and np.allclose(rows @ rows.T, factor**2 * np.eye(d), rtol=0, atol=1e-9 * factor**2)
    ):
        raise ProblemError("matrix must be a rotation times a positive factor")
    return transform(domain, rows, shift)
