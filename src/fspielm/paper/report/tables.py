"""The tables of a report, as CSV and LaTeX."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fspielm.paper.report.analysis import LOOKS, Cell, Entry, Group, Spread, StudyResult, SubjectResult, entries

# ---- CSV, with all digits of every number


def write_cells(study: StudyResult, path: Path) -> None:
    """Write one line for every setting, with the statistics of its seeds, finished or not."""
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
        "paper_mu_min": paper and paper.mu[0],
        "paper_mu_max": paper and paper.mu[1],
        "paper_best": paper and paper.best,
        "paper_mean": paper and paper.mean,
        "paper_std": paper and paper.std,
        "paper_seconds": paper and paper.seconds,
        "best_ratio": entry.best_ratio,
        "mean_ratio": entry.mean_ratio,
    }


def _setting(cell: Cell) -> dict[str, Any]:
    return {name: value for name, value in cell.job.columns.items() if name != "seed"}


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
    return {f"{name}_{part}": values and getattr(values, part) for part in ("best", "mean", "std", "median", "worst")}


def _write(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    lines = [*lines]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]) if lines else ["subject"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


# ---- LaTeX tables for ``\input``, which need the package booktabs


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}
_NONE = "--"
_RATIOS = ("Best / paper's", "Mean / paper's")


def subject_table(subject: SubjectResult) -> str:
    """The methods of a subject: a line with our numbers and, if there are any, a line with the paper's."""
    several = len(subject.groups) > 1
    lines = [line for entry in entries(subject) for line in _entry_lines(entry, several)]
    head = ["Method", "", r"$[\mu_{\min}, \mu_{\max}]$", "Best", "Mean", "Std", "Time (s)", "Seeds", *_RATIOS]
    return _table("llcccccccc", head, lines, f"{subject.name}: relative errors over the seeds at the best range")


def best_errors_table(study: StudyResult) -> str:
    """The best error of every method on every subject and setting; the smallest of a line in bold."""
    return _summary(study, "best errors over all ranges and seeds", _best_error)


def best_ranges_table(study: StudyResult) -> str:
    """The frequency range with the best error of every method on every subject."""
    return _summary(study, "ranges of frequencies with the best error", lambda _, cell: interval(cell.job.mu))


def number(value: float | None, *, bold: bool = False) -> str:
    """A number in scientific notation."""
    if value is None or not math.isfinite(value):
        return _NONE
    mantissa, exponent = f"{value:.2e}".split("e")
    text = rf"{mantissa} \times 10^{{{int(exponent)}}}"
    return rf"$\mathbf{{{text}}}$" if bold else f"${text}$"


def interval(mu: tuple[float, float] | None) -> str:
    """A range of frequencies."""
    return _NONE if mu is None else f"$[{mu[0]:g}, {mu[1]:g}]$"


def escape(text: str) -> str:
    """Plain text with the special characters of LaTeX escaped."""
    return "".join(_SPECIAL.get(letter, letter) for letter in text)


def _entry_lines(entry: Entry, several: bool) -> list[list[str]]:
    cell, paper = entry.cell, entry.paper
    assert cell.error is not None
    name = escape(LOOKS[cell.job.method].label) if not entry.at_paper_range else ""
    if several and name and entry.group.label and cell.job.mu is not None:
        name += f" ({escape(entry.group.label)})"
    seconds = _NONE if cell.seconds is None else f"{cell.seconds.mean:.2f}"
    ours = [number(value) for value in (cell.error.best, cell.error.mean, cell.error.deviation)]
    ratios = [_ratio(value) for value in (entry.best_ratio, entry.mean_ratio)]
    lines = [[name, "here", interval(cell.job.mu), *ours, seconds, cell.seeds, *ratios]]
    if paper is not None and not entry.at_paper_range:
        other = "" if entry.paper_method == cell.job.method else f", {escape(LOOKS[entry.paper_method].label)}"
        theirs = [number(value) for value in (paper.best, paper.mean, paper.std)]
        lines.append(["", f"paper{other}", interval(paper.mu), *theirs, f"{paper.seconds:.2f}", "", "", ""])
    return lines


def _ratio(value: float | None) -> str:
    text = _NONE if value is None else f"{value:.2g}"
    return number(value) if "e" in text else text


def _best_error(group: Group, cell: Cell) -> str:
    assert cell.error is not None
    return number(cell.error.best, bold=cell.job.method == group.best_method)


def _summary(study: StudyResult, title: str, write: Callable[[Group, Cell], str]) -> str:
    """Cases by methods; a line for each setting of a case, since errors of different sizes do not compare."""
    lines = []
    for group in (group for subject in study.subjects for group in subject.groups):
        name = f"{group.subject} ({group.label})" if group.label else group.subject
        cells = [group.best(method) for method in study.methods]
        lines.append([escape(name), *(_NONE if c is None else write(group, c) for c in cells)])
    head = ["Case", *(escape(LOOKS[method].label) for method in study.methods)]
    return _table("l" + "c" * len(study.methods), head, lines, title)


def _table(columns: str, head: Sequence[str], lines: Iterable[Sequence[str]], title: str) -> str:
    def row(texts: Sequence[str]) -> str:
        return " & ".join(texts) + r" \\"

    return "\n".join(
        [
            f"% {' '.join(title.split())}; made by fspielm, needs \\usepackage{{booktabs}}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            row(head),
            r"\midrule",
            *map(row, lines),
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )
