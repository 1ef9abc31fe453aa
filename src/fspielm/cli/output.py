"""Tables and JSON on the terminal."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

# Columns of a page.
WIDTH = 80


def page_console() -> Console:
    """A console of at most 80 columns."""
    return Console(highlight=False, width=min(WIDTH, Console().width))


def print_json(content: Any) -> None:
    """Print values as JSON; numbers that are not finite become null, complex ones two parts."""
    print(json.dumps(finite(content), indent=2, allow_nan=False))


def finite(value: Any) -> Any:
    """Plain values with None for numbers that are not finite, and two parts for complex ones: JSON has neither."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, complex):
        return [finite(value.real), finite(value.imag)]
    if isinstance(value, dict):
        return {name: finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def headed_table(*columns: str) -> Table:
    """A table with a line below its headings, which are columns of text at first."""
    return Table(*columns, box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)


def facts_table(facts: Mapping[str, str]) -> Table:
    """A table of names, each with its fact beside it."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column()
    for name, fact in facts.items():
        table.add_row(Text(name), Text(fact))
    return table
