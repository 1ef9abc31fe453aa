"""``fspielm demo``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table

from fspielm import cases
from fspielm.cases import Case
from fspielm.cli.options import OldSeed
from fspielm.cli.tables import headed_table
from fspielm.demo import CaseRun, run_demo
from fspielm.wording import duration


def show_demo(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the pictures and index.html go.")] = Path("out"),
    rng: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of functions and points.")] = 0,
    seed: OldSeed = None,
) -> None:
    """Solve all seven benchmarks automatically; pictures and a page with them.

    Takes about a minute on two cores. The folder appears, or is replaced, once everything is finished.
    """
    with _display() as display:
        runs = run_demo(out, rng=rng, starts=display.start, ends=display.end)
    Console().print(results_table(runs))
    print(f"\nPictures and table: {out / 'index.html'}")


def results_table(runs: Sequence[CaseRun]) -> Table:
    """Case, functions, error, what the solver estimates it to be, the paper's best error, time."""
    table = headed_table()
    table.add_column("case", no_wrap=True, style="bold", min_width=26)
    table.add_column("functions", justify="right")
    table.add_column("relative\nL2 error", justify="right", min_width=8)
    table.add_column("error\nestimate", justify="right", min_width=8)
    table.add_column("paper's\nbest", justify="right", min_width=8)
    table.add_column("time", justify="right", no_wrap=True)
    for run in runs:
        report = run.solution.report
        estimate = "-" if report.error_estimate is None else f"{report.error_estimate:.2e}"
        errors = f"{run.relative_error:.2e}", estimate, f"{run.paper_best[1]:.2e}"
        table.add_row(run.case.name, str(report.neurons), *errors, duration(run.seconds))
    return table


class _Terminal:
    """The table as it grows, and what is being solved."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._runs: list[CaseRun] = []
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description:<26}", markup=False),
            BarColumn(20),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        self._task = self._progress.add_task("", total=len(cases.names()))
        self._refresh()

    def start(self, case: Case) -> None:
        self._progress.update(self._task, description=case.name)

    def end(self, run: CaseRun) -> None:
        self._runs.append(run)
        self._progress.advance(self._task)
        self._refresh()

    def _refresh(self) -> None:
        self._live.update(Group(results_table(self._runs), "", self._progress))


class _Lines:
    """One line for each case, where there is no terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def start(self, case: Case) -> None:
        self._console.print(f"{case.name} ...", markup=False, highlight=False)

    def end(self, run: CaseRun) -> None:
        """Nothing: the table follows."""


@contextmanager
def _display() -> Iterator[_Terminal | _Lines]:
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines(console)
        return
    with Live(console=console, transient=True) as live:
        yield _Terminal(live)
