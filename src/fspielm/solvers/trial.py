"""What one round of the automatic solver tries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from fspielm.accuracy import fitting_columns, further_columns, special_beside
from fspielm.collocation import Points
from fspielm.equations import Problem
from fspielm.features import Basis, Family
from fspielm.solvers.cost import work


@final
@dataclass(frozen=True, eq=False)
class Trial:
    """Features, points, and the reason for them.

    Attributes
    ----------
    family : Family
    points : Points
    columns : tuple of Basis
        Functions beside the features.
    why : str
        What it changes, for reports.
    """

    family: Family
    points: Points
    columns: tuple[Basis, ...]
    why: str

    @property
    def neurons(self) -> int:
        """Columns of the system."""
        return self.family.neurons + sum(columns.size for columns in self.columns)

    def rows(self, problem: Problem) -> int:
        """Rows of the system."""
        return sum(self.points.counts(problem).values())

    def work(self, problem: Problem) -> float:
        """Floating-point operations, about."""
        return work(self.rows(problem), self.neurons)

    def further(self, problem: Problem) -> int:
        """Further columns that an honest estimate needs, if the features call for any."""
        return further_columns(problem, self.family, self.neurons, self.rows(problem))

    def special(self, problem: Problem) -> list[Basis]:
        """Functions at corners and in holes that such an estimate looks at beside those."""
        return special_beside(problem, self.columns) if self.further(problem) else []

    def special_columns(self, problem: Problem) -> int:
        """How many of these it adds."""
        sizes = [basis.size for basis in self.special(problem)]
        return fitting_columns(sizes, self.neurons + self.further(problem), self.rows(problem))
