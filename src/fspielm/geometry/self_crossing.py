"""Whether a closed plane curve meets itself, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.geometry.curves import PlaneCurve
from fspielm.geometry.pieces import Pieces

_AS_ONE = 1e-9  # distance, relative to the size of the whole, at which two pieces count as meeting
_BATCH = 4096
_MOST_TESTS = 4_000_000  # beyond these the curve runs along itself


@final
@dataclass(frozen=True, eq=False)
class _Pairs:
    """Pairs of pieces that may meet.

    Attributes
    ----------
    curve, t0, t1 : (2, n) arrays
        The piece of either side: its curve, and its parameters on it.
    doubt : (2, n) array
        How far it may be from a cubic.
    joined : (2, n) array of bool
        Whether the second begins where the first ends, and the other way round.
    """

    curve: NDArray[np.intp]
    t0: FloatArray
    t1: FloatArray
    doubt: FloatArray
    joined: BoolArray

    def __len__(self) -> int:
        return int(self.t0.shape[1])

    def select(self, index: NDArray[np.intp] | BoolArray | slice) -> _Pairs:
        return _Pairs(*(getattr(self, field.name)[:, index] for field in fields(self)))


def find_crossing(
    curves: Sequence[PlaneCurve], pieces: Pieces, size: float, noise: float
) -> tuple[tuple[int, float], tuple[int, float]] | None:
    """Find a place where a closed loop of curves meets itself, as two (curve, parameter) pairs.

    Pieces are halved until they are apart or shorter than a billionth of the `size` of the whole; `noise` is how
    far rounding carries points off. The pieces follow one another along the loop.
    """
    stack = [_first_pairs(pieces, noise)]
    tests = 0
    while stack:
        pairs = stack.pop()
        if len(pairs) > _BATCH:
            stack.append(pairs.select(slice(_BATCH, None)))
            pairs = pairs.select(slice(0, _BATCH))
        tests += len(pairs)
        meeting, length = _may_meet(curves, pairs, noise)
        pairs, length = pairs.select(meeting), length[:, meeting]
        short = np.all(length <= max(_AS_ONE * size, 64 * noise), axis=0)
        meet = np.flatnonzero(short & ~pairs.joined.any(axis=0))
        if len(meet) or (tests > _MOST_TESTS and len(pairs)):
            at = meet[0] if len(meet) else 0
            middle = 0.5 * (pairs.t0 + pairs.t1)[:, at]
            return (int(pairs.curve[0, at]), float(middle[0])), (int(pairs.curve[1, at]), float(middle[1]))
        if not np.all(short):
            stack.append(_halve(pairs.select(~short)))
    return None


def _first_pairs(pieces: Pieces, noise: float) -> _Pairs:
    """All pairs of pieces whose boxes overlap, but for neighbours on one smooth curve: those cannot meet twice."""
    reach = (pieces.bulge + 4 * noise)[:, None]
    k = overlapping_boxes(np.minimum(pieces.start, pieces.end) - reach, np.maximum(pieces.start, pieces.end) + reach)
    joined = np.array([k[1] == k[0] + 1, (k[0] == 0) & (k[1] == len(pieces) - 1)])
    kept = ~joined[0] | (pieces.curve[k[0]] != pieces.curve[k[1]])
    return _Pairs(pieces.curve[k], pieces.t0[k], pieces.t1[k], pieces.doubt[k], joined).select(kept)


def overlapping_boxes(low: FloatArray, high: FloatArray) -> NDArray[np.intp]:
    """Pairs ``(2, n)`` of boxes, given by their corners ``(m, 2)``, that overlap, the earlier box first."""
    order = np.argsort(low[:, 0])
    low, high = low[order], high[order]
    # Overlaps in x are runs of this order: first all pairs of next neighbours in it, then of those after, and so on.
    ends = np.searchsorted(low[:, 0], high[:, 0], side="right")
    here = np.arange(len(order))
    found = [np.empty((2, 0), dtype=np.intp)]
    for distance in range(1, len(order)):
        here = here[here + distance < ends[here]]
        if len(here) == 0:
            break
        there = here + distance
        level = (low[here, 1] <= high[there, 1]) & (low[there, 1] <= high[here, 1])
        found.append(np.sort([order[here[level]], order[there[level]]], axis=0))
    return np.concatenate(found, axis=1)


def _may_meet(curves: Sequence[PlaneCurve], pairs: _Pairs, noise: float) -> tuple[BoolArray, FloatArray]:
    """Which pairs are not clearly apart, and the lengths ``(2, n)`` of their chords."""
    start, end = (_points(curves, pairs.curve, t) for t in (pairs.t0, pairs.t1))
    chord = end - start
    length = np.maximum(np.hypot(chord[..., 0], chord[..., 1]), np.finfo(np.float64).tiny)
    steepest = np.zeros_like(length)
    for t in (pairs.t0, pairs.t1):
        tangent = _tangents(curves, pairs.curve, t)
        forward = chord[..., 0] * tangent[..., 0] + chord[..., 1] * tangent[..., 1]
        aside = chord[..., 0] * tangent[..., 1] - chord[..., 1] * tangent[..., 0]
        slope = np.divide(np.abs(aside), forward, out=np.full_like(forward, np.inf), where=forward > 0)
        steepest = np.maximum(steepest, slope)
    # The pieces are graphs over their chords; only noise lets a very short one look like something else.
    bulge = np.minimum(0.5 * length * steepest + pairs.doubt, length) + 4 * noise
    low, high = np.minimum(start, end) - bulge[..., None], np.maximum(start, end) + bulge[..., None]
    meeting: BoolArray = np.all((low[0] <= high[1]) & (low[1] <= high[0]), axis=1)
    for one, other in ((0, 1), (1, 0)):
        sides = [
            (chord[one, :, 0] * off[:, 1] - chord[one, :, 1] * off[:, 0]) / length[one]
            for off in (start[other] - start[one], end[other] - start[one])
        ]
        room = bulge[0] + bulge[1]
        meeting &= (np.minimum(*sides) <= room) & (np.maximum(*sides) >= -room)
    return meeting, length


def _halve(pairs: _Pairs) -> _Pairs:
    """All four pairs of halves."""
    middle = 0.5 * (pairs.t0 + pairs.t1)
    t0, t1 = (pairs.t0, middle), (middle, pairs.t1)
    halves = [(i, j) for i in (0, 1) for j in (0, 1)]
    never = np.zeros(len(pairs), dtype=np.bool_)
    # Only the last half of one and the first half of the other still share an end.
    joined = [
        [pairs.joined[0] if (i, j) == (1, 0) else never, pairs.joined[1] if (i, j) == (0, 1) else never]
        for i, j in halves
    ]
    return _Pairs(
        np.tile(pairs.curve, 4),
        np.concatenate([[t0[i][0], t0[j][1]] for i, j in halves], axis=1),
        np.concatenate([[t1[i][0], t1[j][1]] for i, j in halves], axis=1),
        np.tile(pairs.doubt / 16, 4),  # the error of a cubic falls with the fourth power
        np.concatenate(joined, axis=1),
    )


def _points(curves: Sequence[PlaneCurve], which: NDArray[np.intp], t: FloatArray) -> FloatArray:
    out = np.empty((*t.shape, 2))
    for number in np.unique(which):
        out[which == number] = curves[number].point(t[which == number])
    return out


def _tangents(curves: Sequence[PlaneCurve], which: NDArray[np.intp], t: FloatArray) -> FloatArray:
    out = np.empty((*t.shape, 2))
    for number in np.unique(which):
        out[which == number] = curves[number].tangent(t[which == number])
    return out
