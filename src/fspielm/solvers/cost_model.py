"""How long a round will take, from a little of the same work."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, final

import numpy as np

from fspielm.basis.basis import Basis
from fspielm.collocation.householder import Householder
from fspielm.collocation.system import RowBlock, assemble, draw_features, join_columns, make_blocks
from fspielm.estimate.sensitivity import PROBES
from fspielm.problem.problem import Problem
from fspielm.solvers.request import timed

if TYPE_CHECKING:
    from fspielm.solvers.plan import Attempt, FeatureTrial


# ---- What a solve costs


def work(rows: int, columns: int) -> float:
    """Floating-point operations of a QR factorisation, and of filling its matrix at some hundred an entry."""
    return 2.0 * rows * columns**2 + 200.0 * rows * columns


# ---- What is expected of a round before it is begun


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


# ---- How long a round will take, from a little of the same work


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
