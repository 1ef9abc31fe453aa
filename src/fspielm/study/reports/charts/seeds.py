"""The errors of the seeds, method by method, at each one's best range."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import final

from fspielm.cases import Case, PaperResult
from fspielm.study.reports.analysis import Cell, Group, Spread, paper_result
from fspielm.study.reports.charts.scale import LogScale, log_scale


@final
@dataclass(frozen=True)
class Strip:
    """One method.

    Attributes
    ----------
    method : str
    cell : Cell
    seeds : tuple of (seed, error)
    error : Spread
    paper : PaperResult or None
        What the paper has, at its own best range.
    """

    method: str
    cell: Cell
    seeds: tuple[tuple[int, float], ...]
    error: Spread
    paper: PaperResult | None


@final
@dataclass(frozen=True)
class Seeds:
    """All methods of a group."""

    strips: tuple[Strip, ...]
    scale: LogScale


def seeds(group: Group, case: Case | None) -> Seeds | None:
    """The errors of a group at the best ranges; None if there is none yet."""
    strips = tuple(strip for method in group.methods if (strip := _strip(group, case, method)))
    if not strips:
        return None
    ours = chain.from_iterable((strip.error.best, strip.error.worst) for strip in strips)
    theirs = chain.from_iterable((strip.paper.best, strip.paper.mean) for strip in strips if strip.paper)
    return Seeds(strips, log_scale([*ours, *theirs]))


def _strip(group: Group, case: Case | None, method: str) -> Strip | None:
    cell = group.best(method)
    if cell is None or cell.error is None:
        return None
    found = tuple((row.job.seed, row.outcome.error) for row in cell.rows if row.done and row.outcome.error is not None)
    return Strip(method, cell, found, cell.error, paper_result(case, method)[1])
