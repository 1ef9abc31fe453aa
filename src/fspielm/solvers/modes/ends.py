"""Modes at the ends of an interval, and of the parts that it is looked at in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from fspielm.arrays import FloatArray
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
        (mode.value, "its bound" if mode.bound is not None else "the estimate of its error")
        for mode in modes
        if 0 < mode.estimate < math.inf and any(abs(mode.value - end) <= mode.estimate for end in wish.interval or ())
    ]
    # modes of one value need one sentence
    return list(dict.fromkeys(f"the value {value:.10g} lies at the end of within= up to {far}" for value, far in close))


def joined(parts: Sequence[tuple[Window, Sequence[Mode]]]) -> list[Mode]:
    """The modes of windows that overlap, each once: a value where two of them meet may be in either, or in both.

    On one side of a cut those of one window are kept, on the other side those of the other, so that all modes of one
    value come from the same. A mode that both have seen is on one side for both, wherever each of them has seen it.
    """
    modes = list(parts[0][1])
    for (before, _), (after, own) in pairwise(parts):
        both = _matched(modes, own, after.lower, before.upper)
        ours, theirs = _places(modes), _places(own)
        for one, other in both:
            ours[one] = theirs[other] = 0.5 * (ours[one] + theirs[other])
        cut = widest_gap(np.concatenate([ours, theirs]), after.lower, before.upper)
        kept = [mode for mode, place in zip(modes, ours, strict=True) if place < cut]
        kept += [mode for mode, place in zip(own, theirs, strict=True) if place >= cut]
        modes = sorted(kept, key=lambda mode: float(np.real(mode.value)))
    return modes


def _places(modes: Sequence[Mode]) -> FloatArray:
    return np.array([np.real(mode.value) for mode in modes], dtype=float)


def _matched(modes: Sequence[Mode], others: Sequence[Mode], low: float, high: float) -> list[tuple[int, int]]:
    """Which of some are which of others by their errors, each at most once, where two windows overlap."""
    # nothing that is farther apart than windows overlap is taken for the same, whatever its errors are
    pairs = sorted(
        (abs(mode.value - other.value), one, another)
        for one, mode in enumerate(modes)
        for another, other in enumerate(others)
        if (np.real(mode.value) >= low or np.real(other.value) <= high)
        and abs(mode.value - other.value) <= min(mode.estimate + other.estimate, high - low)
    )
    chosen: list[tuple[int, int]] = []
    for _, one, another in pairs:  # the closest first
        if all(one != known and another != its for known, its in chosen):
            chosen.append((one, another))
    return chosen


def within_margin(parts: Sequence[tuple[Window, Sequence[Mode]]], margin: float) -> bool:
    """Whether each window has seen all modes on the side of its ends where they are, having looked so far beyond."""
    return all(mode.estimate < margin for _, own in parts for mode in own)


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
