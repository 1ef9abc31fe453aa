"""Union, intersection and difference of domains; edges cut where they meet others."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, pairwise
from typing import Literal, NamedTuple, TypeAlias, TypeVar, final, get_args

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, SideArray
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import BoundaryPart, Mask, Quadrature, Sites, gauss, unique_names
from fspielm.geometry.crossings import Resolution, meetings
from fspielm.geometry.curves import LOOKS, Edge, FlatCurve, PlaneCurve, cross, dot
from fspielm.geometry.domain import (
    ACROSS,
    SURFACE_POINTS,
    Domain,
    Spans,
    combine_masks,
    default_axes,
    is_within,
    rounding_slack,
)
from fspielm.geometry.plane import PlaneShape, edges_of, plane_edges
from fspielm.geometry.shapes.box import Box
from fspielm.numerics.roots import bisect
from fspielm.numerics.sampling import kronecker
from fspielm.numerics.tolerances import CLOSE, ROUNDED, SAME

# ---- Integrals over regions of the unit cube that are known by membership only

Operation = Literal["union", "intersection", "difference"]
Membership: TypeAlias = Callable[[FloatArray], BoolArray]
Values: TypeAlias = Callable[[FloatArray], FloatArray]

# Lines begin and end slightly inside the cube: regions are cut off at its faces, where membership is in doubt.
_INSET = 1e-5
# Gauss rules along a line, and on a panel of the lines' feet.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)
_FEET, _FOOT_WEIGHTS = np.polynomial.legendre.leggauss(4)
# Where panels are cut; not in the middle, where the halves would hide a jump.
_CUT = 0.41


def inside_share(inside: Membership, dimension: int) -> float:
    """The share of the unit cube in a region; exactly 0 or 1 if no line enters or leaves it. See `inside_integrals`."""
    share = float(inside_integrals(inside, lambda points: np.ones(len(points)), dimension)[0])
    # rounding of the weights must not turn 1 into less
    return round(share) if abs(share - round(share)) < ROUNDED else share


def inside_integrals(inside: Membership, values: Values, dimension: int) -> FloatArray:
    """Integrals of 1 and of a smooth function over a region of the unit cube, ``(2,)``.

    It integrates along lines parallel to the last axis, between the points where they enter and leave the region. In
    two dimensions the lines are chosen adaptively, for an error of about 1e-5; in more they are spread evenly, for an
    error of about 1e-3. A gap or a piece shorter than a 48th of a line may be missed.
    """
    if dimension == 1:
        return np.asarray(_along_lines(inside, values, np.empty((1, 0)))[0])
    if dimension > 2:
        return np.asarray(_along_lines(inside, values, kronecker(SURFACE_POINTS, dimension - 1)).mean(axis=0))
    ends = np.linspace(0.0, 1.0, LOOKS + 1)
    low, high = ends[:-1], ends[1:]
    whole, total, lines = _over_panels(inside, values, low, high), np.zeros(2), 0
    scale = 1.0 + np.abs(whole).sum(axis=0)
    while len(low) and lines <= SURFACE_POINTS:
        middle = low + _CUT * (high - low)
        low, high = np.append(low, middle), np.append(middle, high)
        parts = _over_panels(inside, values, low, high)
        lines += len(low) * len(_FEET)
        left, right = np.split(parts, 2)
        rough = np.any(np.abs(left + right - whole) > CLOSE * scale, axis=1)
        total += np.sum((left + right)[~rough], axis=0)
        rough = np.tile(rough, 2)
        low, high, whole = low[rough], high[rough], parts[rough]
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
    heights = np.linspace(_INSET, 1.0 - _INSET, LOOKS + 1)
    points = np.column_stack([np.repeat(feet, len(heights), axis=0), np.tile(heights, len(feet))])
    held = inside(points).reshape(len(feet), len(heights))
    line, step = np.nonzero(held[:, 1:] != held[:, :-1])
    enters = held[line, step + 1]

    def before(middle: FloatArray) -> BoolArray:
        return np.asarray(inside(np.column_stack([feet[line], middle])) != enters)

    low, _ = bisect(heights[step], heights[step + 1], before)
    # what holds slightly inside the cube holds up to its face
    first, last = np.flatnonzero(held[:, 0]), np.flatnonzero(held[:, -1])
    entering, leaving = np.append(first, line[enters]), np.append(line[~enters], last)
    entries, exits = np.append(np.zeros(len(first)), low[enters]), np.append(low[~enters], np.ones(len(last)))
    by_entry, by_exit = np.lexsort((entries, entering)), np.lexsort((exits, leaving))
    return entering[by_entry], entries[by_entry], exits[by_exit]


# ---- The boundary of a combination in the plane

# Where along a piece both of its sides are tested; two of the three points decide.
SIDE_PROBES = np.array([0.27, 0.5, 0.81])
# Share of a piece over which we take its direction at an end, so that curvature distinguishes touching pieces.
_DIRECTION_SHARE = 1e-3


K = TypeVar("K")


class Piece(NamedTuple):
    """A piece of the combination's boundary, cut from an edge (by its number) of an operand (0 or 1)."""

    operand: int
    edge: int
    curve: PlaneCurve


def boundary_pieces(
    operands: tuple[Sequence[PlaneCurve], Sequence[PlaneCurve]],
    inside: Membership,
    inside_first: Membership,
    resolution: Resolution,
) -> list[Piece]:
    """The pieces of two boundaries that bound the combination of their regions, in closed loops.

    The curves are cut where they meet. A piece bounds the result if the result lies on exactly one of its sides, which
    becomes its left. Where pieces of both operands coincide, we take that of the first.
    `inside` and `inside_first` are membership of the result and of the first operand, for points that lie on no
    boundary.
    """
    kept: list[Piece] = []
    for operand, (curves, cuts) in enumerate(zip(operands, cuts_between(operands, resolution), strict=True)):
        pieces = cut_pieces(operand, curves, cuts, resolution)
        sides = points_beside([piece.curve for piece in pieces], resolution.step)
        left, right = (mostly_inside(inside, side) for side in sides)
        bounding = left != right
        if operand == 1:
            bounding &= np.equal(*(mostly_inside(inside_first, side) for side in sides))
        for piece, (bounds, backwards) in joined(pieces, curves, zip(bounding.tolist(), right.tolist(), strict=True)):
            if bounds:
                kept.append(piece._replace(curve=piece.curve.reversed()) if backwards else piece)
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


def split(curve: PlaneCurve, cuts: list[float], resolution: Resolution) -> list[PlaneCurve]:
    """The curve in pieces from end to end, without cuts too close to each other to probe between them."""
    ascending = sorted(cuts)
    points = curve.point(np.array([curve.t0, *ascending, curve.t1]))
    kept, last = [curve.t0], points[0]
    for t, point in zip(ascending, points[1:-1], strict=True):
        if min(np.linalg.norm(point - last), np.linalg.norm(point - points[-1])) > 4 * resolution.step:
            kept.append(float(t))
            last = point
    return [curve.clip(low, high) for low, high in pairwise([*kept, curve.t1])]


def cut_pieces(
    operand: int, curves: Sequence[PlaneCurve], cuts: Sequence[list[float]], resolution: Resolution
) -> list[Piece]:
    """The pieces of the edges of an operand."""
    return [
        Piece(operand, edge, piece)
        for edge, (curve, parameters) in enumerate(zip(curves, cuts, strict=True))
        for piece in split(curve, parameters, resolution)
    ]


def joined(pieces: Sequence[Piece], curves: Sequence[PlaneCurve], keys: Iterable[K]) -> Iterator[tuple[Piece, K]]:
    """The pieces with their keys; neighbours on one edge with the same key are joined again."""
    for (edge, key), run in groupby(zip(pieces, keys, strict=True), key=lambda each: (each[0].edge, each[1])):
        members = [piece for piece, _ in run]
        whole = curves[edge].clip(members[0].curve.t0, members[-1].curve.t1)
        yield members[0]._replace(curve=whole), key


def points_beside(curves: Sequence[PlaneCurve], step: float) -> tuple[FloatArray, FloatArray]:
    """Points a step to the left and to the right of each curve, three for each curve."""
    probes = [(curve, curve.t0 + (curve.t1 - curve.t0) * SIDE_PROBES) for curve in curves]
    points = np.concatenate([curve.point(t) for curve, t in probes])
    aside = step * np.concatenate([curve.normals(t) for curve, t in probes])
    return points - aside, points + aside


def mostly_inside(inside: Membership, points: FloatArray) -> BoolArray:
    """Whether most of the points beside each curve lie inside."""
    return np.asarray(inside(points).reshape(-1, len(SIDE_PROBES)).sum(axis=1) >= 2)


def in_loops(pieces: list[Piece], resolution: Resolution) -> list[Piece]:
    """The pieces in the order in which each begins where the one before it ends."""
    if not pieces:
        return []
    starts, ends = np.stack([p.curve.ends for p in pieces], axis=1)
    leaving = np.concatenate([_direction(p.curve, p.curve.t0, _DIRECTION_SHARE) for p in pieces])
    coming_from = np.concatenate([_direction(p.curve, p.curve.t1, -_DIRECTION_SHARE) for p in pieces])
    near = 5 * resolution.step
    # A loop does not begin where others touch it: it may pass there more than once.
    alone = np.array([np.sum(np.linalg.norm(starts - start, axis=1) <= near) == 1 for start in starts])
    free = np.ones(len(pieces), dtype=bool)
    ordered: list[Piece] = []
    while free.any():
        loop: list[Piece] = []
        begin = current = int(np.argmax(free & alone if np.any(free & alone) else free))
        while True:
            loop.append(pieces[current])
            free[current] = current == begin  # reaching the first piece again closes the loop
            next_ones = np.flatnonzero(free & (np.linalg.norm(starts - ends[current], axis=1) <= near))
            if not next_ones.size:
                x, y = ends[current]
                raise ProblemError(
                    f"the boundary of the combination does not close near ({x:.6g}, {y:.6g}), where its operands "
                    "almost touch; move or resize one of them by a little"
                )
            # where loops touch, take the piece with the narrowest interior in between: no other piece lies in it
            start, end = leaving[next_ones], coming_from[current]
            angles = np.arctan2(cross(start, end), dot(start, end)) % (2 * np.pi)  # counterclockwise
            current = int(next_ones[np.argmin(angles)])
            if current == begin:
                free[begin] = False
                break
        ordered += _from_first_edge(loop)
    return ordered


def _from_first_edge(loop: list[Piece]) -> list[Piece]:
    """The loop, rotated so that pieces of one edge stay together."""
    for i, piece in enumerate(loop):
        if piece[:2] != loop[i - 1][:2]:
            return loop[i:] + loop[:i]
    return loop


def _direction(curve: PlaneCurve, t: float, share: float) -> FloatArray:
    """The direction from an end of a curve along it, ``(1, 2)``."""
    ends = curve.point(np.array([t, t + share * (curve.t1 - curve.t0)]))
    return np.diff(ends, axis=0)


# ---- Combinations of two domains

_SYMBOLS: dict[Operation, str] = {"union": "|", "intersection": "&", "difference": "-"}


@dataclass(frozen=True, repr=False)
class Combination(Domain):
    """The union, intersection or difference of two domains of equal dimension: ``a | b``, ``a & b``, ``a - b``.

    Its boundary consists of the pieces of the operands' boundaries that separate it from the outside. Pieces keep the
    names of their parts; if both operands have a part of one name, these become ``"circle (1)"`` and ``"circle (2)"``.
    (Give a shape a `name`, and its parts are ``"hole.circle"``.)

    Attributes
    ----------
    operation : "union", "intersection" or "difference"
    first, second : Domain
    """

    operation: Operation
    first: Domain
    second: Domain

    may_be_in_pieces = True

    def __post_init__(self) -> None:
        self._check_operands()
        if self.operation == "intersection" and np.any(np.greater_equal(*self._common_box)):
            raise ProblemError(f"{self!r} is empty: their bounding boxes do not overlap")
        if self._is_empty:
            why = "the second covers the first" if self.operation == "difference" else "they do not overlap"
            raise ProblemError(f"{self!r} is empty: {why}")
        if self.operation == "difference" and self._removes_nothing:
            raise ProblemError(f"{self!r}: the second lies outside of the first, and removes nothing; check its place")

    @property
    @abstractmethod
    def _is_empty(self) -> bool:
        """Whether nothing is left."""

    @property
    @abstractmethod
    def _removes_nothing(self) -> bool:
        """Whether the second operand takes nothing away from the first."""

    def __repr__(self) -> str:
        first, second = (f"({d!r})" if isinstance(d, Combination) else repr(d) for d in (self.first, self.second))
        return f"{first} {_SYMBOLS[self.operation]} {second}"

    @property
    def dimension(self) -> int:
        """Dimension of both operands."""
        return self.first.dimension

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

    @property
    def _common_box(self) -> tuple[FloatArray, FloatArray]:
        """The intersection of both bounding boxes; empty if its lower end is not below its upper end."""
        (a, b), (c, d) = self.first.bounding_box, self.second.bounding_box
        return np.maximum(a, c), np.minimum(b, d)

    @property
    def _enclosing_box(self) -> tuple[FloatArray, FloatArray]:
        """The bounding box of both operands."""
        (a, b), (c, d) = self.first.bounding_box, self.second.bounding_box
        return np.minimum(a, c), np.maximum(b, d)

    def _inside(self, points: FloatArray) -> BoolArray:
        """Membership of points that lie on neither operand's boundary."""
        return combine_masks(
            self.operation, *(operand._contains(points, False) for operand in (self.first, self.second))
        )

    def _contains(self, points: FloatArray, closed: bool) -> BoolArray:
        return is_within(self._side(points), closed)

    def _side(self, points: FloatArray) -> SideArray:
        # Without recursion, from the innermost operand outward: for a shape with many holes, each hole is asked only
        # about the few points near it.
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
                combination._update_side(side, points, columns)
        return side

    def _chord_ends(self, points: FloatArray, axis: int) -> tuple[FloatArray, FloatArray]:
        return self._chord_ends_by_spans(points, axis)

    def _spans(self, points: FloatArray, axis: int) -> Spans | None:
        first, chain = self._unfolded
        spans = first._spans(points, axis)
        slack = rounding_slack(True, *np.ravel(self._enclosing_box))
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
        """The widened bounding boxes of the second operands, each ``(k, d)``."""
        boxes = [_widened(combination.second) for combination in self._unfolded[1]]
        return np.array([lower for lower, _ in boxes]), np.array([upper for _, upper in boxes])

    def _update_side(self, side: SideArray, points: FloatArray, columns: FloatArray) -> None:
        """Turn the `side` of points in the first operand into that in the combination, in place."""
        union = self.operation == "union"
        near = _near(self.second, columns)
        if self.operation == "intersection":
            side[~near] = -1
        # ask the second operand only where the first does not decide
        open_ones = np.flatnonzero(near & (side <= 0 if union else side >= 0))
        first, second = side[open_ones], self.second._side(points[open_ones])
        if self.operation == "difference":
            second = -second
        choose = np.maximum if union else np.minimum
        side[open_ones] = choose(first, second)
        # points on both boundaries: a face that two flush operands share lies inside of their union and outside of
        # their intersection
        doubtful = open_ones[(first == 0) & (second == 0)]
        if doubtful.size:
            side[doubtful] = choose(self._side_on_both(points[doubtful]), np.int8(0))

    @abstractmethod
    def _side_on_both(self, points: FloatArray) -> SideArray:
        """The side of points that lie on both operands' boundaries."""


def _near(domain: Domain, columns: FloatArray) -> BoolArray:
    """Which points, given by coordinates ``(d, n)``, lie in the widened bounding box."""
    near = np.ones(columns.shape[1], dtype=np.bool_)
    for column, low, high in zip(columns, *_widened(domain), strict=True):
        near &= (column >= low) & (column <= high)
    return near


def _widened(domain: Domain) -> tuple[FloatArray, FloatArray]:
    """The bounding box of a domain, enlarged by far more than rounding."""
    lower, upper = domain.bounding_box
    margin = SAME * float(np.max(np.abs([lower, upper])))
    return lower - margin, upper + margin


def combine(operation: Operation, first: Domain, second: Domain) -> Combination:
    """The union, intersection or difference of two domains of equal dimension, without time."""
    if all(edges_of(operand) is not None for operand in (first, second)):
        return PlaneCombination(operation, first, second)
    return SpaceCombination(operation, first, second)


# ---- Combinations in the plane


@final
@dataclass(frozen=True, repr=False)
class PlaneCombination(Combination, PlaneShape):
    """A `Combination` of two plane shapes (or plane boxes): a plane shape with exact edges, area and bounding box."""

    @property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """The smallest box around the shape, ``(lower, upper)``."""
        if self.operation == "difference":
            (lower, upper), (low, high) = self.first.bounding_box, self.second.bounding_box
            if np.all(lower < low) and np.all(high < upper):  # a hole
                return lower, upper
        return super().bounding_box

    @property
    def _is_empty(self) -> bool:
        return not self._pieces

    @property
    def _removes_nothing(self) -> bool:
        """Whether all edges of the first operand, and none of the second, bound the difference."""
        kept = {piece.edge for piece in self._pieces if piece.operand == 0}
        return all(piece.operand == 0 for piece in self._pieces) and len(kept) == len(plane_edges(self.first))

    def _edges(self, axes: Sequence[str]) -> tuple[Edge, ...]:
        own = [plane_edges(operand, axes) for operand in (self.first, self.second)]
        edges = [own[piece.operand][piece.edge] for piece in self._pieces]
        told_apart = unique_names([(piece.operand, edge.name) for piece, edge in zip(self._pieces, edges, strict=True)])
        return tuple(
            Edge(told_apart[piece.operand, edge.name], piece.curve, edge.side)
            for piece, edge in zip(self._pieces, edges, strict=True)
        )

    @cached_property
    def _pieces(self) -> list[Piece]:
        first, second = ([edge.curve for edge in plane_edges(d)] for d in (self.first, self.second))
        resolution = Resolution.of(*self._enclosing_box)
        return boundary_pieces((first, second), self._inside, lambda p: self.first._contains(p, False), resolution)

    def _side_on_both(self, points: FloatArray) -> SideArray:
        return self._side_by_winding(points)  # slower, and always right


# ---- Combinations on the line and in space


@final
@dataclass(frozen=True, repr=False)
class SpaceCombination(Combination):
    """A `Combination` on the line, exact there, or in three and more dimensions.

    In space, points and normals of the boundary are exact. A mask keeps the points of a part that have the domain on
    exactly one side. The measure of a cut part is integrated along lines, to about 1e-5 (1e-3 for parts of many facets
    and in four dimensions); so is the volume of partly overlapping operands that are not both boxes, by the divergence
    theorem.
    """

    @property
    def _is_empty(self) -> bool:
        return self.operation != "union" and all(share == 0.0 for share in self._sampled_shares)

    @property
    def _removes_nothing(self) -> bool:
        """Whether no sample point of the boundaries, or of their common box, lies in both operands."""
        if any(share != 1 - operand for (operand, _), share in zip(self._parts(), self._sampled_shares, strict=True)):
            return False
        lower, upper = self._common_box
        between = lower + np.maximum(upper - lower, 0.0) * kronecker(SURFACE_POINTS, self.dimension)
        return not np.any(self.first._contains(between, False) & self.second._contains(between, False))

    @property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """``(lower, upper)``: the smallest on the line; otherwise from the operands' boxes, and maybe larger."""
        if self.dimension == 1:
            ends = self._ends.points[:, 0]
            return np.array([ends.min()]), np.array([ends.max()])
        if self.operation == "difference":
            return self.first.bounding_box
        return self._enclosing_box if self.operation == "union" else self._common_box

    @property
    def measure(self) -> float:
        """Length, or volume."""
        return self._measure

    @cached_property
    def _measure(self) -> float:
        if self.dimension == 1:
            return float(np.sum(self._ends.points * self._ends.outward))
        overlap = self._overlap()
        if overlap is None:
            return sum(self._flux(part) for part in self._boundary(default_axes(self.dimension))) / self.dimension
        if self.operation == "intersection":
            return overlap
        return self.first.measure - overlap + (self.second.measure if self.operation == "union" else 0.0)

    def _flux(self, part: BoundaryPart) -> float:
        """The flux through a part of the field x, whose divergence equals the dimension."""
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
        names = unique_names((operand, part.name) for operand, part, _ in kept)
        return tuple(self._cut(part, operand, share, names[operand, part.name]) for operand, part, share in kept)

    def _parts(self, axes: Sequence[str] | None = None) -> list[tuple[int, BoundaryPart]]:
        axes = default_axes(self.dimension) if axes is None else axes
        return [(i, part) for i, operand in enumerate((self.first, self.second)) for part in operand.boundary(axes)]

    def _cut(self, part: BoundaryPart, operand: int, share: float, name: str) -> BoundaryPart:
        if operand == 1 and self.operation == "difference":  # the outside of the second is the inside here
            part = part.reversed()
        return replace(
            part,
            name=name,
            measure=share * part.measure,
            keep=_both(part.keep, self._keeps(operand)) if self._may_cut(part, operand) else part.keep,
        )

    def _may_cut(self, part: BoundaryPart, operand: int) -> bool:
        """Whether the other operand is near a part; samples may miss a small hole."""
        if part.parameters == 0:
            return False  # the sample is the whole part
        points = part.place(kronecker(SURFACE_POINTS, part.parameters)).points
        low, high = points.min(axis=0), points.max(axis=0)
        margin = 0.02 * np.max(high - low)  # what lies between the points
        lower, upper = (self.first if operand == 1 else self.second).bounding_box
        return bool(np.all((low - margin <= upper) & (high + margin >= lower)))

    def _keeps(self, operand: int) -> Mask:
        """Mask of the points on an operand's boundary that bound the combination; shared points belong to the first."""
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
        lower, upper = self._enclosing_box
        length = max(ACROSS * float(np.max(upper - lower)), ROUNDED * float(np.max(np.abs([lower, upper]))))
        # One oblique direction serves all faces, without their normals. Where a curved face is parallel to it, points
        # are misjudged in a band about as narrow as the step.
        oblique = np.sqrt(np.arange(2.0, self.dimension + 2.0))
        return np.asarray(length * oblique / np.linalg.norm(oblique))

    @cached_property
    def _sampled_shares(self) -> list[float]:
        """The share of each part that is kept, from sample points; nan if there are none."""
        shares = []
        for operand, part in self._parts():
            points = part.at(kronecker(SURFACE_POINTS if part.parameters else 1, part.parameters)).points
            shares.append(float(np.mean(self._keeps(operand)(points))) if len(points) else math.nan)
        return shares

    @cached_property
    def _shares(self) -> list[float]:
        """The share of each part that is kept."""
        return [
            share if share in (0.0, 1.0) else self._share(part, operand)
            for (operand, part), share in zip(self._parts(), self._sampled_shares, strict=True)
        ]

    def _share(self, part: BoundaryPart, operand: int) -> float:
        own, both = part.keep, _both(part.keep, self._keeps(operand))
        share = inside_share(lambda unit: both(part.place(unit).points), part.parameters)
        if own is None or share == 0.0:
            return share
        return share / inside_share(lambda unit: own(part.place(unit).points), part.parameters)

    @cached_property
    def _ends(self) -> Sites:
        """All end points on the line."""
        sites = [part.place(np.empty((1, 0))) for part in self._boundary(default_axes(1))]
        return Sites(np.concatenate([s.points for s in sites]), np.concatenate([s.normals for s in sites]))

    def _overlap(self) -> float | None:
        """The volume that both operands share, if it is known without integration."""
        lower, upper = self._common_box
        if np.any(lower >= upper):
            return 0.0
        if isinstance(self.first, Box) and isinstance(self.second, Box):
            return math.prod(upper - lower)
        inside = []
        for operand in (0, 1):
            shares = {share for (i, _), share in zip(self._parts(), self._shares, strict=True) if i == operand}
            if shares not in ({0.0}, {1.0}):
                return None  # a part is cut
            keeps_inside = self.operation == "intersection" or (self.operation == "difference" and operand == 1)
            inside.append((shares == {1.0}) == keeps_inside)
        if all(inside):
            return None
        return self.first.measure if inside[0] else self.second.measure if inside[1] else 0.0

    def _side_on_both(self, points: FloatArray) -> SideArray:
        length = float(np.linalg.norm(self._step))
        directions = 2.0 * kronecker(LOOKS, self.dimension) - 1.0
        directions *= length / np.linalg.norm(directions, axis=1)[:, None]
        around = [self._inside(points + direction) for direction in directions]
        return np.where(np.all(around, axis=0), 1, np.where(np.any(around, axis=0), 0, -1)).astype(np.int8)


def _both(own: Mask | None, further: Mask) -> Mask:
    if own is None:
        return further
    return lambda points: own(points) & further(points)
