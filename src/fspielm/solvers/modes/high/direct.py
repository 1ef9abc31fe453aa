"""All modes of a membrane in an interval, however high."""

from __future__ import annotations

import math
from time import perf_counter

from fspielm.errors import ProblemError
from fspielm.solvers.modes.high.fields import HighNotary
from fspielm.solvers.modes.high.functions import Choice
from fspielm.solvers.modes.high.look import Look, look_at
from fspielm.solvers.modes.high.membrane import Membrane
from fspielm.solvers.modes.high.pinned import Pinned, again, pinned
from fspielm.solvers.modes.high.scan import Looker, Scan, scan, steps
from fspielm.solvers.modes.modes import Modes, late_ones
from fspielm.solvers.record import Record
from fspielm.solvers.request import Request

# Intervals that end above so many modes are high: there cells cost more than functions that satisfy the equation.
_HIGH = 60
# By which modes are seen, and by which they are pinned, each after the other was not enough.
_SEEN = Choice()
_PINNED = (Choice(30), Choice(42, 1.25))
# Of the least energy that a mode may have, where a scan may begin.
BELOW = 0.9


def is_high(membrane: Membrane, interval: tuple[float, float]) -> bool:
    """Whether an interval is better searched by `high_modes`."""
    energy = membrane.energy(interval[1])
    return energy > membrane.least and membrane.weyl(energy) >= _HIGH


def high_modes(membrane: Membrane, interval: tuple[float, float], request: Request, record: Record) -> Modes:
    """All modes of an interval."""
    low, high = (max(membrane.energy(end), BELOW * membrane.least) for end in interval)
    seen = scanned(membrane, low, high, request.threads, record.seconds_left)
    found: list[Pinned] = []
    for one in pinned(membrane, seen.energies, _PINNED[0], request.threads):
        found.append(_good_enough(membrane, one, request))
        if record.seconds_left <= 0:
            break
    modes = HighNotary(membrane, request, record).modes(found)
    remarks = list(membrane.doubts(seen.doubtful))
    if len(modes) < len(seen.energies):
        remarks.append(
            f"{len(seen.energies) - len(modes)} modes more were seen than there was time for; allow more with "
            "budget=fs.Budget(seconds=...)"
        )
    complete = not remarks and all(math.isfinite(mode.estimate) for mode in modes)
    why = "other functions would be needed, or a larger tolerance"
    remarks += late_ones(modes, request.tol, 0.0, why)
    return Modes(tuple(modes), True, complete, tuple(remarks))


def scanned(membrane: Membrane, low: float, high: float, threads: int, seconds: float) -> Scan:
    """What is between two energies, if that can be seen in so many seconds."""
    began = perf_counter()
    looker(membrane, threads)(high)
    expected = (perf_counter() - began) * len(steps(membrane, low, high))
    if expected > seconds:
        raise ProblemError(
            f"to look at all of this interval would take about {expected:.0f} seconds, of which there are "
            f"{max(seconds, 0.0):.0f}: ask for a smaller interval, or allow more with budget=fs.Budget(seconds=...)"
        )
    return scan(membrane, low, high, looker(membrane, threads), seconds)


def looker(membrane: Membrane, threads: int) -> Looker:
    """Sees modes to a few digits."""

    def look(energy: float) -> Look:
        return look_at(membrane, energy, _SEEN, threads)

    return look


def _good_enough(membrane: Membrane, one: Pinned, request: Request) -> Pinned:
    """With more functions, if it takes more; the best of them."""
    best = one
    for choice in _PINNED[1:]:
        if best.bound / membrane.rate <= request.tol * abs(membrane.value(best.look.energy)):
            break
        best = min(best, again(membrane, best, choice, request.threads), key=lambda each: each.bound)
    return best
