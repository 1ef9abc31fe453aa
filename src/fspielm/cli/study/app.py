"""The commands of ``fspielm study``; that which runs one has a file of its own."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from fspielm import study
from fspielm.cli.new import new_plan
from fspielm.cli.options import OldSeed
from fspielm.cli.progress import working
from fspielm.cli.study.run import run_study
from fspielm.cli.study.screen import draw_summary
from fspielm.cli.study.watch import read_progress
from fspielm.cli.tables import headed_table
from fspielm.study import theory
from fspielm.study.lock import is_running
from fspielm.study.theory.comparison import SAMPLES

_SHOWN_EVERY = 10

study_app = typer.Typer(
    help="Run parameter studies: planned, stored, resumed, reported.",
    epilog="Start with 'fspielm study run quick', or your own: 'fspielm study new'.",
    rich_markup_mode=None,
)


@study_app.callback(invoke_without_command=True)
def _without_a_command(context: typer.Context) -> None:
    """Run parameter studies: planned, stored, resumed, reported."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@study_app.command("plans")
def list_plans() -> None:
    """List the built-in plans, their solves and their purpose.

    Example: fspielm study plans; then fspielm study run quick
    """
    table = headed_table()
    table.add_column("plan", style="bold", no_wrap=True)
    table.add_column("solves", justify="right", no_wrap=True)
    table.add_column("purpose")
    for name, purpose in study.builtin_plans().items():
        table.add_row(name, str(len(study.builtin_plan(name).jobs)), purpose)
    Console().print(table)


study_app.command("new")(new_plan)
study_app.command("run")(run_study)


@study_app.command("status")
def show_status(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="A study, as 'fspielm study run' keeps it.")],
) -> None:
    """Show how far a study is.

    What has ended and failed, what is left, and the best error of each method. Nothing is changed, and the
    study may be running.

    Example: fspielm study status quick.db
    """
    with study.Store.open(store, read_only=True) as kept:
        name = kept.plan.name
    progress = read_progress(store)
    Console(highlight=False).print(draw_summary(progress, name))
    if progress.finished < progress.total and not is_running(store):
        print(f"\nNo run is working on it; 'fspielm study run PLAN --store {store}' goes on.")


@study_app.command("report")
def report_study(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="A study, finished or not.")],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the report goes.")] = Path("report"),
) -> None:
    """Write the tables and figures of a study, and a page of them.

    The folder appears, or is replaced, once everything is finished.

    Example: fspielm study report quick.db --out report
    """
    with working(f"reporting {store}") as show:
        page = study.write_report(store, out, progress=lambda step, done, total: show(f"{step} ({done} of {total})"))
    print(f"Report: {page}")


@study_app.command("export")
def export_study(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="A study, finished or not.")],
    out: Annotated[
        list[Path], typer.Option("--out", metavar="FILE", help="Where the table goes, .csv; again for more.")
    ],
) -> None:
    """Write the solves of a study as a table, one row each.

    Beside it, .origin.json tells what they are of and ran on. 'fspielm study run --from' goes on from the two.

    Example: fspielm study export quick.db --out quick.csv
    """
    with working(f"exporting {store}"):
        for path in out:
            study.export_csv(store, path)
    for path in out:
        print(f"Table: {path}")


@study_app.command("theory")
def write_theory_page(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where tables and figures go.")] = Path("theory"),
    samples: Annotated[int, typer.Option(metavar="N", help="Frequencies drawn for each statistic.")] = SAMPLES,
    rng: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the samples.")] = 0,
    seed: OldSeed = None,
) -> None:
    """Check the paper's theorems on effective frequencies.

    Means and variances of the frequency norms under scaling and shift, for 1 to 5 coordinates: exact, drawn, and as
    the paper approximates them; and where they differ, by how much.

    Example: fspielm study theory --out theory
    """
    with working("drawing frequencies") as show:
        steps = count(1)

        def ends() -> None:
            step = next(steps)
            if step % _SHOWN_EVERY == 0:
                show(f"step {step} of {theory.STEPS}")

        theory.write_theory(out, rng=rng, samples=samples, ends=ends)
    print(f"Theory: {out / 'theory.md'}")
