"""Modes between two energies: found by a scan, and pinned to all digits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import TypeAlias, final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.basis.basis import COSINE, RidgeBasis
from fspielm.basis.evaluation.direct import tabulate
from fspielm.basis.exact.family import Characteristic
from fspielm.eigen.membranes.look import AMPLE_TRACES, AROUND, Choice, Functions, Look, Rim, look_at, rim_of
from fspielm.eigen.membranes.membrane import Membrane
from fspielm.eigen.modes import VALUE_ROUNDING, widest_gap
from fspielm.eigen.particular import TRIES
from fspielm.numerics.tolerances import CLOSE, HALVINGS, ROUNDING, SAME
from fspielm.problem.operator import along_normal, identity
from fspielm.solvers.strategies.strategy import BETTER

# ---- All modes between two energies, to a few digits, by looks so close that two of them see each mode

Looker: TypeAlias = Callable[[float], Look]

# The approximate number of modes between two looks.
_BETWEEN = 10.0
# The distance of the same mode as seen by two looks, relative to the distance of the looks.
_SAME = 0.03
# The share of a stretch at either end that is not searched for the widest gap.
_MIDDLE = 0.3


@final
@dataclass(frozen=True, eq=False)
class Scan:
    """Modes between two energies."""

    energies: FloatArray  # (m,): ascending, to a few digits
    doubtful: tuple[tuple[float, float], ...] = ()  # stretches whose two looks see different modes
    between: tuple[float, float] = (0.0, math.inf)  # the two energies


def scan(membrane: Membrane, low: float, high: float, look: Looker, seconds: float = math.inf) -> Scan:
    """All modes between two energies; stretches for which there is no time are doubtful."""
    ends, until = look_energies(membrane, low, high), perf_counter() + seconds
    looks = (look(end) for end in ends)
    found: list[FloatArray] = []
    doubtful: list[tuple[float, float]] = []
    before = next(looks)
    for after in looks:
        late = perf_counter() > until
        for stretch in _scan_stretch(before, after, look, 0 if late else HALVINGS):
            found.append(stretch.energies)
            doubtful += stretch.doubtful
        before = after
        if late:
            doubtful.append((before.energy, high))
            break
    return Scan(np.sort(np.concatenate(found)), tuple(doubtful), (low, high))


def look_energies(membrane: Membrane, low: float, high: float) -> list[float]:
    """The energies of looks, so close that both looks around a mode see it."""
    k, last = math.sqrt(low), math.sqrt(high)
    ends = [k]
    while k < last:
        k += _step(membrane, k)
        ends.append(min(k, last))
    return [end**2 for end in ends]


def _step(membrane: Membrane, k: float) -> float:
    return min(AROUND / membrane.radius, _BETWEEN / membrane.density(k**2))


def blur(membrane: Membrane, energy: float) -> float:
    """The error of an energy as a look sees it."""
    k = math.sqrt(energy)
    return 2 * k * _SAME * _step(membrane, k)


def _scan_stretch(before: Look, after: Look, look: Looker, halvings: int) -> Iterator[Scan]:
    """The modes between two looks, halving the stretch if they disagree."""
    found = _common_modes(before, after)
    if found is not None:
        yield Scan(found)
    elif not halvings:
        low, high = before.energy, after.energy
        ahead = before.energies[(before.distances > 0) & (before.energies < high)]
        behind = after.energies[(after.distances < 0) & (after.energies > low)]
        yield Scan(max(ahead, behind, key=len), ((low, high),))
    else:
        middle = look(0.5 * (before.energy + after.energy))
        yield from _scan_stretch(before, middle, look, halvings - 1)
        yield from _scan_stretch(middle, after, look, halvings - 1)


def _common_modes(before: Look, after: Look) -> FloatArray | None:
    """The modes above the first look and below the second; None if the two disagree.

    A look is certain on which side of it a mode is. So we take the modes up to a gap near the middle from the first
    look, and those beyond it from the second.
    """
    low, high = before.energy, after.energy
    ahead = np.sort(before.energies[before.distances > 0])
    behind = np.sort(after.energies[after.distances < 0])
    inner, outer = (low + share * (high - low) for share in (_MIDDLE, 1 - _MIDDLE))
    cut = widest_gap(np.concatenate([ahead, behind]), inner, outer)
    slack = _SAME * (high - low)
    first, second = ahead[ahead < cut], behind[behind >= cut]
    also_first, also_second = behind[behind < cut][::-1], ahead[ahead >= cut]
    if len(also_first) < len(first) or len(also_second) < len(second):
        return None
    apart = np.concatenate([first[::-1] - also_first[: len(first)], second - also_second[: len(second)]])
    # further modes must be on the other side of the looks
    beyond = [*(also_first[len(first) :] - low), *(high - also_second[len(second) :])]
    if np.any(np.abs(apart) > slack) or any(each > slack for each in beyond):
        return None
    return np.concatenate([first, second])


# ---- Modes pinned by looks closer and closer, until the last is at the energy of the mode

# Places of the boundary per wavelength at which residuals are sampled.
_TO_WAVELENGTH = 30.0


@final
@dataclass(frozen=True, eq=False)
class Pinned:
    """Modes of one energy."""

    look: Look  # the look at their energy
    coefficients: FloatArray  # (M, m): the coefficients of their functions, which are orthonormal
    # the error of the functions: the norm of the function that satisfies the equation at minus the shift and has their
    # values and slopes at the boundary; see `Membrane`
    error: float
    gap: float  # the least distance of the next mode
    # zero if the membrane is held along all of its rim: then that function is harmonic (Moler and Payne)
    shift: float = 0.0

    @property
    def bound(self) -> float:
        """A bound for the error of the energy."""
        energy = self.look.energy
        if self.error >= 1:
            return math.inf
        return (energy + self.shift) * self.error / (1 - self.error) + energy * VALUE_ROUNDING

    @property
    def amplification(self) -> float:
        """The share of other modes in the functions, in units of the error; it grows as the gap shrinks.

        The share of a mode of energy ``E + m`` is the error times ``(E + m + shift) / m``; see `Membrane`.
        """
        return (self.look.energy + self.shift) / self.gap + 1


def pinned(membrane: Membrane, scan: Scan, choice: Choice, threads: int) -> Iterator[Pinned]:
    """The modes of a scan, pinned one energy after the other.

    They keep their order, as a look updates all modes that it sees.
    """
    known = np.sort(scan.energies)
    place = 0
    while place < len(known):
        before, k, reach = math.inf, math.sqrt(known[place]), AROUND / membrane.radius
        for _ in range(TRIES):
            # a look that does not see the mode may see another one
            known[place] = np.clip(known[place], max(k - reach, 0.5 * k) ** 2, (k + reach) ** 2)
            look = look_at(membrane, float(known[place]), choice, threads)
            known = _sharpened(_updated(known, look, scan, blur(membrane, look.energy)), look)
            step = abs(float(known[place]) - look.energy)
            if _has_converged(step, before, look.energy):
                break
            before = step
        # take all modes at this energy, as the scan may have seen some of them elsewhere or not at all
        count = max(int(np.sum(np.abs(look.distances) <= SAME * look.energy)), 1)
        yield _pin(membrane, look, count, threads)
        place += max(_count_at_look(known[place:][:count], look, blur(membrane, look.energy)), 1)


def repinned(membrane: Membrane, before: Pinned, choice: Choice, threads: int) -> Pinned:
    """The same modes with other functions."""
    energy, count, last = before.look.energy, before.coefficients.shape[1], math.inf
    for _ in range(TRIES):
        look = look_at(membrane, energy, choice, threads)
        step = float(look.shifts(count).mean())
        if _has_converged(abs(step), last, energy):
            break
        energy, last = energy + step, abs(step)
    return _pin(membrane, look, count, threads)


def _has_converged(step: float, before: float, energy: float) -> bool:
    """Whether steps to an energy are rounding errors, or no longer fall, as errors of the functions."""
    return step <= ROUNDING * energy or (step <= CLOSE * energy and BETTER * step > before)


def _count_at_look(known: FloatArray, look: Look, slack: float) -> int:
    """How many of the energies belong to modes at the look, rather than to others that it sees."""
    seen = look.energies
    if not len(seen):
        return 0
    there = np.abs(seen[np.argmin(np.abs(seen - known[:, None]), axis=1)] - look.energy) <= SAME * look.energy
    return int(np.sum(there & (np.abs(known - look.energy) <= slack)))


def _updated(known: FloatArray, look: Look, scan: Scan, slack: float) -> FloatArray:
    """The energies with those closest to a look replaced by what it sees, in their order.

    We update modes together that may have been confused with each other: if all were seen too high, or too low, by more
    than their distance, each by itself would end at its neighbour.
    """
    low, high = scan.between
    seen = np.sort(look.energies[(look.energies >= low) & (look.energies <= high)])
    if not len(seen):
        return known
    reach = max(0.5 * min(look.energy - seen[0], seen[-1] - look.energy), 2 * slack)
    order = np.argsort(np.abs(known - look.energy), kind="stable")
    count = max(int(np.sum(np.abs(known - look.energy) <= reach)), 1)
    near = np.sort(order[: min(count, len(seen))])
    shifts = range(len(seen) - len(near) + 1)
    best = min(shifts, key=lambda shift: float(np.abs(seen[shift : shift + len(near)] - known[near]).sum()))
    moved = known.copy()
    moved[near] = seen[best : best + len(near)]
    return moved


def _sharpened(known: FloatArray, look: Look) -> FloatArray:
    """The energies with those very close to a look computed without other modes and their errors."""
    near = np.flatnonzero(np.abs(known - look.energy) <= CLOSE * look.energy)
    if not len(near):
        return known
    moved = known.copy()
    moved[near] = look.energy + look.shifts(len(near))
    return moved


def _pin(membrane: Membrane, look: Look, count: int, threads: int) -> Pinned:
    coefficients = look.smallest(count)
    # more places than the look has made traces small at
    spacing = min(2 * math.pi / (math.sqrt(look.energy) * _TO_WAVELENGTH), membrane.length / (2 * len(look.traces)))
    closest = min(look.functions.closest, membrane.radius) / 4
    rim = rim_of(membrane, spacing, closest)
    left = np.empty((len(rim.weights), count))
    for places, operator in ((~rim.free, identity(2)), (rim.free, along_normal(2))):
        if places.any():
            rows = tabulate(look.functions.basis, operator, rim.sites.select(places), threads=threads)
            look.functions.zero_satisfied_traces(membrane, rim.curve[places], rows)
            left[places] = rows @ coefficients
    shift, error = _shift_and_error(membrane, rim, look.energy, left)
    others = np.sort(np.abs(look.distances))[count:]
    gap = float(others[0]) if len(others) else look.energy
    return Pinned(look, coefficients, error, gap, shift)


def _shift_and_error(membrane: Membrane, rim: Rim, energy: float, left: FloatArray) -> tuple[float, float]:
    """The shift, and the error e there, of orthonormal functions with these residuals at the boundary.

    The error applies to all sums of norm one: with fewer modes than functions within the bound, one of the sums would
    be orthogonal to these modes and have a larger error. See `Membrane`.
    """
    if membrane.field is None:
        return 0.0, math.inf
    root = np.sqrt(rim.weights)[:, None]
    held, free = left[~rim.free], left[rim.free]
    by_values = math.sqrt(membrane.domain.measure) * float(np.linalg.norm(held, axis=1).max(initial=0.0))
    if membrane.is_held:
        by_values = min(by_values, membrane.lifting * float(np.linalg.norm(root * held, 2)))
    by_slopes = float(np.linalg.norm(root[rim.free] * free, 2)) if len(free) else 0.0
    return membrane.field.best(energy, AMPLE_TRACES * by_values, AMPLE_TRACES * by_slopes)


def constant_mode(membrane: Membrane, gap: float) -> Pinned:
    """The constant, which is a mode of energy zero if all walls are free; `gap` is the distance of the next mode."""
    functions = Functions(Characteristic(1), RidgeBasis(np.zeros((1, 2)), np.zeros(1), COSINE), ())
    coefficients, none = np.array([[membrane.domain.measure**-0.5]]), np.zeros((0, 1))
    look = Look(0.0, np.zeros(1), none, none, np.ones((1, 1)), coefficients, 1, 1.0, functions)
    return Pinned(look, coefficients, 0.0, gap, gap)
