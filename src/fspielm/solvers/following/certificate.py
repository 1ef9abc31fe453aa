"""Places of a curve as solutions, each with the error estimate that a solve has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import final

import numpy as np

from fspielm.accuracy import ErrorEstimate, examine
from fspielm.deadline import Deadline
from fspielm.errors import IterateError, SolveError
from fspielm.solution import NewtonStep, Solution
from fspielm.solvers.attempt import Attempt, attempt
from fspielm.solvers.automatic import Course
from fspielm.solvers.following.functions import Kept
from fspielm.solvers.following.metric import Place
from fspielm.solvers.following.path import Station
from fspielm.solvers.newton.iteration import Newton
from fspielm.solvers.newton.round import newton_round
from fspielm.solvers.record import Record
from fspielm.solvers.request import Request
from fspielm.solvers.finish import finish
from fspielm.solvers.trial import Trial

# How far from a solution the last round begins, of its size.
_ASIDE = 1e-7
_CHOICE = "those that solutions were followed with"


@final
@dataclass(frozen=True, eq=False)
class Notary:
    """Makes solutions of places.

    Attributes
    ----------
    request : Request
        For one of the problems.
    trial : Trial
        By which functions were chosen.
    """

    request: Request
    trial: Trial

    def solution(self, station: Station) -> Solution:
        """The solution of the problem with the station's parameter, by another round of Newton's method from there."""
        equations = station.local.equations
        problem = equations.along.at(station.value)
        request = replace(self.request, problem=problem)
        kept = Kept(self.trial, equations.finite)
        record, began = Record(request.budget), perf_counter()
        # a little aside: a step of nothing would say nothing about terms of higher order
        aside = Place((1.0 + _ASIDE) * station.place.coefficients, station.value)
        start = equations.expansion(aside)
        steps: tuple[NewtonStep, ...] = ()
        failure = ""
        if problem.is_linear:
            latest = attempt(request, kept)
        else:
            newton = Newton.of(request, Deadline())
            linear = replace(request, problem=problem.linearised(start))
            try:
                latest, done = newton_round(newton, linear, kept, start, insist=False)
                steps, failure = done.steps, done.failure
            except (IterateError, SolveError) as error:
                return self.uncertain(station, str(error))
        record.add(latest, forecast=0.0, seconds=perf_counter() - began)
        return finish(request, Course(latest, record, _CHOICE, failure, steps, failure), quietly=True)

    def singular(self, station: Station, nearby: list[ErrorEstimate]) -> Solution:
        """A solution at which the linearisation is singular: its estimate is the largest of those nearby.

        With the parameter fixed there is no bound for its error; together with the parameter there is, and it is less
        than that of solutions nearby, for which the same direction is almost free.
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
        """A solution of which no digit is certain."""
        latest = self._as_it_is(station)
        assert latest.estimate is not None
        none = replace(latest.estimate, relative=np.inf, largest=np.inf)
        return self._finished(station, replace(latest, estimate=none), why)

    def _finished(self, station: Station, latest: Attempt, failure: str) -> Solution:
        request = replace(self.request, problem=station.local.equations.along.at(station.value))
        record = Record(request.budget)
        record.add(latest, forecast=0.0, seconds=sum(latest.seconds.values()))
        return finish(request, Course(latest, record, _CHOICE, failure, (), failure), quietly=True)

    def _as_it_is(self, station: Station) -> Attempt:
        local, began = station.local, perf_counter()
        examination = examine(local.finite, local.blocks, local.factored, self.request.streams.probes)
        estimate = examination.estimate(local.place.coefficients)
        return Attempt(
            trial=Kept(self.trial, local.equations.finite),
            discretisation=local.finite,
            coefficients=local.place.coefficients,
            residuals=estimate.residuals,
            rank=local.factored.rank,
            condition=local.factored.condition,
            seconds={"solve": 0.0, "estimate": perf_counter() - began},
            estimate=estimate,
        )
