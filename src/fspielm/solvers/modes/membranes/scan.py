"""All modes between two energies, to a few digits: each seen from both sides, by looks that are close to each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import TypeAlias, final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.solvers.modes.membranes.look import AROUND, Look
from fspielm.solvers.modes.membranes.membrane import Membrane
from fspielm.solvers.modes.window import widest_gap

Looker: TypeAlias = Callable[[float], Look]

# Modes between two looks, about.
_BETWEEN = 10.0
# Of what is between two looks, how far apart the same mode may be as seen from both.
_SAME = 0.03
# How often a stretch is halved where they differ.
_HALVINGS = 4
# Where the wider gaps between modes are looked for: the middle part of a stretch.
_MIDDLE = 0.3


@final
@dataclass(frozen=True, eq=False)
class Scan:
    """Modes between two energies.

    Attributes
    ----------
    energies : (m,) array
        Ascending, to a few digits.
    doubtful : tuple of (float, float)
        Stretches where both sides see different modes.
    between : (float, float)
        The two energies.
    """

    energies: FloatArray
    doubtful: tuple[tuple[float, float], ...] = ()
    between: tuple[float, float] = (0.0, math.inf)


def scan(membrane: Membrane, low: float, high: float, look: Looker, seconds: float = math.inf) -> Scan:
    """All modes between two energies; what there is no time for is doubtful."""
    ends, until = steps(membrane, low, high), perf_counter() + seconds
    looks = (look(end) for end in ends)
    found: list[FloatArray] = []
    doubtful: list[tuple[float, float]] = []
    before = next(looks)
    for after in looks:
        late = perf_counter() > until
        for stretch in _between(before, after, look, 0 if late else _HALVINGS):
            found.append(stretch.energies)
            doubtful += stretch.doubtful
        before = after
        if late:
            doubtful.append((before.energy, high))
            break
    return Scan(np.sort(np.concatenate(found)), tuple(doubtful), (low, high))


def steps(membrane: Membrane, low: float, high: float) -> list[float]:
    """Where to look: close enough for modes between two looks to be around both."""
    k, last = math.sqrt(low), math.sqrt(high)
    ends = [k]
    while k < last:
        k += _step(membrane, k)
        ends.append(min(k, last))
    return [end**2 for end in ends]


def _step(membrane: Membrane, k: float) -> float:
    return min(AROUND / membrane.radius, _BETWEEN / membrane.density(k**2))


def blur(membrane: Membrane, energy: float) -> float:
    """How far from its energy a mode may be seen."""
    k = math.sqrt(energy)
    return 2 * k * _SAME * _step(membrane, k)


def _between(before: Look, after: Look, look: Looker, halvings: int) -> Iterator[Scan]:
    """Those between two looks, halved where these differ."""
    found = _agreed(before, after)
    if found is not None:
        yield Scan(found)
    elif not halvings:
        low, high = before.energy, after.energy
        ahead = before.energies[(before.distances > 0) & (before.energies < high)]
        behind = after.energies[(after.distances < 0) & (after.energies > low)]
        yield Scan(max(ahead, behind, key=len), ((low, high),))
    else:
        middle = look(0.5 * (before.energy + after.energy))
        yield from _between(before, middle, look, halvings - 1)
        yield from _between(middle, after, look, halvings - 1)


def _agreed(before: Look, after: Look) -> FloatArray | None:
    """The modes that are ahead of the one and behind the other; None where they differ.

    On which side of its own energy a mode is, a look knows for certain. So the modes up to a gap about the middle are
    those ahead of the first look, and from there on those behind the second.
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
    # what is beyond is on the other side of the looks
    beyond = [*(also_first[len(first) :] - low), *(high - also_second[len(second) :])]
    if np.any(np.abs(apart) > slack) or any(each > slack for each in beyond):
        return None
    return np.concatenate([first, second])
