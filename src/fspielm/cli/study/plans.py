"""``fspielm study plans``."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table

from fspielm.study import builtin_plan, builtin_plans


def list_plans() -> None:
    """List the built-in plans, their solves and their purpose.

    Example: fspielm study plans; then fspielm study run quick
    """
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("plan", style="bold", no_wrap=True)
    table.add_column("solves", justify="right", no_wrap=True)
    table.add_column("purpose")
    for name, purpose in builtin_plans().items():
        table.add_row(name, str(len(builtin_plan(name).jobs)), purpose)
    Console().print(table)
