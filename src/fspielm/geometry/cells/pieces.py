"""What of a domain is in each leaf of a tree of boxes, and what of each seam between leaves is in the domain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.deadline import check_deadline
from fspielm.errors import UnsuitableError
from fspielm.geometry.cells.arcs import Arcs, place
from fspielm.geometry.cells.edges import EdgeMarks
from fspielm.geometry.cells.outline import Outline
from fspielm.geometry.cells.seams import Seam
from fspielm.geometry.cells.tree import Tree
from fspielm.geometry.quadrature import gauss

# A box that the boundary cuts must be larger than rounding by this factor, or nothing can be told of its piece.
_LEAST_SIDE = 32
# Nodes along an arc for the area beside it.
_NODES = 24

# A seam, and where along it the domain is.
Crossing = tuple[Seam, tuple[tuple[float, float], ...]]


@final
@dataclass(frozen=True, eq=False)
class Pieces:
    """The parts of a domain in the leaves ``k = 0, ..., n - 1`` of a tree, in their order.

    Attributes
    ----------
    whole, empty : (n,) arrays of bool
        Whether all of a box is in the domain, or nothing of it; otherwise it is cut.
    lower, upper : (n, d) arrays
        Bounding boxes of the pieces.
    measure : (n,) array
        Length or area.
    crossings : list of (Seam, tuple of (float, float))
        The seams that are in the domain, all along or in places.
    """

    whole: BoolArray
    empty: BoolArray
    lower: FloatArray
    upper: FloatArray
    measure: FloatArray
    crossings: list[Crossing]


def cut_pieces(outline: Outline, tree: Tree, arcs: Arcs, seams: Sequence[Seam], known: BoolArray) -> Pieces:
    """Find the pieces.

    Parameters
    ----------
    outline : Outline
    tree : Tree
    arcs : Arcs
        The boundary, sorted into the leaves.
    seams : sequence of Seam
        All of the tree's.
    known : (n,) array of bool
        Which leaves are known to lie in the domain.

    Returns
    -------
    Pieces
    """
    lower, upper = tree.lower[tree.leaves], tree.upper[tree.leaves]
    leaf = tree.rank[arcs.node]
    whole, empty = _states(outline, arcs, leaf, lower, upper, known)
    cut = ~whole & ~empty
    if np.any(np.min(upper - lower, axis=1)[cut] < _LEAST_SIDE * outline.slack):
        raise UnsuitableError(
            f"the cells that the boundary of {outline.domain!r} cuts have become too small: membership in it is told "
            f"to {outline.slack:.1e} only; halve them less often"
        )
    crossings = list(_crossings(outline, EdgeMarks(arcs, leaf), seams, whole, empty))
    inner_lower, inner_upper = _frames(arcs, leaf, crossings, cut, lower, upper)
    measure = _measures(outline, arcs, leaf, crossings, whole, lower, upper)
    # what is below rounding in every respect is no piece
    empty = empty | (cut & ~(np.min(inner_upper - inner_lower, axis=1) > 4 * outline.slack))
    crossings = [(seam, spans) for seam, spans in crossings if not (empty[seam.below] or empty[seam.above])]
    return Pieces(whole, empty, inner_lower, inner_upper, measure, crossings)


def _frames(
    arcs: Arcs,
    leaf: NDArray[np.intp],
    crossings: Sequence[Crossing],
    cut: BoolArray,
    lower: FloatArray,
    upper: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Bounding boxes of the pieces: around the ends of arcs, which turn nowhere else, and of seams in the domain."""
    inner_lower, inner_upper = (np.where(cut[:, None], end, box) for end, box in ((np.inf, lower), (-np.inf, upper)))
    for points in (arcs.first, arcs.last):
        np.minimum.at(inner_lower, leaf, points)
        np.maximum.at(inner_upper, leaf, points)
    for seam, spans in crossings:
        for side in (seam.below, seam.above):
            if cut[side]:
                ends = np.array([_point(seam, end, lower.shape[1]) for end in (spans[0][0], spans[-1][1])])
                inner_lower[side] = np.minimum(inner_lower[side], ends.min(axis=0))
                inner_upper[side] = np.maximum(inner_upper[side], ends.max(axis=0))
    return inner_lower, inner_upper


def _measures(
    outline: Outline,
    arcs: Arcs,
    leaf: NDArray[np.intp],
    crossings: Sequence[Crossing],
    whole: BoolArray,
    lower: FloatArray,
    upper: FloatArray,
) -> FloatArray:
    """Lengths or areas of the pieces, by Green's theorem where they are cut: along arcs, and along the right edge."""
    measure = np.where(whole, np.prod(upper - lower, axis=1), 0.0)
    for seam, spans in crossings:
        if seam.axis == 0 and not whole[seam.below]:
            length = sum(b - a for a, b in spans) if lower.shape[1] == 2 else 1.0
            measure[seam.below] += float(upper[seam.below, 0] - lower[seam.below, 0]) * length
    some = ~whole[leaf]
    np.add.at(measure, leaf[some], _beside(outline, arcs.select(some), lower[leaf[some], 0]))
    return np.maximum(measure, 0.0)


def _states(
    outline: Outline, arcs: Arcs, leaf: NDArray[np.intp], lower: FloatArray, upper: FloatArray, known: BoolArray
) -> tuple[BoolArray, BoolArray]:
    """Which leaves are whole, and which are empty."""
    count = len(lower)
    met, crossed = np.zeros(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
    on_face = np.zeros(len(arcs), dtype=np.bool_)
    for face in (lower, upper):
        on_face |= np.any((arcs.first == face[leaf]) & (arcs.last == face[leaf]), axis=1)
    met[leaf] = True
    crossed[leaf[~on_face]] = True
    # an arc on a face is in the leaf on its inner side: so the leaf is within
    whole = ~crossed & (known | met)
    if outline.is_box:
        whole[:] = True
    rest = np.flatnonzero(~whole & ~crossed)
    if rest.size:
        whole[rest] = outline.domain.contains(0.5 * (lower[rest] + upper[rest]))
    return whole, ~whole & ~crossed


def _crossings(
    outline: Outline, marks: EdgeMarks, seams: Sequence[Seam], whole: BoolArray, empty: BoolArray
) -> Iterator[Crossing]:
    """The seams in the domain, and where along them it is."""
    flat = outline.domain.dimension == 2
    is_whole, is_empty = whole.tolist(), empty.tolist()
    spans: list[tuple[Seam, list[tuple[float, float]]]] = []
    asked: list[tuple[int, tuple[float, float]]] = []
    for seam in seams:
        check_deadline()
        if is_empty[seam.below] or is_empty[seam.above]:
            continue
        free = marks.free(seam) if flat else [(0.0, 0.0)] * (not marks.meets(seam))
        # what bounds a whole box is in the domain, unless it is part of its boundary
        settled = is_whole[seam.below] or is_whole[seam.above]
        if not settled:
            asked += [(len(spans), span) for span in free]
        spans.append((seam, free if settled else []))
    if asked:
        middles = [_point(spans[i][0], 0.5 * (a + b), outline.domain.dimension) for i, (a, b) in asked]
        for (i, span), inside in zip(asked, outline.domain.contains(middles), strict=True):
            if inside:
                spans[i][1].append(span)
    for seam, found in spans:
        if found:
            yield seam, tuple(found if len(found) == 1 else _joined(found))


def _joined(spans: list[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Ascending spans, those that follow each other as one."""
    start = spans[0][0]
    for (_, end), (begin, _) in pairwise(spans):
        if begin > end:
            yield start, end
            start = begin
    yield start, spans[-1][1]


def _point(seam: Seam, along: float, dimension: int) -> list[float]:
    """A point of a seam."""
    if dimension == 1:
        return [seam.at]
    return [seam.at, along] if seam.axis == 0 else [along, seam.at]


def _beside(outline: Outline, arcs: Arcs, left: FloatArray) -> FloatArray:
    """By arc, the area between it and the line ``x = left``, by Green's theorem; negative where that is outside."""
    if not len(arcs):
        return np.empty(0)
    shares, weights = gauss(_NODES if outline.domain.dimension == 2 else 1)
    unit = arcs.start[:, None] + (arcs.end - arcs.start)[:, None] * shares
    sites = place(outline.parts, np.repeat(arcs.part, len(shares)), unit.ravel())
    assert sites.normals is not None  # every boundary part has them
    flow = (sites.points[:, 0].reshape(unit.shape) - left[:, None]) * sites.normals[:, 0].reshape(unit.shape)
    length = np.ones(len(arcs))
    if outline.domain.dimension == 2:
        length = (arcs.end - arcs.start) * np.array([part.measure for part in outline.parts])[arcs.part]
    return np.asarray(length * np.sum(weights * flow, axis=1), dtype=np.float64)
