"""``fspielm study report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fspielm import study
from fspielm.cli.progress import working


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
