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
from fspielm.solvers.following.metric import Place
from fspielm.solvers.following.path import Curve, Station
from fspielm.solvers.following.walk import Stop, Walk
from fspielm.solvers.so_far import INTERRUPTED, offering

# How far away other branches are looked for, in units of the metric, one after the other.
_AWAY = (0.05, 0.1, 0.02, 0.2)
# They are no farther away than this, in units of that.
_NEARBY = 3.0
# How much alike changes of the parameter are in both directions, at a pitchfork.
_ALIKE = 0.3


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
    first = _begin_beside(stop.curve, event.station)
    kind = _kind_of(event.station.value, first)
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


def _begin_beside(curve: Curve, station: Station) -> list[Station]:
    """The first stations of the branch that crosses at a simple bifurcation, one in each direction.

    That branch has the function in its direction which the linearisation makes zero of; what it has of the first
    branch's own direction as well, and of the parameter, is found by corrections.
    """
    metric = curve.metric
    null = Place(station.spectrum.null, 0.0)
    across = metric.unit_of(null.moved(-metric.inner(null, station.tangent), station.tangent))
    found = (_beside(curve, station, across.scaled(sign)) for sign in (1.0, -1.0))
    return [first for first in found if first is not None]


def _beside(curve: Curve, station: Station, across: Place) -> Station | None:
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
    """What a bifurcation is called, by how the parameter changes on the branches that begin there."""
    if len(first) != 2:
        return "bifurcation"
    changes = np.array([station.value - value for station in first])
    if abs(changes[0] - changes[1]) <= _ALIKE * np.abs(changes).max():
        return "pitchfork"
    return "transcritical" if changes[0] * changes[1] < 0 else "bifurcation"
