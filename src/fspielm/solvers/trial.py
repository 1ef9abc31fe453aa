"""What one round of the automatic solver tries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import final

from fspielm.accuracy import PROBES, fitting_columns, further_columns, special_beside
from fspielm.collocation import Discretisation, Finite, Points, draw_features, matrix_bytes
from fspielm.equations import Problem
from fspielm.features import Basis, Family, widths_of
from fspielm.solvers.cost import work
from fspielm.solvers.expected import Expected
from fspielm.solvers.pace import look_ahead
from fspielm.solvers.request import Request
from fspielm.solvers.timing import timed
from fspielm.wording import system_size


class Trial(ABC):
    """What to solve with, and the reason for it.

    Attributes
    ----------
    why : str
        What it changes, for reports.
    """

    why: str

    @property
    @abstractmethod
    def neurons(self) -> int:
        """Columns of the system."""

    @property
    def cells(self) -> int | None:
        """How many cells the functions are on; None where they reach over all of the domain."""
        return None

    @property
    def size(self) -> str:
        """That of the system, in words."""
        return system_size(self.neurons, self.cells)

    @abstractmethod
    def rows(self, problem: Problem) -> int:
        """Rows of the system."""

    @abstractmethod
    def work(self, problem: Problem) -> float:
        """Floating-point operations, about."""

    @property
    @abstractmethod
    def description(self) -> str:
        """The functions, for reports."""

    @abstractmethod
    def widths(self, basis: Basis) -> tuple[float, ...]:
        """The highest frequency along each axis of what was drawn."""

    @abstractmethod
    def because(self, why: str) -> Trial:
        """The same for another reason."""

    @abstractmethod
    def nbytes(self, request: Request) -> int:
        """Memory of a round with it."""

    @abstractmethod
    def outlook(self, request: Request, operation: float | None, time_left: float) -> Expected:
        """How long a round with it will take; see `pace.look_ahead`."""

    @abstractmethod
    def discretise(self, request: Request, seconds: dict[str, float]) -> Finite:
        """Draw functions and places; `seconds` gets what that took."""


@final
@dataclass(frozen=True, eq=False)
class FeatureTrial(Trial):
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

    @property
    def description(self) -> str:
        """The features and how they are drawn."""
        return repr(self.family)

    def widths(self, basis: Basis) -> tuple[float, ...]:
        """The highest frequency along each axis: what a band was asked for, or what was drawn."""
        return widths_of(self.family, basis)

    def because(self, why: str) -> FeatureTrial:
        """The same for another reason."""
        return replace(self, why=why)

    def nbytes(self, request: Request) -> int:
        """Of the matrix, its factorisation, and what the error estimate adds."""
        problem, neurons, itemsize = request.problem, self.neurons, request.itemsize
        rows = self.rows(problem)
        matrix = matrix_bytes(rows + PROBES, neurons, itemsize=itemsize)
        workspace = request.method.workspace(rows, neurons, in_place=True, itemsize=itemsize)
        return matrix + workspace + itemsize * rows * (self.further(problem) + self.special_columns(problem))

    def outlook(self, request: Request, operation: float | None, time_left: float) -> Expected:
        """How long a round with it will take."""
        return look_ahead(request.problem, self, request.threads, operation, time_left)

    def discretise(self, request: Request, seconds: dict[str, float]) -> Discretisation:
        """Draw features and points, from streams of their own."""
        problem, streams = request.problem, request.streams
        drawn, seconds["functions"] = timed(lambda: draw_features(problem, self.family, streams.features))
        sites, seconds["points"] = timed(lambda: self.points.draw(problem, streams.points))
        return Discretisation(problem, self.family, drawn, self.columns, self.points, sites, request.threads)

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
