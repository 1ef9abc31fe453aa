"""``--seed``, which ``--rng`` used to be called."""

from __future__ import annotations

from typing import Annotated

import typer

from fspielm.errors import ProblemError


def _refuse(value: str | None) -> None:
    if value is not None:
        raise ProblemError(f"--seed is called --rng now, as the argument of fs.solve is; write --rng {value}")


OldSeed = Annotated[str | None, typer.Option("--seed", hidden=True, callback=_refuse)]
