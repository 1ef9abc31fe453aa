"""Where plane curves meet each other or themselves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, IndexArray
from fspielm.geometry.curves import MOST_PIECES, FlatCurve, Pieces, PlaneCurve, boxes, chords, cross, dot, sine
from fspielm.numerics.tolerances import SAME

# ---- Closed curves that meet themselves

_MOST_TESTS = 4_000_000  # more tests mean that the curve runs along itself


class _Pairs(NamedTuple):
    """Pairs of pieces that may meet: curves, parameters, bounds of the distance from a cubic, each ``(2, n)``."""

    curve: NDArray[np.intp]
    t0: FloatArray
    t1: FloatArray
    doubt: FloatArray

    def select(self, index: NDArray[np.intp] | BoolArray | slice) -> _Pairs:
        return _Pairs(self.curve[:, index], self.t0[:, index], self.t1[:, index], self.doubt[:, index])


def find_crossing(
    curves: Sequence[PlaneCurve], pieces: Pieces, size: float, noise: float
) -> tuple[tuple[int, float], tuple[int, float]] | None:
    """Find a place where a closed loop of curves meets itself, as two (curve, parameter) pairs.

    Pieces are halved until they are apart or shorter than a billionth of the `size` of the whole; `noise` is the
    rounding error of points. The pieces follow one another along the loop.
    """
    reach = (pieces.bulge + 4 * noise)[:, None]
    k = overlapping_boxes(np.minimum(pieces.start, pieces.end) - reach, np.maximum(pieces.start, pieces.end) + reach)
    # neighbours on one smooth curve meet only once
    k = k[:, (k[1] != k[0] + 1) | (pieces.curve[k[0]] != pieces.curve[k[1]])]
    stack = [_Pairs(pieces.curve[k], pieces.t0[k], pieces.t1[k], pieces.doubt[k])]
    tests = 0
    while stack:
        pairs = stack.pop()
        if pairs.t0.shape[1] > MOST_PIECES:
            stack.append(pairs.select(slice(MOST_PIECES, None)))
            pairs = pairs.select(slice(0, MOST_PIECES))
        tests += pairs.t0.shape[1]
        meeting, length = _may_meet(curves, pairs, noise)
        pairs, length = pairs.select(meeting), length[:, meeting]
        short = np.all(length <= max(SAME * size, 64 * noise), axis=0)
        meet = np.flatnonzero(short & ~_are_joined(curves, pairs))
        if len(meet) or (tests > _MOST_TESTS and meeting.any()):
            at = meet[0] if len(meet) else 0
            middle = 0.5 * (pairs.t0 + pairs.t1)[:, at]
            return (int(pairs.curve[0, at]), float(middle[0])), (int(pairs.curve[1, at]), float(middle[1]))
        if not np.all(short):
            curve, t0, t1, doubt = pairs.select(~short)
            # the error of a cubic falls with the fourth power
            stack.append(_Pairs(np.tile(curve, 4), *_halved(t0, t1), np.tile(doubt / 16, 4)))
    return None


def _are_joined(curves: Sequence[PlaneCurve], pairs: _Pairs) -> BoolArray:
    """Whether the second piece begins where the first ends, or the other way round."""
    first, last = np.array([[curve.t0, curve.t1] for curve in curves]).T
    joined = np.zeros(pairs.t0.shape[1], dtype=np.bool_)
    for before, after in ((0, 1), (1, 0)):
        (one, other), end, start = pairs.curve[[before, after]], pairs.t1[before], pairs.t0[after]
        joined |= (other == (one + 1) % len(curves)) & (end == last[one]) & (start == first[other])
    return joined


def _halved(t0: FloatArray, t1: FloatArray) -> tuple[FloatArray, FloatArray]:
    """All four pairs ``(2, 4 n)`` of halves of pairs of pieces, by their parameters ``(2, n)``."""

    def of_both(first: FloatArray, second: FloatArray) -> FloatArray:
        halves = first, second
        return np.concatenate([[halves[i][0], halves[j][1]] for i in (0, 1) for j in (0, 1)], axis=1)

    middle = 0.5 * (t0 + t1)
    return of_both(t0, middle), of_both(middle, t1)


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
        forward = dot(chord, tangent)
        slope = np.divide(np.abs(cross(chord, tangent)), forward, out=np.full_like(forward, np.inf), where=forward > 0)
        steepest = np.maximum(steepest, slope)
    # pieces are graphs over their chords, except very short ones, by noise
    bulge = np.minimum(0.5 * length * steepest + pairs.doubt, length) + 4 * noise
    return _are_near(start, chord, length, bulge), length


def _are_near(start: FloatArray, chord: FloatArray, length: FloatArray, fat: FloatArray) -> BoolArray:
    """Which pairs of pieces ``(2, n)`` within distances `fat` of their chords may meet, by boxes and by strips."""
    low, high = boxes(start, chord, fat)
    near: BoolArray = np.all((low[0] <= high[1]) & (low[1] <= high[0]), axis=1)
    room = fat[0] + fat[1]
    for one, other in ((0, 1), (1, 0)):
        # pairs are apart if one piece lies entirely on one side of the other's strip
        begin = cross(chord[one], start[other] - start[one]) / length[one]
        end = begin + cross(chord[one], chord[other]) / length[one]
        near &= (np.minimum(begin, end) <= room) & (np.maximum(begin, end) >= -room)
    return near


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


def signed_area(ring: FloatArray) -> float:
    """The area of a closed polygon ``(m, 2)``, negative if it runs clockwise."""
    x, y = (ring - ring.mean(axis=0)).T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


# ---- Where two plane curves meet


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
        t0, t1 = np.stack([first.cuts, second.cuts], axis=1)[:, :, None]
        return _join([ends, _cross(first.curve, second.curve, t0, t1, resolution)])
    stretches = _separate_stretches(first, second, ends.first, resolution)
    crossings, contacts = _search(first, second, stretches, resolution)
    exact = _join([ends, crossings])
    touching = _distinct_contacts(first.curve, contacts, exact.first, 30 * resolution.contact)
    return _join([exact, Meetings(touching, second.nearest(first.curve.point(touching))[0])])


def meets_any(curve: PlaneCurve, others: Sequence[PlaneCurve], close: float = 0.0) -> bool:
    """Whether a curve crosses, touches or ends on any of the others, up to a distance `close` relative to all."""
    one, flat = FlatCurve(curve), [FlatCurve(other) for other in others]
    lower, upper = (np.array([each.box[side] for each in [one, *flat]]) for side in (0, 1))
    resolution = Resolution.of(lower.min(axis=0), upper.max(axis=0))
    resolution = replace(resolution, rounding=max(resolution.rounding, close * resolution.extent))
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
    cuts = second.cuts
    t0, t1 = (
        np.stack([np.repeat(own, len(cuts) - 1), np.tile(other, len(stretches))])
        for own, other in zip(stretches.T, (cuts[:-1], cuts[1:]), strict=True)
    )
    crossings, contacts = [_NOWHERE], [np.empty(0)]
    while t0.size:
        near, crossing, short = _compare(first.curve, second.curve, t0, t1, resolution)
        straight = near & crossing
        met = _cross(first.curve, second.curve, t0[:, straight], t1[:, straight], resolution)
        clear = sine(first.curve.tangent(met.first), second.curve.tangent(met.second)) > resolution.least_angle
        crossings.append(Meetings(met.first[clear], met.second[clear]))
        undecided = near & ~crossing & short
        contacts += [met.first[~clear], 0.5 * (t0 + t1)[0, undecided]]
        open_pairs = near & ~crossing & ~short
        t0, t1 = _halved(t0[:, open_pairs], t1[:, open_pairs])
        if t0.shape[1] > MOST_PIECES:  # curves that nearly coincide over a long stretch are not resolved completely
            break
    return _join(crossings), np.concatenate(contacts)


def _compare(
    first: PlaneCurve, second: PlaneCurve, t0: FloatArray, t1: FloatArray, resolution: Resolution
) -> tuple[BoolArray, BoolArray, BoolArray]:
    """Which pairs of pieces may meet, which cross like straight lines, and which are too short to decide."""
    both = [chords(curve, *ends) for curve, *ends in zip((first, second), t0, t1, strict=True)]
    start, chord, fat, turn = (np.stack(each) for each in zip(*both, strict=True))
    length = np.linalg.norm(chord, axis=2)
    near = _are_near(start, chord, length, fat + resolution.rounding)
    crossing = sine(*chord) > np.sin(np.minimum(2 * (turn[0] + turn[1]), 1.5)) + resolution.least_angle
    return near, crossing, length.max(axis=0) <= resolution.contact


def _cross(first: PlaneCurve, second: PlaneCurve, t0: FloatArray, t1: FloatArray, resolution: Resolution) -> Meetings:
    """The point where pieces of different directions cross, if they do, by Newton's method."""
    # slightly enlarged pieces; neighbouring pieces find crossings farther away
    margin = 0.05 * (t1 - t0)
    ends = np.array([[curve.t0, curve.t1] for curve in (first, second)])
    low, high = np.maximum(t0 - margin, ends[:, :1]), np.minimum(t1 + margin, ends[:, 1:])
    s, t = 0.5 * (t0 + t1)
    for _ in range(12):
        gap = second.point(t) - first.point(s)
        u, v = first.tangent(s), second.tangent(t)
        area = cross(u, v)
        parallel = np.abs(area) <= 1e-14 * np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1)
        area = np.where(parallel, np.inf, area)
        s, t = np.clip([s + cross(gap, v) / area, t + cross(gap, u) / area], low, high)
    met = ~parallel & (np.linalg.norm(second.point(t) - first.point(s), axis=1) <= 10 * resolution.rounding)
    return Meetings(s[met], t[met])
