"""Folds and bifurcations between two places of a curve, and eigenvalues."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, final

import numpy as np
import scipy

from fspielm.arrays import safe_rms
from fspielm.errors import SolveError
from fspielm.estimate.examination import examine
from fspielm.numerics.tolerances import ITERATIONS
from fspielm.problem.operator import identity
from fspielm.solvers.continuation.path import Curve, Mark, Place, Spectrum, Station
from fspielm.solvers.newton.iteration import applied_to_sum, deviations

# ---- Errors of eigenvalues


def eigenvalue_error(station: Station, value: float) -> float:
    """The error of an eigenvalue, from the residual of its eigenfunction in held-out rows.

    With T the inverse of the linearisation, of norm A, and r the residual of ``F' phi = mu phi``, there is an
    eigenvalue of T within ``A r / mu`` of ``1 / mu``.
    """
    local, spectrum = station.local, station.spectrum
    place = int(np.argmin(np.abs(spectrum.values - value)))
    finite, function = local.finite, np.asarray(spectrum.functions[:, place].real)
    examination = examine(finite, local.blocks, local.factored, local.equations.request.streams.probes)
    apply, nothing = (applied_to_sum(finite, each) for each in (function, np.zeros_like(function)))
    sites = examination.held_out.sites
    left, constant = (deviations(finite.problem, sites, each) for each in (apply, nothing))
    left = {name: left[name] - constant[name] for name in left}
    for number, equation in enumerate(finite.problem.equations):
        values = apply(identity(finite.problem.dimension).on(number), sites[equation.name])
        left[equation.name] = left[equation.name] - value * (spectrum.sign or 1) * values
    seams = finite.seams(function)
    residual = examination.norm(left)
    for seam in seams:
        residual = float(np.hypot(residual, seam.rows.scale * np.sqrt(seam.rows.count) * safe_rms(seam.deviation)))
    size = max(safe_rms(values @ function) for values in examination.sensitivity.values)
    return abs(value) * examination.sensitivity.amplification * residual / size


# ---- Folds and bifurcations between two places of a curve

# Distances of the nodes of polynomials from a fold, on both sides, in shares of the way. Brent's method locates it up
# to the last one: next to an event the linearisation is almost singular, and residuals decide where a place is found.
_BESIDE = (0.15, 0.03)
# Distances of the nodes from the latest zero of an eigenvalue.
_CLOSER = (0.02, 0.004)


@final
@dataclass(frozen=True, eq=False)
class Event:
    """A fold or a bifurcation that was located, at which so many (`multiplicity`) eigenvalues are zero.

    The `doubt` is the error of its parameter from the location, and, at a bifurcation, from the eigenvalue.
    """

    kind: Literal["fold", "bifurcation"]
    station: Station
    doubt: float
    multiplicity: int = 1


def crossings(before: Station, after: Station) -> tuple[bool, int]:
    """Whether a curve turns back between two places, and how many further real eigenvalues change sign."""
    turns = before.steepness * after.steepness < 0
    real = abs(before.spectrum.positive_real - after.spectrum.positive_real)
    return turns, max(real - int(turns), 0)


def locate(curve: Curve, before: Station, after: Station, length: float) -> list[Event]:
    """The events between two places, the second of which is a step of some length from the first.

    A `SolveError` says that there is one that cannot be located.
    """
    turns, crossing = crossings(before, after)
    way = _Way(curve, before, after, length, has_spectra=not turns)
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
    has_spectra: bool
    known: dict[float, tuple[Mark, Spectrum | None]] = field(default_factory=dict)

    def at(self, distance: float) -> Mark:
        return self._known_at(distance)[0]

    def spectrum(self, distance: float) -> Spectrum:
        spectrum = self._known_at(distance)[1]
        assert spectrum is not None
        return spectrum

    def _known_at(self, distance: float) -> tuple[Mark, Spectrum | None]:
        if distance not in self.known:
            ends = {0.0: self.before, self.length: self.after}
            station = ends[distance] if distance in ends else self.curve.step(self.before, distance)
            if station is None:
                raise SolveError("no place of the curve was found")
            spectrum = station.spectrum.without_functions if self.has_spectra else None
            self.known[distance] = self.curve.mark(station), spectrum
        return self.known[distance]

    def rate(self, distance: float) -> float:
        """The rate at which the parameter changes."""
        tangent = self.at(distance).tangent
        return tangent.value / self.curve.metric.inner(self.before.tangent, tangent)

    def top(self, nodes: Sequence[float]) -> Place:
        """The extremum of the parameter on a Hermite polynomial through some places."""
        rows = []
        for node in nodes:
            mark = self.at(node)
            along = mark.tangent.scaled(self.rate(node) / mark.tangent.value)
            rows += [mark.place.vector, along.vector]
        curve = scipy.interpolate.KroghInterpolator(np.repeat(nodes, 2), np.array(rows))
        top = scipy.optimize.brentq(lambda distance: float(curve.derivative(distance)[-1]), 0.0, self.length)
        return Place.of(curve(top))

    def between(self, nodes: Sequence[float], distance: float) -> Place:
        """The place at a distance, on a polynomial through those at some nodes."""
        curve = scipy.interpolate.BarycentricInterpolator(
            nodes, np.array([self.at(node).place.vector for node in nodes])
        )
        return Place.of(curve(distance))

    def closer(self, nodes: Sequence[float], about: float, share: float) -> list[float]:
        """The nodes, and one more on either side of a distance, at a share of the way."""
        beside = [about + side * share * self.length for side in (-1.0, 1.0)]
        return sorted({*nodes, *(float(np.clip(each, 0.0, self.length)) for each in beside)})

    def station(self, place: Place) -> Station:
        """The station at a place."""
        return self.curve.station(self.curve.equations.at(place), like=self.before.tangent)

    def root(self, function: Callable[[float], float], close: float) -> float:
        """Where a function changes sign, by Brent's method."""
        signs = function(0.0) * function(self.length)
        if not (np.isfinite(signs) and signs < 0):
            raise SolveError("nothing changes sign")
        tolerance = close * self.length
        return float(scipy.optimize.brentq(function, 0.0, self.length, xtol=tolerance, maxiter=ITERATIONS, disp=False))


def _fold(way: _Way) -> Event:
    """Where the parameter has an extremum, by Hermite polynomials with closer and closer nodes."""
    about = way.root(way.rate, _BESIDE[-1])
    nodes, tops = [0.0, way.length], []
    for share in _BESIDE:
        nodes = way.closer(nodes, about, share)
        tops.append(way.top(nodes))
    place, earlier = tops[-1], tops[-2]
    return Event("fold", way.station(place), abs(place.value - earlier.value))


def _bifurcation(way: _Way) -> Event:
    """Where an eigenvalue is zero, by polynomials with closer and closer nodes."""
    first = way.before.spectrum.positive_real
    rises = way.after.spectrum.positive_real > first

    def crossing(distance: float) -> float:
        """The eigenvalue that crosses zero."""
        spectrum = way.spectrum(distance)
        return spectrum.closest(positive=(spectrum.positive_real != first) == rises)

    def zero(nodes: list[float]) -> float:
        values = [crossing(node) for node in nodes]
        if not np.all(np.isfinite(values)) or np.any(np.diff(values) * (1.0 if rises else -1.0) <= 0):
            raise SolveError("an eigenvalue does not cross zero once")
        return float(scipy.interpolate.BarycentricInterpolator(values, nodes)(0.0))

    nodes = [0.0, way.length]
    roots = [zero(nodes)]
    for share in _CLOSER:
        nodes = way.closer(nodes, roots[-1], share)
        roots.append(zero(nodes))
    place, earlier = (way.between(nodes, root) for root in (roots[-1], roots[-2]))
    before, after = crossing(0.0), crossing(way.length)
    wrong = max(eigenvalue_error(way.before, before), eigenvalue_error(way.after, after)) / abs(after - before)
    doubt = _CLOSER[-1] * abs(place.value - earlier.value) + wrong * abs(way.after.value - way.before.value)
    return Event("bifurcation", way.station(place), doubt)
