"""What lies between two places of a curve: folds, and places where branches cross."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, final

import numpy as np
import scipy

from fspielm.arrays import FloatArray
from fspielm.errors import SolveError
from fspielm.solvers.following.path import Curve, Station

# Of the way between two places, how closely an event is located by trying; the rest is done by polynomials, for beside
# an event itself the linearisation is all but singular, and rounding large.
_FOLD, _BIFURCATION = 0.05, 1e-4
# Of the way, how far from a fold its polynomial has nodes; how many nodes that of an eigenvalue has, how far apart.
_BESIDE, _NODES, _APART = 0.15, 5, 1e-3
_MOST = 40


@final
@dataclass(frozen=True, eq=False)
class Event:
    """A fold or a bifurcation that was located.

    Attributes
    ----------
    kind : {"fold", "bifurcation"}
    value : float
        Of the parameter.
    station : Station
        There, or as close as can be.
    first, last : Station
        Between which it was found.
    before, after : float
        What changes sign between them: the part of the parameter in the direction of the curve, or an eigenvalue.
    multiplicity : int
        How many eigenvalues are zero.
    """

    kind: Literal["fold", "bifurcation"]
    value: float
    station: Station
    first: Station
    last: Station
    before: float
    after: float
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

    def root(self, function: Callable[[float], float], close: float) -> float:
        """Where a function changes sign, by Brent's method."""
        if not (np.isfinite(function(0.0) * function(self.length)) and function(0.0) * function(self.length) < 0):
            raise SolveError("nothing changes sign")
        tolerance = close * self.length
        return float(scipy.optimize.brentq(function, 0.0, self.length, xtol=tolerance, maxiter=_MOST, disp=False))


def _fold(way: _Way) -> Event:
    """Where the parameter is largest, or smallest, by a polynomial with its values and derivatives at some places."""
    about = way.root(way.rate, _FOLD)
    beside = (np.clip(about + side * _BESIDE * way.length, 0.0, way.length) for side in (-1.0, 1.0))
    nodes = np.unique([0.0, *beside, way.length])
    values = scipy.interpolate.KroghInterpolator(
        np.repeat(nodes, 2), np.ravel([(way.at(node).value, way.rate(node)) for node in nodes])
    )
    top = scipy.optimize.brentq(lambda distance: values.derivative(distance), 0.0, way.length, xtol=1e-15)
    station = way.at(float(top))
    rates = way.before.steepness, way.after.steepness
    return Event("fold", float(values(top)), station, way.before, way.after, *rates)


def _bifurcation(way: _Way) -> Event:
    """Where an eigenvalue is zero, by a polynomial through those beside it."""
    first = way.before.spectrum.positive_real
    rises = way.after.spectrum.positive_real > first

    def crossing(distance: float) -> float:
        """The eigenvalue that crosses zero."""
        spectrum = way.at(distance).spectrum
        return spectrum.closest(positive=(spectrum.positive_real != first) == rises)

    about = way.root(crossing, _BIFURCATION)
    nodes = _spread(np.array(list(way.known)), about, _APART * way.length)
    values = np.array([crossing(node) for node in nodes])
    distances = scipy.interpolate.BarycentricInterpolator(values, nodes)
    parameters = scipy.interpolate.BarycentricInterpolator(nodes, [way.at(node).value for node in nodes])
    value = float(parameters(distances(0.0)))
    station = min(way.known.values(), key=lambda each: abs(each.value - value))
    return Event("bifurcation", value, station, way.before, way.after, crossing(0.0), crossing(way.length))


def _spread(distances: FloatArray, about: float, apart: float) -> FloatArray:
    """Those closest to a place that are not too close to each other."""
    chosen: list[float] = []
    for distance in sorted(distances, key=lambda each: abs(each - about)):
        if len(chosen) < _NODES and all(abs(distance - other) >= apart for other in chosen):
            chosen.append(float(distance))
    return np.array(chosen)
