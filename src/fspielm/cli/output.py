"""Tables on the terminal, and values as JSON has them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

# ---- Values as JSON has them


def finite(value: Any) -> Any:
    """The same with null for numbers that are not finite, within lists and dictionaries too: JSON has no other word."""
    if isinstance(value, dict):
        return {name: finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


# ---- Tables on the terminal, all in one style


def headed_table(*columns: str) -> Table:
    """A table with a line under its headings; columns of another kind than text are added to it."""
    return Table(*columns, box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)


def facts_table(facts: Mapping[str, str]) -> Table:
    """Names, and beside each what it is."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column()
    for name, fact in facts.items():
        table.add_row(Text(name), Text(fact))
    return table
