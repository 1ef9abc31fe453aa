"""``fspielm study theory``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fspielm.cli.progress import working


def write_theory_page(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where tables and figures go.")] = Path("theory"),
    samples: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Frequencies drawn for each statistic.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the samples.")] = 0,
) -> None:
    """Check the paper's theorems on effective frequencies.

    Means and variances of the frequency norms under scaling and shift, for 1 to 5 coordinates: exact, drawn, and as
    the paper approximates them; and where they differ, by how much.

    Example: fspielm study theory --out theory
    """
    from fspielm.study import theory  # type: ignore[attr-defined]

    given = {} if samples is None else {"samples": samples}
    with working("drawing frequencies"):
        theory.write_theory(out, seed=seed, **given)
    print(f"Theory: {out}")
