"""What one round tries, and the round itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import final

import numpy as np

from fspielm.arrays import NumberArray, safe_norm
from fspielm.basis.basis import Basis
from fspielm.basis.random.families import Family, widths_of
from fspielm.collocation.least_squares import Factored, LeastSquares
from fspielm.collocation.points import Points
from fspielm.collocation.system import BlockResidual, Discretisation, Finite, System, draw_features, matrix_bytes
from fspielm.estimate.estimate import CellErrors, ErrorEstimate
from fspielm.estimate.examination import Examination, examine
from fspielm.estimate.sensitivity import PROBES, fitting_columns, further_columns, special_beside
from fspielm.problem.problem import Problem
from fspielm.solvers.cost_model import Expected, look_ahead, work
from fspielm.solvers.request import Request, timed
from fspielm.wording import system_size

# ---- What one round of the automatic solver tries


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


# ---- One round: draw, assemble, solve, estimate


# Coefficients of the size of the solution: the band is ample, and what is left is rounding.
_AMPLE = 100.0
# Where a tolerance is nearly met, the sensitivity that the estimate rests on is looked at.
_NEARLY = 10.0
# Residual of a row that is all rounding, in units of the coefficients' rounding: 1 to 5 where nothing else is left.
_NOISE = 12.0
# Where no digit is certain: more than any error, and a share of the data below which a misfit tells nothing.
_UNCERTAIN, _LEAST_MISFIT = 1e20, 1e-8


@final
@dataclass(frozen=True, eq=False)
class Reusable:
    """What serves for other data of the same problem: the factored system, and what its solutions are checked with."""

    factored: Factored
    examination: Examination

    @property
    def nbytes(self) -> int:
        """Memory of the factored system."""
        return self.factored.nbytes


@final
@dataclass(frozen=True)
class Outcome:
    """What a round showed.

    Attributes
    ----------
    error : float
        The estimate of it.
    growth : float
        Norm of the coefficients over the size of the solution: large where the band is too narrow.
    neurons : int
    work : float
        Floating-point operations, about.
    misfit : float
        Held-out residual over the data.
    """

    error: float
    growth: float
    neurons: int
    work: float
    misfit: float = 0.0

    @property
    def badness(self) -> float:
        """What rounds are compared by: the error; the misfit where no digit is certain, beyond all errors."""
        return self.error if np.isfinite(self.error) else _UNCERTAIN * max(self.misfit, _LEAST_MISFIT)


@final
@dataclass(frozen=True, eq=False)
class Attempt:
    """One solve with everything decided, and what it showed; by cells, as long as the tolerance is not met."""

    trial: Trial
    discretisation: Finite
    coefficients: NumberArray
    residuals: Mapping[str, BlockResidual]
    rank: int
    condition: float
    seconds: Mapping[str, float]
    estimate: ErrorEstimate | None
    reusable: Reusable | None = None
    cells: CellErrors | None = None

    @property
    def basis(self) -> Basis:
        """The functions that the coefficients belong to."""
        return self.discretisation.basis

    @property
    def rows(self) -> int:
        """Rows of the system."""
        return self.discretisation.rows

    @property
    def outcome(self) -> Outcome:
        """What it showed, in short; of one whose error was estimated."""
        assert self.estimate is not None
        estimate, size = self.estimate, self.basis.size
        misfit = estimate.residual / estimate.data if estimate.data > 0 else 0.0
        return Outcome(estimate.relative, estimate.growth, size, work(self.rows, size), misfit)

    @property
    def is_at_floor(self) -> bool:
        """Whether the residual is down to rounding while the coefficients are small: nothing is left to gain."""
        assert self.estimate is not None
        noise = _NOISE * np.finfo(float).eps * safe_norm(self.coefficients)
        each = self.rows / (self.trial.cells or 1)  # those that a coefficient is in
        rounding = self.outcome.growth < _AMPLE and self.estimate.residual <= noise * np.sqrt(each)
        return self.estimate.has_settled and rounding


def attempt(request: Request, trial: Trial, *, by_hand: bool = False) -> Attempt:
    """Solve once.

    Parameters
    ----------
    request : Request
    trial : Trial
    by_hand : bool
        Whether residuals are those of the fitted rows, which needs a second copy of the matrix, and the error is
        estimated only if the method leaves what that takes; otherwise they are those of the held-out rows, the method
        may work in place, and an estimate may cost a factorisation more.
    """
    seconds: dict[str, float] = {}
    discretisation = trial.discretise(request, seconds)
    system, seconds["assembly"] = timed(lambda: discretisation.assemble(request.scaling, reuse=request.reuse))
    (factored, coefficients, condition), seconds["solve"] = timed(
        lambda: factor(request.method, system, in_place=not by_hand)
    )
    examination, estimate, cells = None, None, None
    start = perf_counter()
    if request.method.leaves_triangle or not by_hand:
        examination = examine(discretisation, system.blocks, factored, request.streams.probes)
        estimate = examination.estimate(coefficients)
        estimate = estimate if by_hand else examination.settled(estimate, _NEARLY * request.tol)
        if not estimate.relative <= request.tol:
            cells = examination.by_cell(coefficients, estimate)
    seconds["estimate"] = perf_counter() - start
    return Attempt(
        trial=trial,
        discretisation=discretisation,
        coefficients=coefficients,
        residuals=system.residuals(coefficients) if estimate is None or by_hand else estimate.residuals,
        rank=factored.rank,
        condition=condition,
        seconds=seconds,
        estimate=estimate,
        reusable=Reusable(factored, examination) if request.reuse and examination is not None else None,
        cells=cells,
    )


def factor(method: LeastSquares, system: System, *, in_place: bool) -> tuple[Factored, NumberArray, float]:
    """The factored system, its solution, and its condition."""
    factored = method.factor(system.augmented, in_place=in_place)
    coefficients: NumberArray = factored.coefficients
    if system.imaginary is not None:
        coefficients = coefficients + 1j * factored.solve(system.imaginary)
    return factored, coefficients, factored.condition  # which take their time when first asked for
