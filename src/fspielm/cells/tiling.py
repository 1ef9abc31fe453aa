"""Tilings of a domain by cells."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import ClassVar, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.cells.arcs import Arcs, EdgeMarks, Outline, Pieces, cut_pieces, outline_of, sort_arcs
from fspielm.cells.frames import Frames, MaterialFrames
from fspielm.cells.tree import Faces, Seam, Tree, grid_tree, seams_of
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import BoundaryPart, Mask, Sites
from fspielm.geometry.domain import Domain
from fspielm.numerics.roots import bisect
from fspielm.resources import check_deadline

# ---- Cells, joints between them, and stretches of a boundary in them


@final
@dataclass(frozen=True, eq=False)
class Cell:
    """A piece of a domain.

    Attributes
    ----------
    boxes : tuple of (lower, upper)
        The boxes that contain it: one, or several if a small piece was joined to a neighbour.
    lower, upper : (d,) arrays
        Its frame: the bounding box of the part of the domain in these boxes.
    whole : bool
        Whether it is one box that lies in the domain entirely.
    share : float
        Measure of the piece over that of its frame.
    """

    boxes: tuple[tuple[FloatArray, FloatArray], ...]
    lower: FloatArray
    upper: FloatArray
    whole: bool
    share: float


@final
@dataclass(frozen=True, eq=False)
class Joint:
    """A straight piece of edge between two cells, inside of the domain.

    Attributes
    ----------
    cells : (int, int)
        The cells below and above, along `axis`.
    axis : int
        The axis of the normal.
    at : float
        The coordinate along `axis`.
    span : (float, float)
        The ends along the other axis; zeros in one dimension.
    """

    cells: tuple[int, int]
    axis: int
    at: float
    span: tuple[float, float]


@final
@dataclass(frozen=True, eq=False)
class Stretch:
    """A piece of a boundary part in one cell.

    Attributes
    ----------
    cell : int
    start, end : float
        Unit coordinates of the part; zeros for a part that is a point.
    """

    cell: int
    start: float
    end: float


@final
@dataclass(frozen=True, eq=False)
class Contact:
    """A piece of an interface between two cells.

    Attributes
    ----------
    cells : (int, int)
        The cell that the interface's normals point away from, and the one that they point to.
    line : int
        Number of the interface.
    start, end : float
        Unit coordinates of its part; zeros for a point.
    """

    cells: tuple[int, int]
    line: int
    start: float
    end: float


# ---- Stretches of a boundary part, cut where a mask changes

# Samples of masks along a part, in all and at least in each cell.
_SAMPLES, _FEWEST = 2048, 16
# Distance of samples from the ends of a stretch, relative to its length: a mask is ambiguous at the ends.
_INSET = 1e-9
_BISECTIONS = 60


def masked(part: BoundaryPart, stretches: Sequence[Stretch], masks: Sequence[Mask]) -> tuple[Stretch, ...]:
    """The parts of the stretches where all masks hold."""

    def held(unit: FloatArray) -> BoolArray:
        points = part.place(unit[:, None] if part.parameters else np.empty((len(unit), 0))).points
        every: BoolArray = np.logical_and.reduce([mask(points) for mask in masks])
        return every

    if not masks or not stretches:
        return tuple(stretches)
    if part.parameters == 0:
        return tuple(stretches) if held(np.zeros(1))[0] else ()
    grids = []
    for each in stretches:
        length = each.end - each.start
        count = max(_FEWEST, int(np.ceil(_SAMPLES * length)))
        grids.append(each.start + length * np.linspace(_INSET, 1.0 - _INSET, count))
    unit, ends = np.concatenate(grids), np.cumsum([len(grid) for grid in grids])
    kept = held(unit)
    changing = kept[:-1] != kept[1:]
    changing[ends[:-1] - 1] = False
    at_low = kept[:-1][changing]
    places, _ = bisect(unit[:-1][changing], unit[1:][changing], lambda s: held(s) == at_low, _BISECTIONS)
    where = np.flatnonzero(changing)
    found: list[Stretch] = []
    for each, first, last in zip(stretches, ends - [len(grid) for grid in grids], ends, strict=True):
        here = (where >= first) & (where < last)
        cuts = [each.start, *places[here].tolist(), each.end]
        inside = bool(kept[first])
        for low, high in pairwise(cuts):
            found += [Stretch(each.cell, low, high)] * inside
            inside = not inside
    return tuple(found)


# ---- Where the cells on both sides of an interface meet

# Cells that meet along less than this share of either one's stretch of an interface are not neighbours.
_SHORT = 1e-4


def meet(line: int, first: Sequence[Stretch], second: Sequence[Stretch]) -> Iterator[Contact]:
    """The contacts where stretches on both sides of an interface overlap."""
    first, second = (sorted(side, key=lambda each: each.start) for side in (first, second))
    i = j = 0
    while i < len(first) and j < len(second):
        a, b = first[i], second[j]
        low, high = max(a.start, b.start), min(a.end, b.end)
        point = a.start == a.end
        if point or high - low > _SHORT * min(a.end - a.start, b.end - b.start):
            yield Contact((a.cell, b.cell), line, low, high)
        i, j = i + (a.end <= b.end), j + (b.end <= a.end)


# ---- The interface of all tilings


class Cover(ABC):
    """The cells of a domain of one or two dimensions, and their connections.

    Attributes
    ----------
    domain : Domain
    cells : tuple of Cell
    joints : tuple of Joint
        All pieces of edges between cells of one material, one for each neighbour.
    contacts : tuple of Contact
        All pieces of interfaces between cells of two materials.
    materials : (C,) integer array
        The number of the material that each cell is made of.
    frames : Frames or MaterialFrames
        Where the cells are, without the domain.
    """

    domain: Domain
    cells: tuple[Cell, ...]
    joints: tuple[Joint, ...]
    contacts: tuple[Contact, ...]
    materials: NDArray[np.intp]
    frames: Frames | MaterialFrames

    @abstractmethod
    def locate(self, points: ArrayLike) -> NDArray[np.intp]:
        """The cell of each point ``(n, d)``; for points outside of all cells, the one with the nearest frame."""

    @abstractmethod
    def holds(self, cells: int | NDArray[np.intp], points: FloatArray) -> BoolArray:
        """Mask of the points ``(n, d)`` that are in a cell, or each in its own."""

    @abstractmethod
    def halve(self, cells: Mapping[int, Collection[int]]) -> Cover:
        """The cover with some cells halved, box by box: along one axis into two, along both into four.

        Parameters
        ----------
        cells : mapping
            Maps the number of a cell to the axes along which it is halved; or to a mapping from axes to the positions
            in each of its boxes at which it is cut instead.

        Returns
        -------
        Cover
            Its cells have new numbers.
        """

    @abstractmethod
    def stretches(self, part: BoundaryPart, mask: Mask | None = None) -> tuple[Stretch, ...]:
        """The pieces of a boundary part in the cells, cut at their borders and at the part's breaks.

        Parameters
        ----------
        part : BoundaryPart
            A part of the boundary, or any curve in the domain. Its `keep` applies.
        mask : callable, optional
            Maps points ``(n, d)`` to whether they are included.

        Returns
        -------
        tuple of Stretch
            In the order of their unit coordinates.
        """

    @abstractmethod
    def face_stretches(self, axis: int, end: int) -> tuple[tuple[int, tuple[float, float]], ...]:
        """The cells at a face of the bounding box, with their spans along the other axis.

        Parameters
        ----------
        axis : int
            The axis of the face's normal.
        end : int
            0 for the lower face, 1 for the upper one.

        Returns
        -------
        tuple of (int, (float, float))
            The cell, and the span along the other axis; zeros in one dimension.
        """

    @abstractmethod
    def rims(self) -> Iterator[tuple[BoundaryPart, Stretch]]:
        """The boundary in cells that are not whole, with normals that point out of the domain."""

    def _check(self, cells: Mapping[int, Collection[int]]) -> None:
        for cell, axes in cells.items():
            if not 0 <= cell < len(self.cells):
                raise ProblemError(f"halve: cells must be numbers from 0 to {len(self.cells) - 1}; got {cell}")
            if not axes or len(set(axes)) != len(axes) or not set(axes) <= set(range(self.domain.dimension)):
                raise ProblemError(
                    f"halve: the axes of a cell must be some of {list(range(self.domain.dimension))}, each once; "
                    f"got {list(axes)} for cell {cell}"
                )


# ---- Cells at identified faces of a periodic domain


def tied_across(tiling: Cover, part: BoundaryPart, shift: FloatArray) -> Iterator[Contact]:
    """The contacts of cells across a part of the boundary that is identified with a shifted one.

    Parameters
    ----------
    tiling : Cover
    part : BoundaryPart
    shift : (d,) array
        The translation to the other part.

    Yields
    ------
    Contact
        The cell at the part, the one at the other part, and unit coordinates of the part.
    """
    yield from meet(0, tiling.stretches(part), tiling.stretches(_moved(part, shift)))


def _moved(part: BoundaryPart, shift: FloatArray) -> BoundaryPart:
    """A translated part with reversed normals."""
    keep = part.keep

    def place(unit: FloatArray) -> Sites:
        sites = part.place(unit)
        assert sites.normals is not None  # every boundary part has them
        return Sites(sites.points + shift, -sites.normals)

    def kept(points: FloatArray) -> BoolArray:
        assert keep is not None
        return keep(points - shift)

    return replace(part, place=place, keep=None if keep is None else kept)


# ---- Small pieces, which are joined to a neighbour

# A piece is small if a side is below the first share of its box's side, or its measure below the second share: a cell
# of its own would be many times finer than its neighbours, whose polynomials extend to it.
_THIN, _SMALL = 0.08, 0.02
# A small piece is joined to another small one only if that is larger by this factor, so that pieces of a domain that is
# thin everywhere stay separate.
_MUCH_LARGER = 4.0


def hosts_of(pieces: Pieces, lower: FloatArray, upper: FloatArray) -> NDArray[np.intp]:
    """For each leaf, the leaf whose cell its piece belongs to: itself unless it is small; -1 if there is no piece.

    Parameters
    ----------
    pieces : Pieces
    lower, upper : (n, d) arrays
        Boxes of the leaves.

    Returns
    -------
    (n,) array of int
    """
    host = np.where(pieces.empty, -1, np.arange(len(lower)))
    small = _are_small(pieces, lower, upper)
    lengths: defaultdict[int, defaultdict[int, float]] = defaultdict(lambda: defaultdict(float))
    for seam, spans in pieces.crossings:
        length = sum(b - a for a, b in spans)
        for one, other in ((seam.below, seam.above), (seam.above, seam.below)):
            if small[one]:
                lengths[one][other] += length
    # from the largest on: the host of a host is then known
    for leaf in sorted(lengths, key=lambda leaf: -float(pieces.measure[leaf])):
        own = pieces.measure[leaf]
        suited = {
            other: length
            for other, length in lengths[leaf].items()
            if pieces.measure[other] >= own * (_MUCH_LARGER if small[other] else 1.0) and host[other] != leaf
        }
        if suited:
            host[leaf] = host[max(suited, key=lambda other: suited[other])]
    return host


def _are_small(pieces: Pieces, lower: FloatArray, upper: FloatArray) -> BoolArray:
    thin = np.any(pieces.upper - pieces.lower < _THIN * (upper - lower), axis=1)
    small = pieces.measure < _SMALL * np.prod(upper - lower, axis=1)
    found: BoolArray = ~pieces.whole & ~pieces.empty & (thin | small)
    return found


# ---- Cells and joints from the leaves of a tree

# A joint shorter than this share of its edge is dropped if the same cells have a longer one.
_NEGLIGIBLE = 1e-10


def cells_of(tree: Tree, pieces: Pieces, host: NDArray[np.intp]) -> tuple[tuple[Cell, ...], NDArray[np.intp]]:
    """The cells in the order of their hosts, and for each leaf the number of its cell; -1 if there is none."""
    members: dict[int, list[int]] = {leaf: [leaf] for leaf in np.flatnonzero(host == np.arange(len(host))).tolist()}
    for leaf, other in enumerate(host.tolist()):
        if other >= 0 and other != leaf:
            members[other].append(leaf)
    number = np.full(len(host) + 1, -1, dtype=np.intp)  # the last one for no host
    number[list(members)] = np.arange(len(members))
    box_lower, box_upper = tree.lower[tree.leaves], tree.upper[tree.leaves]
    whole = pieces.whole.tolist()
    cells = []
    for leaves in members.values():
        check_deadline()
        boxes = tuple((box_lower[leaf], box_upper[leaf]) for leaf in leaves)
        if len(leaves) == 1 and whole[leaves[0]]:
            cells.append(Cell(boxes, *boxes[0], whole=True, share=1.0))
        else:
            lower, upper = pieces.lower[leaves].min(axis=0), pieces.upper[leaves].max(axis=0)
            share = float(pieces.measure[leaves].sum() / np.prod(upper - lower))
            cells.append(Cell(boxes, lower, upper, whole=False, share=min(share, 1.0)))
    return tuple(cells), number[host]


def joints_of(pieces: Pieces, cell: NDArray[np.intp]) -> tuple[Joint, ...]:
    """The joints between cells; very short ones only if two cells have no other."""
    found: list[tuple[Joint, bool]] = []
    number = cell.tolist()
    for seam, spans in pieces.crossings:
        check_deadline()
        below, above = number[seam.below], number[seam.above]
        if below != above:
            long = _NEGLIGIBLE * (seam.high - seam.low)
            found += [(Joint((below, above), seam.axis, seam.at, (a, b)), b - a >= long) for a, b in spans]
    held = Counter(frozenset(joint.cells) for joint, long in found if long)
    return tuple(joint for joint, long in found if long or not held[frozenset(joint.cells)])


# ---- Tilings by the leaves of a tree of boxes


@final
@dataclass(frozen=True, eq=False)
class Tiling(Cover):
    """A tiling of a domain of one material; made by `tile`.

    Attributes
    ----------
    domain : Domain
    cells : tuple of Cell
        Cells in the same subtree are consecutive.
    joints : tuple of Joint
        All pieces of edges between cells, one for each neighbour.
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

    def holds(self, cells: int | NDArray[np.intp], points: FloatArray) -> BoolArray:
        """See `Cover.holds`."""
        own = np.broadcast_to(np.asarray(cells), len(points))
        held = np.zeros(len(points), dtype=np.bool_)
        for lower, upper in self._boxes:
            held |= np.all((points >= lower[own]) & (points <= upper[own]), axis=1)
        asked = np.flatnonzero(held & ~self.frames.whole[own])
        held[asked] = self.domain.contains(points[asked])
        return held

    @cached_property
    def _boxes(self) -> list[tuple[FloatArray, FloatArray]]:
        """The first box of each cell, the second one, and so on: lower and upper corners ``(C, d)``, NaN for none."""
        found = []
        for number in range(max(len(cell.boxes) for cell in self.cells)):
            none = (np.full(self.domain.dimension, np.nan),) * 2
            each = [cell.boxes[number] if number < len(cell.boxes) else none for cell in self.cells]
            found.append((np.array([lower for lower, _ in each]), np.array([upper for _, upper in each])))
        return found

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
        """The stretches of parts that were requested, by their identity."""
        return {}

    def _unmasked(self, part: BoundaryPart) -> list[Stretch]:
        number = next((n for n, each in enumerate(self._outline.parts) if each is part), None)
        if number is None:
            arcs = sort_arcs(self._outline.at_root(part), self._tree, (part,), self._outline.slack)
        else:  # they are sorted already
            arcs = self._arcs.select(self._arcs.part == number)
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
        """Zero for all cells."""
        return np.zeros(len(self.cells), dtype=np.intp)

    @cached_property
    def frames(self) -> Frames:  # type: ignore[override]  # found once
        """Where the cells are, without the domain."""
        lower, upper = (np.array([getattr(cell, end) for cell in self.cells]) for end in ("lower", "upper"))
        whole = np.array([cell.whole for cell in self.cells])
        return Frames(lower, upper, whole, self._tree, self._cell, self._outline.slack)


def tile(domain: Domain, shape: Sequence[int], slack: float | None = None) -> Tiling:
    """Tile a domain of one or two dimensions by a uniform grid of boxes over its bounding box.

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
    """The tiling of a domain with cells in these frames."""
    outline = outline_of(domain, frames.slack)
    tree = frames.tree
    return _assemble(outline, tree, outline.arcs(tree), np.zeros(len(tree.axis), dtype=np.bool_))


def _assemble(outline: Outline, tree: Tree, arcs: Arcs, known: BoolArray) -> Tiling:
    """The tiling by the leaves of a tree; some of its nodes are known to lie in the domain."""
    seams, faces = seams_of(tree)
    pieces = cut_pieces(outline, tree, arcs, seams, known[tree.leaves])
    host = hosts_of(pieces, tree.lower[tree.leaves], tree.upper[tree.leaves])
    cells, cell = cells_of(tree, pieces, host)
    known = known.copy()
    known[tree.leaves] |= pieces.whole
    joints = joints_of(pieces, cell)
    return Tiling(outline.domain, cells, joints, outline, tree, arcs, known, faces, cell)
