"""``fspielm cases``, ``fspielm demo`` and ``fspielm info``."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console, Group
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

import fspielm.resources as blas
from fspielm.cli.options import OldSeed
from fspielm.cli.output import headed_table
from fspielm.paper.cases import catalogue as cases
from fspielm.paper.cases.case import Case
from fspielm.paper.demo import CaseRun, run_demo
from fspielm.resources import available_threads, physical_memory
from fspielm.version import __version__
from fspielm.wording import duration

# ---- ``fspielm cases``


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
        method, theirs = case.paper.best
        description = Group(Text(name, style="bold"), Padding(Text(case.title, style="dim"), (0, 0, 0, 2)))
        table.add_row(description, str(case.paper.neurons), f"{theirs.best:.2e}", method)
    Console().print(table)


# ---- ``fspielm demo``


def show_demo(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the pictures and index.html go.")] = Path("out"),
    rng: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of functions and points.")] = 0,
    seed: OldSeed = None,
) -> None:
    """Solve all seven benchmarks automatically; pictures and a page with them.

    Takes about a minute on two cores. The folder appears, or is replaced, once everything is finished.
    """
    console = Console(stderr=True)
    bar = (TextColumn("{task.description:<26}", markup=False), BarColumn(20), MofNCompleteColumn())
    columns = (SpinnerColumn(), *bar, TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=len(cases.names()))

        def start(case: Case) -> None:
            progress.update(task, description=case.name)
            if not console.is_terminal:
                console.print(f"{case.name} ...", markup=False, highlight=False)

        runs = run_demo(out, rng=rng, starts=start, ends=lambda run: progress.advance(task))
    Console().print(results_table(runs))
    print(f"\nPictures and table: {out / 'index.html'}")


def results_table(runs: Sequence[CaseRun]) -> Table:
    """Case, functions, error, error estimate, the paper's best error, time."""
    table = headed_table()
    table.padding = (0, 1, 0, 0)  # so that times of minutes fit into 80 columns
    table.add_column("case", no_wrap=True, style="bold", min_width=26)
    table.add_column("functions", justify="right", no_wrap=True)
    table.add_column("relative\nL2 error", justify="right", min_width=8)
    table.add_column("error\nestimate", justify="right", min_width=8)
    table.add_column("paper's\nbest", justify="right", min_width=8)
    table.add_column("time", justify="right", no_wrap=True)
    for run in runs:
        report = run.solution.report
        estimate = "-" if report.error_estimate is None else f"{report.error_estimate:.2e}"
        errors = f"{run.relative_error:.2e}", estimate, f"{run.case.paper.best[1].best:.2e}"
        table.add_row(run.case.name, str(report.neurons), *errors, duration(run.seconds))
    return table


# ---- ``fspielm info``


_PACKAGES = ("numpy", "scipy", "sympy", "typer", "rich", "matplotlib")


def show_info() -> None:
    """Print the versions and the machine, for reports of problems."""
    threads = blas.threads()
    lines = {
        "fspielm": __version__,
        "python": f"{platform.python_version()} on {platform.system()} {platform.machine()}",
        **{name: _version(name) for name in _PACKAGES},
        "blas": blas.library() + (f", {threads} threads" if threads is not None else ""),
        "cores": str(available_threads()),
        "memory": f"{physical_memory() / 2**30:.1f} GiB",
    }
    width = max(map(len, lines))
    for name, value in lines.items():
        print(f"{name:<{width}}  {value}")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
