"""How closed shapes lie to each other: apart, or one in another, without touching."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.curves import PlaneCurve
from fspielm.geometry.domain import Domain

Lie: TypeAlias = Literal["apart", "within", "around", "across"]

# What is closer, in units of the extent of a shape, touches.
TOUCHING = 1e-9
# Points on each curve at first, and how often their distances are looked at again, closer by.
_LOOKS = 48
_CLOSER = 24
# Steps to either side of the closest points, each time.
_BESIDE = 4


def lie(one: Domain, other: Domain, rims: tuple[FloatArray, FloatArray]) -> Lie:
    """How a shape lies to another one, as far as points on both of them tell; "across" where they overlap."""
    here, there = other.contains(rims[0]), one.contains(rims[1])
    if not here.any() and not there.any():
        return "apart"
    if here.all() and not there.any():
        return "within"
    return "around" if there.all() and not here.any() else "across"


def objects_around(shapes: Sequence[Domain], find: Callable[[Domain, Domain], Lie], remedy: str) -> tuple[int, ...]:
    """For each of several shapes the place of the smallest one that it lies in; -1 of those in none.

    How two of them lie is what `find` says, where their boxes meet.

    Raises
    ------
    ProblemError
        If two overlap or touch.
    """
    outer: list[list[int]] = [[] for _ in shapes]
    for (i, one), (j, other) in combinations(enumerate(shapes), 2):
        (a, b), (c, d) = one.bounding_box, other.bounding_box
        hair = TOUCHING * float(np.max([b - a, d - c]))
        how = "apart" if np.any(b < c - hair) or np.any(d < a - hair) else find(one, other)
        if how == "across":
            raise ProblemError(f"Exterior: {one!r} and {other!r} overlap or touch; {remedy}")
        if how == "within":
            outer[i].append(j)
        elif how == "around":
            outer[j].append(i)
    return tuple(min(own, key=lambda place: shapes[place].measure, default=-1) for own in outer)


def curves_touch(one: Sequence[PlaneCurve], other: Sequence[PlaneCurve], nothing: float) -> bool:
    """Whether curves come as close as `nothing`: from the closest of many points on, by ever closer looks."""
    return any(_least_distance(a, b, nothing) <= nothing for a in one for b in other)


def _least_distance(one: PlaneCurve, other: PlaneCurve, nothing: float) -> float:
    s, t = (np.linspace(curve.t0, curve.t1, _LOOKS) for curve in (one, other))
    widths = s[1] - s[0], t[1] - t[0]
    first, second = one.point(s), other.point(t)
    best, i, j = _closest(first, second)
    reach = sum(float(np.hypot(*np.diff(points, axis=0).T).max()) for points in (first, second))
    if best > reach + nothing:  # no closer between these points
        return best
    at = s[i], t[j]
    steps = np.arange(-_BESIDE, _BESIDE + 1) / _BESIDE
    for _ in range(_CLOSER):
        s, t = (
            np.clip(middle + width * steps, curve.t0, curve.t1)
            for middle, width, curve in zip(at, widths, (one, other), strict=True)
        )
        best, i, j = _closest(one.point(s), other.point(t))
        at, widths = (s[i], t[j]), (0.5 * widths[0], 0.5 * widths[1])
    return best


def _closest(first: FloatArray, second: FloatArray) -> tuple[float, int, int]:
    distances = np.hypot(*(first[:, None] - second[None]).transpose(2, 0, 1))
    i, j = np.unravel_index(int(np.argmin(distances)), distances.shape)
    return float(distances[i, j]), int(i), int(j)
