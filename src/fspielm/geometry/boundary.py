"""Named parts of boundaries, and points with normals on them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.deadline import check_deadline
from fspielm.geometry.points import Sites
from fspielm.geometry.quadrature import Quadrature, around, check_nodes, gauss, per_axis, piecewise_gauss, tensor
from fspielm.numerics.sampling import Sampling, arcsine, check_count, check_sampling, reject, unit_stream

# ---- Names of boundary parts, numbered where several would have the same


_NUMBERED = re.compile(r" \((\d+)\)$")


def unnumbered(name: str) -> str:
    """A name without the number that `tell_apart` gave it."""
    return _NUMBERED.sub("", name)


def namesakes(name: str, names: Iterable[str]) -> list[str]:
    """Those of `names` that are `name` with a number, as `tell_apart` gives it."""
    return [other for other in names if other != name and unnumbered(other) == name]


def likely_parts(name: str, names: Iterable[str]) -> str:
    """The end of a message about a part that is none of `names`: those of the shape of this name, or the nearest."""
    from difflib import get_close_matches  # for messages alone

    names = list(names)
    if own := [other for other in names if other.startswith(f"{name}.")]:
        return f"; did you mean {own[0]!r}?" if len(own) == 1 else f"; did you mean all of that shape's, {own}?"
    near = get_close_matches(name.strip().lower(), [other.lower() for other in names], 1)
    return "".join(f"; did you mean {other!r}?" for other in names if other.lower() in near)


def tell_apart(parts: Iterable[tuple[int, str]]) -> dict[tuple[int, str], str]:
    """Names for parts given by their operand and the name they have there, numbered where they would be the same.

    Numbers that parts have from an earlier combination are given anew, so that three circles are 1, 2, 3.
    """
    by_name: dict[str, list[tuple[int, int, str]]] = {}
    for operand, name in dict.fromkeys(parts):
        number = _NUMBERED.search(name)
        by_name.setdefault(unnumbered(name), []).append((operand, int(number[1]) if number else 0, name))
    return {
        (operand, old): name if len(same) == 1 else f"{name} ({count})"
        for name, same in by_name.items()
        for count, (operand, _, old) in enumerate(sorted(same), 1)
    }


# ---- A named part of a boundary, reached from the unit cube by a measure-preserving map


Mask: TypeAlias = Callable[[FloatArray], BoolArray]

# What parts with sides are called, up to what tells them from those of other shapes.
OUTLINE = "outline"


@dataclass(frozen=True, eq=False)
class BoundaryPart:
    """One named part of a domain's boundary.

    Attributes
    ----------
    name : str
        Unique within the domain: ``"x-"``, ``"arc"``, ...
    measure : float
        Length or area; 1 for a single point.
    parameters : int
        Dimension of the unit cube that `place` maps onto this part; 0 for a single point.
    place : callable
        Maps ``(n, parameters)`` unit-cube coordinates to `Sites` (points on the true boundary, unit outward
        normals) so that equal volumes of the cube cover equal measures of the part.
    breaks : tuple of float
        Where along the first unit coordinate smooth pieces begin and end: 0, the corners within the part, 1.
    keep : callable or None
        Mask of the placed points that belong to the part, where that is not all of them.
    endless : int
        How many of the first unit coordinates lead back to where they began, as an angle does: clustering leaves
        them even.
    nodes : callable or None
        Maps a number to about so many nodes in the unit cube and their weights, where the part knows a better
        quadrature than products of Gauss rules.
    sides : tuple of str
        What its smooth pieces are called by themselves; empty strings where they have no names.
    """

    name: str
    measure: float
    parameters: int
    place: Callable[[FloatArray], Sites]
    breaks: tuple[float, ...] = (0.0, 1.0)
    keep: Mask | None = None
    endless: int = 0
    nodes: Callable[[int], tuple[FloatArray, FloatArray]] | None = None
    sides: tuple[str, ...] = ()

    @property
    def side_names(self) -> tuple[str, ...]:
        """Of the sides it is made of: ``"frame.side 1"``, ... of the part ``"frame.outline"``."""
        numbered = sorted(filter(None, set(self.sides)), key=lambda side: (len(side), side))
        return tuple(map(self._side_name, numbered))

    def side(self, name: str) -> BoundaryPart:
        """One of its sides, by one of the `side_names`, as a part of its own."""
        stretches = zip(self.sides, pairwise(self.breaks), strict=True)
        return join_parts(name, [self._between(*ends) for side, ends in stretches if self._side_name(side) == name])

    def _side_name(self, side: str) -> str:
        before, _, after = self.name.rpartition(OUTLINE)
        return f"{before}{side}{after}"

    def _between(self, low: float, high: float) -> BoundaryPart:
        """The smooth piece between two neighbouring breaks."""

        def place(unit: FloatArray) -> Sites:
            along = low + (high - low) * unit[:, :1]
            # at its very end the next piece begins, which may be elsewhere
            return self.place(np.column_stack([np.minimum(along, np.nextafter(high, low)), unit[:, 1:]]))

        return replace(self, measure=(high - low) * self.measure, place=place, breaks=(0.0, 1.0), nodes=None, sides=())

    def sample(
        self, n: int, rng: np.random.Generator, sampling: Sampling = "uniform", *, where: Mask | None = None
    ) -> Sites:
        """`n` sites on this part (a part that is a single point has only one), only such as `where` holds at."""
        check_count(n)
        check_deadline()
        stream = self._stream(rng, sampling)
        count = min(n, 1) if self.parameters == 0 else n
        masks = [mask for mask in (self.keep, where) if mask is not None]
        if not masks:
            return self.place(stream(count))

        def accept(unit: FloatArray) -> BoolArray:
            points = self.place(unit).points
            accepted: BoolArray = np.logical_and.reduce([mask(points) for mask in masks])
            return accepted

        what = f"the boundary part {self.name!r}" if where is None else f"the region on the part {self.name!r}"
        return self.place(reject(stream, accept, count, what=what))

    def at(self, unit: FloatArray) -> Sites:
        """The sites of these unit-cube coordinates, without those that do not belong to the part."""
        sites = self.place(unit)
        return sites if self.keep is None else sites.select(self.keep(sites.points))

    def quadrature(self, n: int) -> Quadrature:
        """Nodes, weights and normals for integrals over this part.

        Gauss-Legendre along every smooth piece, and equal steps around a closed one: the error falls faster than
        any power of `n` for smooth functions. A part with a mask (`keep`) has evenly spread points of equal weight
        instead, whose error falls about as 1 / `n`.

        Parameters
        ----------
        n : int
            About how many nodes; a part of many pieces has two on each at least, a single point only one.

        Returns
        -------
        Quadrature
        """
        check_nodes(n)
        if self.keep is not None:
            sites = self.sample(n, np.random.default_rng(0), "low-discrepancy")
            weights = np.ones(len(sites))
        else:
            unit, weights = self.unit_nodes(n)
            sites = self.place(unit)
        return Quadrature(sites.points, weights, sites.normals).scaled_to(self.measure)

    def unit_nodes(self, n: int) -> tuple[FloatArray, FloatArray]:
        """About `n` nodes in the unit cube and their weights, without regard to `keep`."""
        if self.nodes is not None:
            return self.nodes(n)
        if self.parameters == 0:
            return np.empty((1, 0)), np.ones(1)
        # around a closed part is about twice as far as across it
        each = per_axis(max(1, n // 2) if self.endless else n, self.parameters)
        first = around(2 * each) if self.endless else piecewise_gauss(each, self.breaks)
        return tensor(first, *[gauss(each)] * (self.parameters - 1))

    def _stream(self, rng: np.random.Generator, sampling: Sampling) -> Callable[[int], FloatArray]:
        check_sampling(sampling)
        if sampling != "clustered" or (len(self.breaks) == 2 and not self.endless):
            return unit_stream(self.parameters, rng, sampling)
        even = unit_stream(self.parameters, rng, "low-discrepancy")

        def clustered(n: int) -> FloatArray:
            unit = even(n)
            if self.endless:
                return np.column_stack([unit[:, : self.endless], arcsine(unit[:, self.endless :])])
            # toward the ends of every smooth piece: a corner within a part is an end for both its neighbours
            first = np.empty(n)
            for low, high in pairwise(self.breaks):
                here = (unit[:, 0] >= low) & (unit[:, 0] <= high)
                first[here] = low + (high - low) * arcsine((unit[here, 0] - low) / (high - low))
            return np.column_stack([first, arcsine(unit[:, 1:])])

        return clustered


def list_parts(parts: Iterable[BoundaryPart]) -> str:
    """The names of parts, and of the sides they are made of, for messages."""
    known = list(parts)
    told = str([part.name for part in known])
    for part in known:
        if names := part.side_names:
            few = [*names[:3], "...", names[-1]] if len(names) > 12 else names
            told += f"; the sides of {part.name!r} are {', '.join(few)}"
    return told


def join_parts(name: str, parts: Sequence[BoundaryPart]) -> BoundaryPart:
    """One part made of several, each taking its share of the first unit coordinate.

    The parts have the same number of parameters, at least one, and keep all of their points.
    """
    if len(parts) == 1:
        return replace(parts[0], name=name)
    measures = np.array([part.measure for part in parts])
    ends = np.concatenate([[0.0], np.cumsum(measures) / measures.sum()])
    ends[-1] = 1.0

    def place(unit: FloatArray) -> Sites:
        which = np.clip(np.searchsorted(ends, unit[:, 0], side="right") - 1, 0, len(parts) - 1)
        points: FloatArray | None = None
        normals: FloatArray | None = None
        for index, part in enumerate(parts):
            here = np.flatnonzero(which == index)
            inner = unit[here].copy()
            inner[:, 0] = np.clip((inner[:, 0] - ends[index]) / (ends[index + 1] - ends[index]), 0.0, 1.0)
            sites = part.place(inner)
            assert sites.normals is not None  # every boundary part has them
            if points is None or normals is None:
                points, normals = (np.empty((len(unit), sites.dimension)) for _ in range(2))
            points[here], normals[here] = sites.points, sites.normals
        assert points is not None
        return Sites(points, normals)

    inner = [
        low + (high - low) * corner
        for part, (low, high) in zip(parts, pairwise(ends), strict=True)
        for corner in part.breaks[1:-1]
    ]
    breaks = tuple(sorted(float(b) for b in [*ends, *inner]))
    return BoundaryPart(name, float(measures.sum()), parts[0].parameters, place, breaks)
