"""Tables on the terminal, all in one style."""

from __future__ import annotations

from collections.abc import Mapping

from rich import box
from rich.table import Table
from rich.text import Text


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
