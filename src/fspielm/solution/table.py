"""A solution as a table of numbers."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from fspielm.errors import ProblemError
from fspielm.solution.measure import regular_grid
from fspielm.solution.solution import Solution


def save_table(solution: Solution, path: str | os.PathLike[str]) -> None:
    """Write the coordinates of a grid over the domain and the solution there, as comma-separated values.

    The numbers are exact to the last bit, one line for each point, under a line of names.
    """
    check_table_path(path)
    points = regular_grid(solution.problem.domain)
    names = [*map(str, solution.problem.coordinates), solution.problem.unknown.func.__name__]
    rows = np.column_stack([points, solution(points)])
    np.savetxt(path, rows, fmt="%.17g", delimiter=",", header=",".join(names), comments="", encoding="utf-8")


def check_table_path(path: str | os.PathLike[str]) -> None:
    """Say at once, before any long computation, if no table could be written to `path`."""
    path = Path(path)
    if path.suffix.lower() != ".csv":
        raise ProblemError(f"the name of a table must end in .csv; got {path.name!r}")
    if path.is_dir() or not path.parent.is_dir():
        reason = "it is a folder" if path.is_dir() else "its folder does not exist"
        raise ProblemError(f"cannot write a table to {str(path)!r}: {reason}")
