"""One subject of a study with all that was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

from fspielm.cases import Case
from fspielm.study.reports.analysis.cell import Cell
from fspielm.study.reports.analysis.group import Group, make_groups
from fspielm.study.reports.analysis.methods import order_methods
from fspielm.study.rows import Row
from fspielm.study.subject import Bench


@final
@dataclass(frozen=True, eq=False)
class SubjectResult:
    """A benchmark or a problem file with its cells.

    Attributes
    ----------
    name : str
    bench : Bench or None
        None for a problem file that this version cannot read.
    cells : sequence of Cell
    """

    name: str
    bench: Bench | None
    cells: Sequence[Cell]

    @property
    def case(self) -> Case | None:
        """The benchmark it is."""
        return None if self.bench is None else self.bench.case

    @property
    def title(self) -> str:
        """What it is, in words."""
        return self.name if self.case is None else self.case.title

    @cached_property
    def rows(self) -> list[Row]:
        """The solves that have ended."""
        return [row for cell in self.cells for row in cell.rows]

    @property
    def planned(self) -> int:
        """How many solves the plan has."""
        return sum(cell.planned for cell in self.cells)

    @cached_property
    def measure(self) -> str:
        """What the errors were measured with."""
        found = {row.outcome.measure for row in self.rows if row.outcome.measure}
        return min(found) if found else "" if self.bench is None else self.bench.measure

    @cached_property
    def methods(self) -> list[str]:
        """The methods that it was solved with."""
        return order_methods(cell.job.method for cell in self.cells)

    @cached_property
    def groups(self) -> list[Group]:
        """The cells in groups that compare."""
        return make_groups(self.cells)
