"""Modes at the ends of an interval, and of the parts that it is looked at in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from fspielm.solvers.modes.modes import Mode
from fspielm.solvers.modes.window import Window, Wish, widest_gap


def inside(modes: Sequence[Mode], wish: Wish) -> list[Mode]:
    """Those that may be in the interval, by their own errors; all where a number is wanted."""
    if wish.interval is None:
        return list(modes)
    lower, upper = wish.interval
    return [mode for mode in modes if lower - mode.estimate <= np.real(mode.value) <= upper + mode.estimate]


def at_ends(modes: Sequence[Mode], wish: Wish) -> list[str]:
    """What to say of those that may as well be beyond an end."""
    close = [
        mode.value
        for mode in modes
        if 0 < mode.estimate < math.inf and any(abs(mode.value - end) <= mode.estimate for end in wish.interval or ())
    ]
    # modes of one value need one sentence
    return list(dict.fromkeys(f"the value {value:.10g} lies at the end of within= up to its bound" for value in close))


def joined(parts: Sequence[tuple[Window, Sequence[Mode]]]) -> list[Mode]:
    """The modes of windows that overlap, each once: a value where two of them meet may be in either, or in both."""
    modes = list(parts[0][1])
    for (before, _), (after, own) in pairwise(parts):
        places = np.array([np.real(mode.value) for mode in (*modes, *own)])
        cut = widest_gap(places, after.lower, before.upper)
        modes = [mode for mode in modes if np.real(mode.value) < cut]
        modes += [mode for mode in own if np.real(mode.value) >= cut]
    return modes


def unlike(parts: Sequence[tuple[Window, Sequence[Mode]]]) -> list[str]:
    """What to say of windows that see different modes where they overlap."""
    return [
        f"two searches that meet at {0.5 * (after.lower + before.upper):.6g} see different modes there: some may be "
        "missing; ask for a smaller interval"
        for (before, one), (after, other) in pairwise(parts)
        if _unmatched(one, other, after.lower, before.upper) or _unmatched(other, one, after.lower, before.upper)
    ]


def _unmatched(own: Sequence[Mode], others: Sequence[Mode], low: float, high: float) -> bool:
    """Whether one that is between two ends for certain is none of the others."""
    return any(
        low + mode.estimate < np.real(mode.value) < high - mode.estimate
        and all(abs(mode.value - other.value) > mode.estimate + other.estimate for other in others)
        for mode in own
    )
