"""A round: what it tries, a forecast of its time, the solve itself; the record of all rounds, and what comes next."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial
from time import perf_counter
from typing import Any, ClassVar, Self, TypeVar, cast, final

import numpy as np

from fspielm.arrays import NumberArray, safe_norm, safe_rms
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
from fspielm.errors import MemoryBudgetError, SolveError, UnsuitableError, is_users
from fspielm.estimate.bands import Bands
from fspielm.estimate.estimate import CellErrors, ErrorEstimate
from fspielm.estimate.examination import Examination, examine
from fspielm.estimate.sensitivity import PROBES, fitting_columns, further_columns, special_beside
from fspielm.geometry.boundary import Sites
from fspielm.numerics.tolerances import BISECTIONS, HALF, TINY
from fspielm.problem.operator import identity
from fspielm.problem.problem import Problem
from fspielm.resources import Deadline, current_deadline, threads_for
from fspielm.solution.report import Forecast, Round
from fspielm.solvers.request import LONG, LOOKING, Approach, Budget, Request, Streams, timed
from fspielm.wording import system_size

# ---- The cost of a round


def work(rows: int, columns: int) -> float:
    """Floating-point operations of a QR factorisation, and of filling its matrix, some hundred for each entry."""
    return 2.0 * rows * columns**2 + 200.0 * rows * columns


class Expected(ABC):
    """A forecast of the time of a round."""

    @property
    @abstractmethod
    def seconds(self) -> float:
        """Seconds of the round."""

    @abstractmethod
    def neurons_within(self, seconds: float) -> int:
        """The largest number of neurons that takes no longer than so many seconds."""

    @abstractmethod
    def of(self, problem: Problem, plan: Any) -> Expected:
        """The forecast for another plan of the same kind."""


# ---- The time of a round, from a little of the same work

T = TypeVar("T")

# A factorisation of M columns takes 1 + _HALF_SPEED / M times as long as the speed of a large one predicts.
_HALF_SPEED = 300.0
# Samples of the work, each in two sizes: so many rows of each block are filled, and one of so many rows is drawn.
_SAMPLES = (8, 32)
# The factorisation that is timed: columns, half as many as rows, and repetitions.
_FACTORED, _REPETITIONS = 256, 4
# At least this share of the time of a sample grows with its size.
_LEAST_SHARE = 0.25


@final
@dataclass(frozen=True)
class Extent:
    """The size of a round.

    `checks` are held-out rows, at which the solution is evaluated. The error estimate adds `further` columns, and looks
    at `special` bases of functions at corners and in holes, of which it adds `special_columns`.
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
    """Seconds for each unit of the work of a round, on this machine and for these features and data.

    They are for each function (`draw`), row with its data (`place`), entry of the matrix (`fill`), operation of a large
    factorisation (`factor`), and entry of the special columns that the error estimate adds (`special`); and, in any
    case, for each basis of these (`each_special`), for the drawing of `further` functions, and for the round (`fixed`).
    """

    draw: float
    place: float
    fill: float
    factor: float
    special: float
    each_special: float = 0.02
    further: float = 0.06
    fixed: float = 0.05

    def seconds(self, extent: Extent) -> float:
        """Seconds of a round of that size."""
        rows, neurons = extent.rows, max(extent.neurons, 1.0)
        entries = rows * (neurons + extent.further) + extent.checks * neurons
        added = extent.further + extent.special_columns
        operations = _operations(rows, neurons) + 4 * rows * neurons * added
        work = self.draw * neurons + self.place * (rows + extent.checks) + self.fill * entries
        work += self.special * (rows + PROBES) * extent.special_columns
        looking = self.each_special * extent.special + (self.further if extent.further else 0.0)
        return self.fixed + looking + work + self.factor * operations

    def share_within(self, extent: Extent, seconds: float) -> float:
        """The share of the neurons, with rows to match, that takes no longer than so many seconds."""
        if self.seconds(extent) <= seconds:
            return 1.0
        low, high = 0.0, 1.0
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            fits = self.seconds(extent.scaled(middle)) <= seconds
            low, high = (middle, high) if fits else (low, middle)
        return low


@final
@dataclass(frozen=True)
class Outlook(Expected):
    """A forecast by the size of a round and the seconds for each unit of its work."""

    extent: Extent
    pace: Pace

    @property
    def seconds(self) -> float:
        """Seconds of the round."""
        return self.pace.seconds(self.extent)

    def neurons_within(self, seconds: float) -> int:
        """The largest number of neurons that takes no longer than so many seconds."""
        return int(self.pace.share_within(self.extent, seconds) * self.extent.neurons)

    def of(self, problem: Problem, plan: Any) -> Outlook:
        """The forecast for another plan of the same kind."""
        return replace(self, extent=extent_of(problem, plan))


# Measured on a small machine of 2024 with one thread, for rounds that are too short to sample.
_USUAL = Pace(draw=5e-6, place=1e-5, fill=6e-8, factor=3e-11, special=1e-6)


def look_ahead(problem: Problem, plan: FeaturePlan, threads: int, operation: float | None, time_left: float) -> Outlook:
    """Forecast the time of a plan, from samples of its work if it is long, or calls functions of the user.

    `operation` is `Pace.factor`, if a round has measured it.
    """
    extent, pace = extent_of(problem, plan), _USUAL
    fields = [field for relation in problem.relations for field in (relation.value, *relation.operator.fields)]
    calls_users = not all(field.is_formula for field in fields)  # whose functions may take any time
    if calls_users or _USUAL.seconds(extent) > min(LONG, LOOKING * time_left):
        with threads_for(plan.work(problem)):
            pace = try_out(problem, plan, threads)
    return Outlook(extent, pace if operation is None else replace(pace, factor=operation))


def extent_of(problem: Problem, plan: FeaturePlan) -> Extent:
    """The size of a plan."""
    checks = sum(plan.points.thinned().counts(problem).values()) + PROBES
    special = len(plan.special(problem)), plan.special_columns(problem)
    return Extent(plan.rows(problem), plan.neurons, checks, plan.further(problem), *special)


def try_out(problem: Problem, plan: FeaturePlan, threads: int) -> Pace:
    """The pace of a plan, measured on a small part of it, without drawing from the random streams of the solve."""
    rng = np.random.default_rng(0)
    drawn, drawing = timed(lambda: draw_features(problem, plan.family, rng))
    basis = join_columns(drawn, plan.columns)

    def place(divisor: int) -> tuple[int, Sequence[RowBlock]]:
        blocks = make_blocks(problem, plan.points.fewer(divisor, max(_SAMPLES)).draw(problem, rng))
        return sum(len(block) for block in blocks), blocks

    def fill(basis: Basis, rows: int) -> tuple[int, None]:
        system = assemble(basis, [block.first(rows) for block in blocks], threads=threads)
        return system.matrix.size, None

    placing, first, blocks = _rate(place, _SAMPLES[::-1])
    filling, _, _ = _rate(partial(fill, basis), _SAMPLES)
    largest = max(plan.special(problem), key=lambda columns: columns.size, default=None)
    each_entry, each_basis, _ = _rate(partial(fill, largest), _SAMPLES) if largest else (0.0, 0.0, None)
    return Pace(
        draw=drawing / basis.size,
        place=placing,
        fill=filling,
        factor=_time_of_operation(min(basis.size, _FACTORED)),
        special=each_entry,
        each_special=_USUAL.each_special + each_basis,
        fixed=_USUAL.fixed + first,
    )


def _rate(work: Callable[[int], tuple[int, T]], sizes: Sequence[int]) -> tuple[float, float, T]:
    """Seconds for each unit of some work, and in addition to all units, from two samples; and the second result.

    The first may be slow because modules are imported, and both because the machine is busy. At least a share of the
    second time is therefore assumed to grow with the work.
    """
    (few, _), short = timed(lambda: work(sizes[0]))
    (many, result), long = timed(lambda: work(sizes[1]))
    mean = long / many
    slope = (long - short) / (many - few) if many > few else mean
    slope = min(max(slope, _LEAST_SHARE * mean), mean)
    return slope, long - slope * many, result


def operation_of(done: RoundResult) -> float | None:
    """Seconds for each operation of a large factorisation, measured in a round; None if that was too small."""
    if done.basis.size < _FACTORED or done.basis.is_piecewise:
        return None
    return done.seconds["solve"] / _operations(done.rows, done.basis.size)


def _time_of_operation(columns: int) -> float:
    rows = 2 * columns
    matrix = np.asfortranarray(np.random.default_rng(0).standard_normal((rows, columns)))
    Householder.of_matrix(np.ones((2, 1), order="F"))  # the first one loads the library
    # the shortest of several: on a busy machine one may take a hundred times as long
    seconds = min(timed(lambda: Householder.of_matrix(matrix))[1] for _ in range(_REPETITIONS))
    return seconds / _operations(rows, columns)


def _operations(rows: float, columns: float) -> float:
    """Operations of a factorisation, counted as if they ran at the speed of a large one."""
    return 2.0 * rows * columns * (columns + _HALF_SPEED)


# ---- What a round tries


class RoundPlan(ABC):
    """The functions and points of a round; and `why`, the reason for them in reports."""

    why: str

    @property
    @abstractmethod
    def neurons(self) -> int:
        """Columns of the system."""

    @property
    def cells(self) -> int | None:
        """The number of cells that the functions are on; None for functions on the whole domain."""
        return None

    @property
    def size(self) -> str:
        """The size of the system in words."""
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
        """The highest frequency of the functions along each axis."""

    def because(self, why: str) -> Self:
        """The same plan for another reason."""
        plan: Any = self  # a dataclass, as all kinds of plans are
        return cast("Self", replace(plan, why=why))

    @abstractmethod
    def nbytes(self, request: Request) -> int:
        """Memory of a round."""

    @abstractmethod
    def outlook(self, request: Request, operation: float | None, time_left: float) -> Expected:
        """A forecast of the time of a round; see `look_ahead`."""

    @abstractmethod
    def discretise(self, request: Request, seconds: dict[str, float]) -> Finite:
        """Draw functions and points; `seconds` receives the time of each."""


@final
@dataclass(frozen=True, eq=False)
class FeaturePlan(RoundPlan):
    """Features, points, and further `columns`."""

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
        """The highest frequency along each axis: that of a band, or of the features that were drawn."""
        return widths_of(self.family, basis)

    def nbytes(self, request: Request) -> int:
        """Memory of the matrix, its factorisation, and the columns that the error estimate adds."""
        problem, neurons, itemsize = request.problem, self.neurons, request.itemsize
        rows = self.rows(problem)
        matrix = matrix_bytes(rows + PROBES, neurons, itemsize=itemsize)
        workspace = request.method.workspace(rows, neurons, in_place=True, itemsize=itemsize)
        return matrix + workspace + itemsize * rows * (self.further(problem) + self.special_columns(problem))

    def outlook(self, request: Request, operation: float | None, time_left: float) -> Expected:
        """A forecast of the time of a round."""
        return look_ahead(request.problem, self, request.threads, operation, time_left)

    def discretise(self, request: Request, seconds: dict[str, float]) -> Discretisation:
        """Draw features and points, each from its own stream."""
        problem, streams = request.problem, request.streams
        drawn, seconds["functions"] = timed(lambda: draw_features(problem, self.family, streams.features))
        sites, seconds["points"] = timed(lambda: self.points.draw(problem, streams.points))
        return Discretisation(problem, self.family, drawn, self.columns, self.points, sites, request.threads)

    def further(self, problem: Problem) -> int:
        """The number of further columns that the error estimate needs."""
        return further_columns(problem, self.family, self.neurons, self.rows(problem))

    def special(self, problem: Problem) -> list[Basis]:
        """Functions at corners and in holes that the error estimate looks at too."""
        return special_beside(problem, self.columns) if self.further(problem) else []

    def special_columns(self, problem: Problem) -> int:
        """The number of their columns that it adds."""
        sizes = [basis.size for basis in self.special(problem)]
        return fitting_columns(sizes, self.neurons + self.further(problem), self.rows(problem))


# ---- The round: draw, assemble, solve, estimate

# Coefficients no larger than this, relative to the solution, show that the band is wide enough.
_AMPLE = 100.0
# The sensitivity of the estimate is settled if the error is less than so many times the tolerance.
_NEARLY = 10.0
# A row is at the floor if its residual is less than this, in units of the rounding of the coefficients; 1 to 5 are
# typical.
_NOISE = 12.0


@final
@dataclass(frozen=True, eq=False)
class Reusable:
    """The factored system and the error estimate, for other data of the same problem."""

    factored: Factored
    examination: Examination


@final
@dataclass(frozen=True)
class Outcome:
    """The result of a round in numbers.

    The `work` is that of the factorisation, about; `misfit` is the held-out residual over the data. The `growth` is the
    norm of the coefficients over the size of the solution: large where the band is too narrow.
    """

    error: float
    growth: float
    neurons: int
    work: float
    misfit: float = 0.0

    @property
    def badness(self) -> float:
        """The number that rounds are compared by: the error; without digits the misfit, made larger than any error."""
        return self.error if np.isfinite(self.error) else max(self.misfit, HALF) / TINY


@final
@dataclass(frozen=True, eq=False)
class RoundResult:
    """One solve and its error estimate; `cells` has the error of each cell if the tolerance is not met."""

    plan: RoundPlan
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
        """The result in numbers; only if the error was estimated."""
        assert self.estimate is not None
        estimate, size = self.estimate, self.basis.size
        misfit = estimate.residual / estimate.data if estimate.data > 0 else 0.0
        return Outcome(estimate.relative, estimate.growth, size, work(self.rows, size), misfit)

    @property
    def is_at_floor(self) -> bool:
        """Whether the residual is rounding while the coefficients are small, so that nothing is left to gain."""
        assert self.estimate is not None
        noise = _NOISE * np.finfo(float).eps * safe_norm(self.coefficients)
        each = self.rows / (self.plan.cells or 1)  # the rows of one coefficient
        rounding = self.outcome.growth < _AMPLE and self.estimate.residual <= noise * np.sqrt(each)
        return self.estimate.has_settled and rounding


def run_round(request: Request, plan: RoundPlan, *, drawn: Finite | None = None, by_hand: bool = False) -> RoundResult:
    """Solve once, with functions and points that are `drawn` already, or as planned.

    By hand, residuals are those of the fitted rows, which needs a second copy of the matrix, and the error is estimated
    only if the method leaves a triangular factor. Otherwise residuals are those of the held-out rows, the method works
    in place, and the estimate may need another factorisation.
    """
    with threads_for(plan.work(request.problem)):
        return _run_round(request, plan, drawn, by_hand)


def _run_round(request: Request, plan: RoundPlan, drawn: Finite | None, by_hand: bool) -> RoundResult:
    seconds: dict[str, float] = {}
    discretisation = plan.discretise(request, seconds) if drawn is None else drawn
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
    return RoundResult(
        plan=plan,
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
    return factored, coefficients, factored.condition  # which is computed now


# ---- The rounds of a solve

_log = logging.getLogger(__name__)

# A round may end so many seconds after the budget, rather than be lost.
_GRACE = 0.5


@final
@dataclass(eq=False)
class Record:
    """The rounds of a solve, the best of them, and where the time went.

    The best round has the smallest estimate; where none has digits, the smallest misfit of its kind.

    The `strategy` is that of the best round, and the `streams` are as they were before the first one. A round measures
    the seconds of each `operation` of a large factorisation. The `choice` says which features were chosen, and why.
    `under_way` is a round that has begun but not ended. The `deadline` is the end of the budget, or an earlier one that
    is enforced already.
    """

    budget: Budget
    bands: Bands | None = None
    streams: Streams | None = None
    rounds: tuple[Round, ...] = ()
    best: RoundResult | None = None
    strategy: Strategy | None = None
    operation: float | None = None
    deadline: Deadline = field(init=False)
    choice: str = ""
    under_way: Forecast | None = None
    _began: float = field(default_factory=perf_counter)
    _phases: dict[str, float] = field(default_factory=dict)
    _is_late: bool = False

    def __post_init__(self) -> None:
        limit = Deadline.within(self.budget.seconds, self.budget.memory_limit, _GRACE)
        self.deadline = limit.tightened(current_deadline())

    @classmethod
    def after(cls, before: Record, budget: Budget) -> Record:
        """A record that goes on where another one ended, with a new budget."""
        known = ("bands", "streams", "rounds", "best", "strategy", "operation", "choice")
        return cls(budget, **{name: getattr(before, name) for name in known})

    @property
    def seconds_left(self) -> float:
        """Seconds left of the budget."""
        return self.deadline.seconds_left

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds of each phase over all rounds; the rest, under "choice", includes rounds that failed."""
        rest = self.spent - sum(self._phases.values())
        return self._phases | {"choice": max(rest, 0.0)}

    @property
    def kept_bytes(self) -> int:
        """Bytes of the factored system of the best round, if it is kept."""
        return 0 if self.best is None or self.best.reusable is None else self.best.reusable.factored.nbytes

    @property
    def spent(self) -> float:
        """Seconds since the solve began."""
        return perf_counter() - self._began

    def meets(self, tol: float) -> bool:
        """Whether the best round meets a tolerance."""
        return self.best is not None and self.best.outcome.error <= tol

    def note_larger_steps(self, title: str) -> None:
        """Note that a kind of features goes on after all of them had ended by themselves."""
        self._is_late = True
        said = f"; with time left, {title} went on in larger steps"
        self.choice += said if said not in self.choice else ""

    def look(self, find: Callable[[], Bands], streams: Streams | None = None) -> None:
        """Find the bands within a share of the time, and keep the streams that rounds draw from."""
        share = Deadline(self._began + LOOKING * (self.budget.seconds or float("inf")), grace=float("inf"))
        with share.enforced():
            self.bands, self._phases["bands"] = timed(find)
        self.streams = deepcopy(streams)

    def begin(self, request: Request, plan: RoundPlan, seconds: float) -> Forecast:
        """Begin a round that is forecast to take so many seconds; announce it if that is long."""
        rows = plan.rows(request.problem)
        self.under_way = Forecast(len(self.rounds) + 1, plan.why, plan.neurons, rows, seconds, plan.cells)
        if seconds > LONG:
            _log.info("%s", self.under_way)
            request.progress(self.under_way)
        return self.under_way

    def add(
        self,
        latest: RoundResult,
        *,
        forecast: float,
        seconds: float,
        strategy: Strategy | None = None,
        problem: Problem | None = None,
    ) -> Round:
        """Add a round of a strategy, with the seconds that were forecast and those that it took.

        If all rounds solve one `problem`, a larger round may contradict the estimate of the best one so far.
        """
        if problem is not None and self.best is not None:
            self.best = _after_larger(problem, self.best, latest)
        for phase, taken in latest.seconds.items():
            self._phases[phase] = self._phases.get(phase, 0.0) + taken
        self.operation = operation_of(latest) or self.operation
        shown = latest.outcome
        # without digits, misfits of different kinds cannot be compared: the kind that was planned later is taken
        best, family = self.best, type(getattr(latest.plan, "family", None))
        is_other = best is not None and not isinstance(getattr(best.plan, "family", None), family)
        if is_other and best is not None and best.outcome.error == shown.error:
            best = latest if self._is_late else None
        if best is None or (best is not latest and shown.badness <= best.outcome.badness):
            self.best, self.strategy = latest, strategy
        done = Round(
            number=len(self.rounds) + 1,
            why=latest.plan.why,
            neurons=shown.neurons,
            rows=latest.rows,
            widths=latest.plan.widths(latest.basis),
            error_estimate=shown.error,
            growth=shown.growth,
            seconds=seconds,
            forecast=forecast,
            cells=latest.plan.cells,
        )
        self.rounds += (done,)
        self.under_way = None
        _log.info("%s", done)
        return done


def _after_larger(problem: Problem, best: RoundResult, larger: RoundResult) -> RoundResult:
    """The best round; with a larger estimate if a larger round differs from it by more than both estimates.

    A larger round of the same kind without digits counts too, if it fits no worse: it knows no less.
    """
    one, other = best.estimate, larger.estimate
    if one is None or other is None or not np.isfinite(one.relative) or problem.domain.is_unbounded:
        return best
    fits = larger.outcome.misfit <= best.outcome.misfit and type(larger.basis) is type(best.basis)
    if larger.basis.size <= best.basis.size or not (fits or np.isfinite(other.relative)):
        return best
    points, gaps = Sites(problem.domain.sample(PROBES, np.random.default_rng(0))), []
    for unknown, (own, its) in enumerate(zip(one.fields, other.fields, strict=True)):
        block = RowBlock("", ((identity(points.dimension).on(unknown), points),), np.zeros(len(points)))
        each = [block.evaluate(done.basis, done.coefficients, 1) for done in (best, larger)]
        known = own.relative * own.size + (its.relative * its.size if np.isfinite(its.relative) else 0.0)
        gaps.append(gap if (gap := safe_rms(each[0] - each[1])) > known else 0.0)
    return replace(best, estimate=one.with_errors(problem, gaps)) if any(gaps) else best


# ---- Numbers that several strategies share

# Digits beyond those of the tolerance: the estimate is some ten to a hundred times larger than the error.
SPARE_DIGITS = 1.5
# The most digits that smooth functions have in double precision; and the digits to which they hold data that are not
# smooth, or oscillate much faster than the waves of the equation.
DIGITS, ROUGH_DIGITS = 12.0, 4.0
# Coefficients so much larger than the solution show that a band is too narrow.
NARROW = 1e3
# Functions in the next round, relative to those before; at least.
GROWTH, LEAST_GROWTH = 1.5, 1.26
# Rows on the boundary for each function that is placed beside it; with fewer than the second number, functions are free
# to oscillate between them.
ROWS_PER_FUNCTION, LEAST_ROWS_PER_FUNCTION = 2.0, 1.2
# Operations of a round that are many, so that others may be cheaper.
DEAR = 2e11
# Lines along each axis on which the frequencies of a solution are measured.
CHORDS = 12
# A round has helped if the estimate is smaller by this factor; and if a few rounds must be enough.
BETTER, MUCH_BETTER = 1.5, 3.0
# The most rounds of one kind of functions; and how many in a row may fail or not help.
MOST_ROUNDS, PATIENCE = 20, 2

# ---- The interface of strategies, the kinds of functions that the automatic solver tries


def why_failed(error: Exception) -> str:
    """Why a kind of functions failed, in words; errors that the user has to correct are raised again.

    An unexpected error is logged with its traceback, since other kinds may still find a solution.
    """
    if is_users(error):
        raise error
    if isinstance(error, UnsuitableError | SolveError | MemoryBudgetError):
        return str(error)
    _log.warning("a kind of functions failed", exc_info=error)
    return f"{type(error).__name__}: {error}"


@final
class StopReason(Enum):
    """Why there is no further round; an `Ending` has the details."""

    MET = "the tolerance is met"
    FLOOR = "the floor of double precision is reached"
    BUDGET = "the budget allows no further round"
    STALLED = "larger rounds did not help"
    EXHAUSTED = "nothing larger is known, it failed, or would be as uncertain"


@dataclass(frozen=True, eq=False)
class Strategy(ABC):
    """One kind of features, and what rounds with it have shown so far; immutable.

    The `title` is its name in reports. It `redraws` its functions at the floor of double precision, unless these are
    many.
    """

    approach: ClassVar[Approach]
    title: ClassVar[str]
    redraws: ClassVar[bool] = True

    request: Request

    @abstractmethod
    def first(self) -> Step:
        """The first step."""

    @abstractmethod
    def next(self, latest: RoundResult) -> Step | Ending:
        """What to try after `latest`, the round of this strategy; or why nothing is left to gain."""

    def smaller(self, plan: RoundPlan, neurons: int) -> RoundPlan | None:
        """A plan with at most so many neurons; None if so few would have no digit."""
        return None

    def onward(self, latest: RoundResult) -> Step | None:
        """A larger step than `latest`, whatever rounds so far have shown; None if there is none."""
        return None

    def around(self, problem: Problem) -> Strategy:
        """The same strategy for another linearisation of a nonlinear problem."""
        return self

    def again(self, request: Request, bands: Bands, spare: float) -> Step | None:
        """The first step for a similar problem; None if this strategy says nothing about it.

        The estimate was below the tolerance by a factor of `spare`: if that is large, fewer functions may be enough.
        """
        return None

    def finer(self, request: Request, latest: RoundResult) -> Step | Ending:
        """What to try after `latest` for a request with a smaller tolerance."""
        return replace(self, request=request).next(latest)

    def is_waste(self, neurons: int) -> bool:
        """Whether a round with so few neurons is known to have no digit."""
        return False


@final
@dataclass(frozen=True, eq=False)
class Step:
    """What to try, and the strategy that says what comes next."""

    plan: RoundPlan
    strategy: Strategy


@final
@dataclass(frozen=True)
class Ending:
    """Why there is no further round; the `reason` is empty where the tolerance is met.

    It is final where other kinds of features would be no better. Where the time of the budget is too short, `seconds`
    is what the next round would take.
    """

    reason: str
    is_final: bool = False
    cause: StopReason = StopReason.EXHAUSTED
    seconds: float = 0.0
