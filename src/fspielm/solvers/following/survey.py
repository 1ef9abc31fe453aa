"""From the stops of a walk to a branch: points, folds, bifurcations, and the branches that begin at these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from fspielm.solvers.following.along import Along
from fspielm.solvers.following.branch import Bifurcation, Branch, BranchPoint, Fold, Kind
from fspielm.solvers.following.errors import bifurcation_error, fold_error
from fspielm.solvers.following.events import Event
from fspielm.solvers.following.path import Station
from fspielm.solvers.following.switching import begin_beside, kind_of
from fspielm.solvers.following.walk import Stop, Walk
from fspielm.solvers.so_far import INTERRUPTED, offering


def go_and_survey(along: Along, walk: Walk, first: Station, *, switch: bool) -> Branch:
    """What is found on a walk from a station on; with `switch`, beside it too, where branches begin at bifurcations."""
    with offering(lambda _: _survey(along, walk, INTERRUPTED) if walk.stops else None):
        walk.go(first)
    ways = [(stop, event) for stop in walk.stops for event in stop.events if event.kind != "fold"]
    branch = _survey(along, walk, walk.ending)
    for place, (stop, event) in enumerate(ways):
        if switch and event.multiplicity == 1 and walk.deadline.seconds_left > 0:
            branch = _switched(along, walk, stop, event, branch, place)
    return branch


def _survey(along: Along, walk: Walk, ending: str) -> Branch:
    """What a walk has come by, without the branches that begin there."""
    folds, bifurcations = [], []
    for place, stop in enumerate(walk.stops):
        beside = _certain(walk.stops, place)
        for event in stop.events:
            if event.kind == "fold":
                folds.append(_fold(stop, event, beside))
            else:
                bifurcations.append(_bifurcation(stop, event, beside))
    points = tuple(map(_point, walk.stops))
    return Branch(along.parameter, points, tuple(folds), tuple(bifurcations), ending)


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


def _switched(along: Along, walk: Walk, stop: Stop, event: Event, branch: Branch, place: int) -> Branch:
    """With the branches that begin at one of the bifurcations."""
    first = begin_beside(stop.curve, event.station)
    kind = kind_of(event.station.value, first)
    for station in first:
        other = replace(walk, curve=stop.curve, notary=stop.notary, stops=[], ending="", failed=0)
        with offering(partial(_with_branch, branch, place, kind)):
            branch = _with_branch(branch, place, kind, go_and_survey(along, other, station, switch=False))
    return branch


def _with_branch(branch: Branch, place: int, kind: Kind, further: Branch | None) -> Branch:
    """With what one of the bifurcations is called, and one more branch that begins there."""
    known = list(branch.bifurcations)
    branches = known[place].branches if further is None else (*known[place].branches, further)
    known[place] = replace(known[place], kind=kind, branches=branches)
    return replace(branch, bifurcations=tuple(known))
