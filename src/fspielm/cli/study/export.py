"""``fspielm study export``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fspielm import study
from fspielm.cli.progress import working


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
