"""Saving a solution as it is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fspielm.solution.solution import Solution


def save(solution: Solution, path: str | os.PathLike[str]) -> None:
    """Write the solution to one file, from which `fspielm.load` gives it back to the last bit.

    The file appears complete or not at all, and replaces an older one. It holds the statement, frequencies,
    coefficients, report, seed and versions, and no code.

    Parameters
    ----------
    path : path
        Its name must end in ``.fspielm``.

    Warns
    -----
    StorageWarning
        If the statement holds something that a file cannot, such as a callable: the solution can be evaluated after
        loading, but not solved again.
    """
    from fspielm.store import save  # a layer above: it needs the words of problem files

    save(solution, path, stacklevel=3)
