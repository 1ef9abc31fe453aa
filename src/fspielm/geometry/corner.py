"""Corners of plane boundaries: where they are, how far they open, and between which parts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.geometry.curves import PlaneCurve

_TURN = 2 * math.pi
_SMOOTH = 1e-6  # a change of direction, in radians, that counts as none


@final
@dataclass(frozen=True)
class Corner:
    """A corner of a plane domain.

    Attributes
    ----------
    point : (float, float)
    opening : float
        The interior angle in radians, between 0 and 2 pi; a re-entrant corner opens by more than pi.
    start : float
        Direction, in radians from the x axis, of the boundary that leaves the corner. The interior is swept
        counterclockwise from there by `opening`.
    parts : (str, str)
        Names of the boundary parts at the angles `start` and ``start + opening``.
    straight : bool
        Whether both are straight where they meet.
    """

    point: tuple[float, float]
    opening: float
    start: float
    parts: tuple[str, str]
    straight: bool = True


def corners_of(
    curves: Sequence[PlaneCurve], names: Sequence[str], loops: Sequence[Sequence[int]]
) -> tuple[Corner, ...]:
    """The corners of closed loops of curves with the interior on their left; smooth joints are none."""
    return tuple(
        corner
        for loop in loops
        for before, after in zip([loop[-1], *loop[:-1]], loop, strict=True)
        for corner in _corner(curves[before], curves[after], (names[after], names[before]))
    )


def _corner(before: PlaneCurve, after: PlaneCurve, parts: tuple[str, str]) -> Iterator[Corner]:
    """The corner from which `after` leaves where `before` arrives, if there is one."""
    x, y = after.tangent(np.array([after.t0]))[0]
    back_x, back_y = -before.tangent(np.array([before.t1]))[0]
    start = math.atan2(y, x)
    opening = (math.atan2(back_y, back_x) - start) % _TURN
    if min(opening, _TURN - opening) < _SMOOTH:
        opening = _cusp(before, after)
    if abs(opening - math.pi) > _SMOOTH:
        px, py = after.ends[0]
        yield Corner((float(px), float(py)), opening, start, parts, before.straight and after.straight)


def _cusp(before: PlaneCurve, after: PlaneCurve) -> float:
    """The opening where both curves leave in one direction: all or nothing, told by where they are a step on."""
    step = 1e-3 * min(before.length, after.length)
    ahead = after.point(after.parameter(np.array([step / after.length])))[0] - after.ends[0]
    back = before.point(before.parameter(np.array([1 - step / before.length])))[0] - before.ends[1]
    return 0.0 if (math.atan2(back[1], back[0]) - math.atan2(ahead[1], ahead[0])) % _TURN < math.pi else _TURN
