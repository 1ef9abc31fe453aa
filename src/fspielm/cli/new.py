"""``fspielm new``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fspielm import cases
from fspielm.cli.examples import write_example
from fspielm.cli.names import choose
from fspielm.files import example, write_problem


def new_file(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it.")] = Path("problem.toml"),
    case: Annotated[
        str | None,
        typer.Option(metavar="CASE", help="Write this benchmark.", show_default="an example with comments"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
) -> None:
    """Write a problem file to start from."""
    text = example() if case is None else _benchmark(choose("case", case, cases.names()))
    write_example(text, path, force=force)
    print(f"Wrote {path}. Next: fspielm check {path}; fspielm solve {path}")


def _benchmark(name: str) -> str:
    case = cases.load(name)
    return write_problem(case.problem, title=case.title, rng=0, exact=case.exact)
