"""The boundary of a union, intersection or difference in the plane, from the edges of its two operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.crossings import Resolution, meetings
from fspielm.geometry.curves import PlaneCurve
from fspielm.geometry.flat import FlatCurve, cross, dot

Membership = Callable[[FloatArray], BoolArray]

# Where along a piece its sides are looked at; two of the three decide.
_LOOKS = np.array([0.27, 0.5, 0.81])
# Share of a piece over which its direction at a vertex is taken: curvature tells apart what touches there.
_GLANCE = 1e-3


class Piece(NamedTuple):
    """A piece of the result's boundary, and the edge it was cut from: that of which operand, and which of its edges."""

    operand: int
    edge: int
    curve: PlaneCurve


def overlay(
    operands: tuple[Sequence[PlaneCurve], Sequence[PlaneCurve]],
    inside: Membership,
    inside_first: Membership,
    resolution: Resolution,
) -> list[Piece]:
    """The pieces of two boundaries that bound the combination of their regions, in closed loops.

    The curves are cut where they meet. A piece belongs to the result's boundary if exactly one of its sides does to
    the result, which then is its left. Where pieces of both operands coincide, that of the first is taken.

    Parameters
    ----------
    operands : two sequences of PlaneCurve
        The edges of the first and of the second operand.
    inside, inside_first : callable
        Membership of the result and of the first operand, for points that lie on no boundary.
    resolution : Resolution

    Returns
    -------
    list of Piece
        Loop by loop; each piece begins where the one before it ends. Empty where the result is.
    """
    kept: list[Piece] = []
    for operand, (curves, cuts) in enumerate(zip(operands, cuts_between(operands, resolution), strict=True)):
        pieces = [
            Piece(operand, edge, curve.clip(low, high))
            for edge, (curve, parameters) in enumerate(zip(curves, cuts, strict=True))
            for low, high in pairwise(separated(curve, parameters, resolution))
        ]
        left, right = _sides(pieces, inside, resolution.step)
        bounding = left != right
        if operand == 1:
            bounding &= np.equal(*_sides(pieces, inside_first, resolution.step))
        kept += _joined(pieces, curves, bounding, right)
    return in_loops(kept, resolution)


def cuts_between(
    operands: tuple[Sequence[PlaneCurve], Sequence[PlaneCurve]], resolution: Resolution
) -> tuple[list[list[float]], list[list[float]]]:
    """For each curve of both operands, the parameters at which it meets curves of the other."""
    first, second = ([FlatCurve(curve) for curve in curves] for curves in operands)
    cuts: tuple[list[list[float]], list[list[float]]] = ([[] for _ in first], [[] for _ in second])
    lower, upper = (np.array([curve.box[side] for curve in second]) for side in (0, 1))
    for i, one in enumerate(first):
        reach = resolution.same_place
        near = np.all((lower <= one.box[1] + reach) & (upper >= one.box[0] - reach), axis=1)
        for j in np.flatnonzero(near):
            met = meetings(one, second[j], resolution)
            cuts[0][i].extend(met.first)
            cuts[1][j].extend(met.second)
    return cuts


def separated(curve: PlaneCurve, cuts: list[float], resolution: Resolution) -> list[float]:
    """Ascending parameters from end to end, without those that differ by too little to look between them."""
    ascending = sorted(cuts)
    points = curve.point(np.array([curve.t0, *ascending, curve.t1]))
    kept, last = [curve.t0], points[0]
    for t, point in zip(ascending, points[1:-1], strict=True):
        if min(np.linalg.norm(point - last), np.linalg.norm(point - points[-1])) > 4 * resolution.step:
            kept.append(float(t))
            last = point
    return [*kept, curve.t1]


def _sides(pieces: list[Piece], inside: Membership, step: float) -> tuple[BoolArray, BoolArray]:
    """Whether the left and the right side of each piece lie inside."""
    left, right = (majority(inside, side) for side in looks_beside([curve for _, _, curve in pieces], step))
    return left, right


def looks_beside(curves: Sequence[PlaneCurve], step: float) -> tuple[FloatArray, FloatArray]:
    """Places a step to the left and to the right of each curve, some in a row for each."""
    looks = [(curve, curve.t0 + (curve.t1 - curve.t0) * _LOOKS) for curve in curves]
    points = np.concatenate([curve.point(t) for curve, t in looks])
    aside = step * np.concatenate([curve.normals(t) for curve, t in looks])
    return points - aside, points + aside


def majority(inside: Membership, looks: FloatArray) -> BoolArray:
    """Whether most of the places beside each curve lie inside."""
    found: BoolArray = inside(looks).reshape(-1, len(_LOOKS)).sum(axis=1) >= 2
    return found


def _joined(pieces: list[Piece], curves: Sequence[PlaneCurve], bounding: BoolArray, reverse: BoolArray) -> list[Piece]:
    """The bounding pieces, neighbours on an edge joined again, with the interior on their left."""
    joined = []
    for (edge, kept, backwards), run in groupby(
        zip(pieces, bounding.tolist(), reverse.tolist(), strict=True), key=lambda item: (item[0].edge, *item[1:])
    ):
        members = [piece for piece, _, _ in run]
        if kept:
            curve = curves[edge].clip(members[0].curve.t0, members[-1].curve.t1)
            joined.append(members[0]._replace(curve=curve.reversed() if backwards else curve))
    return joined


def in_loops(pieces: list[Piece], resolution: Resolution) -> list[Piece]:
    """The pieces in the order in which each begins where the one before it ends."""
    if not pieces:
        return []
    starts = np.concatenate([p.curve.point(np.array([p.curve.t0])) for p in pieces])
    ends = np.concatenate([p.curve.point(np.array([p.curve.t1])) for p in pieces])
    leaving = np.concatenate([_glance(p.curve, p.curve.t0, _GLANCE) for p in pieces])
    coming_from = np.concatenate([_glance(p.curve, p.curve.t1, -_GLANCE) for p in pieces])
    near = 5 * resolution.step
    # A loop does not begin where others touch it: it may come by more than once.
    alone = np.array([np.sum(np.linalg.norm(starts - start, axis=1) <= near) == 1 for start in starts])
    free = np.ones(len(pieces), dtype=bool)
    ordered: list[Piece] = []
    while free.any():
        loop: list[Piece] = []
        begin = current = int(np.argmax(free & alone if np.any(free & alone) else free))
        while True:
            loop.append(pieces[current])
            free[current] = current == begin  # which may yet be reached again: that closes the loop
            next_ones = np.flatnonzero(free & (np.linalg.norm(starts - ends[current], axis=1) <= near))
            if not next_ones.size:
                x, y = ends[current]
                raise ProblemError(
                    f"the boundary of the combination does not close near ({x:.6g}, {y:.6g}), where its operands "
                    "almost touch; move or resize one of them by a little"
                )
            # Where loops touch, the one with the narrowest interior between the two pieces: no piece lies in there.
            angles = _turn(leaving[next_ones], coming_from[current])
            current = int(next_ones[np.argmin(angles)])
            if current == begin:
                free[begin] = False
                break
        ordered += _rotated(loop)
    return ordered


def _rotated(loop: list[Piece]) -> list[Piece]:
    """The loop from a piece on whose edge is not that of the piece before: what is one edge stays together."""
    for i, piece in enumerate(loop):
        if piece[:2] != loop[i - 1][:2]:
            return loop[i:] + loop[:i]
    return loop


def _glance(curve: PlaneCurve, t: float, share: float) -> FloatArray:
    """The direction from an end of a curve along it, ``(1, 2)``."""
    ends = curve.point(np.array([t, t + share * (curve.t1 - curve.t0)]))
    return np.diff(ends, axis=0)


def _turn(start: FloatArray, end: FloatArray) -> FloatArray:
    """Angles from the directions `start` counterclockwise to `end`, between 0 and a full turn."""
    return np.asarray(np.arctan2(cross(start, end), dot(start, end)) % (2 * np.pi), dtype=np.float64)
