"""Where two pieces of plane curves meet: crossings to rounding, contacts, and ends of one that lie on the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.geometry.curves import PlaneCurve
from fspielm.geometry.flat import FlatCurve, boxes, chords, cross, sine

# Pairs of pieces that may be open at a time: curves that run along each other for long are not cut to the end.
_MOST_PAIRS = 20_000


@final
@dataclass(frozen=True)
class Resolution:
    """What can be told apart in a figure of a certain extent, whose points are rounded by a certain length."""

    extent: float
    rounding: float

    @classmethod
    def of(cls, lower: FloatArray, upper: FloatArray) -> Resolution:
        """The resolution of a figure within a box."""
        extent, magnitude = float(np.max(upper - lower)), float(np.max(np.abs([lower, upper])))
        return cls(extent, max(1e-14 * extent, 4e-15 * magnitude))

    @property
    def same_place(self) -> float:
        """Distance of points that are meant to be one: far above rounding, far below what anyone draws."""
        return max(1e-11 * self.extent, 10 * self.rounding)

    @property
    def step(self) -> float:
        """How far to step off a boundary to see what lies there: across a gap that rounding left, no further."""
        return max(2e-10 * self.extent, 100 * self.rounding)

    @property
    def least_angle(self) -> float:
        """Angle (radians) below which curves touch rather than cross.

        The distance of curves that touch grows with the square of the way from there, their angle with the way.
        """
        return 10 * math.sqrt(self.rounding / self.extent)

    @property
    def contact(self) -> float:
        """Length up to which the distance of touching curves drowns in rounding."""
        return 0.03 * self.least_angle * self.extent


class Meetings(NamedTuple):
    """Parameters, on the first and on the second curve, of the places where two curves meet."""

    first: FloatArray
    second: FloatArray


_NOWHERE = Meetings(np.empty(0), np.empty(0))


def meetings(first: FlatCurve, second: FlatCurve, resolution: Resolution) -> Meetings:
    """Where two curves cross, touch, or have an end on each other; the ends of stretches where they coincide.

    Curves that share a stretch are taken to share all of it, up to an end of one of them, as analytic curves do.

    Parameters
    ----------
    first, second : FlatCurve
    resolution : Resolution
        What can be told apart in the figure they belong to.

    Returns
    -------
    Meetings
        A place may be listed more than once, to rounding.
    """
    if not first.near(second, resolution.same_place):
        return _NOWHERE
    ends = _ends_on(first, second, resolution.same_place)
    if first.curve.straight and second.curve.straight:
        return _join([ends, _cross(first.curve, second.curve, first.cuts[None], second.cuts[None], resolution)])
    crossings, contacts = _search(first, second, _apart(first, second, ends.first, resolution), resolution)
    exact = _join([ends, crossings])
    touching = _thin(first.curve, contacts, exact.first, 30 * resolution.contact)
    return _join([exact, Meetings(touching, second.nearest(first.curve.point(touching))[0])])


def meets_any(curve: PlaneCurve, others: Sequence[PlaneCurve]) -> bool:
    """Whether a curve crosses, touches or ends on any of the others, however thin the figure they bound."""
    one, flat = FlatCurve(curve), [FlatCurve(other) for other in others]
    lower, upper = (np.array([each.box[side] for each in [one, *flat]]) for side in (0, 1))
    resolution = Resolution.of(lower.min(axis=0), upper.max(axis=0))
    reach = resolution.same_place
    near = np.all((lower[1:] <= upper[0] + reach) & (upper[1:] >= lower[0] - reach), axis=1)
    return any(len(meetings(one, flat[i], resolution).first) for i in np.flatnonzero(near))


def _join(several: list[Meetings]) -> Meetings:
    return Meetings(*(np.concatenate(each) for each in zip(*several, strict=True)))


def _thin(curve: PlaneCurve, contacts: FloatArray, known: FloatArray, near: float) -> FloatArray:
    """One of the many short pairs around each contact, and none where the place is known better."""
    points, places = curve.point(contacts), list(curve.point(known))
    kept = []
    for index, point in enumerate(points):
        if all(np.linalg.norm(point - place) > near for place in places):
            kept.append(index)
            places.append(point)
    return contacts[kept]


def _ends_on(first: FlatCurve, second: FlatCurve, near: float) -> Meetings:
    on_first, gap_first = first.nearest(_end_points(second.curve))
    on_second, gap_second = second.nearest(_end_points(first.curve))
    a, b = gap_first <= near, gap_second <= near
    return Meetings(
        np.concatenate([on_first[a], np.array([first.curve.t0, first.curve.t1])[b]]),
        np.concatenate([np.array([second.curve.t0, second.curve.t1])[a], on_second[b]]),
    )


def _end_points(curve: PlaneCurve) -> FloatArray:
    return curve.point(np.array([curve.t0, curve.t1]))


def _apart(first: FlatCurve, second: FlatCurve, ends: FloatArray, resolution: Resolution) -> FloatArray:
    """Stretches ``(n, 2)`` of the first curve's parameter that do not run along the second."""
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
    """Halve pairs of pieces that may meet, until they cross like straight lines or are too short to tell.

    Returns the crossings, and of the pairs too short to tell the first curve's parameters.
    """
    pieces = np.column_stack([second.cuts[:-1], second.cuts[1:]])
    a = np.repeat(stretches, len(pieces), axis=0)
    b = np.tile(pieces, (len(stretches), 1))
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
    """Which pairs of pieces may meet, which would cross like straight lines, and which are too short to tell."""
    start_a, chord_a, fat_a, turn_a = chords(first, a[:, 0], a[:, 1])
    start_b, chord_b, fat_b, turn_b = chords(second, b[:, 0], b[:, 1])
    fat_a, fat_b = fat_a + resolution.rounding, fat_b + resolution.rounding
    (low_a, high_a), (low_b, high_b) = boxes(start_a, chord_a, fat_a), boxes(start_b, chord_b, fat_b)
    near = np.all((low_a <= high_b) & (low_b <= high_a), axis=1)
    # beside each other: every point of one piece on the same side of the other's strip
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
    """The one point where pieces of different directions cross, by Newton's method; none where they end before."""
    s, t = a.mean(axis=1), b.mean(axis=1)
    for _ in range(12):
        gap = second.point(t) - first.point(s)
        u, v = first.tangent(s), second.tangent(t)
        area = cross(u, v)
        parallel = np.abs(area) <= 1e-14 * np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1)
        area = np.where(parallel, np.inf, area)
        s = _stay(s + cross(gap, v) / area, a, first)
        t = _stay(t + cross(gap, u) / area, b, second)
    met = ~parallel & (np.linalg.norm(second.point(t) - first.point(s), axis=1) <= 10 * resolution.rounding)
    return Meetings(s[met], t[met])


def _stay(t: FloatArray, piece: FloatArray, curve: PlaneCurve) -> FloatArray:
    """Keep parameters near their pieces: a crossing a little beyond one is found by its neighbour, too."""
    margin = 0.05 * (piece[:, 1] - piece[:, 0])
    return np.clip(t, np.maximum(piece[:, 0] - margin, curve.t0), np.minimum(piece[:, 1] + margin, curve.t1))


def _halves(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    (a_low, a_high), (b_low, b_high) = _halve(a), _halve(b)
    return np.concatenate([a_low, a_low, a_high, a_high]), np.concatenate([b_low, b_high, b_low, b_high])


def _halve(piece: FloatArray) -> tuple[FloatArray, FloatArray]:
    middle = piece.mean(axis=1)
    return np.column_stack([piece[:, 0], middle]), np.column_stack([middle, piece[:, 1]])
