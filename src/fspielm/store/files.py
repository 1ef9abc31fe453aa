"""Solutions into files, and from them."""

from __future__ import annotations

import os
import warnings
from dataclasses import replace

from fspielm.errors import StorageWarning
from fspielm.solution import Solution
from fspielm.store.stored import UNREADABLE, read_stored, stored_form, unreadable, write_stored
from fspielm.writing import check_place

SUFFIX = ".fspielm"


def save(solution: Solution, path: str | os.PathLike[str], *, title: str = "", stacklevel: int = 2) -> None:
    """Write a solution to one file, under the title that its problem file has; see `Solution.save`."""
    check_place(path, (SUFFIX,))
    stored = stored_form(solution)
    if title:
        stored = replace(stored, statement={**stored.statement, "title": title})
    write_stored(stored, path)
    if stored.statement["missing"] is not None:
        warnings.warn(
            f"saved without its statement: {stored.statement['missing']}; the solution can be evaluated from the file, "
            "but not solved again",
            StorageWarning,
            stacklevel=stacklevel,
        )


def load(path: str | os.PathLike[str]) -> Solution:
    """The solution that `Solution.save` has written to a file.

    It evaluates to the same bits. Nothing in the file is executed; a checksum over every byte of it tells whether it
    is what was written.

    Parameters
    ----------
    path : path

    Returns
    -------
    Solution
        Its `problem` can be solved again, unless it held something that a file cannot (saving it has warned of
        that): evaluating works all the same, and what needs the statement says what is missing.

    Raises
    ------
    ProblemError
        If the file is not a saved solution, not complete, changed since, or written by a newer version.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import fspielm as fs
    >>> problem = fs.read_problem('''
    ... unknown = "u(x)"
    ... equation = "dx(u, 2) + 100*u = 0"
    ... domain = { shape = "Interval", a = 0, b = 1 }
    ... conditions = [{ type = "dirichlet", value = 1 }]
    ... ''')
    >>> solution = fs.solve(problem, rng=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "wave.fspielm"
    ...     solution.save(path)
    ...     loaded = fs.load(path)
    >>> bool(loaded([[0.3]]) == solution([[0.3]]))
    True
    """
    stored = read_stored(path)
    try:
        return stored.solution()
    except UNREADABLE as error:
        raise unreadable(path, error) from error
