"""A domain tiled by the leaves of a tree of boxes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import BoundaryPart, Mask
from fspielm.geometry.cells.arcs import Arcs
from fspielm.geometry.cells.assembly import cells_of, joints_of
from fspielm.geometry.cells.cell import Cell, Contact, Joint, Stretch
from fspielm.geometry.cells.cover import Cover
from fspielm.geometry.cells.edges import EdgeMarks
from fspielm.geometry.cells.frames import Frames
from fspielm.geometry.cells.joining import hosts_of
from fspielm.geometry.cells.outline import Outline, outline_of, sorted_parts
from fspielm.geometry.cells.pieces import cut_pieces
from fspielm.geometry.cells.seams import Faces, Seam, seams_of
from fspielm.geometry.cells.sorting import sort_arcs
from fspielm.geometry.cells.stretches import masked
from fspielm.geometry.cells.tree import Tree, grid_tree
from fspielm.geometry.domain import Domain


@final
@dataclass(frozen=True, eq=False)
class Tiling(Cover):
    """A domain of one material, tiled.

    Made by `tile`.

    Attributes
    ----------
    domain : Domain
    cells : tuple of Cell
        Those of a block of the tree follow each other.
    joints : tuple of Joint
        All pieces of edges between them. Where a cell has several neighbours along an edge, each has its own.
    """

    contacts: ClassVar[tuple[Contact, ...]] = ()  # type: ignore[misc]  # of one material

    domain: Domain
    cells: tuple[Cell, ...]
    joints: tuple[Joint, ...]
    _outline: Outline
    _tree: Tree
    _arcs: Arcs
    _whole: BoolArray  # by node, whether it is known to lie in the domain
    _faces: Faces
    _cell: NDArray[np.intp]  # by leaf; -1 where there is none

    def locate(self, points: ArrayLike) -> NDArray[np.intp]:
        """See `Cover.locate`."""
        return self.frames.locate(points)

    def holds(self, cell: int, points: FloatArray) -> BoolArray:
        """See `Cover.holds`."""
        held = np.zeros(len(points), dtype=np.bool_)
        for lower, upper in self.cells[cell].boxes:
            held |= np.all((points >= lower) & (points <= upper), axis=1)
        if not self.cells[cell].whole:
            held[held] = self.domain.contains(points[held])
        return held

    def rims(self) -> Iterator[tuple[BoundaryPart, Stretch]]:
        """See `Cover.rims`."""
        if all(cell.whole for cell in self.cells):
            return
        for part in self._outline.parts:
            yield from ((part, each) for each in self.stretches(part) if not self.cells[each.cell].whole)

    def halve(self, cells: Mapping[int, Collection[int]]) -> Tiling:
        """See `Cover.halve`."""
        self._check(cells)
        owners = self._cell.tolist()
        nodes = {int(node): cells[cell] for node, cell in zip(self._tree.leaves, owners, strict=True) if cell in cells}
        tree = self._tree.halved(nodes)
        # a node comes after its parent
        whole = np.append(self._whole, np.zeros(len(tree.axis) - len(self._whole), dtype=np.bool_))
        for node in range(len(self._whole), len(whole)):
            whole[node] = whole[tree.parent[node]]
        arcs = sort_arcs(self._arcs, tree, self._outline.parts, self._outline.slack)
        return _assemble(self._outline, tree, arcs, whole)

    def stretches(self, part: BoundaryPart, mask: Mask | None = None) -> tuple[Stretch, ...]:
        """See `Cover.stretches`."""
        # sorting takes long, and the same parts are asked for again and again
        known = self._stretches.get(id(part))
        if known is None or known[0] is not part:
            known = self._stretches[id(part)] = part, self._unmasked(part)
        return masked(part, known[1], [m for m in (part.keep, mask) if m is not None])

    @cached_property
    def _stretches(self) -> dict[int, tuple[BoundaryPart, list[Stretch]]]:
        """Those of parts that were asked for, by their identity."""
        return {}

    def _unmasked(self, part: BoundaryPart) -> list[Stretch]:
        arcs = sorted_parts((part,), self._tree, self._outline.slack)
        arcs = arcs.select(np.argsort(arcs.start, kind="stable"))
        cells = self._cell[self._tree.rank[arcs.node]]
        lost = np.flatnonzero(cells < 0)
        cells[lost] = self.locate(0.5 * (arcs.first + arcs.last)[lost])
        found: list[Stretch] = []
        for cell, start, end in zip(cells.tolist(), arcs.start.tolist(), arcs.end.tolist(), strict=True):
            follows = found and found[-1].cell == cell and found[-1].end == start and start not in part.breaks
            if follows:
                found[-1] = Stretch(cell, found[-1].start, end)
            elif end > start or part.parameters == 0:
                found.append(Stretch(cell, start, end))
        return found

    def face_stretches(self, axis: int, end: int) -> tuple[tuple[int, tuple[float, float]], ...]:
        """See `Cover.face_stretches`."""
        tree, flat = self._tree, self.domain.dimension == 2
        at = float((tree.lower, tree.upper)[end][0, axis])
        marks = EdgeMarks(self._arcs, tree.rank[self._arcs.node])
        found: list[tuple[int, tuple[float, float]]] = []
        for leaf in self._faces[axis][end]:
            if self._cell[leaf] < 0:
                continue
            node = tree.leaves[leaf]
            box = (tree.lower[node, 1 - axis], tree.upper[node, 1 - axis]) if flat else (0.0, 0.0)
            seam = Seam(leaf, leaf, axis, at, float(box[0]), float(box[1]))
            found += [(int(self._cell[leaf]), span) for span in (marks.between(seam) if flat else [(0.0, 0.0)])]
        middles = np.full((len(found), tree.dimension), at)
        if flat:
            middles[:, 1 - axis] = [0.5 * (low + high) for _, (low, high) in found]
        inside = [self._outline.is_box] * len(found) if self._outline.is_box else self.domain.contains(middles)
        return tuple(each for each, held in zip(found, inside, strict=True) if held)

    @cached_property
    def materials(self) -> NDArray[np.intp]:  # type: ignore[override]
        """All of one."""
        return np.zeros(len(self.cells), dtype=np.intp)

    @cached_property
    def frames(self) -> Frames:  # type: ignore[override]  # found once
        """Where the cells are: what functions on them need to know, without the domain."""
        lower, upper = (np.array([getattr(cell, end) for cell in self.cells]) for end in ("lower", "upper"))
        whole = np.array([cell.whole for cell in self.cells])
        return Frames(lower, upper, whole, self._tree, self._cell, self._outline.slack)


def tile(domain: Domain, shape: Sequence[int], slack: float | None = None) -> Tiling:
    """Tile a domain of one or two dimensions by an even grid of boxes over its bounding box.

    Parameters
    ----------
    domain : Domain
    shape : sequence of int
        How many boxes along each axis.
    slack : float, optional
        How far rounding may carry points of the boundary off; unless given, as far as it does with numbers of the
        domain's size.

    Returns
    -------
    Tiling

    Examples
    --------
    >>> from fspielm.geometry import LShape
    >>> tiling = tile(LShape((0, 0), 1), (2, 2))
    >>> len(tiling.cells), len(tiling.joints)
    (3, 2)
    """
    outline = outline_of(domain, slack)
    if len(shape) != domain.dimension or any(n < 1 for n in shape):
        raise ProblemError(f"tile: shape must be {domain.dimension} positive numbers; got {tuple(shape)}")
    tree = grid_tree(outline.lower, outline.upper, shape)
    arcs = outline.arcs(tree)
    return _assemble(outline, tree, arcs, np.zeros(len(tree.axis), dtype=np.bool_))


def tile_as(domain: Domain, frames: Frames) -> Tiling:
    """The tiling of a domain whose cells were in these frames."""
    outline = outline_of(domain, frames.slack)
    tree = frames.tree
    return _assemble(outline, tree, outline.arcs(tree), np.zeros(len(tree.axis), dtype=np.bool_))


def _assemble(outline: Outline, tree: Tree, arcs: Arcs, known: BoolArray) -> Tiling:
    """The tiling by the leaves of a tree, of whose nodes some are known to lie in the domain."""
    seams, faces = seams_of(tree)
    pieces = cut_pieces(outline, tree, arcs, seams, known[tree.leaves])
    host = hosts_of(pieces, tree.lower[tree.leaves], tree.upper[tree.leaves])
    cells, cell = cells_of(tree, pieces, host)
    known = known.copy()
    known[tree.leaves] |= pieces.whole
    joints = joints_of(pieces, cell)
    return Tiling(outline.domain, cells, joints, outline, tree, arcs, known, faces, cell)
