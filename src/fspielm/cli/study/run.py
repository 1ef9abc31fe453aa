"""``fspielm study run``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from fspielm.cli.entry import Interrupted
from fspielm.cli.names import choose
from fspielm.cli.study.screen import draw_summary
from fspielm.cli.study.watch import read_progress, watching
from fspielm.errors import ProblemError
from fspielm.study import Plan, builtin_plan, builtin_plans, read_plan, run
from fspielm.study.store import SUFFIX
from fspielm.study.table import read_table
from fspielm.writing import check_place

_FAILED = 1


def run_study(
    plan: Annotated[
        str, typer.Argument(metavar="PLAN", help="A name that 'fspielm study plans' lists, or a plan file.")
    ],
    store: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where the study is kept.", show_default="the plan's name, .db"),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="So many solves at once, on this machine.", show_default="1"),
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Solve on a Dask cluster, as in tcp://host:8786.")
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Of every solve; part of the plan.", show_default="as planned, or 1"),
    ] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Solve again what failed.")] = False,
    continue_from: Annotated[
        Path | None, typer.Option("--from", metavar="CSV", help="Take over what 'fspielm study export' wrote.")
    ] = None,
) -> None:
    """Run a study, or go on with one that was stopped.

    Every solve is on the disk as it ends. A study can be stopped or killed at any instant; the same command goes on,
    and repeats nothing that has ended. A solve that fails is kept with its reason, and the study goes on.

    Exit code: 0 when all solves have ended, 1 if every one of them failed or the study cannot be stored, 2 for wrong
    input, 130 when interrupted.

    Example: fspielm study run quick --workers 2
    """
    if workers is not None and scheduler is not None:
        raise ProblemError("--workers are of this machine and --scheduler has its own; give one of the two")
    chosen = _read_plan(plan)
    if threads is not None:
        chosen = replace(chosen, threads=threads)
    place = _default_store(chosen) if store is None else store
    check_place(place)
    if continue_from is not None:
        known = read_table(chosen, continue_from)
        print(f"{continue_from} has {len(known.rows)} of the {len(chosen.jobs)} solves.")
    given = {
        "workers": workers,
        "scheduler": scheduler,
        "retry_failed": retry_failed or None,
        "continue_from": continue_from,
    }
    _run(chosen, place, {name: value for name, value in given.items() if value is not None})
    progress = read_progress(place)
    Console(highlight=False).print(draw_summary(progress, chosen.name))
    print(f"\nStudy: {place}. Next: fspielm study report {place}")
    if progress.failed == progress.total:
        raise typer.Exit(_FAILED)


def _run(plan: Plan, store: Path, options: dict[str, Any]) -> None:
    try:
        with watching(store, plan.name) as watch:
            run(plan, store, **options, starts=watch.start, ends=watch.end)
    except Interrupted as stop:
        if store.is_file():
            progress = read_progress(store)
            safe = f"{progress.finished} of {progress.total} solves are safe in {store}"
            stop.add_note(f"{safe}; the same command goes on")
        raise


def _read_plan(name: str) -> Plan:
    known = list(builtin_plans())
    if name.endswith(SUFFIX) and Path(name).is_file():
        raise ProblemError(f"{name} is a store; the plan comes first, as in: fspielm study run PLAN --store {name}")
    if name not in known and (name.lower().endswith(".toml") or Path(name).exists()):
        return read_plan(Path(name))
    return builtin_plan(choose("plan", name, known))


def _default_store(plan: Plan) -> Path:
    name = f"{plan.name}{SUFFIX}"
    if Path(name).name != name or not name.isprintable():
        raise ProblemError(f"the plan's name {plan.name!r} cannot be that of a file; say where with --store")
    return Path(name)
