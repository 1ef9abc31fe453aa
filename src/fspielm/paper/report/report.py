"""The report of a study: a folder with everything."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

from fspielm.disk import check_replaceable, staged_folder
from fspielm.jobs.table import export_csv, origin_path
from fspielm.paper.report.analysis import StudyResult, read_study
from fspielm.paper.report.figures import Illustration, illustrations, save_figure, unique_slugs
from fspielm.paper.report.page import GENERATOR, report_page
from fspielm.paper.report.tables import best_errors_table, best_ranges_table, subject_table, write_cells, write_summary
from fspielm.paper.templates import require_pages

Progress = Callable[[str, int, int], None]

_INDEX = "index.html"


def write_report(
    store: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    progress: Progress = lambda step, done, total: None,
) -> Path:
    """Write the tables and charts of a study, and a page with all of them, to a folder.

    Parameters
    ----------
    store : path
        The study's file; a run may be using it, and it need not be complete.
    out : path
        A folder for the report alone. It appears, or is replaced, once everything is finished.
    progress : callable
        Called with the next step, the number of finished steps, and their total number.

    Returns
    -------
    Path
        The page, ``index.html``. Beside it are ``summary.csv``, ``cells.csv`` and ``rows.csv``, the folder
        ``figures`` (PNG and PDF) and the folder ``tables`` (LaTeX).
    """
    require_pages()
    folder = Path(out)
    check_replaceable(folder, {_INDEX, *_links(folder / _INDEX)}, mark=GENERATOR)
    study = read_study(store)
    pictures = {subject.name: illustrations(study, subject) for subject in study.subjects}
    with staged_folder(folder) as fresh:
        _write_figures([one for found in pictures.values() for one in found], fresh / "figures", progress)
        tables = [*_write_tables(study, fresh), *_write_rows(store, fresh)]
        (fresh / _INDEX).write_text(report_page(study, pictures, tables), encoding="utf-8")
    return folder / _INDEX


def _write_figures(pictures: list[Illustration], folder: Path, progress: Progress) -> None:
    folder.mkdir()
    for number, picture in enumerate(pictures):
        progress(picture.stem, number, len(pictures))
        save_figure(picture.figure, folder / picture.stem)
    progress("the page", len(pictures), len(pictures))


def _write_tables(study: StudyResult, folder: Path) -> list[str]:
    """Write the tables; return the names of those of the whole study."""
    write_summary(study, folder / "summary.csv")
    write_cells(study, folder / "cells.csv")
    slugs = unique_slugs(subject.name for subject in study.subjects)
    summaries = {"tables/best-errors.tex": best_errors_table(study), "tables/best-ranges.tex": best_ranges_table(study)}
    subjects = {f"tables/case-{slugs[subject.name]}.tex": subject_table(subject) for subject in study.subjects}
    (folder / "tables").mkdir()
    for name, content in (summaries | subjects).items():
        (folder / name).write_text(content, encoding="utf-8")
    return ["summary.csv", "cells.csv", *summaries]


def _write_rows(store: str | os.PathLike[str], folder: Path) -> list[str]:
    """Write every solve and the origin of all; return the names of both files."""
    rows = export_csv(store, folder / "rows.csv")
    return [rows.name, origin_path(rows).name]


def _links(page: Path) -> list[str]:
    """The files that an earlier page links to: all that were written with it."""
    if not page.is_file():
        return []
    found = re.findall(r' href="([^"#]+)"', page.read_text("utf-8", errors="replace"))
    return [unescape(name) for name in found]
