"""Domains in problem files: shapes, their combinations, and both moved about."""

from __future__ import annotations

from functools import reduce
from typing import Any

from fspielm.files.moves import MOVES, move, plain_move
from fspielm.files.names import Names
from fspielm.files.shape import plain_shape, read_shape
from fspielm.files.table import Table, shown
from fspielm.geometry import Combination, Domain, Regions, SpaceTime, Time, Transformed, combine
from fspielm.geometry.exterior import Exterior

_OPERATIONS = ("union", "intersection", "difference")
# The keys by which a table is that of a domain.
SPACES = ("shape", *_OPERATIONS, "regions", "exterior", "time")


def read_domain(table: Table, names: Names) -> Domain:
    """The domain of a table, with times if it has them."""
    if "time" not in table:
        return _read_space(table, names, optional=("time",))
    alone = set(table.content) == {"time"}
    time = _read_time(table, names)
    return time if alone else table.make(lambda: _read_space(table, names, optional=("time",)) * time, "time")


def _read_time(table: Table, names: Names) -> Time:
    times = table["time"]
    if not isinstance(times, list) or len(times) != 2:
        raise table.error(f"time must be a list of its start and its end, as in [0, 1]; got {shown(times)}", "time")
    start, end = (table.as_number(value, "time", names) for value in times)
    return table.make(lambda: Time(start, end), "time")


def describe_domain(domain: Domain) -> dict[str, Any]:
    """The table of a domain, from which `read_domain` makes it again."""
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
        return describe_domain(domain.shape) | plain_move(domain)
    return plain_shape(domain)


def _read_space(table: Table, names: Names, optional: tuple[str, ...] = ()) -> Domain:
    """A shape or a combination of some, moved as the table says; regions side by side; or what is outside of some."""
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
    also = (*MOVES, *optional)
    stated = [key for key in _OPERATIONS if key in table]
    if not stated:
        return move(read_shape(table, names, (*_OPERATIONS, "regions", "exterior", *also)), table, names)
    operation = stated[0]
    table.check_keys([operation], also)
    operands = [_read_space(operand, names) for operand in table.tables(operation)]
    if len(operands) < 2:
        raise table.error(f"{operation} takes a list of at least two shapes; got {len(operands)}", operation)
    # a - b - c for a difference of three
    combined = table.make(lambda: reduce(lambda a, b: combine(operation, a, b), operands), operation)  # type: ignore[arg-type]
    return move(combined, table, names)
