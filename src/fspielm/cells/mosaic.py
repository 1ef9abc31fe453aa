"""Tilings of a domain of several materials: each material is tiled separately."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.cells.arcs import Arcs, arcs_of, join_arcs, place
from fspielm.cells.frames import MaterialFrames, Materials, Row, Run, part_between, runs_along
from fspielm.cells.tiling import Cell, Contact, Cover, Joint, Stretch, Tiling, meet, tile
from fspielm.errors import UnsuitableError
from fspielm.geometry.boundary import BoundaryPart, Mask, Sites, gauss
from fspielm.geometry.domain import Domain, rounding_slack
from fspielm.numerics.tolerances import PROBES

# The share of a domain that a material seems to fill, by its borders and by samples, differs by less than this.
_OFF = 0.1
# Nodes along an arc for the integral of its area.
_NODES = 24


@final
@dataclass(frozen=True, eq=False)
class _Piece(Domain):
    """The part of a domain that one material fills.

    Attributes
    ----------
    whole : Domain
    materials : callable
    row : tuple of int
        The material.
    parts : tuple of BoundaryPart
        Its boundary, with normals that point outward.
    slack : float
        Distance by which rounding may displace a point.
    """

    whole: Domain
    materials: Materials
    row: Row
    parts: tuple[BoundaryPart, ...]
    slack: float

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return self.whole.dimension

    @cached_property
    def _arcs(self) -> Arcs:
        return join_arcs([arcs_of(part, n, self.slack) for n, part in enumerate(self.parts)], self.dimension)

    @cached_property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """Around the ends of arcs, which are monotone; equal to the domain's where they agree to rounding."""
        ends = np.concatenate([self._arcs.first, self._arcs.last])
        lower, upper = self.whole.bounding_box
        low, high = ends.min(axis=0), ends.max(axis=0)
        return np.where(low <= lower + self.slack, lower, low), np.where(high >= upper - self.slack, upper, high)

    @cached_property
    def measure(self) -> float:
        """Length or area, by Green's theorem."""
        arcs, flat = self._arcs, self.dimension == 2
        shares, weights = gauss(_NODES if flat else 1)
        unit = arcs.start[:, None] + (arcs.end - arcs.start)[:, None] * shares
        sites = place(self.parts, np.repeat(arcs.part, len(shares)), unit.ravel())
        assert sites.normals is not None  # every boundary part has them
        lower, _ = self.bounding_box
        flow = ((sites.points[:, 0] - lower[0]) * sites.normals[:, 0]).reshape(unit.shape) @ weights
        measures = np.array([part.measure for part in self.parts])
        return float(np.sum(flow * ((arcs.end - arcs.start) * measures[arcs.part] if flat else 1.0)))

    def _contains(self, points: FloatArray, closed: bool) -> BoolArray:
        held = self.whole._contains(points, closed)
        held[held] = np.all(self.materials(points[held]) == self.row, axis=1)
        return held

    def _boundary(self, axes: Sequence[str]) -> tuple[BoundaryPart, ...]:
        return self.parts

    def __repr__(self) -> str:
        return f"a material in {self.whole!r}"


def _time_faces(domain: Domain) -> Iterator[BoundaryPart]:
    """The start and the end of time, which the boundary of a domain with time does not include."""
    if domain.time is None or domain.dimension != 2:
        return
    lower, upper = domain.bounding_box
    for name, at, normal in (("start", lower[1], -1.0), ("end", upper[1], 1.0)):

        def place(unit: FloatArray, at: float = at, normal: float = normal) -> Sites:
            along = lower[0] + (upper[0] - lower[0]) * unit[:, 0]
            normals = np.tile([0.0, normal], (len(unit), 1))
            return Sites(np.column_stack([along, np.full(len(unit), at)]), normals)

        yield BoundaryPart(name, float(upper[0] - lower[0]), 1, place)


@final
@dataclass(frozen=True, eq=False)
class Side:
    """A piece of an interface that bounds a material.

    Attributes
    ----------
    line : int
        Number of the interface.
    second : bool
        Whether its normals point to the material.
    run : Run
        Its position on the interface's part.
    part : BoundaryPart
        The piece, with normals that point out of the material.
    """

    line: int
    second: bool
    run: Run
    part: BoundaryPart


@final
@dataclass(frozen=True, eq=False)
class Tile:
    """The tiling of one material.

    Attributes
    ----------
    tiling : Tiling
    sides : tuple of Side
    """

    tiling: Tiling
    sides: tuple[Side, ...]

    @cached_property
    def stretches(self) -> list[tuple[Side, Stretch]]:
        """Its cells along interfaces, with unit coordinates of the interfaces' parts."""
        return [
            (side, _moved(stretch, side.run, 0)) for side in self.sides for stretch in self.tiling.stretches(side.part)
        ]


@final
@dataclass(frozen=True, eq=False)
class Mosaic(Cover):
    """The cells of a domain of several materials; made by `mosaic_of`.

    Attributes
    ----------
    domain : Domain
    material_of : callable
        Maps points ``(n, d)`` to rows ``(n, k)`` that are equal if and only if materials are.
    tiles : tuple of Tile
        One for each material, with consecutive cells.
    """

    domain: Domain
    material_of: Materials
    tiles: tuple[Tile, ...]

    @cached_property
    def cells(self) -> tuple[Cell, ...]:  # type: ignore[override]  # found once
        """The cells of all tiles."""
        return tuple(cell for each in self.tiles for cell in each.tiling.cells)

    @cached_property
    def _starts(self) -> NDArray[np.intp]:
        """The first cell of each tile, and the total number."""
        return np.cumsum([0, *(len(each.tiling.cells) for each in self.tiles)])

    @cached_property
    def joints(self) -> tuple[Joint, ...]:  # type: ignore[override]
        """See `Cover.joints`."""
        return tuple(
            replace(joint, cells=(joint.cells[0] + start, joint.cells[1] + start))
            for start, each in self._each()
            for joint in each.tiling.joints
        )

    @cached_property
    def contacts(self) -> tuple[Contact, ...]:  # type: ignore[override]
        """See `Cover.contacts`."""
        beside: dict[int, tuple[list[Stretch], list[Stretch]]] = {}
        for start, each in self._each():
            for side, stretch in each.stretches:
                own = replace(stretch, cell=stretch.cell + start)
                beside.setdefault(side.line, ([], []))[side.second].append(own)
        return tuple(contact for line in sorted(beside) for contact in meet(line, *beside[line]))

    @cached_property
    def materials(self) -> NDArray[np.intp]:  # type: ignore[override]
        """See `Cover.materials`."""
        return np.repeat(np.arange(len(self.tiles)), np.diff(self._starts))

    @cached_property
    def frames(self) -> MaterialFrames:  # type: ignore[override]
        """See `Cover.frames`."""
        parts = tuple(each.tiling.frames for each in self.tiles)
        return MaterialFrames(parts, np.array([piece.row for piece in self._pieces]), self.material_of)

    def locate(self, points: ArrayLike) -> NDArray[np.intp]:
        """See `Cover.locate`."""
        return self.frames.locate(points)

    def holds(self, cells: int | NDArray[np.intp], points: FloatArray) -> BoolArray:
        """See `Cover.holds`."""
        own = np.broadcast_to(np.asarray(cells), len(points))
        held = np.zeros(len(points), dtype=np.bool_)
        for number, (start, each) in enumerate(self._each()):
            here = np.flatnonzero(self.materials[own] == number)
            held[here] = each.tiling.holds(own[here] - start, points[here])
        return held

    def halve(self, cells: Mapping[int, Collection[int]]) -> Mosaic:
        """See `Cover.halve`."""
        self._check(cells)
        tiles = []
        for start, each in self._each():
            own = {cell - start: cells[cell] for cell in range(start, start + len(each.tiling.cells)) if cell in cells}
            tiles.append(replace(each, tiling=each.tiling.halve(own)) if own else each)
        return replace(self, tiles=tuple(tiles))

    def stretches(self, part: BoundaryPart, mask: Mask | None = None) -> tuple[Stretch, ...]:
        """See `Cover.stretches`."""
        number = {piece.row: index for index, piece in enumerate(self._pieces)}
        found: list[Stretch] = []
        for run in runs_along(part, self.material_of, -1, _size(self.domain)):
            if run.row in number:
                index = number[run.row]
                own = part_between(part, run.start, run.end, -1)
                first = int(self._starts[index])
                found += [_moved(each, run, first) for each in self.tiles[index].tiling.stretches(own, mask)]
        return tuple(found)

    def face_stretches(self, axis: int, end: int) -> tuple[tuple[int, tuple[float, float]], ...]:
        """See `Cover.face_stretches`."""
        at = self.domain.bounding_box[end][axis]
        return tuple(
            (cell + start, span)
            for start, each in self._each()
            if each.tiling.domain.bounding_box[end][axis] == at
            for cell, span in each.tiling.face_stretches(axis, end)
        )

    def rims(self) -> Iterator[tuple[BoundaryPart, Stretch]]:
        """See `Cover.rims`."""
        for start, each in self._each():
            yield from ((part, replace(own, cell=own.cell + start)) for part, own in each.tiling.rims())

    @property
    def _pieces(self) -> list[_Piece]:
        return [each.tiling.domain for each in self.tiles]  # type: ignore[misc]  # `mosaic_of` made them so

    def _each(self) -> Iterator[tuple[int, Tile]]:
        """The tiles, each with the number of its first cell."""
        return zip(self._starts.tolist(), self.tiles, strict=False)


def mosaic_of(
    domain: Domain,
    lines: Sequence[BoundaryPart],
    materials: Materials,
    shape: Callable[[Domain], Sequence[int]],
) -> Mosaic:
    """Tile each material of a domain by a uniform grid over its own bounding box.

    Parameters
    ----------
    domain : Domain
        Of one or two dimensions.
    lines : sequence of BoundaryPart
        The interfaces.
    materials : callable
        From points ``(n, d)`` to rows ``(n, k)`` that are equal where materials are.
    shape : callable
        From what of the domain has a material to how many boxes along each axis.

    Returns
    -------
    Mosaic
    """
    sides: dict[Row, list[Side]] = {}
    for number, line in enumerate(lines):
        for sign in (-1, 1):
            for run in runs_along(line, materials, sign, _size(domain)):
                side = Side(number, sign > 0, run, part_between(line, run.start, run.end, sign))
                sides.setdefault(run.row, []).append(side)
    parts: dict[Row, list[BoundaryPart]] = {row: [side.part for side in own] for row, own in sides.items()}
    for part in (*domain.boundary(), *_time_faces(domain)):
        for run in runs_along(part, materials, -1, _size(domain)):
            if run.row in parts:
                parts[run.row].append(part_between(part, run.start, run.end, -1))
    slack = rounding_slack(True, *np.ravel(domain.bounding_box))
    filled = materials(domain.sample(PROBES, np.random.default_rng(0), "low-discrepancy"))
    tiles = []
    for row, own in sides.items():
        piece = _Piece(domain, materials, row, tuple(parts[row]), slack)
        if abs(piece.measure / domain.measure - np.mean(np.all(filled == row, axis=1))) > _OFF:
            raise UnsuitableError("a part of the borders of materials was not found, and so they are not told apart")
        tiles.append(Tile(tile(piece, shape(piece), slack), tuple(own)))
    return Mosaic(domain, materials, tuple(tiles))


def _size(domain: Domain) -> float:
    lower, upper = domain.bounding_box
    return float(np.max(upper - lower))


def _moved(stretch: Stretch, run: Run, first: int) -> Stretch:
    """A stretch of a run, in unit coordinates of the part that the run is on."""
    length = run.end - run.start
    return Stretch(stretch.cell + first, run.start + length * stretch.start, run.start + length * stretch.end)
