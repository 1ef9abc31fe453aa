"""What one round tries, how long it will take, and the round itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any, TypeVar, final

import numpy as np

from fspielm.arrays import NumberArray, safe_norm
from fspielm.basis.basis import Basis
from fspielm.basis.random.families import Family, widths_of
from fspielm.collocation.householder import Householder
from fspielm.collocation.least_squares import Factored, LeastSquares
from fspielm.collocation.points import Points
from fspielm.collocation.system import (
    BlockResidual,
    Discretisation,
    Finite,
    RowBlock,
    System,
    assemble,
    draw_features,
    join_columns,
    make_blocks,
    matrix_bytes,
)
from fspielm.estimate.estimate import CellErrors, ErrorEstimate
from fspielm.estimate.examination import Examination, examine
from fspielm.estimate.sensitivity import PROBES, fitting_columns, further_columns, special_beside
from fspielm.problem.problem import Problem
from fspielm.solvers.request import Request, timed
from fspielm.wording import system_size

# ---- The cost of a round


def work(rows: int, columns: int) -> float:
    """Floating-point operations of a QR factorisation, and of filling its matrix at some hundred an entry."""
    return 2.0 * rows * columns**2 + 200.0 * rows * columns


class Expected(ABC):
    """The work of a round that is not begun yet, and how fast it will go."""

    @property
    @abstractmethod
    def seconds(self) -> float:
        """How long it will take."""

    @abstractmethod
    def neurons_within(self, seconds: float) -> int:
        """How many of its neurons take no longer than so many seconds."""

    @abstractmethod
    def of(self, problem: Problem, trial: Any) -> Expected:
        """The same for another trial of the kind."""


@final
@dataclass(frozen=True)
class Repeated(Expected):
    """The same several times over, as the steps of an iteration are.

    Attributes
    ----------
    once : Expected
    times : float
    """

    once: Expected
    times: float

    @property
    def seconds(self) -> float:
        """How long all of it will take."""
        return self.times * self.once.seconds

    def neurons_within(self, seconds: float) -> int:
        """How many of its neurons take no longer than so many seconds."""
        return self.once.neurons_within(seconds / self.times)

    def of(self, problem: Problem, trial: Any) -> Repeated:
        """The same for another trial of the kind."""
        return Repeated(self.once.of(problem, trial), self.times)


# ---- The time of a round, from a little of the same work

T = TypeVar("T")

# A factorisation of M columns runs at the speed of a large one, less by this over M.
_HALF_SPEED = 300.0
# Of the work itself, what is tried out, twice: rows of each block to fill; one row of so many to draw. And columns of a
# factorisation, its rows for each of them, and how often that is tried.
_FILLED = (8, 32)
_PLACED = (32, 8)
_FACTORED = 256
_ROWS_PER_COLUMN = 1.6
_GOES = 4
# Of what a part of the work takes, the share that grows with it, at least.
_LEAST_SHARE = 0.25
# What is over sooner, or within this share of the time left, is not tried out first, unless functions of the user's may
# make it slow.
_WORTH_TRYING = 1.0
_SHARE_OF_TIME = 0.2
# What a round takes however small it is, if its error estimate draws further functions, and for each basis of special
# ones that it looks at.
_FIXED = 0.05
_DRAWING_FURTHER = 0.06
_EACH_SPECIAL = 0.02


@final
@dataclass(frozen=True)
class Extent:
    """How large the work of a round is.

    Attributes
    ----------
    rows, neurons : int
    checks : int
        Rows at which the solution is looked at once it is there.
    further : int
        Columns that the error estimate adds.
    special : int
        Bases of special functions, at corners and in holes, that it looks at.
    special_columns : int
        Columns of those that it adds too.
    """

    rows: float
    neurons: float
    checks: float
    further: float
    special: int = 0
    special_columns: float = 0

    def scaled(self, share: float) -> Extent:
        """The same with fewer neurons, and rows to match."""
        return replace(self, rows=share * self.rows, neurons=share * self.neurons, further=share * self.further)


@final
@dataclass(frozen=True)
class Pace:
    """Seconds for each unit of the work of a round, on this machine and for features and data like the round's.

    Attributes
    ----------
    draw : float
        For each function.
    place : float
        For each row: its point and its data.
    fill : float
        For each entry of the matrix.
    factor : float
        For each operation of a large factorisation.
    special : float
        For each entry of the columns of special functions that the error estimate adds.
    each_special : float
        For each basis of those, however few its entries are.
    fixed : float
        However small the round is.
    """

    draw: float
    place: float
    fill: float
    factor: float
    special: float
    each_special: float
    fixed: float

    def seconds(self, extent: Extent) -> float:
        """How long a round of that extent takes."""
        rows, neurons = extent.rows, max(extent.neurons, 1.0)
        entries = rows * (neurons + extent.further) + extent.checks * neurons
        added = extent.further + extent.special_columns
        operations = 2 * rows * neurons * (neurons + _HALF_SPEED) + 4 * rows * neurons * added
        work = self.draw * neurons + self.place * (rows + extent.checks) + self.fill * entries
        work += self.special * (rows + PROBES) * extent.special_columns
        looking = self.each_special * extent.special + (_DRAWING_FURTHER if extent.further else 0.0)
        return self.fixed + looking + work + self.factor * operations

    def share_within(self, extent: Extent, seconds: float) -> float:
        """Which share of the neurons, with rows to match, takes no longer than so many seconds; zero if none does."""
        if self.seconds(extent) <= seconds:
            return 1.0
        low, high = 0.0, 1.0
        for _ in range(30):
            middle = 0.5 * (low + high)
            fits = self.seconds(extent.scaled(middle)) <= seconds
            low, high = (middle, high) if fits else (low, middle)
        return low


@final
@dataclass(frozen=True)
class Outlook(Expected):
    """The work of a round that is not begun yet, and how fast it will go.

    Attributes
    ----------
    extent : Extent
    pace : Pace
    """

    extent: Extent
    pace: Pace

    @property
    def seconds(self) -> float:
        """How long it will take."""
        return self.pace.seconds(self.extent)

    def neurons_within(self, seconds: float) -> int:
        """How many of its neurons take no longer than so many seconds."""
        return int(self.pace.share_within(self.extent, seconds) * self.extent.neurons)

    def of(self, problem: Problem, trial: Any) -> Outlook:
        """The same for another trial of the kind."""
        return replace(self, extent=extent_of(problem, trial))


# On a small machine of 2024, one thread; good enough for what is over before it could be measured.
_USUAL = Pace(draw=5e-6, place=1e-5, fill=6e-8, factor=3e-11, special=1e-6, each_special=_EACH_SPECIAL, fixed=_FIXED)


def look_ahead(
    problem: Problem, trial: FeatureTrial, threads: int, operation: float | None, time_left: float
) -> Outlook:
    """How long a trial will take, tried out where that is worth it.

    Parameters
    ----------
    problem, trial, threads
    operation : float, optional
        Seconds for each operation of a large factorisation (`Pace.factor`), where a round has shown it.
    time_left : float
        Seconds.
    """
    extent, pace = extent_of(problem, trial), _USUAL
    if _USUAL.seconds(extent) > min(_WORTH_TRYING, _SHARE_OF_TIME * time_left) or _asks_callables(problem):
        pace = try_out(problem, trial, threads)
    return Outlook(extent, pace if operation is None else replace(pace, factor=operation))


def _asks_callables(problem: Problem) -> bool:
    """Whether data or coefficients ask functions of the user's, which may take any time."""
    fields = [field for relation in problem.relations for field in (relation.value, *relation.operator.fields)]
    return not all(field.is_formula for field in fields)


def extent_of(problem: Problem, trial: FeatureTrial) -> Extent:
    """How large the work of a trial is."""
    checks = sum(trial.points.thinned().counts(problem).values()) + PROBES
    special = len(trial.special(problem)), trial.special_columns(problem)
    return Extent(trial.rows(problem), trial.neurons, checks, trial.further(problem), *special)


def try_out(problem: Problem, trial: FeatureTrial, threads: int) -> Pace:
    """The pace of a trial, measured on a small part of it; nothing of that is kept, and no random stream is touched."""
    rng = np.random.default_rng(0)
    drawn, drawing = timed(lambda: draw_features(problem, trial.family, rng))
    basis = join_columns(drawn, trial.columns)

    def place(divisor: int) -> tuple[int, Sequence[RowBlock]]:
        blocks = make_blocks(problem, trial.points.fewer(divisor, max(_FILLED)).draw(problem, rng))
        return sum(len(block) for block in blocks), blocks

    def fill(basis: Basis, rows: int) -> tuple[int, None]:
        system = assemble(basis, [block.first(rows) for block in blocks], threads=threads)
        return system.matrix.size, None

    placing, first, blocks = _rate(place, _PLACED)
    filling, _, _ = _rate(partial(fill, basis), _FILLED)
    largest = max(trial.special(problem), key=lambda columns: columns.size, default=None)
    each_entry, each_basis, _ = _rate(partial(fill, largest), _FILLED) if largest else (0.0, 0.0, None)
    return Pace(
        draw=drawing / basis.size,
        place=placing,
        fill=filling,
        factor=_time_of_operation(min(basis.size, _FACTORED)),
        special=each_entry,
        each_special=_EACH_SPECIAL + each_basis,
        fixed=_FIXED + first,
    )


def _rate(work: Callable[[int], tuple[int, T]], sizes: tuple[int, int]) -> tuple[float, float, T]:
    """Seconds for each unit of some work, and before the first, from two goes at it; what the second one gave.

    The first may go slower for reasons of its own, such as modules that are imported then, and either because the
    machine is busy: no less than a share of what the second took is taken to grow with the work.
    """
    (few, _), short = timed(lambda: work(sizes[0]))
    (many, result), long = timed(lambda: work(sizes[1]))
    mean = long / many
    slope = (long - short) / (many - few) if many > few else mean
    slope = min(max(slope, _LEAST_SHARE * mean), mean)
    return slope, long - slope * many, result


def operation_of(done: Attempt) -> float | None:
    """Seconds for each operation of a large factorisation, as a round has shown; None if it was too small to."""
    if done.basis.size < _FACTORED or done.basis.is_piecewise:
        return None
    return done.seconds["solve"] / _operations(done.rows, done.basis.size)


def _time_of_operation(columns: int) -> float:
    rows = int(_ROWS_PER_COLUMN * columns) + 1
    matrix = np.asfortranarray(np.random.default_rng(0).standard_normal((rows, columns)))
    Householder.of_matrix(np.ones((2, 1), order="F"))  # the first one loads the library
    # the shortest of some: on a machine that is busy one may take a hundred times as long as it should
    seconds = min(timed(lambda: Householder.of_matrix(matrix))[1] for _ in range(_GOES))
    return seconds / _operations(rows, columns)


def _operations(rows: int, columns: int) -> float:
    """Of a factorisation, counted as if they ran at the speed of a large one."""
    return 2.0 * rows * columns * (columns + _HALF_SPEED)


# ---- What a round tries


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


# ---- The round: draw, assemble, solve, estimate

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
