"""``fspielm study theory``."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Annotated

import typer

from fspielm.cli.options import OldSeed
from fspielm.cli.progress import working
from fspielm.study import theory
from fspielm.study.theory.comparison import SAMPLES

_SHOWN_EVERY = 10


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
