"""Modes that were seen, pinned down: looks closer and closer, until the last is at the energy of the mode."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.equations import identity
from fspielm.features.evaluation import tabulate
from fspielm.solvers.modes.high.functions import Choice
from fspielm.solvers.modes.high.look import Look, look_at
from fspielm.solvers.modes.high.membrane import Membrane
from fspielm.solvers.modes.high.rim import rim_of

# How close the last look is, and what cannot be told apart, of an energy; looks at most.
_LAST, _SAME, _STEPS = 1e-13, 1e-9, 6
# Modes that are closer to a look are seen without others.
_CLOSE = 1e-5
# Steps fall by more, unless they are errors of the functions.
_FALLEN = 0.1
# Places of the boundary to a wavelength at which values are looked at; what they may be larger by in between.
_TO_WAVELENGTH, _AMPLE = 30.0, 1.5
# Rounding of an energy.
_ROUNDING = 2e-15


@final
@dataclass(frozen=True, eq=False)
class Pinned:
    """Modes of one energy.

    Attributes
    ----------
    look : Look
        At their energy.
    coefficients : (M, m) array
        Of their functions, orthonormal.
    error : float
        Of the functions: the norm of what is harmonic and has their values at the boundary. That is no larger than the
        largest of these, times the root of the area, and bounded by their own norm too; see `Membrane.lifting`. No mode
        has an energy that is farther away, relative (Moler and Payne).
    gap : float
        How far the next mode is, at least.
    """

    look: Look
    coefficients: FloatArray
    error: float
    gap: float

    @property
    def bound(self) -> float:
        """Of the error of the energy."""
        energy = self.look.energy
        return energy * (self.error / (1 - self.error) + _ROUNDING) if self.error < 1 else math.inf


def pinned(membrane: Membrane, energies: FloatArray, choice: Choice, threads: int) -> Iterator[Pinned]:
    """Modes whose energies are known to some digits, all of a stretch, one energy after the other.

    They keep their order: a look that sees several moves all of them.
    """
    known = np.sort(energies)
    place = 0
    while place < len(known):
        before = math.inf
        for _ in range(_STEPS):
            look = look_at(membrane, float(known[place]), choice, threads)
            known = _closer(_moved(known, look), look)
            step = abs(float(known[place]) - look.energy)
            if _is_there(step, before, look.energy):
                break
            before = step
        own = _own(known, place)
        yield _pin(membrane, look, len(own), threads)
        place = own[-1] + 1


def again(membrane: Membrane, before: Pinned, choice: Choice, threads: int) -> Pinned:
    """The same modes with other functions."""
    energy, count, last = before.look.energy, before.coefficients.shape[1], math.inf
    for _ in range(_STEPS):
        look = look_at(membrane, energy, choice, threads)
        step = float(look.shifts(count).mean())
        if _is_there(abs(step), last, energy):
            break
        energy, last = energy + step, abs(step)
    return _pin(membrane, look, count, threads)


def _is_there(step: float, before: float, energy: float) -> bool:
    """Whether steps to an energy are rounding, or no longer fall."""
    return step <= _LAST * energy or (step <= _CLOSE * energy and step > _FALLEN * before)


def _moved(known: FloatArray, look: Look) -> FloatArray:
    """Energies as a look sees those closest to it, in their order."""
    seen = np.sort(look.energies)
    reach = 0.5 * min(look.energy - seen[0], seen[-1] - look.energy)
    near = np.flatnonzero(np.abs(known - look.energy) <= reach) if reach > 0 else np.empty(0, dtype=int)
    if not len(near):
        near = np.array([int(np.argmin(np.abs(known - look.energy)))])
    shifts = range(max(len(seen) - len(near), 0) + 1)
    best = min(shifts, key=lambda shift: float(np.abs(seen[shift : shift + len(near)] - known[near]).sum()))
    moved = known.copy()
    moved[near] = seen[best : best + len(near)]
    return moved


def _closer(known: FloatArray, look: Look) -> FloatArray:
    """Energies of those that are all but where the look is, without errors of what is farther away."""
    near = np.flatnonzero(np.abs(known - look.energy) <= _CLOSE * look.energy)
    if not len(near):
        return known
    moved = known.copy()
    moved[near] = look.energy + look.shifts(len(near))
    return moved


def _own(known: FloatArray, place: int) -> NDArray[np.intp]:
    """Which ones cannot be told from one."""
    return np.flatnonzero((np.abs(known - known[place]) <= _SAME * known[place]) & (np.arange(len(known)) >= place))


def _pin(membrane: Membrane, look: Look, count: int, threads: int) -> Pinned:
    coefficients = look.smallest(count)
    spacing = 2 * math.pi / (math.sqrt(look.energy) * _TO_WAVELENGTH)
    closest = min(look.functions.closest, membrane.radius) / 4
    rim = rim_of(membrane, spacing, closest)
    values = np.abs(tabulate(look.functions.basis, identity(2), rim.sites, threads=threads) @ coefficients)
    largest = math.sqrt(membrane.domain.measure) * float(values.max())
    norms = membrane.lifting * np.sqrt(rim.weights @ values**2)
    others = np.sort(np.abs(look.distances))[count:]
    gap = float(others[0]) if len(others) else look.energy
    return Pinned(look, coefficients, _AMPLE * min(largest, float(norms.max())), gap)
