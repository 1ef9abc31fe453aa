"""``fspielm study status``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from fspielm.cli.study.screen import draw_summary
from fspielm.cli.study.watch import read_progress
from fspielm.study import Store
from fspielm.study.lock import is_running


def show_status(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="A study, as 'fspielm study run' keeps it.")],
) -> None:
    """Show how far a study is.

    What has ended and failed, what is left, and the best error of each method. Nothing is changed, and the
    study may be running.

    Example: fspielm study status quick.db
    """
    with Store.open(store, read_only=True) as study:
        name = study.plan.name
    progress = read_progress(store)
    Console(highlight=False).print(draw_summary(progress, name))
    if progress.finished < progress.total and not is_running(store):
        print(f"\nNo run is working on it; 'fspielm study run PLAN --store {store}' goes on.")
