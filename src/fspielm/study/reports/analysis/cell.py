"""Cells: the solves that differ in their seed alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import final

from fspielm.study.job import Job
from fspielm.study.reports.analysis.statistics import Spread, spread
from fspielm.study.rows import Row


@final
@dataclass(frozen=True)
class Cell:
    """One setting with all of its seeds.

    Attributes
    ----------
    job : Job
        The setting; its seed is without meaning.
    planned : int
        How many seeds the plan has.
    rows : tuple of Row
        The solves that have ended.
    """

    job: Job
    planned: int
    rows: tuple[Row, ...]

    @cached_property
    def error(self) -> Spread | None:
        """The errors of the seeds that gave a number."""
        return spread(row.outcome.error for row in self.rows if row.done)

    @cached_property
    def seconds(self) -> Spread | None:
        """The times of the seeds that gave a solution."""
        return spread(row.outcome.seconds for row in self.rows if row.done)

    @property
    def best_row(self) -> Row | None:
        """The seed with the smallest error."""
        if self.error is None:
            return None
        best = self.error.best
        return next(row for row in self.rows if row.done and row.outcome.error == best)

    @property
    def failed(self) -> int:
        """How many seeds gave no solution."""
        return sum(not row.done for row in self.rows)

    @property
    def not_finite(self) -> int:
        """How many seeds gave a solution beyond all numbers."""
        return sum(row.done for row in self.rows) - (self.error.count if self.error else 0)

    @property
    def whole(self) -> bool:
        """Whether every planned seed gave a number."""
        return self.error is not None and self.error.count == self.planned

    @property
    def seeds(self) -> str:
        """How many seeds the numbers are from, in words; what became of the others if not all."""
        count = self.error.count if self.error else 0
        others = {"failed": self.failed, "not finite": self.not_finite, "to come": self.planned - len(self.rows)}
        told = ", ".join(f"{number} {name}" for name, number in others.items() if number)
        return f"{count} of {self.planned}: {told}" if told else str(count)


def make_cells(jobs: Iterable[Job], rows: Iterable[Row]) -> list[Cell]:
    """The cells of a plan in its order, those without any solve included."""
    planned: dict[Job, int] = defaultdict(int)
    for job in jobs:
        planned[_setting(job)] += 1
    ended: dict[Job, list[Row]] = defaultdict(list)
    for row in rows:
        ended[_setting(row.job)].append(row)
    return [Cell(setting, count, tuple(ended[setting])) for setting, count in planned.items()]


def _setting(job: Job) -> Job:
    return replace(job, seed=0)
