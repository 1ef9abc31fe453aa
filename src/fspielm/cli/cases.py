"""``fspielm cases``."""

from __future__ import annotations

from rich.console import Console, Group
from rich.padding import Padding
from rich.text import Text

from fspielm import cases
from fspielm.cli.tables import headed_table
from fspielm.demo import paper_best


def list_cases() -> None:
    """List the seven benchmarks of the FS-PIELM paper.

    The error is the smallest that the paper prints for a case, over its five methods, frequency ranges and
    seeds; the method is the one that gave it.
    """
    table = headed_table("case")
    table.add_column("neurons", justify="right", no_wrap=True)
    table.add_column("paper's\nbest", justify="right", no_wrap=True)
    table.add_column("method", no_wrap=True)
    for name in cases.names():
        case = cases.load(name)
        method, best = paper_best(case)
        description = Group(Text(name, style="bold"), Padding(Text(case.title, style="dim"), (0, 0, 0, 2)))
        table.add_row(description, str(case.paper.neurons), f"{best:.2e}", method)
    Console().print(table)
