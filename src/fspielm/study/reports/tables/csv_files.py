"""Cells and the summary as CSV, every number with all of its digits."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fspielm.study.reports.analysis import Cell, Entry, Spread, StudyResult, entries


def write_cells(study: StudyResult, path: Path) -> None:
    """Write one line for every setting with its seeds together, finished or not."""
    lines = (_setting(cell) | _numbers(cell) for subject in study.subjects for cell in subject.cells)
    _write(path, lines)


def write_summary(study: StudyResult, path: Path) -> None:
    """Write one line for every method at its best range, and at the paper's, with the paper's numbers."""
    _write(path, (_entry(entry, subject.measure) for subject in study.subjects for entry in entries(subject)))


def _entry(entry: Entry, measure: str) -> dict[str, Any]:
    paper = entry.paper
    return {
        **_setting(entry.cell),
        "range_of": "paper" if entry.at_paper_range else "study",
        "measure": measure,
        **_numbers(entry.cell),
        "paper_method": entry.paper_method,
        "paper_mu_min": None if paper is None else paper.mu[0],
        "paper_mu_max": None if paper is None else paper.mu[1],
        "paper_best": None if paper is None else paper.best,
        "paper_mean": None if paper is None else paper.mean,
        "paper_std": None if paper is None else paper.std,
        "paper_seconds": None if paper is None else paper.seconds,
        "best_ratio": entry.best_ratio,
        "mean_ratio": entry.mean_ratio,
    }


def _setting(cell: Cell) -> dict[str, Any]:
    job = cell.job
    low, high = job.mu or (None, None)
    return {
        "subject": job.subject,
        "method": job.method,
        "mu_min": low,
        "mu_max": high,
        "neurons": job.neurons,
        "least_squares": job.least_squares,
        "scaling": job.scaling,
    }


def _numbers(cell: Cell) -> dict[str, Any]:
    return {
        "planned": cell.planned,
        "ended": len(cell.rows),
        "failed": cell.failed,
        "not_finite": cell.not_finite,
        **_spread("error", cell.error),
        **_spread("seconds", cell.seconds),
    }


def _spread(name: str, values: Spread | None) -> dict[str, float | None]:
    parts = ("best", "mean", "std", "median", "worst")
    return {f"{name}_{part}": None if values is None else getattr(values, part) for part in parts}


def _write(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    lines = [*lines]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]) if lines else ["subject"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
