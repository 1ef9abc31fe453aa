"""Reports of a study: tables and pictures, and one page with all of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

__all__ = ["write_report"]


def write_report(
    store: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    progress: Callable[[str, int, int], None] = lambda step, done, total: None,
) -> Path:
    """Write tables, pictures and a page of a study to a folder.

    Parameters
    ----------
    store : path
        The study's file, which may be in use by a run, and need not be complete.
    out : path
        A folder of its own. It appears, or is replaced, when everything is finished; not before.
    progress : callable
        Called with what comes next, how many steps are done, and how many there are.

    Returns
    -------
    Path
        Of the page, ``index.html``. Beside it are ``summary.csv``, ``cells.csv`` and ``rows.csv``, the folder
        ``figures`` (PNG and PDF) and the folder ``tables`` (LaTeX).
    """
    # with every import of the package, all that draws would take its time for the few who want it
    from fspielm.study.reports.report import write

    return write(store, out, progress)
