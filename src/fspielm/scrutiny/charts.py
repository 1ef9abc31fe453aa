"""What a relation holds on, as boxes of parameters: the domain itself, its start, or a part of its boundary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.equations import Problem, Relation
from fspielm.geometry import Sites, SpaceTime, kronecker

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
