"""follow(): a walk along a curve of solutions, step by step, and the branches that come of it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import Any, final

import numpy as np
import sympy as sp

from fspielm.errors import AccuracyWarning, IterateError, OutOfTime, ProblemError, SolveError, UnsuitableError
from fspielm.estimate.estimate import ErrorEstimate
from fspielm.estimate.examination import examine
from fspielm.numerics.tolerances import HALF, ROUNDING
from fspielm.problem.linear import residual_form
from fspielm.problem.nonlinear.iterate import Iterate
from fspielm.problem.problem import Problem, compile_statement
from fspielm.resources import Deadline, current_deadline
from fspielm.solution.report import NewtonStep
from fspielm.solution.solution import Solution
from fspielm.solvers.continuation.branch import Bifurcation, Branch, BranchPoint, Fold, Kind
from fspielm.solvers.continuation.path import (
    Along,
    Curve,
    Equations,
    Event,
    Mark,
    Metric,
    Place,
    Spectrum,
    Station,
    crossings,
    locate,
    read_along,
)
from fspielm.solvers.driver import History, solution_of, solve_automatically
from fspielm.solvers.newton.iteration import LINEAR, Newton, newton_round
from fspielm.solvers.newton.rounds import solve_nonlinear
from fspielm.solvers.request import (
    FINER,
    INTERRUPTED,
    STAGE,
    Approach,
    Budget,
    Progress,
    Request,
    check_approach,
    offering,
    with_seconds,
)
from fspielm.solvers.round import PATIENCE, Record, RoundPlan, RoundResult, run_round
from fspielm.solvers.solve import check_arguments
from fspielm.wording import OUT_OF_TIME, duration

# ---- The functions that solutions are followed with


def solve_with_any(request: Request, guess: Iterate | Any = None) -> History:
    """Solve with functions that suit all solutions nearby: a filled band, or cells where that is not enough.

    A `ProblemError` says that there is no solution, or that neither kind of functions suits.
    """
    finer = replace(request, tol=max(FINER * request.tol, ROUNDING))
    best: History | None = None
    failure: Exception | None = None
    both: tuple[Approach, ...] = ("band", "patches") if request.problem.dimension < 3 else ("band",)
    for approach in both if request.approach is None else (request.approach,):
        asked = replace(finer, approach=approach)
        try:
            history = solve_automatically(asked) if request.problem.is_linear else solve_nonlinear(asked, guess)
        except IterateError:
            raise
        except (ProblemError, UnsuitableError) as error:
            failure = failure or error
            continue
        if best is None or history.best.outcome.error < best.best.outcome.error:
            best = history
        if best.best.outcome.error <= request.tol:
            return best
    if best is None:
        assert failure is not None
        raise failure
    return best


def functions_at_rest(request: Request) -> History:
    """The first functions if the solution is zero, which shows nothing: those that solve ``F'(0) w = 1``."""
    statement = request.problem.linearised(0).statement
    equations = tuple(sp.Eq(residual_form(each), 1, evaluate=False) for each in statement.equations)
    return solve_with_any(replace(request, problem=compile_statement(replace(statement, equations=equations))))


# ---- Places of a curve as solutions with error estimates

_CHOICE = "those that solutions were followed with"


@final
@dataclass(frozen=True, eq=False)
class Notary:
    """Makes solutions with error estimates of the stations of a curve.

    The `request` is for any value of the parameter; the `plan` drew the functions.
    """

    request: Request
    plan: RoundPlan

    def solution(self, station: Station) -> Solution:
        """The solution of the problem at the station's parameter, by another round of Newton's method."""
        equations = station.local.equations
        problem = equations.along.at(station.value)
        request = replace(self.request, problem=problem)
        kept, finite = self._kept_plan, equations.finite
        record, began = Record(request.budget), perf_counter()
        # not at the solution: a step of zero would say nothing about terms of higher order
        aside = Place((1.0 + HALF) * station.place.coefficients, station.value)
        start = equations.expansion(aside)
        steps: tuple[NewtonStep, ...] = ()
        failure = ""
        if problem.is_linear:
            latest = run_round(request, kept, drawn=finite.with_problem(problem))
        else:
            newton = Newton.of(request, Deadline())
            linear = replace(request, problem=problem.linearised(start))
            try:
                latest, done = newton_round(newton, linear, kept, start, drawn=finite)
                steps, failure = done.steps, done.failure
            except (IterateError, SolveError) as error:
                return self.uncertain(station, str(error))
        record.add(latest, forecast=0.0, seconds=perf_counter() - began)
        return solution_of(request, problem, latest, record, _CHOICE, failure, steps, failure)

    def singular(self, station: Station, nearby: list[ErrorEstimate]) -> Solution:
        """A solution with a singular linearisation: its estimate is the largest of those nearby.

        With the parameter fixed, its error has no bound. Together with the parameter it has one, less than those of
        solutions nearby, for which the same direction is almost free.
        """
        latest = self._as_it_is(station)
        assert latest.estimate is not None
        worst = max(nearby, key=lambda each: each.relative, default=None)
        if worst is None:
            return self._finished(station, latest, "no solution nearby has an error estimate")
        known = replace(
            latest.estimate, relative=worst.relative, largest=worst.largest, scale=worst.scale, fields=worst.fields
        )
        return self._finished(station, replace(latest, estimate=known), "")

    def uncertain(self, station: Station, why: str) -> Solution:
        """A solution without reliable digits."""
        latest = self._as_it_is(station)
        assert latest.estimate is not None
        none = replace(latest.estimate, relative=np.inf, largest=np.inf)
        return self._finished(station, replace(latest, estimate=none), why)

    def _finished(self, station: Station, latest: RoundResult, failure: str) -> Solution:
        problem = station.local.equations.along.at(station.value)
        record = Record(self.request.budget)
        record.add(latest, forecast=0.0, seconds=sum(latest.seconds.values()))
        return solution_of(self.request, problem, latest, record, _CHOICE, failure, (), failure)

    @property
    def _kept_plan(self) -> RoundPlan:
        return self.plan.because("functions that were kept")

    def _as_it_is(self, station: Station) -> RoundResult:
        local, began = station.local, perf_counter()
        examination = examine(local.finite, local.blocks, local.factored, self.request.streams.probes)
        estimate = examination.estimate(local.place.coefficients)
        return RoundResult(
            plan=self._kept_plan,
            discretisation=local.finite,
            coefficients=local.place.coefficients,
            residuals=estimate.residuals,
            rank=local.factored.rank,
            condition=local.factored.condition,
            seconds={"solve": 0.0, "estimate": perf_counter() - began},
            estimate=estimate,
        )


# ---- The walk along a curve


@final
@dataclass(frozen=True)
class StepControl:
    """The lengths of steps, in units of the metric.

    The `longest` step is one such unit. A step may turn by an angle of at least the cosine `bend`. The next one is
    `longer` if the curve is almost `straight` and there were few `corrections`. A step with several events is shortened
    to separate them, unless it is a share `apart` of the first one.
    """

    first: float = 0.1
    longest: float = 1.0
    shortest: float = 1e-4
    longer: float = 1.5
    bend: float = 0.9
    straight: float = 0.98
    corrections: int = 8
    apart: float = 1e-2

    def may_be_shorter(self, length: float) -> bool:
        """Whether a step is long enough to separate events in shorter ones."""
        return length > self.apart * self.first

    def after(self, length: float, turn: float, corrections: int) -> float:
        """The length of the step after one with so many corrections, in which the curve turned so much."""
        is_easy = turn > self.straight and corrections < self.corrections
        return min((self.longer if is_easy else 1.0) * length, self.longest)


# The linearisation is almost singular if its smallest eigenvalue is less than this share of the next one.
_SINGULAR = 0.03


@final
@dataclass(frozen=True, eq=False)
class Stop:
    """A solution on the walk, with the eigenvalues of the linearisation.

    The `curve` has the functions that are used from here to the next stop; the `events` are between both.
    """

    mark: Mark
    solution: Solution
    spectrum: Spectrum
    curve: Curve
    notary: Notary
    events: tuple[Event, ...] = ()


@final
@dataclass(eq=False)
class Walk:
    """A walk along a curve, of at most so many stops; the `ending` says why there are no more.

    Better functions were looked for in vain so often as `failed` says.
    """

    curve: Curve
    notary: Notary
    most: int
    deadline: Deadline
    stops: list[Stop] = field(default_factory=list)
    ending: str = ""
    failed: int = 0
    steps: StepControl = StepControl()

    def go(self, start: Station) -> None:
        """Walk from a station on, until something ends it."""
        at, length = self._stop(start), self.steps.first
        while not self.ending:
            if len(self.stops) >= self.most:
                self.ending = f"{self.most} points were asked for at most; ask for more with points=..."
            elif self.deadline.seconds_left <= 0:
                self.ending = OUT_OF_TIME
            elif length < self.steps.shortest:
                self.ending = f"no further solution was found near {self._along.parameter} = {at.value:.6g}"
            else:
                try:
                    with self.deadline.enforced():
                        at, length = self._advance(at, length)
                except OutOfTime:
                    self.ending = OUT_OF_TIME

    def _advance(self, at: Station, length: float) -> tuple[Station, float]:
        """Make one step; or return a shorter length to try next."""
        following = self.curve.step(at, length)
        turn = -1.0 if following is None else self.curve.metric.inner(at.tangent, following.tangent)
        if following is None or turn < self.steps.bend:
            return at, length / 2
        if not self._along.lower <= following.value <= self._along.upper:
            return self._arrive(at, following), length
        turns, crossing = crossings(at, following)
        may_be_shorter = self.steps.may_be_shorter(length)
        if crossing + turns > 1 and may_be_shorter:
            return at, length / 2
        try:
            self._note(tuple(locate(self.curve, at, following, length)))
        except SolveError:  # there is an event, which a shorter step may locate
            if may_be_shorter:
                return at, length / 2
        return self._stop(following), self.steps.after(length, turn, following.corrections)

    def _arrive(self, at: Station, beyond: Station) -> Station:
        """Stop at the end of the interval."""
        along = self._along
        bound = along.upper if beyond.value > along.upper else along.lower
        last = self.curve.at_value(at, bound)
        if last is None or at.steepness * last.steepness <= 0:
            self.ending = f"{along.parameter} = {bound:g}, the end of the interval, is close"
            return at
        with suppress(SolveError):
            distance = self.curve.metric.inner(at.tangent, last.place.minus(at.place))
            self._note(tuple(locate(self.curve, at, last, distance)))
        self.ending = f"the end of the interval, {along.parameter} = {bound:g}"
        return self._stop(last)

    def _note(self, events: tuple[Event, ...]) -> None:
        self.stops[-1] = replace(self.stops[-1], events=events)

    def _stop(self, station: Station) -> Station:
        """Make a solution of a station, with better functions if these are not good enough."""
        solution = self.notary.solution(station)
        if not self._is_good(station, solution) and self.failed < PATIENCE:
            station, solution = self._improve(station, solution)
        mark, spectrum = self.curve.mark(station), station.spectrum.without_functions
        self.stops.append(Stop(mark, solution, spectrum, self.curve, self.notary))
        return station

    def _is_good(self, station: Station, solution: Solution) -> bool:
        """Whether a solution is as good as it can be: near folds and bifurcations, better functions do not help."""
        if solution.converged:
            return True
        if not np.isfinite(solution.error_estimate):
            return station.spectrum.is_singular(_SINGULAR)
        as_parameter = solution.error_estimate * solution.estimate.scale / self.curve.mark(station).slope
        return as_parameter <= solution.report.tol * self._along.length

    def _improve(self, station: Station, solution: Solution) -> tuple[Station, Solution]:
        """The same solution with functions that are chosen for it, if that succeeds.

        Near a fold the estimate is large for another reason, and a solve may find another solution.
        """
        self.failed += 1
        old, along = self.curve, self._along
        budget = with_seconds(self.notary.request.budget, self.deadline.seconds_left)
        request = replace(self.notary.request, problem=along.at(station.value), budget=budget)
        try:
            history = solve_with_any(request, old.equations.expansion(station.place))
        except (IterateError, ProblemError, SolveError):
            return station, solution
        best = history.best
        if history.failure or best.estimate is None or not best.estimate.relative < solution.error_estimate:
            return station, solution
        metric = Metric.on(best.discretisation, old.metric.unit, along.length)
        seen, before = metric.seen(best.coefficients), old.metric.seen(station.place.coefficients)
        if np.linalg.norm(seen - before) > LINEAR * np.linalg.norm(before):
            return station, solution
        curve = Curve(Equations(along, self.notary.request, best.discretisation), metric)
        local = curve.equations.at(Place(best.coefficients, station.value))
        like = Place(np.zeros(len(best.coefficients)), np.sign(station.steepness))
        better = curve.station(local, like)
        self.failed -= 1
        self.curve, self.notary = curve, replace(self.notary, plan=best.plan)
        return better, self.notary.solution(better)

    @property
    def _along(self) -> Along:
        return self.curve.equations.along


# ---- Errors of the parameter at folds and bifurcations


def parameter_error(event: Event, beside: Sequence[Stop]) -> float:
    """The error of the parameter at a fold or a bifurcation, from the errors of solutions on both sides.

    An error E of a solution u with the parameter p fixed equals a change of the parameter by ``E / |du/dp|``. Toward a
    fold, E and the derivative grow without bound, but not their ratio, which is the error of the fold.
    """
    errors = [stop.solution.estimate.relative * stop.solution.estimate.scale for stop in beside]
    pairs = zip(errors, beside, strict=True)
    if event.kind == "fold":
        each = [error / stop.mark.slope for error, stop in pairs]
    else:
        each = [error / stop.curve.metric.unit * abs(stop.mark.tangent.value) for error, stop in pairs]
    return max(each, default=np.inf) + event.doubt


# ---- From a walk to a branch

# Distances at which other branches are sought, in units of the metric, one after the other.
_AWAY = (0.05, 0.1, 0.02, 0.2)
# A solution of another branch is no farther away than so many times that.
_NEARBY = 3.0
# The relative difference of the changes of the parameter in both directions, at a pitchfork.
_ALIKE = 0.3


def go_and_survey(along: Along, walk: Walk, first: Station, *, switch: bool) -> Branch:
    """The branch of a walk from a station on; with `switch`, also the branches that begin at its bifurcations."""
    with offering(lambda _: _branch_of(along, walk, INTERRUPTED) if walk.stops else None):
        walk.go(first)
    ways = [(stop, event) for stop in walk.stops for event in stop.events if event.kind != "fold"]
    branch = _branch_of(along, walk, walk.ending)
    for place, (stop, event) in enumerate(ways):
        if switch and event.multiplicity == 1 and walk.deadline.seconds_left > 0:
            branch = _switched(along, walk, stop, event, branch, place)
    return branch


def _branch_of(along: Along, walk: Walk, ending: str) -> Branch:
    """The branch of a walk, without the branches that begin at its bifurcations."""
    folds, bifurcations = [], []
    for place, stop in enumerate(walk.stops):
        beside = _closest_with_estimate(walk.stops, place)
        for event in stop.events:
            value, error = event.station.value, parameter_error(event, beside)
            solution = stop.notary.singular(event.station, [each.solution.estimate for each in beside])
            size = stop.curve.metric.signed_size(event.station.place.coefficients)
            if event.kind == "fold":
                folds.append(Fold(value, error, solution, size))
            else:
                bifurcations.append(Bifurcation(value, error, solution, size, event.multiplicity))
    points = tuple(map(_point, walk.stops))
    return Branch(along.parameter, points, tuple(folds), tuple(bifurcations), ending)


def _closest_with_estimate(stops: Sequence[Stop], place: int) -> list[Stop]:
    """The closest stops with an error estimate before and after a way between two stops."""
    before = [stop for stop in stops[: place + 1] if np.isfinite(stop.solution.error_estimate)]
    after = [stop for stop in stops[place + 1 :] if np.isfinite(stop.solution.error_estimate)]
    return [*before[-1:], *after[:1]]


def _point(stop: Stop) -> BranchPoint:
    spectrum, size = stop.spectrum, stop.curve.metric.signed_size(stop.mark.place.coefficients)
    return BranchPoint(stop.mark.place.value, stop.solution, spectrum.unstable, spectrum.values, size)


def _switched(along: Along, walk: Walk, stop: Stop, event: Event, branch: Branch, place: int) -> Branch:
    """With the branches that begin at one of the bifurcations."""
    first = _first_of_crossing_branch(stop.curve, event.station)
    kind = _kind_of(event.station.value, first)
    for station in first:
        other = replace(walk, curve=stop.curve, notary=stop.notary, stops=[], ending="", failed=0)
        with offering(partial(_with_branch, branch, place, kind)):
            branch = _with_branch(branch, place, kind, go_and_survey(along, other, station, switch=False))
    return branch


def _with_branch(branch: Branch, place: int, kind: Kind, further: Branch | None) -> Branch:
    """The branch with the kind of one of its bifurcations, and one more branch that begins there."""
    known = list(branch.bifurcations)
    branches = known[place].branches if further is None else (*known[place].branches, further)
    known[place] = replace(known[place], kind=kind, branches=branches)
    return replace(branch, bifurcations=tuple(known))


def _first_of_crossing_branch(curve: Curve, station: Station) -> list[Station]:
    """The first stations of the branch that crosses at a simple bifurcation, one in each direction.

    We start in the direction of the null function of the linearisation; corrections find the rest.
    """
    metric = curve.metric
    null = Place(station.spectrum.null, 0.0)
    across = metric.unit_of(null.moved(-metric.inner(null, station.tangent), station.tangent))
    found = (_on_other_branch(curve, station, across.scaled(sign)) for sign in (1.0, -1.0))
    return [first for first in found if first is not None]


def _on_other_branch(curve: Curve, station: Station, across: Place) -> Station | None:
    for away in _AWAY:
        guess = station.place.moved(away, across)
        first = curve.correct(guess, across, None, like=across)
        if first is None:
            continue
        gone = first.place.minus(station.place)
        if curve.metric.norm(gone) <= _NEARBY * away:
            return curve.station(first.local, gone, first.corrections)
    return None


def _kind_of(value: float, first: Sequence[Station]) -> Kind:
    """The kind of a bifurcation, from the change of the parameter on the branches that begin there."""
    if len(first) != 2:
        return "bifurcation"
    changes = np.array([station.value - value for station in first])
    if abs(changes[0] - changes[1]) <= _ALIKE * np.abs(changes).max():
        return "pitchfork"
    return "transcritical" if changes[0] * changes[1] < 0 else "bifurcation"


# ---- follow(): solutions along a parameter


@offering(lambda branch: branch if isinstance(branch, Branch) else None, "branch")
def follow(
    problem: Problem,
    parameter: sp.Symbol,
    interval: tuple[float, float],
    *,
    guess: Any = None,
    tol: float = 1e-8,
    points: int = 60,
    switch: bool = True,
    budget: Budget | None = None,
    rng: int | np.random.Generator | None = None,
    progress: bool | Progress | None = None,
    approach: Approach | None = None,
) -> Branch:
    """Follow solutions of a nonlinear problem along one of its parameters, around folds.

    Steps along the curve of solutions (pseudo-arclength) begin at the lower end of the interval, and end where the
    parameter leaves it. Folds, where the curve turns back, and bifurcations, where other curves cross it, are located;
    the other curves are followed too.

    Parameters
    ----------
    problem : Problem
        With the parameter as a symbol; if it is among what is given, its value there has no meaning.
    parameter : Symbol
    interval : (float, float)
        Between which values of the parameter solutions are looked for.
    guess : number, Expr, callable, Solution, or mapping of such by unknown, optional
        For the first solution, as in `solve`.
    tol : float
        Relative L2 error of each solution, measured by the estimate.
    points : int
        Of each branch, at most.
    switch : bool
        Whether to follow branches that begin at bifurcations of the first one.
    budget : Budget, optional
        Limits; the seconds are those of all solutions together. By default each solve has those of `Budget`.
    rng : int, Generator or None
        Seed of features and points.
    progress : bool or callable, optional
        True writes lines to standard error; a callable receives what `solve` tells.
    approach : {"band", "patches"}, optional
        The kind of functions; by default cosines that fill a band, and cells where they are not good enough.

    Returns
    -------
    Branch
        Its points are solutions with error estimates; an `AccuracyWarning` tells of those that miss the tolerance.

    Raises
    ------
    ProblemError
        If an argument is wrong, the parameter does not occur, or there is no solution to begin with.
    SolveInterrupted
        After Ctrl-C; its `branch` has the points that were found.
    """
    along = read_along(problem, parameter, interval)
    check_arguments(along.at(along.lower), tol, budget)
    check_approach(approach)
    if isinstance(points, bool) or not isinstance(points, int | np.integer) or points < 2:
        raise ProblemError(f"points must be a whole number, at least 2; got {points!r}")
    request = Request.of(along.at(along.lower), tol, budget, rng, progress, approach=approach)
    deadline = Deadline.within(None if budget is None else budget.seconds)
    try:
        with deadline.enforced():
            curve, notary, first = _begin(along, request, guess)
    except OutOfTime:
        raise SolveError(
            f"the budget of {request.budget.seconds:g} s ended before there was a solution to begin with; allow "
            f"{duration(2 * (request.budget.seconds or 0.0))} or more with budget=fs.Budget(seconds=...)"
        ) from None
    walk = Walk(curve, notary, points, deadline)
    branch = go_and_survey(along, walk, first, switch=switch)
    _warn(branch, tol)
    return branch


def _begin(along: Along, request: Request, guess: Any) -> tuple[Curve, Notary, Station]:
    """The first solution, and the functions for the others, as long as they are good enough."""
    try:
        with current_deadline().share(STAGE).enforced():
            history = solve_with_any(request, None if request.problem.is_linear else guess)
    except IterateError as error:
        raise ProblemError(f"at {along.parameter} = {along.lower:g}, where solutions begin, {error}") from error
    if history.failure:
        raise ProblemError(
            f"there is no solution to begin with at {along.parameter} = {along.lower:g}: {history.failure}"
        )
    best = history.best
    coefficients = best.coefficients
    if not np.any(coefficients):
        with current_deadline().share(STAGE).enforced():
            best = functions_at_rest(request).best
        coefficients = np.zeros(best.basis.size)
    equations = Equations(along, request, best.discretisation)
    local = equations.at(Place(coefficients, along.lower))
    metric = Metric.on(best.discretisation, 1.0, along.length)
    # solution and parameter change at the same rate at the beginning
    unit = along.length * metric.size(local.sideways)
    curve = Curve(equations, replace(metric, unit=unit if unit > 0 else 1.0))
    upward = Place(np.zeros(len(coefficients)), 1.0)
    return curve, Notary(request, best.plan), curve.station(local, upward)


def _warn(branch: Branch, tol: float) -> None:
    every = [point for one in (branch, *branch.branches) for point in one.points]
    missed = [point for point in every if not point.converged]
    if missed:
        worst = max(point.solution.error_estimate for point in missed)
        warnings.warn(
            f"{len(missed)} of {len(every)} points have error estimates above {tol:g}, of {worst:.1e} at most; close "
            "to folds and bifurcations that cannot be helped, elsewhere another approach or a larger budget may",
            AccuracyWarning,
            stacklevel=4,
        )
