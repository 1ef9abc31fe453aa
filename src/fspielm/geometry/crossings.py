"""Where plane curves meet each other or themselves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, IndexArray
from fspielm.geometry.curves import FlatCurve, Pieces, PlaneCurve, boxes, chords, cross, sine
from fspielm.numerics.tolerances import SAME

# ---- Closed curves that meet themselves

_BATCH = 4096
_MOST_TESTS = 4_000_000  # more tests mean that the curve runs along itself


@final
@dataclass(frozen=True, eq=False)
class _Pairs:
    """Pairs of pieces that may meet; n for each side."""

    curve: NDArray[np.intp]  # (2, n)
    t0: FloatArray  # (2, n): the parameters of the piece on its curve
    t1: FloatArray
    doubt: FloatArray  # (2, n): bound of its distance from a cubic
    joined: BoolArray  # (2, n): whether the second begins where the first ends, and the other way round

    def __len__(self) -> int:
        return int(self.t0.shape[1])

    def select(self, index: NDArray[np.intp] | BoolArray | slice) -> _Pairs:
        return _Pairs(*(getattr(self, field.name)[:, index] for field in fields(self)))


def find_crossing(
    curves: Sequence[PlaneCurve], pieces: Pieces, size: float, noise: float
) -> tuple[tuple[int, float], tuple[int, float]] | None:
    """Find a place where a closed loop of curves meets itself, as two (curve, parameter) pairs.

    Pieces are halved until they are apart or shorter than a billionth of the `size` of the whole; `noise` is the
    rounding error of points. The pieces follow one another along the loop.
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
        short = np.all(length <= max(SAME * size, 64 * noise), axis=0)
        meet = np.flatnonzero(short & ~pairs.joined.any(axis=0))
        if len(meet) or (tests > _MOST_TESTS and len(pairs)):
            at = meet[0] if len(meet) else 0
            middle = 0.5 * (pairs.t0 + pairs.t1)[:, at]
            return (int(pairs.curve[0, at]), float(middle[0])), (int(pairs.curve[1, at]), float(middle[1]))
        if not np.all(short):
            stack.append(_halve(pairs.select(~short)))
    return None


def _first_pairs(pieces: Pieces, noise: float) -> _Pairs:
    """All pairs of pieces whose boxes overlap, except neighbours on one smooth curve, which meet only once."""
    reach = (pieces.bulge + 4 * noise)[:, None]
    k = overlapping_boxes(np.minimum(pieces.start, pieces.end) - reach, np.maximum(pieces.start, pieces.end) + reach)
    joined = np.array([k[1] == k[0] + 1, (k[0] == 0) & (k[1] == len(pieces) - 1)])
    kept = ~joined[0] | (pieces.curve[k[0]] != pieces.curve[k[1]])
    return _Pairs(pieces.curve[k], pieces.t0[k], pieces.t1[k], pieces.doubt[k], joined).select(kept)


def overlapping_boxes(low: FloatArray, high: FloatArray) -> NDArray[np.intp]:
    """Pairs ``(2, n)`` of boxes, given by their corners ``(m, 2)``, that overlap, the earlier box first."""
    order = np.argsort(low[:, 0])
    low, high = low[order], high[order]
    # boxes that overlap in x are runs in this order: take pairs of next neighbours, then of second neighbours, ...
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
    points, tangents = [curve.point for curve in curves], [curve.tangent for curve in curves]
    start, end = (_evaluate(points, pairs.curve, t) for t in (pairs.t0, pairs.t1))
    chord = end - start
    length = np.maximum(np.hypot(chord[..., 0], chord[..., 1]), np.finfo(np.float64).tiny)
    steepest = np.zeros_like(length)
    for t in (pairs.t0, pairs.t1):
        tangent = _evaluate(tangents, pairs.curve, t)
        forward = chord[..., 0] * tangent[..., 0] + chord[..., 1] * tangent[..., 1]
        aside = chord[..., 0] * tangent[..., 1] - chord[..., 1] * tangent[..., 0]
        slope = np.divide(np.abs(aside), forward, out=np.full_like(forward, np.inf), where=forward > 0)
        steepest = np.maximum(steepest, slope)
    # pieces are graphs over their chords, except very short ones, by noise
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
    # only the last half of one and the first half of the other share an end
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


def _evaluate(functions: Sequence[Callable[[FloatArray], FloatArray]], which: IndexArray, t: FloatArray) -> FloatArray:
    """Values ``(..., 2)`` at parameters `t`, each of the function with the number in `which`."""
    out = np.empty((*t.shape, 2))
    for number in np.unique(which):
        out[which == number] = functions[number](t[which == number])
    return out


# ---- Straight segments, compared without rounding

# Rounding error of the orientation determinant: J. R. Shewchuk, Discrete Comput. Geom. 18, 1997.
_ROUNDING = (3 + 16 * 2.0**-53) * 2.0**-53


def orientation(a: FloatArray, b: FloatArray, c: FloatArray) -> NDArray[np.int8]:
    """1 for points c ``(n, 2)`` left of the lines from a to b, 0 on them, -1 to the right; exact."""
    left = (a[:, 0] - c[:, 0]) * (b[:, 1] - c[:, 1])
    right = (a[:, 1] - c[:, 1]) * (b[:, 0] - c[:, 0])
    sign = np.sign(left - right).astype(np.int8)
    # the bound fails where products underflow; all terms are then smaller than 1e-290
    sure = np.abs(left - right) > np.maximum(_ROUNDING * (np.abs(left) + np.abs(right)), 1e-290)
    at_an_end = np.all(c == a, axis=1) | np.all(c == b, axis=1)
    for i in np.flatnonzero(~(sure | at_an_end)):
        (ax, ay), (bx, by), (cx, cy) = ([Fraction(float(v)) for v in p[i]] for p in (a, b, c))
        area = (ax - cx) * (by - cy) - (ay - cy) * (bx - cx)
        sign[i] = (area > 0) - (area < 0)
    return sign


def meeting_pairs(starts: FloatArray, ends: FloatArray) -> tuple[IndexArray, NDArray[np.int8]]:
    """Sorted pairs ``(2, n)`` of segments with a common point, the earlier segment first.

    Also, for each pair, the sides ``(4, n)`` of the first segment on which the second begins and ends, and vice versa.
    """
    pairs = overlapping_boxes(np.minimum(starts, ends), np.maximum(starts, ends))
    pairs = pairs[:, np.lexsort((pairs[1], pairs[0]))]
    first, second = pairs
    both = ((first, second), (second, first))
    sides = np.stack([orientation(starts[a], ends[a], points[b]) for a, b in both for points in (starts, ends)])
    # neither lies on one side of the other; boxes decide for segments on one line
    meet = (sides[0] * sides[1] <= 0) & (sides[2] * sides[3] <= 0)
    return pairs[:, meet], sides[:, meet]


def crossing_point(a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray) -> FloatArray:
    """Where the lines from a to b and from c to d, which are not parallel, cross, to rounding."""
    u, v, gap = b - a, d - c, c - a
    return np.asarray(a + u * (gap[0] * v[1] - gap[1] * v[0]) / (u[0] * v[1] - u[1] * v[0]), dtype=np.float64)


def in_ring(points: FloatArray, ring: FloatArray) -> BoolArray:
    """Whether points ``(n, 2)`` that do not lie on a closed polygon ``(m, 2)`` lie inside."""
    ends = np.roll(ring, -1, axis=0)
    heights = points[:, 1:]
    point, edge = np.nonzero((ring[:, 1] <= heights) != (ends[:, 1] <= heights))
    upward = ends[edge, 1] > ring[edge, 1]
    # a ray to the right crosses edges that have the point on the left of their upward direction
    crossed = orientation(ring[edge], ends[edge], points[point]) == np.where(upward, 1, -1)
    return np.asarray(np.bincount(point[crossed], minlength=len(points)) % 2 == 1)


# ---- Where two plane curves meet

# Limit of undecided pairs: curves that nearly coincide over a long stretch are not resolved completely.
_MOST_PAIRS = 20_000


@final
@dataclass(frozen=True)
class Resolution:
    """The lengths and angles that can be resolved in a figure of some extent and rounding error."""

    extent: float
    rounding: float

    @classmethod
    def of(cls, lower: FloatArray, upper: FloatArray) -> Resolution:
        """The resolution of a figure within a box."""
        extent, magnitude = float(np.max(upper - lower)), float(np.max(np.abs([lower, upper])))
        return cls(extent, max(1e-14 * extent, 4e-15 * magnitude))

    @property
    def same_place(self) -> float:
        """Distance below which points coincide: far above rounding, far below any feature."""
        return max(1e-11 * self.extent, 10 * self.rounding)

    @property
    def step(self) -> float:
        """Distance from a boundary at which its sides are tested: just across gaps left by rounding."""
        return max(2e-10 * self.extent, 100 * self.rounding)

    @property
    def least_angle(self) -> float:
        """Angle (radians) below which curves touch rather than cross.

        Near a contact, the distance of curves grows quadratically and their angle linearly.
        """
        return 10 * math.sqrt(self.rounding / self.extent)

    @property
    def contact(self) -> float:
        """Length along which the distance of touching curves is below rounding."""
        return 0.03 * self.least_angle * self.extent


class Meetings(NamedTuple):
    """Parameters on the first and on the second curve where two curves meet."""

    first: FloatArray
    second: FloatArray


_NOWHERE = Meetings(np.empty(0), np.empty(0))


def meetings(first: FlatCurve, second: FlatCurve, resolution: Resolution) -> Meetings:
    """Where two curves cross, touch, or have an end on each other; the ends of stretches where they coincide.

    As analytic curves, they coincide up to an end of one of them. A place may be listed more than once, to rounding.
    """
    if not first.near(second, resolution.same_place):
        return _NOWHERE
    ends = _ends_on(first, second, resolution.same_place)
    if first.curve.straight and second.curve.straight:
        return _join([ends, _cross(first.curve, second.curve, first.cuts[None], second.cuts[None], resolution)])
    stretches = _separate_stretches(first, second, ends.first, resolution)
    crossings, contacts = _search(first, second, stretches, resolution)
    exact = _join([ends, crossings])
    touching = _distinct_contacts(first.curve, contacts, exact.first, 30 * resolution.contact)
    return _join([exact, Meetings(touching, second.nearest(first.curve.point(touching))[0])])


def meets_any(curve: PlaneCurve, others: Sequence[PlaneCurve]) -> bool:
    """Whether a curve crosses, touches or ends on any of the others."""
    one, flat = FlatCurve(curve), [FlatCurve(other) for other in others]
    lower, upper = (np.array([each.box[side] for each in [one, *flat]]) for side in (0, 1))
    resolution = Resolution.of(lower.min(axis=0), upper.max(axis=0))
    reach = resolution.same_place
    near = np.all((lower[1:] <= upper[0] + reach) & (upper[1:] >= lower[0] - reach), axis=1)
    return any(len(meetings(one, flat[i], resolution).first) for i in np.flatnonzero(near))


def _join(several: list[Meetings]) -> Meetings:
    return Meetings(*(np.concatenate(each) for each in zip(*several, strict=True)))


def _distinct_contacts(curve: PlaneCurve, contacts: FloatArray, known: FloatArray, near: float) -> FloatArray:
    """One of the many pairs around each contact, and none near a `known` meeting."""
    points, places = curve.point(contacts), list(curve.point(known))
    kept = []
    for index, point in enumerate(points):
        if all(np.linalg.norm(point - place) > near for place in places):
            kept.append(index)
            places.append(point)
    return contacts[kept]


def _ends_on(first: FlatCurve, second: FlatCurve, near: float) -> Meetings:
    on_first, gap_first = first.nearest(second.curve.ends)
    on_second, gap_second = second.nearest(first.curve.ends)
    a, b = gap_first <= near, gap_second <= near
    return Meetings(
        np.concatenate([on_first[a], np.array([first.curve.t0, first.curve.t1])[b]]),
        np.concatenate([np.array([second.curve.t0, second.curve.t1])[a], on_second[b]]),
    )


def _separate_stretches(first: FlatCurve, second: FlatCurve, ends: FloatArray, resolution: Resolution) -> FloatArray:
    """Stretches ``(n, 2)`` of the first curve's parameter that do not coincide with the second."""
    cuts = np.unique(np.concatenate([first.cuts, np.clip(ends, first.curve.t0, first.curve.t1)]))
    low, high = cuts[:-1], cuts[1:]
    along = np.ones(len(low), dtype=bool)
    for share in (0.23, 0.5, 0.71):
        points = first.curve.point(low + share * (high - low))
        along &= second.nearest(points)[1] <= resolution.same_place
    return np.column_stack([low, high])[~along]


def _search(
    first: FlatCurve, second: FlatCurve, stretches: FloatArray, resolution: Resolution
) -> tuple[Meetings, FloatArray]:
    """Halve pairs of pieces that may meet, until they cross like straight lines or are too short to decide.

    Returns the crossings, and the first curve's parameters of pairs too short to decide.
    """
    pieces = np.column_stack([second.cuts[:-1], second.cuts[1:]])
    a, b = np.repeat(stretches, len(pieces), axis=0), np.tile(pieces, (len(stretches), 1))
    crossings, contacts = [_NOWHERE], [np.empty(0)]
    while len(a):
        near, crossing, short = _compare(first.curve, second.curve, a, b, resolution)
        met = _cross(first.curve, second.curve, a[near & crossing], b[near & crossing], resolution)
        clear = sine(first.curve.tangent(met.first), second.curve.tangent(met.second)) > resolution.least_angle
        crossings.append(Meetings(met.first[clear], met.second[clear]))
        contacts += [met.first[~clear], a[near & ~crossing & short].mean(axis=1)]
        open_pairs = near & ~crossing & ~short
        a, b = _halves(a[open_pairs], b[open_pairs])
        if len(a) > _MOST_PAIRS:
            break
    return _join(crossings), np.concatenate(contacts)


def _compare(
    first: PlaneCurve, second: PlaneCurve, a: FloatArray, b: FloatArray, resolution: Resolution
) -> tuple[BoolArray, BoolArray, BoolArray]:
    """Which pairs of pieces may meet, which cross like straight lines, and which are too short to decide."""
    start_a, chord_a, fat_a, turn_a = chords(first, a[:, 0], a[:, 1])
    start_b, chord_b, fat_b, turn_b = chords(second, b[:, 0], b[:, 1])
    fat_a, fat_b = fat_a + resolution.rounding, fat_b + resolution.rounding
    (low_a, high_a), (low_b, high_b) = boxes(start_a, chord_a, fat_a), boxes(start_b, chord_b, fat_b)
    near = np.all((low_a <= high_b) & (low_b <= high_a), axis=1)
    # pairs are apart if one piece lies entirely on one side of the other's strip
    length_a, length_b = np.linalg.norm(chord_a, axis=1), np.linalg.norm(chord_b, axis=1)
    offset = start_b - start_a
    for chord, length, other, origin in ((chord_a, length_a, chord_b, offset), (chord_b, length_b, chord_a, -offset)):
        begin = cross(chord, origin) / length
        end = begin + cross(chord, other) / length
        near &= (np.minimum(begin, end) <= fat_a + fat_b) & (np.maximum(begin, end) >= -fat_a - fat_b)
    crossing = sine(chord_a, chord_b) > np.sin(np.minimum(2 * (turn_a + turn_b), 1.5)) + resolution.least_angle
    short = np.maximum(length_a, length_b) <= resolution.contact
    return near, crossing, short


def _cross(first: PlaneCurve, second: PlaneCurve, a: FloatArray, b: FloatArray, resolution: Resolution) -> Meetings:
    """The point where pieces of different directions cross, if they do, by Newton's method."""
    s, t = a.mean(axis=1), b.mean(axis=1)
    for _ in range(12):
        gap = second.point(t) - first.point(s)
        u, v = first.tangent(s), second.tangent(t)
        area = cross(u, v)
        parallel = np.abs(area) <= 1e-14 * np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1)
        area = np.where(parallel, np.inf, area)
        s = _clip_near(s + cross(gap, v) / area, a, first)
        t = _clip_near(t + cross(gap, u) / area, b, second)
    met = ~parallel & (np.linalg.norm(second.point(t) - first.point(s), axis=1) <= 10 * resolution.rounding)
    return Meetings(s[met], t[met])


def _clip_near(t: FloatArray, piece: FloatArray, curve: PlaneCurve) -> FloatArray:
    """Clip parameters to slightly enlarged pieces; neighbouring pieces find crossings farther away."""
    margin = 0.05 * (piece[:, 1] - piece[:, 0])
    return np.clip(t, np.maximum(piece[:, 0] - margin, curve.t0), np.minimum(piece[:, 1] + margin, curve.t1))


def _halves(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """All four pairs of halves of the pieces ``(n, 2)``."""
    (a_low, a_high), (b_low, b_high) = (
        (np.column_stack([piece[:, 0], middle]), np.column_stack([middle, piece[:, 1]]))
        for piece, middle in ((a, a.mean(axis=1)), (b, b.mean(axis=1)))
    )
    return np.concatenate([a_low, a_low, a_high, a_high]), np.concatenate([b_low, b_high, b_low, b_high])
