"""What lies between two places of a curve: folds, and places where branches cross."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, final

import numpy as np
import scipy

from fspielm.errors import SolveError
from fspielm.solvers.following.metric import Place
from fspielm.solvers.following.path import Curve, Station

# Of the way between two places, how closely a fold is located by trying. The rest is done by polynomials: beside an
# event itself the linearisation is all but singular, and what functions leave in their rows decides where a place is.
_FOLD, _MOST = 0.05, 40
# Of the way, how far from an event, on either side, polynomials have nodes.
_BESIDE = (0.15, 0.03)
# The same for an eigenvalue, one after the other, around where it was last seen to be zero.
_CLOSER = (0.02, 0.004)


@final
@dataclass(frozen=True, eq=False)
class Event:
    """A fold or a bifurcation that was located.

    Attributes
    ----------
    kind : {"fold", "bifurcation"}
    station : Station
        Where it is.
    first, last : Station
        Between which it was found.
    before, after : float
        What changes sign between them: the part of the parameter in the direction of the curve, or an eigenvalue.
    doubt : float
        How far off the value may be because of how it was located.
    multiplicity : int
        How many eigenvalues are zero.
    """

    kind: Literal["fold", "bifurcation"]
    station: Station
    first: Station
    last: Station
    before: float
    after: float
    doubt: float
    multiplicity: int = 1


def crossings(before: Station, after: Station) -> tuple[bool, int]:
    """Whether a curve turns back between two places, and how many real eigenvalues change sign beside that."""
    turns = before.steepness * after.steepness < 0
    real = abs(before.spectrum.positive_real - after.spectrum.positive_real)
    return turns, max(real - int(turns), 0)


def locate(curve: Curve, before: Station, after: Station, length: float) -> list[Event]:
    """The events between two places, the second of which is a step of some length from the first.

    Raises
    ------
    SolveError
        If there is one that cannot be located.
    """
    turns, crossing = crossings(before, after)
    way = _Way(curve, before, after, length, {0.0: before, length: after})
    if turns:
        return [_fold(way)]
    return [replace(_bifurcation(way), multiplicity=crossing)] if crossing else []


@dataclass(frozen=True, eq=False)
class _Way:
    """The curve between two places, by the distance along the tangent of the first one."""

    curve: Curve
    before: Station
    after: Station
    length: float
    known: dict[float, Station]

    def at(self, distance: float) -> Station:
        if distance not in self.known:
            station = self.curve.step(self.before, distance)
            if station is None:
                raise SolveError("no place of the curve was found")
            self.known[distance] = station
        return self.known[distance]

    def rate(self, distance: float) -> float:
        """How fast the parameter changes there."""
        station = self.at(distance)
        return station.steepness / self.curve.metric.inner(self.before.tangent, station.tangent)

    def top(self, nodes: Sequence[float]) -> Place:
        """Where the parameter is largest, or smallest, on a polynomial with values and derivatives at some places."""
        rows = []
        for node in nodes:
            station = self.at(node)
            along = station.tangent.scaled(self.rate(node) / station.steepness)
            rows += [(*each.coefficients, each.value) for each in (station.place, along)]
        curve = scipy.interpolate.KroghInterpolator(np.repeat(nodes, 2), np.array(rows))
        top = scipy.optimize.brentq(lambda distance: float(curve.derivative(distance)[-1]), 0.0, self.length)
        *coefficients, value = curve(top)
        return Place(np.array(coefficients), float(value))

    def between(self, nodes: Sequence[float], distance: float) -> Place:
        """The place at some distance, on a polynomial through those at others."""
        places = [self.at(node).place for node in nodes]
        curve = scipy.interpolate.BarycentricInterpolator(
            nodes, np.array([(*place.coefficients, place.value) for place in places])
        )
        *coefficients, value = curve(distance)
        return Place(np.array(coefficients), float(value))

    def station(self, place: Place) -> Station:
        """What is known at a place."""
        return self.curve.station(self.curve.equations.at(place), like=self.before.tangent)

    def root(self, function: Callable[[float], float], close: float) -> float:
        """Where a function changes sign, by Brent's method."""
        if not (np.isfinite(function(0.0) * function(self.length)) and function(0.0) * function(self.length) < 0):
            raise SolveError("nothing changes sign")
        tolerance = close * self.length
        return float(scipy.optimize.brentq(function, 0.0, self.length, xtol=tolerance, maxiter=_MOST, disp=False))


def _fold(way: _Way) -> Event:
    """Where the parameter is largest, or smallest, by a polynomial with its values and derivatives at some places."""
    about = way.root(way.rate, _FOLD)
    nodes, tops = [0.0, way.length], []
    for share in _BESIDE:
        beside = [about + side * share * way.length for side in (-1.0, 1.0)]
        nodes = sorted({*nodes, *(float(np.clip(each, 0.0, way.length)) for each in beside)})
        tops.append(way.top(nodes))
    place, earlier = tops[-1], tops[-2]
    rates = way.before.steepness, way.after.steepness
    return Event("fold", way.station(place), way.before, way.after, *rates, abs(place.value - earlier.value))


def _bifurcation(way: _Way) -> Event:
    """Where an eigenvalue is zero, by polynomials through those beside it."""
    first = way.before.spectrum.positive_real
    rises = way.after.spectrum.positive_real > first

    def crossing(distance: float) -> float:
        """The eigenvalue that crosses zero."""
        spectrum = way.at(distance).spectrum
        return spectrum.closest(positive=(spectrum.positive_real != first) == rises)

    def zero(nodes: list[float]) -> float:
        values = [crossing(node) for node in nodes]
        if not np.all(np.isfinite(values)) or np.any(np.diff(values) * (1.0 if rises else -1.0) <= 0):
            raise SolveError("an eigenvalue does not cross zero once")
        return float(scipy.interpolate.BarycentricInterpolator(values, nodes)(0.0))

    nodes = [0.0, way.length]
    roots = [zero(nodes)]
    for share in _CLOSER:
        beside = [roots[-1] + side * share * way.length for side in (-1.0, 1.0)]
        nodes = sorted({*nodes, *(float(np.clip(each, 0.0, way.length)) for each in beside)})
        roots.append(zero(nodes))
    place, earlier = (way.between(nodes, root) for root in (roots[-1], roots[-2]))
    ends = crossing(0.0), crossing(way.length)
    doubt = _CLOSER[-1] * abs(place.value - earlier.value)
    return Event("bifurcation", way.station(place), way.before, way.after, *ends, doubt)
