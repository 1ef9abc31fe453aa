"""Charts of what relations hold on, lines across them, and what is narrow there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Literal, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.geometry.points import Sites
from fspielm.geometry.time import SpaceTime
from fspielm.numerics.sampling import kronecker
from fspielm.problem.problem import Problem
from fspielm.problem.relations import Relation

# ---- Something narrow in what a user wrote: where it is, how narrow, and points to look at it with


Kind = Literal["narrow", "kink", "jump", "smooth"]


@final
@dataclass(frozen=True, eq=False)
class Narrow:
    """Where a datum or a coefficient changes over a short distance.

    Attributes
    ----------
    source : str
        Which of them: ``"the right-hand side"``, ``"the coefficient of u"``, ``"the value of 'dirichlet x-'"``.
    kind : {"narrow", "kink", "jump", "smooth"}
        A bump or a layer; a slope that jumps; a value that does; or where a callable bends most, but not sharply.
    lower, upper : (d,) array
        A box of the coordinates that holds it.
    width : float
        The shortest distance over which it changes by much; zero for a kink or a jump.
    sites : Sites
        Points within it, and close to it.
    shares : (n,) array
        Of all that the relation holds on, what each of these points stands for.
    """

    source: str
    kind: Kind
    lower: FloatArray
    upper: FloatArray
    width: float
    sites: Sites = field(repr=False)
    shares: FloatArray = field(repr=False)

    def __str__(self) -> str:
        center = ", ".join(f"{x:.4g}" for x in 0.5 * (self.lower + self.upper))
        extent = ", ".join(f"{x:.2g}" for x in self.upper - self.lower)
        change = f"changes within a distance of {self.width:.1e}"
        what = {"kink": "has a kink", "jump": "jumps"}.get(self.kind, change)
        return f"{self.source} {what}, about ({center}), in a box of ({extent})"


# ---- What a relation holds on, as boxes of parameters: the domain itself, its start, or a part of its boundary


# Places at which the speed of a part's parametrisation is looked at, for each smooth piece; and how much more than the
# largest of those it may be.
_SPEEDS = 64
_MARGIN = 1.1
_STEP = 1e-6
# Places at which it is seen how much of a chart belongs to the region.
_COUNTED = 1024


@final
@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes of parameters, and the boxes of coordinates that hold their images.

    Attributes
    ----------
    lower, upper : (n, p) array
        Of the parameters.
    rates : (n, d, p) array
        How fast each coordinate changes with each parameter, at most; the same for the halves of a box.
    """

    lower: FloatArray
    upper: FloatArray
    rates: FloatArray

    def __len__(self) -> int:
        return len(self.lower)

    @property
    def widths(self) -> FloatArray:
        """Of the parameters, ``(n, p)``."""
        return self.upper - self.lower

    @property
    def volumes(self) -> FloatArray:
        """In parameters, ``(n,)``."""
        return np.asarray(np.prod(self.widths, axis=1))

    def select(self, which: NDArray[np.intp] | BoolArray) -> Boxes:
        """Some of them."""
        return Boxes(self.lower[which], self.upper[which], self.rates[which])

    def halved(self, axes: NDArray[np.intp]) -> Boxes:
        """Both halves of each, cut across one parameter each."""
        rows = np.arange(len(self))
        middle = 0.5 * (self.lower[rows, axes] + self.upper[rows, axes])
        upper, lower = self.upper.copy(), self.lower.copy()
        upper[rows, axes] = lower[rows, axes] = middle
        return Boxes(
            np.concatenate([self.lower, lower]),
            np.concatenate([upper, self.upper]),
            np.concatenate([self.rates, self.rates]),
        )


@final
@dataclass(frozen=True, eq=False)
class Chart:
    """A region in parameters.

    Attributes
    ----------
    whole : Boxes
        All of it: one box, or one for each smooth piece.
    points : callable
        The coordinates ``(n, d)`` of parameters ``(n, p)``.
    place : callable
        The sites of parameters, and a mask of those that belong to the region.
    share : float
        Of all parts of the boundary that have conditions, how much this one is.
    """

    whole: Boxes
    points: Callable[[FloatArray], FloatArray]
    place: Callable[[FloatArray], tuple[Sites, BoolArray]]
    share: float = 1.0

    @cached_property
    def volume(self) -> float:
        """Of what belongs to the region, in parameters; counted at points spread over all of it."""
        unit = kronecker(_COUNTED, self.whole.lower.shape[1])
        held = [self.place(low + unit * (high - low))[1].mean() for low, high in self._pieces]
        return float(np.dot(np.maximum(held, 1.0 / _COUNTED), self.whole.volumes))

    @property
    def extent(self) -> FloatArray:
        """Of the parameters, ``(p,)``."""
        return np.asarray(np.ptp(self.bounds, axis=0))

    @property
    def bounds(self) -> FloatArray:
        """The least and the largest parameters, ``(2, p)``."""
        return np.stack([self.whole.lower.min(axis=0), self.whole.upper.max(axis=0)])

    @property
    def _pieces(self) -> zip[tuple[FloatArray, FloatArray]]:
        return zip(self.whole.lower, self.whole.upper, strict=True)

    def coordinates(self, boxes: Boxes) -> tuple[FloatArray, FloatArray]:
        """Boxes of the coordinates that hold the images of boxes of parameters."""
        center = self.points(0.5 * (boxes.lower + boxes.upper))
        reach = 0.5 * np.einsum("ndp,np->nd", boxes.rates, boxes.widths)
        return center - reach, center + reach


def chart_of(problem: Problem, relation: Relation) -> Chart | None:
    """The chart of a relation; None where that holds at points only."""
    domain, region = problem.domain, relation.region
    if region.kind == "domain":
        lower, upper = domain.bounding_box
        rates = np.eye(len(lower))[None]

        def inside(points: FloatArray) -> tuple[Sites, BoolArray]:
            return Sites(points), domain.contains(points)

        return Chart(Boxes(lower[None], upper[None], rates), lambda points: points, inside)
    if region.kind == "start" and isinstance(domain, SpaceTime):
        lower, upper = domain.space.bounding_box
        start = domain.bounding_box[0][-1]
        rates = np.eye(len(lower) + 1)[None, :, :-1]

        def at_start(points: FloatArray) -> FloatArray:
            return np.column_stack([points, np.full(len(points), start)])

        def in_space(points: FloatArray) -> tuple[Sites, BoolArray]:
            return Sites(at_start(points)), domain.space.contains(points)

        return Chart(Boxes(lower[None], upper[None], rates), at_start, in_space)
    return _part_chart(problem, relation)


def _part_chart(problem: Problem, relation: Relation) -> Chart | None:
    part = relation.part
    if part is None or part.parameters == 0:
        return None

    def on_part(unit: FloatArray) -> tuple[Sites, BoolArray]:
        sites = part.place(unit)
        return sites, relation.holds(sites.points)

    def points(unit: FloatArray) -> FloatArray:
        return part.place(unit).points

    ends = list(pairwise(part.breaks))
    lower, upper = np.zeros((len(ends), part.parameters)), np.ones((len(ends), part.parameters))
    lower[:, 0], upper[:, 0] = np.transpose(ends)
    rates = np.stack([_speeds(points, *one) for one in zip(lower, upper, strict=True)])
    total = sum(other.part.measure for other in problem.relations if other.part is not None)
    return Chart(Boxes(lower, upper, rates), points, on_part, part.measure / total)


def _speeds(points: Callable[[FloatArray], FloatArray], lower: FloatArray, upper: FloatArray) -> FloatArray:
    """How fast each coordinate changes with each parameter, at most, ``(d, p)``; by differences."""
    step = _STEP * (upper - lower)
    unit = lower + step + kronecker(_SPEEDS, len(lower)) * (upper - lower - 2 * step)
    slopes = [
        np.abs(points(unit + nudge) - points(unit - nudge)).max(axis=0) / (2 * nudge.max()) for nudge in np.diag(step)
    ]
    return _MARGIN * np.stack(slopes, axis=1)


# ---- Lines across boxes of parameters, and what a function does along them


# Points on a line to begin with, and steps of a search from there: as many as leave no number between.
_ON_LINE = 17
_STEPS = 90
_HALVINGS = 50
_GOLDEN = 0.5 * (np.sqrt(5.0) - 1.0)

Values = Callable[[FloatArray], FloatArray]


@final
@dataclass(frozen=True, eq=False)
class Line:
    """One line across each box, along one of its parameters.

    Attributes
    ----------
    boxes : Boxes
    through : (n, p) array
        A point of each.
    axes : (n,) array of int
    """

    boxes: Boxes
    through: FloatArray
    axes: NDArray[np.intp]

    @property
    def ends(self) -> tuple[FloatArray, FloatArray]:
        """Of the parameter along the line."""
        rows = np.arange(len(self.axes))
        return self.boxes.lower[rows, self.axes], self.boxes.upper[rows, self.axes]

    def moved(self, along: FloatArray) -> FloatArray:
        """The points of the lines at these values of the parameter, ``(n, p)``."""
        unit = self.through.copy()
        unit[np.arange(len(self.axes)), self.axes] = along
        return unit

    def peaks(self, values: Values) -> FloatArray:
        """Where a function is largest along each line, if it has one peak there: golden sections."""
        low, high = self.ends
        places = np.linspace(low, high, _ON_LINE)
        sampled = np.stack([values(self.moved(one)) for one in places])
        best, rows = np.argmax(sampled, axis=0), np.arange(len(low))
        low, high = places[np.maximum(best - 1, 0), rows], places[np.minimum(best + 1, _ON_LINE - 1), rows]
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        at_left, at_right = values(self.moved(left)), values(self.moved(right))
        for _ in range(_STEPS):
            rises = at_left < at_right
            low, high = np.where(rises, left, low), np.where(rises, high, right)
            fresh = np.where(rises, low + _GOLDEN * (high - low), high - _GOLDEN * (high - low))
            at_fresh = values(self.moved(fresh))
            left, right = np.where(rises, right, fresh), np.where(rises, fresh, left)
            at_left, at_right = np.where(rises, at_right, at_fresh), np.where(rises, at_fresh, at_left)
        return np.asarray(0.5 * (low + high))

    def crossings(self, values: Values, level: float, start: FloatArray, end: FloatArray) -> Crossings:
        """Where a function passes a level between two points of each line: the first time, of many points between."""
        places = np.linspace(start, end, _ON_LINE)
        masks = np.stack([values(self.moved(one)) < level for one in places])
        changes = masks[:-1] != masks[1:]
        first, rows = np.argmax(changes, axis=0), np.arange(len(start))
        left, right, before = places[first, rows], places[first + 1, rows], masks[first, rows]
        for _ in range(_HALVINGS):
            middle = 0.5 * (left + right)
            same = (values(self.moved(middle)) < level) == before
            left, right = np.where(same, middle, left), np.where(same, right, middle)
        return Crossings(left, changes.any(axis=0))

    def excursions(self, values: Values, level: float) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Between which points of each line a function that is on one side of a level at both ends is on the other.

        It may be so on a stretch that none of many points of the line meets: there it has a peak, or a dip.
        """
        signs = np.where(values(self.moved(self.ends[0])) < level, 1.0, -1.0)
        return self.tops(lambda unit: signs * (values(unit) - level), 0.0)

    def stretches(self, values: Values, levels: tuple[float, float]) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Between which points of each line a function is between two levels; and whether it is, at any.

        Where it leaves the line between the levels, up to the end of the line.
        """
        low, high = self.ends
        rises = values(self.moved(low)) < values(self.moved(high))
        lower, upper = (self.crossings(values, level, low, high) for level in levels)
        start = np.where(lower.found, lower.places, np.where(rises, low, high))
        end = np.where(upper.found, upper.places, np.where(rises, high, low))
        between = values(self.moved(0.5 * (start + end)))
        return start, end, lower.found | upper.found | ((between > levels[0]) & (between < levels[1]))

    def tops(self, values: Values, level: float) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Between which points of each line a function with one peak is above a level; and whether it is, at any."""
        peaks = self.peaks(values)
        sides = [self.crossings(values, level, peaks, end) for end in self.ends]
        start, end = (np.where(side.found, side.places, end) for side, end in zip(sides, self.ends, strict=True))
        return start, end, values(self.moved(peaks)) >= level


@final
@dataclass(frozen=True, eq=False)
class Crossings:
    """Where a function passes a level along lines, and on which it does."""

    places: FloatArray
    found: BoolArray
