"""Along a curve of solutions: tangents, and steps to its next place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from fspielm.errors import IterateError, SolveError
from fspielm.solvers.following.eigenvalues import Spectrum, find_spectrum
from fspielm.solvers.following.local import Equations, Local
from fspielm.solvers.following.metric import Metric, Place

# Corrections of one step at most; and by how much each must be smaller than the one before, or be linearised anew.
_MOST_CORRECTIONS, _SLOW, _DIVERGES = 12, 0.1, 2.0
# A correction that is rounding, of the size of what there is; and one that is if those before were no larger.
_SMALL, _ROUNDING = 1e-12, 1e-8


@final
@dataclass(frozen=True, eq=False)
class Station:
    """A place on a curve of solutions, and what is known there.

    Attributes
    ----------
    local : Local
        The linearisation there.
    tangent : Place
        The direction of the curve, of length one.
    corrections : int
        That it took to come there.
    """

    local: Local
    tangent: Place
    corrections: int = 0

    @property
    def place(self) -> Place:
        """Where it is."""
        return self.local.place

    @property
    def value(self) -> float:
        """Of the parameter."""
        return self.local.place.value

    @cached_property
    def spectrum(self) -> Spectrum:
        """Eigenvalues of the linearisation."""
        return find_spectrum(self.local)

    @property
    def steepness(self) -> float:
        """Whither the parameter goes along the curve: one where it alone changes, zero at folds."""
        return self.tangent.value


@final
@dataclass(frozen=True, eq=False)
class Mark:
    """What is remembered of a station: all but its factored linearisation, which takes much memory.

    Attributes
    ----------
    place, tangent : Place
    slope : float
        How much the solution changes with the parameter; not zero, that quotients may be taken.
    """

    place: Place
    tangent: Place
    slope: float

    @property
    def value(self) -> float:
        """Of the parameter."""
        return self.place.value

    @property
    def steepness(self) -> float:
        """Whither the parameter goes along the curve."""
        return self.tangent.value


@final
@dataclass(frozen=True, eq=False)
class Curve:
    """Solutions of equations, seen as a curve in the space of functions and parameters.

    Attributes
    ----------
    equations : Equations
    metric : Metric
    """

    equations: Equations
    metric: Metric

    def station(self, local: Local, like: Place, corrections: int = 0) -> Station:
        """What is known at a place of the curve; its direction is the one that is more like another."""
        tangent = self.metric.unit_of(Place(local.sideways, 1.0))
        sign = 1.0 if self.metric.inner(tangent, like) >= 0 else -1.0
        return Station(local, tangent.scaled(sign), corrections)

    def step(self, start: Station, length: float) -> Station | None:
        """The place of the curve so far along the tangent; None where none is found."""
        guess = start.place.moved(length, start.tangent)
        return self.correct(guess, start.tangent, start.local, like=start.tangent)

    def correct(self, guess: Place, across: Place, local: Local | None, like: Place) -> Station | None:
        """The place of the curve nearest to a guess, in the plane through it that a direction is normal to.

        Parameters
        ----------
        guess, across : Place
        local : Local or None
            A linearisation nearby to begin with.
        like : Place
            What the tangent is to be like.
        """
        at, last = guess, np.inf
        try:
            for count in range(1, _MOST_CORRECTIONS + 1):
                local = local or self.equations.at(at)
                change = self._change(at.minus(guess), at, across, local)
                size, rate = self.metric.norm(change), self.metric.norm(change) / last
                is_fresh = local.place is at
                at, last = at.moved(1.0, change), size
                # what would be left after this correction: its square, or as much of it as of the one before
                left = size * (size if is_fresh else max(rate, size) if count > 1 else 1.0)
                whole = max(1.0, self.metric.norm(at))
                if left <= _SMALL * whole or (rate > _SLOW and size <= _ROUNDING * whole):
                    return self.station(self.equations.at(at), like, count)
                if not rate <= _DIVERGES:
                    return None
                if rate > _SLOW and count > 1:
                    local = None
        except (IterateError, SolveError):
            return None
        return None

    def _change(self, gone: Place, at: Place, across: Place, local: Local) -> Place:
        """Newton's step within the plane."""
        straight = Place(local.correction(at), 0.0)
        sideways = Place(local.sideways, 1.0)
        by = self.metric.inner(across, gone) + self.metric.inner(across, straight)
        return straight.moved(-by / self.metric.inner(across, sideways), sideways)

    def at_value(self, start: Station, value: float) -> Station | None:
        """The place of the curve with a value of the parameter, close to a station."""
        nearby = start.place.moved((value - start.value) / start.tangent.value, start.tangent)
        return self.correct(nearby, Place(np.zeros_like(nearby.coefficients), 1.0), start.local, like=start.tangent)

    def mark(self, station: Station) -> Mark:
        """What is to be remembered of a station."""
        slope = max(self.metric.size(station.local.sideways), np.finfo(float).tiny)
        return Mark(station.place, station.tangent, slope)
