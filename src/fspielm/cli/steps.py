"""What solving a benchmark and solving a problem file have in common."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import typer

from fspielm import blas
from fspielm.cli.progress import working
from fspielm.demo import CaseRun, FileRun, draw_run, run_interruptibly
from fspielm.solution.pictures import save_picture


def limit_blas(threads: int) -> None:
    """Limit the threads of the linear algebra library, or say that it cannot be done from here."""
    if not blas.set_threads(threads):
        typer.echo(
            "fspielm: note: the linear algebra library keeps its own number of threads; "
            "set OMP_NUM_THREADS before starting",
            err=True,
        )


def write_pictures(run: CaseRun | FileRun, title: str, paths: Sequence[Path], *, announce: bool) -> None:
    """Draw a run, if anyone wants to see it, and save the picture under every name."""
    if not paths:
        return
    with working("drawing"):
        figure = run_interruptibly(partial(draw_run, run, title))
        for path in paths:
            save_picture(figure, path)
    if announce:
        print("\n" + "\n".join(f"Picture: {path}" for path in paths))
