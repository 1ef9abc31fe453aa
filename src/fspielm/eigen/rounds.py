"""Modes around one shift: rounds with finer functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray, NumberArray
from fspielm.basis.evaluation.sums import evaluate
from fspielm.collocation.system import Finite
from fspielm.eigen.inverse import KNOWN, Found, Inverse, closest, first_functions, inverse_at, polished
from fspielm.eigen.modes import Window
from fspielm.eigen.pencil import Pencil
from fspielm.errors import OutOfTime, ProblemError, SolveError
from fspielm.estimate.estimate import NO_DIGITS, CellErrors, ErrorEstimate
from fspielm.estimate.examination import examine
from fspielm.expr.functions import Field
from fspielm.geometry.boundary import Sites
from fspielm.numerics.tolerances import ROUNDED
from fspielm.problem.operator import Operator
from fspielm.problem.problem import Problem, problem_with
from fspielm.problem.statement import Relation
from fspielm.solvers.driver import FIRST_TIMES, FittedPlan, Rounds, refine
from fspielm.solvers.request import INTERRUPTED, STAGE, Request, offering
from fspielm.solvers.round import Ending, Record, RoundPlan, RoundResult, Step, StopReason, Strategy
from fspielm.wording import MORE_TIME

# ---- Errors of modes, each as the solution of the problem at the shift with its own right-hand side


@final
@dataclass(frozen=True, eq=False)
class Checked:
    """A mode, or a sum of several, with its error estimate from held-out rows."""

    coefficients: NumberArray  # (M,)
    estimate: ErrorEstimate  # as a solution of the problem at the shift
    error: float  # in the norm of modes: its distance from the inverse applied to it


class Inspector:
    """Estimates the errors of the modes of one inverse, one after the other."""

    def __init__(self, inverse: Inverse, rng: np.random.Generator) -> None:
        self._inverse = inverse
        around = inverse.pencil.around(inverse.shift)
        names = dict.fromkeys(name for operators in around for name in operators)
        self._images = {
            name: _Image(inverse.finite, tuple(operators.get(name) for operators in around)) for name in names
        }
        self._problem = _with_values(inverse.finite.problem, self._images)
        self._examination = examine(inverse.finite, inverse.blocks, inverse.factored, rng)

    def check(self, found: Found, shares: NumberArray) -> Checked:
        """The sum of modes with these shares ``(k,)``."""
        coefficients = np.asarray(found.coefficients @ shares)
        powers = range(1, self._inverse.pencil.degree + 1)
        mu = found.mu.real if np.isrealobj(found.coefficients) else found.mu
        for image in self._images.values():
            image.powers = [found.coefficients @ (shares * mu**power) for power in powers]
        estimate = self._examination.estimate(coefficients, self._problem, by_itself=True)
        return Checked(coefficients, estimate, self._error(estimate))

    def by_cell(self, checked: Checked) -> CellErrors | None:
        """The error of each cell, for the sum that was checked last."""
        return self._examination.by_cell(checked.coefficients, checked.estimate, self._problem)

    def _error(self, estimate: ErrorEstimate) -> float:
        """The error in the norm of modes, from those of the unknowns."""
        inner = self._inverse.inner
        volume = float(inner.rule.weights.sum())
        errors = [
            field.relative * max(field.size, field.scale) * np.sqrt(volume * density.max())
            for field, density in zip(estimate.fields, inner.densities, strict=True)
            if density.any()
        ]
        return float(np.linalg.norm(errors))


class _Image:
    """The right-hand side of a mode at the shift, as a function of points; zero before there is one."""

    def __init__(self, finite: Finite, operators: tuple[Operator | None, ...]) -> None:
        self._finite, self._operators = finite, operators
        self.powers: list[NumberArray] = []

    def __call__(self, points: FloatArray) -> NumberArray:
        """Values at points, which may have columns for normals."""
        finite, dimension = self._finite, self._finite.problem.dimension
        normals = points[:, dimension:] if points.shape[1] > dimension else None
        sites, total = Sites(points[:, :dimension], normals), np.zeros(len(points))
        for coefficients, operator in zip(self.powers, self._operators, strict=False):
            if operator is not None:
                own = evaluate(finite.basis, coefficients, operator, sites, threads=finite.threads, method="tiles")
                total = total - own
        return total


def _with_values(problem: Problem, images: Mapping[str, _Image]) -> Problem:
    """The problem with these right-hand sides."""

    def valued(relation: Relation) -> Relation:
        if relation.name not in images:
            return relation
        image, normals = images[relation.name], relation.region.kind != "domain"
        return replace(relation, value=Field(problem.coordinates, image, None, image, normals))

    relations = tuple(map(valued, problem.relations))
    return problem_with(problem, problem.statement, relations)


# ---- Modes on one set of functions


@final
@dataclass(frozen=True, eq=False)
class Round:
    """Modes on one set of functions."""

    plan: RoundPlan
    inverse: Inverse
    found: Found  # the wanted modes and some more, the closest to the shift first
    wanted: NDArray[np.intp]  # the places of the wanted ones
    inspector: Inspector
    # a sum of the wanted ones, weighted by the accuracy that their values need; None without wanted ones
    combined: Checked | None
    cells: CellErrors | None  # the error of each cell
    seconds: dict[str, float]
    forecast: float  # the forecast of the factorisation in seconds

    @property
    def values(self) -> NDArray[np.complex128]:
        """The wanted eigenvalues."""
        return np.asarray(self.inverse.shift + self.found.mu[self.wanted])

    @property
    def error(self) -> float:
        """The relative error of all values together."""
        return 0.0 if self.combined is None else self.combined.error

    @property
    def sizes(self) -> FloatArray:
        """The sizes that errors of the values are relative to."""
        return np.maximum(np.abs(self.values), self.inverse.unit)

    @property
    def searching(self) -> float:
        """Seconds of the search."""
        return self.seconds["solve"] + self.seconds["modes"]

    @property
    def taken(self) -> float:
        """Seconds of the round."""
        return self.searching + self.seconds["estimate"]

    @property
    def closing(self) -> float:
        """About the seconds to check each of the wanted modes, and to search a second time."""
        return self.searching + len(self.wanted) * self.seconds["estimate"]

    def singles(self, record: Record) -> list[Checked]:
        """Each wanted mode by itself, with an infinite error where no time is left to check it."""
        found: list[Checked] = []
        for place in self.wanted:
            shares = np.zeros(len(self.found.mu))
            shares[place] = 1.0
            if found and record.seconds_left <= 0:
                estimate = replace(found[0].estimate, relative=np.inf)
                found.append(Checked(np.asarray(self.found.coefficients @ shares), estimate, np.inf))
            else:
                found.append(self.inspector.check(self.found, shares))
        return found

    def errors(self, checks: list[Checked]) -> FloatArray:
        """Absolute errors of the values.

        With T the inverse and u a mode of norm one, ``|T u - u / mu| <= e / |mu|``, where e is the error of the mode as
        a solution of the problem at the shift with its own right-hand side. If T is symmetric, it has an eigenvalue
        within that distance of 1 / mu. We add the asymmetry of T, which may be due to errors, and rounding: the size of
        the matrix of T times its norm for an eigenvalue, and the sizes of shift and distance for their sum.
        """
        found = self.found.select(self.wanted)
        mu, inverse = np.abs(found.mu), self.inverse
        eps, closest = float(np.finfo(float).eps), float(np.abs(self.found.mu).min())
        each = np.array([checked.error for checked in checks]) + eps * len(self.found.mu) * mu / closest
        if inverse.symmetric:
            each = each + 0.5 * inverse.asymmetry * mu / closest
        each = found.conditions * np.where(np.isfinite(each), each, 1.0)
        errors = mu * each / (1 - np.minimum(each, NO_DIGITS)) + eps * (mu + abs(inverse.shift))
        return np.asarray(np.where(each < NO_DIGITS, errors, np.inf))


def result_of(latest: Round, checked: Checked, error: float) -> RoundResult:
    """A sum of modes as the result of a round, with a given error."""
    factored = latest.inverse.factored
    found = latest.plan, latest.inverse.finite, checked.coefficients, checked.estimate.residuals
    estimate = replace(checked.estimate, relative=error)
    return RoundResult(*found, factored.rank, factored.condition, latest.seconds, estimate, cells=latest.cells)


# ---- Time


# Shorter forecasts are no measure.
_SHORTEST = 0.1


def times(latest: Round | None) -> float:
    """How many times longer than its factorisation a round takes, with the work after the last one."""
    if latest is None:
        return FIRST_TIMES
    return (latest.taken + latest.closing) / max(latest.forecast, _SHORTEST)


def share(latest: Round | None) -> float:
    """The share of that time for the round itself."""
    return 1.0 if latest is None else latest.taken / (latest.taken + latest.closing)


def out_of_time(record: Record) -> str:
    """The reason if no time is left; empty otherwise."""
    return "" if record.seconds_left > 0 else f"the budget of {record.budget.seconds:g} s ended it; {MORE_TIME}"


def too_late(record: Record, latest: Round, owed: float = 0.0) -> str:
    """The reason if there is no time for another round as long as the latest; empty otherwise.

    `owed` are seconds for the modes that other searches have found.
    """
    if record.seconds_left > latest.taken + latest.closing + owed:
        return ""
    return f"the budget of {record.budget.seconds:g} s ended it, a further round would not end before; {MORE_TIME}"


@final
@dataclass(frozen=True, eq=False)
class Task:
    """The search for the modes of a window."""

    pencil: Pencil
    request: Request  # for the problem at the shift of the window
    window: Window
    unit: float  # of distances from the shift
    roughly: bool = False  # whether to check only the sum of all modes, not each one
    owed: float = 0.0  # seconds that are still needed for the modes of other searches


# ---- The search: rounds with finer functions

# Modes beyond the wanted ones that are kept, for the distances to others.
_BEYOND = 4
# The residual of modes in their Krylov space, relative to the tolerance.
_LEFT = 0.05


@final
@dataclass(frozen=True, eq=False)
class Searched:
    """The result of a search."""

    best: Round
    checks: list[Checked]  # of each wanted mode; empty if only their sum was checked
    step: Step  # the last one, for further searches
    ending: str  # why there was no further round; empty if all values meet the tolerance

    @property
    def has_no_digit(self) -> bool:
        """Whether the functions have digits but none of their values has, as far from symmetry."""
        known = all(checked.error < KNOWN for checked in self.checks)
        return bool(self.checks) and known and not np.isfinite(self.best.errors(self.checks)).any()


def search(task: Task, step: Step, record: Record, best: Round | None = None) -> Searched:
    """Rounds until the errors of all wanted values meet the tolerance, or nothing more can be done.

    It may go on from the best round of another search.
    """
    rounds = ModeRounds(task.request, record, task, step, best)
    with offering(lambda _: None if rounds.best is None else Searched(rounds.best, [], rounds.step, INTERRUPTED)):
        ending = refine(rounds, step)
        if rounds.latest is not None and ending.cause is StopReason.MET:
            return Searched(rounds.latest, rounds.checks, rounds.step, "")
    if rounds.best is None:
        unfit = SolveError if record.seconds_left <= 0 else ProblemError
        raise unfit(f"no modes could be looked for: {ending.reason}")
    return Searched(rounds.best, [] if task.roughly else rounds.best.singles(record), rounds.step, ending.reason)


@final
@dataclass(eq=False)
class ModeRounds(Rounds):
    """Rounds of a search around one shift."""

    request: Request  # for the problem at the shift
    record: Record
    task: Task
    step: Step  # the one that is tried now
    best: Round | None  # that with the smallest error
    latest: Round | None = None
    # of each wanted mode of the latest round, if they were looked at one by one
    checks: list[Checked] = field(default_factory=list)
    late: str = ""  # why there is no time for another round

    @property
    def times(self) -> float:
        """How many times longer than its factorisation a round takes."""
        return times(self.best)

    def play(self, fitted: FittedPlan, strategy: Strategy) -> RoundResult | Ending:
        """One round, recorded and reported; an ending without time, and where no mode is wanted or the shift moves."""
        request, record, task = self.request, self.record, self.task
        try:
            with record.deadline.enforced():
                latest = play(task, fitted, record, self.best)
        except OutOfTime:
            return Ending(out_of_time(record), cause=StopReason.BUDGET)
        self.late = too_late(record, latest, task.owed)
        if self.best is not None and self.late and len(latest.wanted) < len(self.best.wanted):  # no time to find all
            return Ending(self.late, cause=StopReason.BUDGET)
        if self.best is None or latest.error <= self.best.error:
            self.best = latest
        self.latest, self.checks = latest, []
        if latest.combined is not None:  # as it was recorded
            request.progress(record.rounds[-1])
        if latest.combined is None or len(task.window.behind(latest.found.mu)):
            return Ending("", cause=StopReason.MET)
        error = latest.error
        if not task.roughly and error <= 2 * request.tol * np.sqrt(len(latest.wanted)):
            self.checks = latest.singles(record)
            error = float(np.max(latest.errors(self.checks) / latest.sizes))
        return result_of(latest, latest.combined, error)

    def following(self, step: Step, latest: RoundResult) -> Step | Ending:
        """What to try next, if there is time for it."""
        if self.late:
            return Ending(self.late, cause=StopReason.BUDGET)
        following = super().following(step, latest)
        self.step = step if isinstance(following, Ending) else following
        return following


def play(task: Task, fitted: FittedPlan, record: Record, before: Round | None) -> Round:
    """One round, recorded."""
    request, window = task.request, task.window
    plan, began = fitted.plan, perf_counter()
    forecast = share(before) * fitted.seconds
    record.begin(request, plan, forecast)
    seconds: dict[str, float] = {}
    finite = plan.discretise(request, seconds)
    inverse = inverse_at(task.pencil, window.shift, finite, request, task.unit)
    seconds["solve"] = perf_counter() - began
    found = find(inverse, window, request, record)
    wanted = window.pick(found.mu)
    seconds["modes"] = perf_counter() - began - seconds["solve"]
    inspector = Inspector(inverse, request.streams.probes)
    combined, cells = None, None
    if len(wanted):
        signs = np.random.default_rng(1).choice([-1.0, 1.0], len(found.mu))  # apart from the streams of the solve
        # the factors from errors of functions to relative errors of their values
        sizes = np.maximum(np.abs(inverse.shift + found.mu), inverse.unit)
        weights = found.conditions * np.abs(found.mu) / sizes
        shares = np.zeros(len(found.mu))
        shares[wanted] = (signs * weights)[wanted]
        combined = inspector.check(found, shares)
        cells = inspector.by_cell(combined)
    seconds["estimate"] = perf_counter() - began - seconds["solve"] - seconds["modes"]
    once = fitted.seconds / times(before)
    done = Round(plan, inverse, found, wanted, inspector, combined, cells, seconds, once)
    if combined is not None:
        shown = result_of(done, combined, done.error)
        record.add(shown, forecast=forecast, seconds=perf_counter() - began)
    return done


def find(
    inverse: Inverse, window: Window, request: Request, record: Record, *, seed: int = 0, kept: float = STAGE
) -> Found:
    """The modes of a window and some beyond them, from random first functions.

    A share of the seconds left is `kept` for the work that follows.
    """
    assert record.bands is not None
    waves = float(np.max(record.bands.frequencies * request.lengths)) / (2 * np.pi)
    starts = first_functions(inverse, np.random.default_rng(seed), waves)
    until = kept * record.seconds_left if np.isfinite(record.seconds_left) else 0.0
    found = closest(inverse, starts, window.needed, _LEFT * request.tol, lambda: record.seconds_left - until)
    # others are spurious: their residual, or rounding, may be an error of the inverse
    found = found.select(found.conditions * np.maximum(found.left, ROUNDED) < KNOWN)
    if not len(found.mu):
        return found
    needed, known = window.needed(found.mu), np.arange(len(found.mu))
    if not needed:
        return found.select(known[:_BEYOND])
    while needed < len(known) and found.mu[needed] == found.mu[needed - 1]:  # multiple ones belong together
        needed += 1
    best = replace(polished(inverse, found.select(known[:needed])), is_cut=found.is_cut)
    return best.followed_by(found.select(known[needed : needed + _BEYOND]))
