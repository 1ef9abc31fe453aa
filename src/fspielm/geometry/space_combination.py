"""Union, intersection and difference on the line and in space, with boundary parts kept by a mask."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray, SideArray
from fspielm.geometry.boundary import BoundaryPart, Mask
from fspielm.geometry.box import Box
from fspielm.geometry.combination import Combination
from fspielm.geometry.domain import default_axes
from fspielm.geometry.inside_integrals import inside_integrals, inside_share
from fspielm.geometry.part_names import tell_apart
from fspielm.geometry.quadrature import Quadrature, gauss
from fspielm.geometry.sampling import kronecker
from fspielm.geometry.sites import Sites

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
