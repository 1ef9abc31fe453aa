"""``fspielm study new``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fspielm.cli.examples import write_example
from fspielm.study import example_plan


def new_plan(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it.")] = Path("plan.toml"),
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
) -> None:
    """Write a plan file to start from.

    An example with comments, which runs as it is.

    Example: fspielm study new mine.toml
    """
    write_example(example_plan(), path, force=force)
    print(f"Wrote {path}. Next: fspielm study run {path}")
