"""``fspielm show``: a saved solution."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from fspielm.cli.outputs import HELP, PICTURES_HELP, FarField, Outputs
from fspielm.cli.progress import completing
from fspielm.cli.report import print_saved_report
from fspielm.demo import FileRun
from fspielm.files import ProblemFile
from fspielm.store import Stored, load, read_stored

_WIDTH = 80


def show_saved(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A solution that was saved, .fspielm.")],
    plot: Annotated[list[Path] | None, typer.Option("--plot", metavar="FILE", help=f"Draw it{PICTURES_HELP}")] = None,
    out: Annotated[list[Path] | None, typer.Option("--out", metavar="FILE", help=HELP)] = None,
    far_field: FarField = None,
) -> None:
    """Print what a saved solution solves, how it came about and how good it is; draw or export it."""
    stored = read_stored(path)
    solution = load(path)
    outputs = Outputs(plot=plot, out=out, far_field=far_field)
    outputs.check(solution.problem)
    console = Console(highlight=False, width=min(_WIDTH, Console().width))
    versions = ", ".join(f"{name} {version}" for name, version in stored.versions.items())
    names = ", ".join(str(unknown.symbol) for unknown in solution.problem.stated.unknowns)
    console.print(Text(f"{path}: {stored.title or names}\n", style="bold"))
    console.print(Padding(Text(_statement(stored)), (0, 0, 1, 2)))
    print_saved_report(solution, versions)
    run = FileRun(ProblemFile(solution.problem), solution, None, sum(stored.report.seconds.values()))
    with completing():
        outputs.draw(run, stored.title or path.name)
        outputs.write(solution, stored.title)


def _statement(stored: Stored) -> str:
    """The problem file, or what is known where there is none."""
    stated = stored.statement
    if stated["problem"] is not None:
        return str(stated["problem"]).rstrip()
    # files of version 0.1 have one
    equations = stated["equations"] if "equations" in stated else [stated["equation"]]
    return "\n".join(
        [
            *(f"equation    {left} = {right}" for left, right in equations),
            f"domain      {stated['shape']}",
            *(f"condition   {condition}" for condition in stated["conditions"]),
            f"not stored  {stated['missing']}",
        ]
    )
