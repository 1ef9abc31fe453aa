"""From the stops of a walk to a branch: points, folds, bifurcations, and the branches that begin at these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fspielm.solvers.following.along import Along
from fspielm.solvers.following.branch import Bifurcation, Branch, BranchPoint, Fold
from fspielm.solvers.following.errors import bifurcation_error, fold_error
from fspielm.solvers.following.events import Event
from fspielm.solvers.following.switching import begin_beside, kind_of
from fspielm.solvers.following.walk import Stop, Walk


def survey(along: Along, walk: Walk, *, switch: bool) -> Branch:
    """What was found on a walk that has ended.

    Parameters
    ----------
    along : Along
    walk : Walk
    switch : bool
        Whether to follow the branches that begin at bifurcations, too.
    """
    folds, bifurcations = [], []
    for place, stop in enumerate(walk.stops):
        beside = _certain(walk.stops, place)
        for event in stop.events:
            if event.kind == "fold":
                folds.append(_fold(stop, event, beside))
                continue
            found = _bifurcation(stop, event, beside)
            if switch and event.multiplicity == 1:
                found = _switched(along, walk, stop, event, found)
            bifurcations.append(found)
    points = tuple(map(_point, walk.stops))
    return Branch(along.parameter, points, tuple(folds), tuple(bifurcations), walk.ending)


def _certain(stops: Sequence[Stop], place: int) -> list[Stop]:
    """The last stop before the way after one, and the first one after it, of those with an error estimate."""
    before = [stop for stop in stops[: place + 1] if np.isfinite(stop.solution.error_estimate)]
    after = [stop for stop in stops[place + 1 :] if np.isfinite(stop.solution.error_estimate)]
    return [*before[-1:], *after[:1]]


def _point(stop: Stop) -> BranchPoint:
    spectrum, size = stop.spectrum, stop.curve.metric.signed_size(stop.mark.place.coefficients)
    return BranchPoint(stop.mark.value, stop.solution, spectrum.unstable, spectrum.values, size)


def _fold(stop: Stop, event: Event, beside: Sequence[Stop]) -> Fold:
    solution = stop.notary.singular(event.station, [each.solution.estimate for each in beside])
    size = stop.curve.metric.signed_size(event.station.place.coefficients)
    return Fold(event.station.value, fold_error(beside) + event.doubt, solution, size)


def _bifurcation(stop: Stop, event: Event, beside: Sequence[Stop]) -> Bifurcation:
    solution = stop.notary.singular(event.station, [each.solution.estimate for each in beside])
    size = stop.curve.metric.signed_size(event.station.place.coefficients)
    error = bifurcation_error(beside) + event.doubt
    return Bifurcation(event.station.value, error, solution, size, event.multiplicity)


def _switched(along: Along, walk: Walk, stop: Stop, event: Event, at: Bifurcation) -> Bifurcation:
    """With the branches that begin at a bifurcation."""
    first = begin_beside(stop.curve, event.station)
    branches = []
    for station in first:
        other = replace(walk, curve=stop.curve, notary=stop.notary, stops=[], ending="", failed=0)
        other.go(station)
        branches.append(survey(along, other, switch=False))
    return replace(at, branches=tuple(branches), kind=kind_of(at.value, first))
