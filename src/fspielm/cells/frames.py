"""The frames of cells: where they are, as plain numbers without the domain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fspielm.arrays import BoolArray, FloatArray, as_points
from fspielm.cells.arcs import sorted_parts
from fspielm.cells.tree import Tree, grow_tree, nearest_frame, seams_of
from fspielm.geometry.boundary import BoundaryPart, Sites
from fspielm.numerics.roots import bisect

# ---- Where the materials along a boundary part change

# Maps points (n, d) to rows (n, k) that are equal if and only if materials are.
Materials: TypeAlias = Callable[[FloatArray], NDArray[np.int_]]
Row: TypeAlias = tuple[int, ...]

# Samples of materials along a part, in all and at least between its breaks.
_SAMPLES, _FEWEST = 2048, 16
# Their distance from the part, relative to the domain: much less than their spacing.
_DISTANCE = 1e-7
_BISECTIONS = 54


@final
@dataclass(frozen=True, eq=False)
class Run:
    """A piece of a boundary part along one material.

    Attributes
    ----------
    row : tuple of int
        The material.
    start, end : float
        Unit coordinates of the part; zeros for a point.
    """

    row: Row
    start: float
    end: float


def runs_along(part: BoundaryPart, materials: Materials, side: int, size: float) -> list[Run]:
    """Cut a part where the materials change on the side that its normals point to (1), or on the other side (-1).

    Parameters
    ----------
    part : BoundaryPart
        What its `keep` leaves out is left out.
    materials : callable
    side : {-1, 1}
    size : float
        Of the domain.

    Returns
    -------
    list of Run
    """

    def rows(unit: FloatArray, depth: FloatArray | float) -> NDArray[np.int_]:
        sites = part.place(unit[:, None] if part.parameters else np.empty((len(unit), 0)))
        assert sites.normals is not None  # every boundary part has them
        kept = np.ones(len(unit)) if part.keep is None else part.keep(sites.points)
        return np.column_stack([kept, materials(sites.points + side * depth * sites.normals)]).astype(np.int_)

    if part.parameters == 0:
        kept, *row = rows(np.zeros(1), _DISTANCE * size)[0].tolist()
        return [Run(tuple(row), 0.0, 0.0)] if kept else []
    unit = np.concatenate([_middles(low, high) for low, high in pairwise(part.breaks)])
    beside = rows(unit, _DISTANCE * size)
    at = np.flatnonzero(np.any(beside[1:] != beside[:-1], axis=1))
    before, after = beside[at], beside[at + 1]
    same = before == after
    # on the part itself, places are found to the last digit; where that does not tell, just beside it
    told = [np.all(same | (rows(unit[place], 0.0) == row), axis=1) for place, row in ((at, before), (at + 1, after))]
    depth = np.where(told[0] & told[1], 0.0, _DISTANCE * size)[:, None]
    cuts, _ = bisect(
        unit[at],
        unit[at + 1],
        lambda s: np.all(same | (rows(s, depth) == before), axis=1),
        _BISECTIONS,
    )
    ends = [0.0, *cuts.tolist(), 1.0]
    found = []
    for place, (low, high) in zip([*at.tolist(), len(unit) - 1], pairwise(ends), strict=True):
        kept, *row = beside[place].tolist()
        if kept:
            found.append(Run(tuple(row), low, high))
    return found


def part_between(part: BoundaryPart, start: float, end: float, side: int) -> BoundaryPart:
    """A part from one unit coordinate to another, with its own normals (-1) or reversed ones (1)."""
    length = end - start

    def place(unit: FloatArray) -> Sites:
        sites = part.place(start + length * unit)
        assert sites.normals is not None  # every boundary part has them
        return Sites(sites.points, -side * sites.normals)

    if part.parameters == 0:
        return replace(part, place=place, keep=None)
    inner = [(at - start) / length for at in part.breaks if start < at < end]
    breaks = (0.0, *inner, 1.0)
    return replace(part, place=place, keep=None, measure=part.measure * length, breaks=breaks, endless=0, nodes=None)


def _middles(low: float, high: float) -> FloatArray:
    count = max(_FEWEST, int(np.ceil(_SAMPLES * (high - low))))
    return low + (high - low) * (np.arange(count) + 0.5) / count


# ---- The frames of a tiling


@final
@dataclass(frozen=True, eq=False)
class Frames:
    """The frames of C cells, and the tree of boxes whose leaves belong to them.

    Attributes
    ----------
    lower, upper : (C, d) arrays
        Bounding boxes of the cells' pieces.
    whole : (C,) array of bool
        Which cells are one box, all of it in the domain.
    tree : Tree
    owner : (leaves,) array of int
        The cell that each leaf belongs to; -1 if there is none.
    slack : float
        Distance by which rounding may displace a point.
    """

    lower: FloatArray
    upper: FloatArray
    whole: BoolArray
    tree: Tree
    owner: NDArray[np.intp]
    slack: float

    def __post_init__(self) -> None:
        count = len(self.lower)
        shapes = (self.lower.shape, self.upper.shape, self.whole.shape, self.owner.shape)
        if shapes != ((count, self.dimension), (count, self.dimension), (count,), self.tree.leaves.shape):
            raise ValueError(f"frames, owners and leaves that do not fit: {shapes}")
        if not np.array_equal(np.unique(self.owner[self.owner >= 0]), np.arange(count)):
            raise ValueError(f"leaves of other cells than the {count} there are")

    def __len__(self) -> int:
        return len(self.lower)

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return self.tree.dimension

    @property
    def lengths(self) -> FloatArray:
        """Lengths of the sides, ``(C, d)``."""
        return self.upper - self.lower

    def locate(self, points: ArrayLike) -> NDArray[np.intp]:
        """The cell of each point ``(n, d)``; for points outside of all cells, the one with the nearest frame."""
        where = as_points(points, self.dimension)
        leaf = self.tree.find(where)
        found = self.owner[leaf]
        held = (where >= (self.lower - self.slack)[found]) & (where <= (self.upper + self.slack)[found])
        strayed = np.flatnonzero((found < 0) | ~held.all(axis=1))
        strayed = strayed[np.argsort(leaf[strayed], kind="stable")]
        # those of a leaf are close to one another, and to few cells
        for some in np.split(strayed, np.flatnonzero(np.diff(leaf[strayed])) + 1):
            found[some] = nearest_frame(where[some], self.lower, self.upper)
        return found

    @property
    def boxes(self) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Lower and upper corners ``(n, d)`` of the boxes of all cells, and which boxes are entirely in the domain."""
        held = self.owner >= 0
        leaves = self.tree.leaves[held]
        return self.tree.lower[leaves], self.tree.upper[leaves], self.whole[self.owner[held]]

    @cached_property
    def borders(self) -> tuple[FloatArray, NDArray[np.intp]]:
        """The edges between boxes of different cells.

        Returns
        -------
        ends : (n, 2, d) array
            In one dimension both ends are the same.
        cells : (n, 2) array of int
            On both sides.
        """
        ends, cells = [], []
        for seam in seams_of(self.tree)[0]:
            both = self.owner[[seam.below, seam.above]]
            if both[0] != both[1] and both.min() >= 0:
                edge = np.full((2, self.dimension), seam.at)
                if self.dimension == 2:
                    edge[:, 1 - seam.axis] = seam.low, seam.high
                ends.append(edge)
                cells.append(both)
        return np.array(ends).reshape(-1, 2, self.dimension), np.array(cells, dtype=np.intp).reshape(-1, 2)

    def ticks(self, at: FloatArray) -> FloatArray:
        """Where the line along the first coordinate through a point ``(d,)`` enters and leaves boxes of cells."""
        held = slice(1, self.dimension)
        leaves = self.tree.leaves[self.owner >= 0]
        met = np.all((self.tree.lower[leaves, held] <= at[held]) & (at[held] <= self.tree.upper[leaves, held]), axis=1)
        return np.unique(np.concatenate([self.tree.lower[leaves[met], 0], self.tree.upper[leaves[met], 0]]))

    def breaks(self, part: BoundaryPart) -> FloatArray:
        """Unit coordinates of a curve's ends, of its entries into other boxes, and of its breaks."""
        arcs = sorted_parts((part,), self.tree, self.slack)
        return np.unique(np.concatenate([arcs.start, arcs.end]))


# ---- The frames of several materials


@final
@dataclass(frozen=True, eq=False)
class MaterialFrames:
    """The frames of the cells of each material, one after the other.

    Attributes
    ----------
    parts : tuple of Frames
    rows : (k, m) integer array
        The materials.
    materials : callable
        Maps points to such rows.
    """

    parts: tuple[Frames, ...]
    rows: NDArray[np.int_]
    materials: Materials

    def __len__(self) -> int:
        return len(self.lower)

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return self.parts[0].dimension

    @cached_property
    def lower(self) -> FloatArray:
        """Lower corners of all frames, ``(C, d)``."""
        return np.concatenate([part.lower for part in self.parts])

    @cached_property
    def upper(self) -> FloatArray:
        """Upper corners."""
        return np.concatenate([part.upper for part in self.parts])

    @cached_property
    def whole(self) -> BoolArray:
        """Which cells are a single box of one material."""
        return np.concatenate([part.whole for part in self.parts])

    @property
    def lengths(self) -> FloatArray:
        """Lengths of the sides, ``(C, d)``."""
        return self.upper - self.lower

    def locate(self, points: ArrayLike) -> NDArray[np.intp]:
        """The cell of each point ``(n, d)`` within its material; the nearest one if no cell has that."""
        where = as_points(points, self.dimension)
        # rows as single numbers, among which materials are looked up
        factors = np.random.default_rng(0).integers(1, 2**62, self.rows.shape[1])
        keys, own = self.rows @ factors, self.materials(where) @ factors
        order = np.argsort(keys)
        place = np.minimum(np.searchsorted(keys[order], own), len(keys) - 1)
        which = np.where(keys[order][place] == own, order[place], -1)
        found = np.empty(len(where), dtype=np.intp)
        lost = np.flatnonzero(which < 0)
        found[lost] = nearest_frame(where[lost], self.lower, self.upper)
        start = 0
        for number, part in enumerate(self.parts):
            here = np.flatnonzero(which == number)
            if here.size:
                found[here] = part.locate(where[here]) + start
            start += len(part)
        return found

    @property
    def borders(self) -> tuple[FloatArray, NDArray[np.intp]]:
        """The edges between boxes of different cells of one material; see `Frames.borders`."""
        starts = np.cumsum([0, *(len(part) for part in self.parts[:-1])])
        found = [part.borders for part in self.parts]
        cells = [cells + start for (_, cells), start in zip(found, starts, strict=True)]
        return np.concatenate([ends for ends, _ in found]), np.concatenate(cells)

    def ticks(self, at: FloatArray) -> FloatArray:
        """Where a line along the first coordinate enters and leaves boxes of any material; see `Frames.ticks`."""
        return np.unique(np.concatenate([part.ticks(at) for part in self.parts]))

    def breaks(self, part: BoundaryPart) -> FloatArray:
        """Unit coordinates of a curve's ends and of its entries into other boxes of any material."""
        return np.unique(np.concatenate([own.breaks(part) for own in self.parts]))


# ---- Stacked tilings


def stack_frames(parts: Sequence[Frames]) -> Frames:
    """The frames of all parts; each begins where the previous one ends along the last axis."""
    trees = [part.tree for part in parts]
    cuts: list[tuple[int, int, float]] = []

    def graft(first: int, last: int, node: int) -> None:
        """Grow the trees from `first` to `last` out of a leaf."""
        if last - first == 1:
            _copy(trees[first], node, cuts)
            return
        middle = (first + last) // 2
        cuts.append((node, trees[0].dimension - 1, float(trees[middle].lower[0, -1])))
        below = 2 * len(cuts) - 1
        graft(first, middle, below)
        graft(middle, last, below + 1)

    graft(0, len(trees), 0)
    tree = grow_tree(trees[0].lower[0], trees[-1].upper[0], np.array(cuts, dtype=np.float64).reshape(-1, 3))
    begins = np.cumsum([0, *map(len, parts)])
    owner = [np.where(part.owner < 0, -1, part.owner + begin) for part, begin in zip(parts, begins, strict=False)]
    lower, upper, whole = (np.concatenate([getattr(p, name) for p in parts]) for name in ("lower", "upper", "whole"))
    return Frames(lower, upper, whole, tree, np.concatenate(owner), max(part.slack for part in parts))


def _copy(tree: Tree, node: int, cuts: list[tuple[int, int, float]]) -> None:
    """Cut a leaf in the way a tree is cut; each cut adds two nodes with consecutive numbers."""
    names = {0: node}
    for own, axis, at in tree.cuts.tolist():
        cuts.append((names[int(own)], int(axis), at))
        below = int(tree.below[int(own)])
        names |= {below: 2 * len(cuts) - 1, below + 1: 2 * len(cuts)}
