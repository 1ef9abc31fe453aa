"""From one branch to another, where they cross."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fspielm.solvers.following.branch import Kind
from fspielm.solvers.following.metric import Place
from fspielm.solvers.following.path import Curve, Station

# How far away other branches are looked for, in units of the metric, one after the other.
_AWAY = (0.05, 0.1, 0.02, 0.2)
# They are no farther away than this, in units of that.
_NEARBY = 3.0
# How much alike changes of the parameter are in both directions, at a pitchfork.
_ALIKE = 0.3


def begin_beside(curve: Curve, station: Station) -> list[Station]:
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


def kind_of(value: float, first: Sequence[Station]) -> Kind:
    """What a bifurcation is called, by how the parameter changes on the branches that begin there."""
    if len(first) != 2:
        return "bifurcation"
    changes = np.array([station.value - value for station in first])
    if abs(changes[0] - changes[1]) <= _ALIKE * np.abs(changes).max():
        return "pitchfork"
    return "transcritical" if changes[0] * changes[1] < 0 else "bifurcation"
