"""A walk along a curve of solutions: step by step, with events on the way, and better functions where needed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import final

import numpy as np

from fspielm.deadline import Deadline
from fspielm.errors import IterateError, OutOfTime, ProblemError, SolveError
from fspielm.solution import Solution
from fspielm.solvers.budget import Budget
from fspielm.solvers.following.along import Along
from fspielm.solvers.following.certificate import Notary
from fspielm.solvers.following.eigenvalues import Spectrum
from fspielm.solvers.following.events import Event, crossings, locate
from fspielm.solvers.following.functions import solve_with_any
from fspielm.solvers.following.local import Equations
from fspielm.solvers.following.metric import Metric, Place
from fspielm.solvers.following.path import Curve, Mark, Station
from fspielm.wording import OUT_OF_TIME

# Steps: the first, the longest and the shortest, in units of the metric; and how much longer the next one may be.
FIRST, _LONGEST, _SHORTEST, _LONGER = 0.1, 1.0, 1e-4, 1.5
# The cosine of the angle by which a curve may turn in one step, at least; and below which the next one is longer.
_BEND, _STRAIGHT = 0.9, 0.98
# Corrections of a step after which the next one is not longer.
_MANY = 8
# A step with several events is shortened as far as this, to tell them apart.
_APART = 1e-2
# Where the eigenvalue closest to zero is so small beside the next one, the linearisation is all but singular.
_SINGULAR = 0.03
# Better functions are sought until none are found so often; and the same solution with them is no farther away.
_MOST_FAILED, _SAME = 2, 1e-2
# Seconds that a solve has at least, once it was begun.
_MOMENT = 1.0


@final
@dataclass(frozen=True, eq=False)
class Stop:
    """A place of a walk.

    Attributes
    ----------
    mark : Mark
        Where it is.
    solution : Solution
    spectrum : Spectrum
        Of the linearisation there.
    curve : Curve
        As it was seen there, and on the way to the next stop.
    notary : Notary
    events : tuple of Event
        On the way to the next stop.
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
    """Goes along a curve.

    Attributes
    ----------
    curve : Curve
    notary : Notary
    most : int
        Places at most.
    deadline : Deadline
    stops : list of Stop
    ending : str
        Why it ended.
    failed : int
        How often better functions were sought in vain.
    """

    curve: Curve
    notary: Notary
    most: int
    deadline: Deadline
    stops: list[Stop] = field(default_factory=list)
    ending: str = ""
    failed: int = 0

    def go(self, start: Station) -> None:
        """From a station on, until something ends it."""
        at, length = self._stop(start), FIRST
        while not self.ending:
            if len(self.stops) >= self.most:
                self.ending = f"{self.most} points were asked for at most; ask for more with points=..."
            elif self.deadline.seconds_left <= 0:
                self.ending = OUT_OF_TIME
            elif length < _SHORTEST:
                self.ending = f"no further solution was found near {self._along.parameter} = {at.value:.6g}"
            else:
                try:
                    with self.deadline.enforced():
                        at, length = self._advance(at, length)
                except OutOfTime:
                    self.ending = OUT_OF_TIME

    def _advance(self, at: Station, length: float) -> tuple[Station, float]:
        """One step, or a shorter one to be tried next."""
        following = self.curve.step(at, length)
        turn = -1.0 if following is None else self.curve.metric.inner(at.tangent, following.tangent)
        if following is None or turn < _BEND:
            return at, length / 2
        if not self._along.contains(following.value):
            return self._arrive(at, following), length
        turns, crossing = crossings(at, following)
        may_be_shorter = length > _APART * FIRST
        if crossing + turns > 1 and may_be_shorter:
            return at, length / 2
        try:
            self._note(tuple(locate(self.curve, at, following, length)))
        except SolveError:  # something is there, and may be found with a shorter step
            if may_be_shorter:
                return at, length / 2
        longer = _LONGER if turn > _STRAIGHT and following.corrections < _MANY else 1.0
        return self._stop(following), min(longer * length, _LONGEST)

    def _arrive(self, at: Station, beyond: Station) -> Station:
        """The last place, at the end of the interval."""
        along = self._along
        bound = along.upper if beyond.value > along.upper else along.lower
        last = self.curve.at_value(at, bound)
        if last is None or at.steepness * last.steepness <= 0:
            self.ending = f"{along.parameter} = {bound:g}, the end of the interval, is close"
            return at
        with suppress(SolveError):
            self._note(tuple(locate(self.curve, at, last, self._distance(at, last))))
        self.ending = f"the end of the interval, {along.parameter} = {bound:g}"
        return self._stop(last)

    def _distance(self, one: Station, other: Station) -> float:
        return self.curve.metric.inner(one.tangent, other.place.minus(one.place))

    def _note(self, events: tuple[Event, ...]) -> None:
        self.stops[-1] = replace(self.stops[-1], events=events)

    def _stop(self, station: Station) -> Station:
        """Make a solution of a place; with better functions, if these are not good enough."""
        solution = self.notary.solution(station)
        if not self._is_good(station, solution) and self.failed < _MOST_FAILED:
            station, solution = self._improve(station, solution)
        mark, spectrum = self.curve.mark(station), station.spectrum.without_functions
        self.stops.append(Stop(mark, solution, spectrum, self.curve, self.notary))
        return station

    def _is_good(self, station: Station, solution: Solution) -> bool:
        """Whether a solution is as good as it can be: close to folds and bifurcations no functions make it better."""
        if solution.converged:
            return True
        if not np.isfinite(solution.error_estimate):
            return station.spectrum.is_singular(_SINGULAR)
        as_parameter = solution.error_estimate * solution.estimate.scale / self.curve.mark(station).slope
        return as_parameter <= solution.report.tol * self._along.length

    def _improve(self, station: Station, solution: Solution) -> tuple[Station, Solution]:
        """The same solution with functions that are chosen for it.

        Close to a fold the estimate is large for another reason, and a solve may come to another solution.
        """
        self.failed += 1
        old, along = self.curve, self._along
        request = replace(self.notary.request, problem=along.at(station.value), budget=self._budget_left)
        try:
            course = solve_with_any(request, old.equations.expansion(station.place))
        except (IterateError, ProblemError, SolveError):
            return station, solution
        best = course.best
        if course.failure or best.estimate is None or not best.estimate.relative < solution.error_estimate:
            return station, solution
        metric = Metric.on(best.discretisation, old.metric.unit, along.length)
        seen, before = metric.seen(best.coefficients), old.metric.seen(station.place.coefficients)
        if np.linalg.norm(seen - before) > _SAME * np.linalg.norm(before):
            return station, solution
        curve = Curve(Equations(along, self.notary.request, best.discretisation), metric)
        local = curve.equations.at(Place(best.coefficients, station.value))
        like = Place(np.zeros(len(best.coefficients)), np.sign(station.steepness))
        better = curve.station(local, like)
        self.failed -= 1
        self.curve, self.notary = curve, replace(self.notary, trial=best.trial)
        return better, self.notary.solution(better)

    @property
    def _budget_left(self) -> Budget:
        budget = self.notary.request.budget
        left = self.deadline.seconds_left
        return budget if np.isinf(left) else replace(budget, seconds=max(left, _MOMENT))

    @property
    def _along(self) -> Along:
        return self.curve.equations.along
