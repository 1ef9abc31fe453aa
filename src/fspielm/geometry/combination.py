"""Union, intersection and difference of two domains."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from fspielm.arrays import BoolArray, FloatArray, SideArray
from fspielm.errors import ProblemError
from fspielm.geometry.domain import Domain, rounding_slack
from fspielm.geometry.spans import Spans

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
    from fspielm.geometry.plane import edges_of
    from fspielm.geometry.plane_combination import PlaneCombination
    from fspielm.geometry.space_combination import SpaceCombination

    if all(edges_of(operand) is not None for operand in (first, second)):
        return PlaneCombination(operation, first, second)
    return SpaceCombination(operation, first, second)
