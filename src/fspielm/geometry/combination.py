"""Union, intersection and difference of domains."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, pairwise
from typing import Literal, NamedTuple, TypeAlias, final, get_args

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, SideArray
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import BoundaryPart, Mask, Quadrature, Sites, gauss, tell_apart
from fspielm.geometry.crossings import Resolution, meetings
from fspielm.geometry.curves import Edge, FlatCurve, PlaneCurve, cross, dot
from fspielm.geometry.domain import Domain, Spans, default_axes, rounding_slack
from fspielm.geometry.plane import PlaneShape, edges_of
from fspielm.geometry.shapes.box import Box
from fspielm.numerics.sampling import bisect, kronecker

# ---- Integrals over regions of the unit cube that are known by membership only

Membership: TypeAlias = Callable[[FloatArray], BoolArray]
Values: TypeAlias = Callable[[FloatArray], FloatArray]

_STEPS = 64
_BISECTIONS = 20
# Lines begin and end a hair inside the cube: its faces are where regions are cut off, and membership is in doubt.
_HAIR = 1e-5
# Along a line, which may lead once around, and on a panel of lines' feet.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)
_FEET, _FOOT_WEIGHTS = np.polynomial.legendre.leggauss(4)
_PANELS = 16
# Not in the middle: a jump there would look the same from the whole panel and from its two parts.
_CUT = 0.41
_MOST_CUTS = 16
_MOST_LINES = 4096
_AIM = 1e-6


def inside_share(inside: Membership, dimension: int) -> float:
    """The share of the unit cube that lies in a region; exactly 0 or 1 where no line leaves or enters it.

    See `inside_integrals`.
    """
    share = float(inside_integrals(inside, lambda points: np.ones(len(points)), dimension)[0])
    # rounding of the weights must not make a whole of 1 less than that
    return round(share) if abs(share - round(share)) < 1e-12 else share


def inside_integrals(inside: Membership, values: Values, dimension: int) -> FloatArray:
    """Integrals of 1 and of a smooth function over a region of the unit cube, ``(2,)``.

    Parallels to the last axis are cut where they enter and leave the region. In one dimension there is but one; in
    two their feet are chosen adaptively, for an error of about 1e-5; beyond that they are spread evenly, for an error
    of some 1e-3. A gap or a piece of less than a 64th of a line may be stepped over.

    Parameters
    ----------
    inside, values : callable
        Membership and values at points ``(n, dimension)`` of the unit cube.
    dimension : int
        At least one.
    """
    if dimension == 1:
        return np.asarray(_along_lines(inside, values, np.empty((1, 0)))[0])
    if dimension > 2:
        return np.asarray(_along_lines(inside, values, kronecker(_MOST_LINES, dimension - 1)).mean(axis=0))
    ends = np.linspace(0.0, 1.0, _PANELS + 1)
    low, high = ends[:-1], ends[1:]
    whole, total, lines = _over_panels(inside, values, low, high), np.zeros(2), 0
    scale = 1.0 + np.abs(whole).sum(axis=0)
    for _ in range(_MOST_CUTS):
        middle = low + _CUT * (high - low)
        low, high = np.append(low, middle), np.append(middle, high)
        parts = _over_panels(inside, values, low, high)
        lines += len(low) * len(_FEET)
        left, right = np.split(parts, 2)
        rough = np.any(np.abs(left + right - whole) > _AIM * scale, axis=1)
        total += np.sum((left + right)[~rough], axis=0)
        rough = np.tile(rough, 2)
        low, high, whole = low[rough], high[rough], parts[rough]
        if not len(low) or lines > _MOST_LINES:
            break
    return np.asarray(total + whole.sum(axis=0), dtype=np.float64)


def _over_panels(inside: Membership, values: Values, low: FloatArray, high: FloatArray) -> FloatArray:
    """Integrals over panels of the lines' feet, ``(n, 2)``."""
    half = 0.5 * (high - low)
    feet = 0.5 * (low + high)[:, None] + half[:, None] * _FEET
    along = _along_lines(inside, values, feet.reshape(-1, 1)).reshape(*feet.shape, 2)
    return np.asarray(half[:, None] * np.sum(along * _FOOT_WEIGHTS[:, None], axis=1), dtype=np.float64)


def _along_lines(inside: Membership, values: Values, feet: FloatArray) -> FloatArray:
    """Integrals along the parallels to the last axis through `feet` ``(n, dimension - 1)``, ``(n, 2)``."""
    line, low, high = _inside_intervals(inside, feet)
    half = 0.5 * (high - low)
    heights = 0.5 * (low + high)[:, None] + half[:, None] * _NODES
    points = np.column_stack([np.repeat(feet[line], len(_NODES), axis=0), heights.ravel()])
    sums = half * np.sum(values(points).reshape(heights.shape) * _WEIGHTS, axis=1)
    return np.column_stack([np.bincount(line, weights, minlength=len(feet)) for weights in (high - low, sums)])


def _inside_intervals(inside: Membership, feet: FloatArray) -> tuple[NDArray[np.intp], FloatArray, FloatArray]:
    """The intervals of lines that lie inside: the number of the line, where it enters and where it leaves."""
    heights = np.linspace(_HAIR, 1.0 - _HAIR, _STEPS + 1)
    points = np.column_stack([np.repeat(feet, len(heights), axis=0), np.tile(heights, len(feet))])
    held = inside(points).reshape(len(feet), len(heights))
    line, step = np.nonzero(held[:, 1:] != held[:, :-1])
    enters = held[line, step + 1]

    def before(middle: FloatArray) -> BoolArray:
        return np.asarray(inside(np.column_stack([feet[line], middle])) != enters)

    low, _ = bisect(heights[step], heights[step + 1], before, _BISECTIONS)
    # what holds a hair inside holds to the end
    first, last = np.flatnonzero(held[:, 0]), np.flatnonzero(held[:, -1])
    entering, leaving = np.append(first, line[enters]), np.append(line[~enters], last)
    entries, exits = np.append(np.zeros(len(first)), low[enters]), np.append(low[~enters], np.ones(len(last)))
    by_entry, by_exit = np.lexsort((entries, entering)), np.lexsort((exits, leaving))
    return entering[by_entry], entries[by_entry], exits[by_exit]


# ---- The boundary of a combination in the plane

MembershipOverlay = Callable[[FloatArray], BoolArray]

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
    inside: MembershipOverlay,
    inside_first: MembershipOverlay,
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


def _sides(pieces: list[Piece], inside: MembershipOverlay, step: float) -> tuple[BoolArray, BoolArray]:
    """Whether the left and the right side of each piece lie inside."""
    left, right = (majority(inside, side) for side in looks_beside([curve for _, _, curve in pieces], step))
    return left, right


def looks_beside(curves: Sequence[PlaneCurve], step: float) -> tuple[FloatArray, FloatArray]:
    """Places a step to the left and to the right of each curve, some in a row for each."""
    looks = [(curve, curve.t0 + (curve.t1 - curve.t0) * _LOOKS) for curve in curves]
    points = np.concatenate([curve.point(t) for curve, t in looks])
    aside = step * np.concatenate([curve.normals(t) for curve, t in looks])
    return points - aside, points + aside


def majority(inside: MembershipOverlay, looks: FloatArray) -> BoolArray:
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


# ---- Combinations of two domains

Operation = Literal["union", "intersection", "difference"]

_SYMBOLS: dict[Operation, str] = {"union": "|", "intersection": "&", "difference": "-"}
# Beyond its bounding box by this share of the coordinates, far above rounding, nothing belongs to an operand.
_FAR = 1e-9


@dataclass(frozen=True, repr=False)
class Combination(Domain):
    """The union, intersection or difference of two domains of equal dimension: ``a | b``, ``a & b``, ``a - b``.

    Its boundary is made of the pieces of the operands' boundaries that separate it from the outside: what lies within
    the other operand, and faces that both share, vanish. Pieces keep the names of the parts they belong to; where
    both operands have a part of one name, they are told apart as ``"circle (1)"`` and ``"circle (2)"``. (Give a
    shape a `name`, and its parts are ``"hole.circle"``.)

    Attributes
    ----------
    operation : "union", "intersection" or "difference"
    first, second : Domain
    """

    operation: Operation
    first: Domain
    second: Domain

    def __post_init__(self) -> None:
        self._check_operands()
        if self.operation == "intersection" and np.any(np.greater_equal(*self._common_box)):
            raise self._is_empty("their bounding boxes do not overlap")

    def __repr__(self) -> str:
        first, second = (f"({d!r})" if isinstance(d, Combination) else repr(d) for d in (self.first, self.second))
        return f"{first} {_SYMBOLS[self.operation]} {second}"

    def __reduce__(self) -> tuple[type[Combination], tuple[Operation, Domain, Domain]]:
        # What is computed once and kept cannot all be pickled; the statement it comes from can.
        return type(self), (self.operation, self.first, self.second)

    @property
    def dimension(self) -> int:
        """That of both operands."""
        return self.first.dimension

    @property
    def may_be_in_pieces(self) -> bool:
        """Operands may lie apart, or cut each other."""
        return True

    def _check_operands(self) -> None:
        if self.operation not in get_args(Operation):
            raise ProblemError(f"operation must be one of {list(get_args(Operation))}; got {self.operation!r}")
        symbol = _SYMBOLS[self.operation]
        for operand in (self.first, self.second):
            if operand.time is not None:
                raise ProblemError(
                    f"a {symbol} b: combine domains in space, then multiply by Time, as in "
                    f"(a {symbol} b) * Time(0, 1); {operand!r} has its time already"
                )
        if self.first.dimension != self.second.dimension:
            raise ProblemError(
                f"a {symbol} b: both domains must have the same dimension; got {self.first!r} of dimension "
                f"{self.first.dimension} and {self.second!r} of dimension {self.second.dimension}"
            )

    def _is_empty(self, why: str) -> ProblemError:
        return ProblemError(f"{self!r} is empty: {why}")

    def _nothing_left(self) -> ProblemError:
        difference = self.operation == "difference"
        return self._is_empty("the second covers the first" if difference else "they do not overlap")

    def _outside(self) -> ProblemError:
        return ProblemError(f"{self!r}: the second lies outside of the first, and removes nothing; check its place")

    @property
    def _common_box(self) -> tuple[FloatArray, FloatArray]:
        """The box in which both operands may lie; its lower end is not below its upper one where there is none."""
        (a, b), (c, d) = self.first.bounding_box, self.second.bounding_box
        return np.maximum(a, c), np.minimum(b, d)

    @property
    def _whole_box(self) -> tuple[FloatArray, FloatArray]:
        """The box around both operands."""
        (a, b), (c, d) = self.first.bounding_box, self.second.bounding_box
        return np.minimum(a, c), np.maximum(b, d)

    def _inside(self, points: FloatArray) -> BoolArray:
        """Membership of points that lie on neither operand's boundary."""
        first, second = (operand._contains(points, False) for operand in (self.first, self.second))
        if self.operation == "union":
            return first | second
        return first & (second if self.operation == "intersection" else ~second)

    def _contains(self, points: FloatArray, closed: bool) -> BoolArray:
        side = self._side(points)
        return side >= 0 if closed else side > 0

    def _side(self, points: FloatArray) -> SideArray:
        # From the innermost operand outward, without recursion: what a shape less many holes is made of is passed over
        # once, and each hole is asked about the few points near to it; not at all where there are none.
        first, chain = self._unfolded
        columns = np.ascontiguousarray(points.T)
        side = np.full(len(points), -1, dtype=np.int8)
        within = np.flatnonzero(_near(first, columns))
        side[within] = first._side(points[within])
        lower, upper = self._reach
        met = np.all(
            (columns.min(axis=1, initial=np.inf) <= upper) & (columns.max(axis=1, initial=-np.inf) >= lower), axis=1
        )
        for combination, is_met in zip(chain, met.tolist(), strict=True):
            if is_met or combination.operation == "intersection":
                combination._apply(side, points, columns)
        return side

    def _chord_ends(self, points: FloatArray, axis: int) -> tuple[FloatArray, FloatArray]:
        return self._chord_ends_by_spans(points, axis)

    def _spans(self, points: FloatArray, axis: int) -> Spans | None:
        first, chain = self._unfolded
        spans = first._spans(points, axis)
        slack = rounding_slack(True, *np.ravel(self._whole_box))
        for combination in chain:
            second = combination.second._spans(points, axis)
            if spans is None or second is None:
                return None
            spans = spans.combined(combination.operation, second, slack)
        return spans

    @cached_property
    def _unfolded(self) -> tuple[Domain, list[Combination]]:
        """The innermost first operand, and the combinations that lead from it to this one."""
        chain: list[Combination] = []
        domain: Domain = self
        while isinstance(domain, Combination):
            chain.append(domain)
            domain = domain.first
        return domain, chain[::-1]

    @cached_property
    def _reach(self) -> tuple[FloatArray, FloatArray]:
        """The boxes beyond which nothing belongs to the second operands of the combinations, each ``(k, d)``."""
        boxes = [_widened(combination.second) for combination in self._unfolded[1]]
        return np.array([lower for lower, _ in boxes]), np.array([upper for _, upper in boxes])

    def _apply(self, side: SideArray, points: FloatArray, columns: FloatArray) -> None:
        """Turn where points lie in the first operand into where they lie in the combination."""
        union = self.operation == "union"
        near = _near(self.second, columns)
        if self.operation == "intersection":
            side[~near] = -1
        # Where the first operand decides, the second is not asked.
        open_ones = np.flatnonzero(near & (side <= 0 if union else side >= 0))
        first, second = side[open_ones], self.second._side(points[open_ones])
        if self.operation == "difference":
            second = -second
        choose = np.maximum if union else np.minimum
        side[open_ones] = choose(first, second)
        # On both boundaries there is doubt: a face that two flush operands share lies in the midst of their union,
        # and outside of their intersection.
        doubtful = open_ones[(first == 0) & (second == 0)]
        if doubtful.size:
            side[doubtful] = choose(self._settle(points[doubtful]), np.int8(0))

    @abstractmethod
    def _settle(self, points: FloatArray) -> SideArray:
        """Where points on both operands' boundaries lie."""


def _near(domain: Domain, columns: FloatArray) -> BoolArray:
    """Which points, given by their coordinates ``(d, n)``, may belong to a domain."""
    near = np.ones(columns.shape[1], dtype=np.bool_)
    for column, low, high in zip(columns, *_widened(domain), strict=True):
        near &= (column >= low) & (column <= high)
    return near


def _widened(domain: Domain) -> tuple[FloatArray, FloatArray]:
    """The bounding box of a domain, and somewhat more."""
    lower, upper = domain.bounding_box
    margin = _FAR * float(np.max(np.abs([lower, upper])))
    return lower - margin, upper + margin


def combine(operation: Operation, first: Domain, second: Domain) -> Combination:
    """The union, intersection or difference of two domains, in the kind that suits their dimension.

    Parameters
    ----------
    operation : "union", "intersection" or "difference"
    first, second : Domain
        Of equal dimension, without time.

    Returns
    -------
    Combination
        In the plane a `PlaneCombination`, whose edges are cut at their intersections to rounding; otherwise a
        `SpaceCombination`.
    """
    if all(edges_of(operand) is not None for operand in (first, second)):
        return PlaneCombination(operation, first, second)
    return SpaceCombination(operation, first, second)


# ---- Combinations in the plane


@final
@dataclass(frozen=True, repr=False)
class PlaneCombination(Combination, PlaneShape):
    """A `Combination` of two plane shapes (or plane boxes): itself a plane shape, with exact edges, area and box."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self._pieces:
            raise self._nothing_left()
        if self.operation == "difference" and self._removes_nothing:
            raise self._outside()

    @property
    def _removes_nothing(self) -> bool:
        """Whether all edges of the first operand, and none of the second, bound the difference."""
        kept = {piece.edge for piece in self._pieces if piece.operand == 0}
        return all(piece.operand == 0 for piece in self._pieces) and len(kept) == len(_edges_of(self.first, None))

    def _edges(self, axes: Sequence[str]) -> tuple[Edge, ...]:
        own = [_edges_of(operand, axes) for operand in (self.first, self.second)]
        edges = [own[piece.operand][piece.edge] for piece in self._pieces]
        told_apart = tell_apart([(piece.operand, edge.name) for piece, edge in zip(self._pieces, edges, strict=True)])
        return tuple(
            Edge(told_apart[piece.operand, edge.name], piece.curve, edge.side)
            for piece, edge in zip(self._pieces, edges, strict=True)
        )

    @cached_property
    def _pieces(self) -> list[Piece]:
        first, second = ([edge.curve for edge in _edges_of(d, None)] for d in (self.first, self.second))
        return overlay((first, second), self._inside, lambda p: self.first._contains(p, False), self._resolution)

    @cached_property
    def _resolution(self) -> Resolution:
        return Resolution.of(*self._whole_box)

    def _settle(self, points: FloatArray) -> SideArray:
        return self._side_by_winding(points)  # by winding numbers: slower, and never in doubt


def _edges_of(domain: Domain, axes: Sequence[str] | None) -> tuple[Edge, ...]:
    edges = edges_of(domain, axes)
    assert edges is not None  # `combine` has made sure
    return edges


# ---- Combinations on the line and in space

# How far to step off a boundary to see what lies there, relative to the size of both operands.
_STEP = 1e-7
# Points of a part that are looked at first, to see if anything of it is kept.
_FIRST_LOOK = 8192
# Directions in which the neighbourhood of a point on both boundaries is looked at.
_PROBES = 64


@final
@dataclass(frozen=True, repr=False)
class SpaceCombination(Combination):
    """A `Combination` on the line, exact there, or in three and more dimensions.

    In space, points and normals of the boundary are exact, and a mask tells which of a part's points are kept: those
    with the domain on one side of them and not on the other. Where a part is cut, what is left of it is measured by
    looking along lines, to about 1e-5 (1e-3 where it has many facets, and in four dimensions); so is the volume, by
    the divergence theorem, where the operands overlap partly and are not both boxes.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.operation != "union" and all(share == 0.0 for share in self._first_looks):
            raise self._nothing_left()
        if self.operation == "difference" and self._removes_nothing:
            raise self._outside()

    @property
    def _removes_nothing(self) -> bool:
        """Whether the second operand takes nothing off the first, as far as points of both, and between, tell."""
        if any(look != 1 - operand for (operand, _), look in zip(self._parts(), self._first_looks, strict=True)):
            return False
        lower, upper = self._common_box
        between = lower + np.maximum(upper - lower, 0.0) * kronecker(_FIRST_LOOK, self.dimension)
        return not np.any(self.first._contains(between, False) & self.second._contains(between, False))

    @property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """``(lower, upper)``: on the line the smallest; else that of the operands, which may be larger."""
        if self.dimension == 1:
            ends = self._ends.points[:, 0]
            return np.array([ends.min()]), np.array([ends.max()])
        if self.operation == "difference":
            return self.first.bounding_box
        return self._whole_box if self.operation == "union" else self._common_box

    @property
    def measure(self) -> float:
        """Length, or volume."""
        return self._measure

    @cached_property
    def _measure(self) -> float:
        if self.dimension == 1:
            assert self._ends.normals is not None
            return float(np.sum(self._ends.points * self._ends.normals))
        overlap = self._overlap()
        if overlap is None:
            return sum(self._flux(part) for part in self._boundary(default_axes(self.dimension))) / self.dimension
        if self.operation == "intersection":
            return overlap
        return self.first.measure - overlap + (self.second.measure if self.operation == "union" else 0.0)

    def _flux(self, part: BoundaryPart) -> float:
        """The flux through a part of the field x, whose divergence is the dimension."""
        middle = np.mean(self.bounding_box, axis=0)

        def inside(unit: FloatArray) -> BoolArray:
            return np.ones(len(unit), dtype=bool) if part.keep is None else part.keep(part.place(unit).points)

        def outflow(unit: FloatArray) -> FloatArray:
            sites = part.place(unit)
            return np.asarray(np.sum((sites.points - middle) * sites.normals, axis=1), dtype=np.float64)

        share, flux = inside_integrals(inside, outflow, part.parameters)
        return part.measure * float(flux / share)

    def _quadrature(self, n: int) -> Quadrature:
        if self.dimension > 1:
            return super()._quadrature(n)
        ends = np.sort(self._ends.points[:, 0]).reshape(-1, 2)  # of one interval after the other
        nodes, weights = gauss(-(-n // len(ends)))
        lengths = ends[:, 1] - ends[:, 0]
        points = ends[:, :1] + lengths[:, None] * nodes
        return Quadrature(points.reshape(-1, 1), np.outer(lengths, weights).ravel())

    def _boundary(self, axes: Sequence[str]) -> tuple[BoundaryPart, ...]:
        kept = [
            (operand, part, share)
            for (operand, part), share in zip(self._parts(axes), self._shares, strict=True)
            if share > 0
        ]
        names = tell_apart((operand, part.name) for operand, part, _ in kept)
        return tuple(self._cut(part, operand, share, names[operand, part.name]) for operand, part, share in kept)

    def _parts(self, axes: Sequence[str] | None = None) -> list[tuple[int, BoundaryPart]]:
        axes = default_axes(self.dimension) if axes is None else axes
        return [(i, part) for i, operand in enumerate((self.first, self.second)) for part in operand.boundary(axes)]

    def _cut(self, part: BoundaryPart, operand: int, share: float, name: str) -> BoundaryPart:
        flipped = operand == 1 and self.operation == "difference"  # the outside of the second is the inside here
        place = part.place

        def inward(unit: FloatArray) -> Sites:
            sites = place(unit)
            assert sites.normals is not None  # every boundary part has them
            return Sites(sites.points, -sites.normals)

        return replace(
            part,
            name=name,
            measure=share * part.measure,
            place=inward if flipped else place,
            keep=_both(part.keep, self._keeps(operand)) if self._may_cut(part, operand) else part.keep,
        )

    def _may_cut(self, part: BoundaryPart, operand: int) -> bool:
        """Whether the other operand is near; a hole too small to be seen at first look must not be papered over."""
        if part.parameters == 0:
            return False  # judged already
        points = part.place(kronecker(_FIRST_LOOK, part.parameters)).points
        low, high = points.min(axis=0), points.max(axis=0)
        margin = 0.02 * np.max(high - low)  # what lies between the points
        lower, upper = (self.first if operand == 1 else self.second).bounding_box
        return bool(np.all((low - margin <= upper) & (high + margin >= lower)))

    def _keeps(self, operand: int) -> Mask:
        """Mask of the points on an operand's boundary that bound the combination; shared ones are the first's."""
        step = self._step

        def keeps(points: FloatArray) -> BoolArray:
            ahead, behind = points + step, points - step
            kept: BoolArray = self._inside(ahead) != self._inside(behind)
            if operand == 1:
                kept &= self.first._contains(ahead, False) == self.first._contains(behind, False)
            return kept

        return keeps

    @cached_property
    def _step(self) -> FloatArray:
        lower, upper = self._whole_box
        length = max(_STEP * float(np.max(upper - lower)), 1e-12 * float(np.max(np.abs([lower, upper]))))
        # Normals are not needed: this direction is aslant to every face that anyone states. Where a curved one runs
        # along it, points are misjudged in a band about as narrow as the step.
        aslant = np.sqrt(np.arange(2.0, self.dimension + 2.0))
        step: FloatArray = length * aslant / np.linalg.norm(aslant)
        return step

    @cached_property
    def _first_looks(self) -> list[float]:
        """The share of each part that is kept, as far as some points of it tell; nan where the part has none."""
        looks = []
        for operand, part in self._parts():
            points = part.at(kronecker(_FIRST_LOOK if part.parameters else 1, part.parameters)).points
            looks.append(float(np.mean(self._keeps(operand)(points))) if len(points) else math.nan)
        return looks

    @cached_property
    def _shares(self) -> list[float]:
        """How much of each part is kept."""
        return [
            look if look in (0.0, 1.0) else self._share(part, operand)
            for (operand, part), look in zip(self._parts(), self._first_looks, strict=True)
        ]

    def _share(self, part: BoundaryPart, operand: int) -> float:
        own, both = part.keep, _both(part.keep, self._keeps(operand))
        share = inside_share(lambda unit: both(part.place(unit).points), part.parameters)
        if own is None or share == 0.0:
            return share
        return share / inside_share(lambda unit: own(part.place(unit).points), part.parameters)

    @cached_property
    def _ends(self) -> Sites:
        """On the line: all end points."""
        sites = [part.place(np.empty((1, 0))) for part in self._boundary(default_axes(1))]
        return Sites(np.concatenate([s.points for s in sites]), np.concatenate([s.normals for s in sites]))

    def _overlap(self) -> float | None:
        """The volume that both operands share, where it is known without integration."""
        lower, upper = self._common_box
        if np.any(lower >= upper):
            return 0.0
        if isinstance(self.first, Box) and isinstance(self.second, Box):
            return math.prod(upper - lower)
        return self._nested_overlap()

    def _nested_overlap(self) -> float | None:
        """The overlap where no part is cut: nothing, or one of the operands as a whole."""
        wholes = []
        for operand in (0, 1):
            shares = {share for (i, _), share in zip(self._parts(), self._shares, strict=True) if i == operand}
            if shares not in ({0.0}, {1.0}):
                return None
            wholes.append(shares == {1.0})
        first, second = self.first.measure, self.second.measure
        return {
            ("union", True, True): 0.0,
            ("union", True, False): second,
            ("union", False, True): first,
            ("intersection", True, False): first,
            ("intersection", False, True): second,
            ("difference", True, True): second,
            ("difference", True, False): 0.0,
        }.get((self.operation, wholes[0], wholes[1]))

    def _settle(self, points: FloatArray) -> SideArray:
        length = float(np.linalg.norm(self._step))
        directions = 2.0 * kronecker(_PROBES, self.dimension) - 1.0
        directions *= length / np.linalg.norm(directions, axis=1)[:, None]
        around = [self._inside(points + direction) for direction in directions]
        return np.where(np.all(around, axis=0), 1, np.where(np.any(around, axis=0), 0, -1)).astype(np.int8)


def _both(own: Mask | None, further: Mask) -> Mask:
    if own is None:
        return further
    return lambda points: own(points) & further(points)
