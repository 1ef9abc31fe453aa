"""Sort pieces of a boundary into the leaves of a tree, and find the pieces of a domain in each leaf."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.cells.tree import Seam, Tree
from fspielm.errors import ProblemError, UnsuitableError
from fspielm.geometry.boundary import BoundaryPart, Sites, gauss
from fspielm.geometry.domain import Domain, rounding_slack
from fspielm.numerics.roots import bisect, halves
from fspielm.resources import check_deadline

# ---- Monotone pieces of a boundary: each crosses a line along an axis at most once

# First samples of a part that is not straight: in all, and at least on each of its smooth pieces.
_PLACES, _FEWEST = 1024, 32
# The cosine of the largest angle between the normals of neighbouring samples.
_SMALL_TURN = float(np.cos(0.2))
_MOST_HALVINGS = 40
# A component of a normal below this is rounding: there the boundary is along an axis.
_ALONG = 1e-12
# An extreme found to half the digits is exact to all of them, as the curve is level there.
_BISECTIONS = 30
# Distance from the ends of a smooth piece at which its normal is evaluated, relative to its length.
_INSET = 1e-9
# Where a straight piece is compared with its chord.
_SAMPLES = np.array([0.2137, 0.5, 0.7911])


@final
@dataclass(frozen=True, eq=False)
class Arcs:
    """Pieces ``k = 0, ..., m - 1`` of boundary parts, each monotone along every axis; in one dimension points.

    Attributes
    ----------
    part : (m,) array of int
        Number of the boundary part.
    start, end : (m,) arrays
        Unit coordinates of both ends on it.
    first, last : (m, d) arrays
        Points at both ends.
    outward : (m, d) array
        An outward normal; along every axis it has the same sign all along the arc.
    node : (m,) array of int
        The node of a tree of boxes that the arc is in.
    """

    part: NDArray[np.intp]
    start: FloatArray
    end: FloatArray
    first: FloatArray
    last: FloatArray
    outward: FloatArray
    node: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.part)

    def select(self, index: NDArray[np.intp] | BoolArray) -> Arcs:
        """Those at `index`."""
        return Arcs(**{field.name: getattr(self, field.name)[index] for field in fields(self)})


def join_arcs(arcs: Sequence[Arcs], dimension: int) -> Arcs:
    """All of several sets of arcs as one."""
    none, nowhere = np.empty(0, dtype=np.intp), np.empty((0, dimension))
    every = [Arcs(none, np.empty(0), np.empty(0), nowhere, nowhere, nowhere, none), *arcs]
    return Arcs(**{field.name: np.concatenate([getattr(a, field.name) for a in every]) for field in fields(Arcs)})


def place(parts: Sequence[BoundaryPart], number: NDArray[np.intp], unit: FloatArray) -> Sites:
    """The sites of unit coordinates ``(n,)`` on the parts of these numbers."""
    found: Sites | None = None
    for each in np.unique(number):
        check_deadline()
        here = number == each
        sites = _place(parts[each], unit[here])
        if here.all():
            return sites
        if found is None:
            found = Sites(np.empty((len(unit), sites.dimension)), np.empty((len(unit), sites.dimension)))
        assert found.normals is not None
        found.points[here], found.normals[here] = sites.points, _normals(sites)
    assert found is not None  # nobody asks for no sites
    return found


# By the function that places points, as a boundary gives its parts anew. Nobody writes to these arrays.
_arcs_by_place: WeakKeyDictionary[Callable[[FloatArray], Sites], dict[tuple[float, tuple[float, ...]], Arcs]] = (
    WeakKeyDictionary()
)


def arcs_of(part: BoundaryPart, number: int, slack: float) -> Arcs:
    """The arcs that a part is made of, at the root of a tree; points up to `slack` apart are one."""
    known, key = _arcs_by_place.setdefault(part.place, {}), (slack, part.breaks)
    if key not in known:
        known[key] = _find_arcs(part, slack)
    return replace(known[key], part=known[key].part + number)


def _find_arcs(part: BoundaryPart, slack: float) -> Arcs:
    """The arcs of a part that has the number zero."""
    if part.parameters == 0:
        sites, nil = part.place(np.empty((1, 0))), np.zeros(1)
        which = np.zeros(1, dtype=np.intp)
        return Arcs(which, nil, nil, sites.points, sites.points.copy(), _normals(sites), which)
    breaks = np.array(part.breaks)
    straight = _are_straight(part, breaks, slack)
    turns = _turns(part, breaks[:-1][~straight], breaks[1:][~straight])
    cuts = np.unique(np.concatenate([breaks, turns]))
    start, end = cuts[:-1], cuts[1:]
    first = _place(part, start).points
    # a break of the part may be a gap: what comes before it ends just before it
    last = _place(part, np.append(np.nextafter(end[:-1], 0.0), end[-1])).points
    same = np.all(np.abs(first[1:] - last[:-1]) <= slack, axis=1)
    last[:-1][same] = first[1:][same]
    outward = _normals(_place(part, 0.5 * (start + end)))
    which = np.zeros(len(start), dtype=np.intp)
    return Arcs(which, start, end, first, last, outward, which)


def _place(part: BoundaryPart, unit: FloatArray) -> Sites:
    return part.place(unit[:, None] if part.parameters else np.empty((len(unit), 0)))


def _normals(sites: Sites) -> FloatArray:
    assert sites.normals is not None  # every boundary part has them
    return sites.normals


def _are_straight(part: BoundaryPart, breaks: FloatArray, slack: float) -> BoolArray:
    """Which of the pieces between breaks are straight, up to rounding."""
    low, high = breaks[:-1], np.append(np.nextafter(breaks[1:-1], 0.0), breaks[-1])
    first, last = _place(part, low).points, _place(part, high).points
    straight = np.ones(len(low), dtype=np.bool_)
    for share in _SAMPLES:
        between = _place(part, low + share * (high - low)).points
        straight &= np.all(np.abs(between - first - share * (last - first)) <= slack, axis=1)
    return straight


def _turns(part: BoundaryPart, low: FloatArray, high: FloatArray) -> FloatArray:
    """Where smooth pieces between `low` and `high` turn back along an axis."""
    if not len(low):
        return np.empty(0)
    count = max(_FEWEST, _PLACES // len(low))
    inset = _INSET * (high - low)
    grid = np.linspace(low + inset, high - inset, count, axis=1)
    start, end = _refined(part, grid[:, :-1].ravel(), grid[:, 1:].ravel())
    signs = [_signs(_normals(_place(part, s))) for s in (start, end)]
    found = []
    for axis in range(signs[0].shape[1]):
        before, after = signs[0][:, axis], signs[1][:, axis]
        # where the boundary is along the axis for a while, either end of that will do
        turning = (before != after) & (before != 0)

        def as_before(s: FloatArray, axis: int = axis, before: FloatArray = before[turning]) -> BoolArray:
            same: BoolArray = _signs(_normals(_place(part, s)))[:, axis] == before
            return same

        found.append(bisect(start[turning], end[turning], as_before, _BISECTIONS)[1])
    return np.concatenate(found)


def _refined(part: BoundaryPart, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Intervals halved until the normal turns little in each of them, unless there is a corner."""
    done: list[tuple[FloatArray, FloatArray]] = []
    for _ in range(_MOST_HALVINGS):
        first, last = (_normals(_place(part, s)) for s in (low, high))
        little = np.sum(first * last, axis=1) >= _SMALL_TURN
        done.append((low[little], high[little]))
        low, high = halves(low[~little], high[~little])
        if not len(low):
            break
    done.append((low, high))
    return np.concatenate([each[0] for each in done]), np.concatenate([each[1] for each in done])


def _signs(normals: FloatArray) -> FloatArray:
    return np.where(np.abs(normals) < _ALONG, 0.0, np.sign(normals))


# ---- Where the boundary meets the edges of boxes

# Ends of arcs on a line, and spans of it that belong to the boundary.
_Mark = tuple[list[float], list[tuple[float, float]]]
# Spans of an edge between arcs shorter than this, relative to the edge's ends, are rounding.
_SHORT = 2.0**-46


@final
class EdgeMarks:
    """For each leaf, where its arcs meet the lines along its edges.

    Parameters
    ----------
    arcs : Arcs
        Sorted into leaves.
    leaf : (m,) array of int
        The leaf of each.
    """

    def __init__(self, arcs: Arcs, leaf: NDArray[np.intp]) -> None:
        self._by_leaf: defaultdict[int, dict[tuple[int, float], _Mark]] = defaultdict(dict)
        rows = zip(leaf.tolist(), arcs.first.tolist(), arcs.last.tolist(), strict=True)
        for where, first, last in rows:
            marks = self._by_leaf[where]
            for axis in range(len(first)):
                for point in (first, last):
                    marks.setdefault((axis, point[axis]), ([], []))[0].append(point[axis - 1])
                if first[axis] == last[axis]:
                    low, high = sorted((first[axis - 1], last[axis - 1]))
                    marks[axis, first[axis]][1].append((low, high))

    def meets(self, seam: Seam) -> bool:
        """Whether the boundary of a one-dimensional domain is at a seam."""
        return bool(self._on(seam))

    def free(self, seam: Seam) -> list[tuple[float, float]]:
        """The stretches of a seam between places where the boundary meets it, ascending; not those that are in it."""
        marks = self._on(seam)
        if not marks:
            return [(seam.low, seam.high)]
        taken = [stretch for _, found in marks for stretch in found]
        return [(a, b) for a, b in self.between(seam) if not any(low <= 0.5 * (a + b) <= high for low, high in taken)]

    def between(self, seam: Seam) -> list[tuple[float, float]]:
        """All stretches of a seam between places where the boundary meets it, ascending."""
        ends = {end for found, _ in self._on(seam) for end in found if seam.low < end < seam.high}
        every = pairwise(sorted({seam.low, seam.high} | ends))
        return [(a, b) for a, b in every if not ends or b - a > _SHORT * max(abs(a), abs(b))]

    def _on(self, seam: Seam) -> list[_Mark]:
        """What lies on the line along a seam, in either leaf."""
        found = []
        for leaf in (seam.below, seam.above):
            mark = self._by_leaf[leaf].get((seam.axis, seam.at)) if leaf in self._by_leaf else None
            if mark is not None:
                found.append(mark)
        return found


# ---- Arcs sorted into the leaves of a tree, and cut where they cross from one leaf into another

# Points closer to a cut than rounding, and than this share of a box, are taken to lie on it.
_SNAP = 2.0**-10
# Accuracy of a crossing, relative to the arc.
_LITTLE = 2.0**-40
# Newton steps in which crossings are usually found; after that, every other step is a bisection.
_NEWTON = 6
_MOST_STEPS = 120
_EPS = float(np.finfo(np.float64).eps)


def sort_arcs(arcs: Arcs, tree: Tree, parts: Sequence[BoundaryPart], slack: float) -> Arcs:
    """Cut arcs so that each is in one leaf, starting from their nodes; arcs on a cut go to the inner side.

    Parameters
    ----------
    arcs : Arcs
        Within the boxes of their nodes.
    tree : Tree
    parts : sequence of BoundaryPart
        By number.
    slack : float
        Distance by which rounding may displace a point.

    Returns
    -------
    Arcs
        A point where an arc crosses a cut has the coordinate of that cut to the last bit.
    """
    done = []
    while len(arcs):
        inner = tree.axis[arcs.node] >= 0
        done.append(arcs.select(~inner))
        arcs = _one_level(arcs.select(inner), tree, parts, slack)
    return join_arcs(done, tree.dimension)


def onto_faces(arcs: Arcs, lower: FloatArray, upper: FloatArray, slack: float) -> Arcs:
    """Arcs in a box, with points that rounding has moved off its faces put back on them."""

    def snapped(points: FloatArray) -> FloatArray:
        points = np.where(points <= lower + slack, lower, points)
        return np.where(points >= upper - slack, upper, points)

    return replace(arcs, first=snapped(arcs.first), last=snapped(arcs.last))


def _one_level(arcs: Arcs, tree: Tree, parts: Sequence[BoundaryPart], slack: float) -> Arcs:
    """The arcs of inner nodes, each in a child of its node."""
    if not len(arcs):
        return arcs
    rows, axis, at = np.arange(len(arcs)), tree.axis[arcs.node], tree.at[arcs.node]
    side = tree.upper[arcs.node, axis] - tree.lower[arcs.node, axis]
    snap = np.minimum(slack, _SNAP * side)
    first, last = arcs.first.copy(), arcs.last.copy()
    for points in (first, last):
        near = np.abs(points[rows, axis] - at) <= snap
        points[rows[near], axis[near]] = at[near]
    one, other = first[rows, axis], last[rows, axis]
    along = (one == at) & (other == at)
    below = np.where(along, arcs.outward[rows, axis] > 0, np.maximum(one, other) <= at)
    crossing = ~below & ~along & (np.minimum(one, other) < at)
    arcs = replace(arcs, first=first, last=last)
    child = tree.below[arcs.node] + ~below
    passing = replace(arcs, node=child).select(~crossing)
    return join_arcs(
        [passing, *_cut(arcs.select(crossing), axis[crossing], at[crossing], tree, parts, slack)], tree.dimension
    )


def _cut(
    arcs: Arcs, axis: NDArray[np.intp], at: FloatArray, tree: Tree, parts: Sequence[BoundaryPart], slack: float
) -> tuple[Arcs, ...]:
    """Both pieces of the arcs that cross the cuts of their nodes."""
    if not len(arcs):
        return ()
    unit = crossings(arcs, axis, at, parts, slack)
    rows = np.arange(len(arcs))
    points = place(parts, arcs.part, unit).points
    points = np.clip(points, np.minimum(arcs.first, arcs.last), np.maximum(arcs.first, arcs.last))
    points[rows, axis] = at
    below = tree.below[arcs.node]
    rising = arcs.first[rows, axis] < at
    return (
        replace(arcs, end=unit, last=points, node=below + ~rising),
        replace(arcs, start=unit, first=points, node=below + rising),
    )


def crossings(
    arcs: Arcs, axis: NDArray[np.intp], at: FloatArray, parts: Sequence[BoundaryPart], slack: float
) -> FloatArray:
    """Unit coordinates where arcs cross lines: Newton's method from the secant, with bisection where that is slow."""
    rows = np.arange(len(arcs))
    low, high = arcs.start.copy(), arcs.end.copy()
    off_low, off_high = arcs.first[rows, axis] - at, arcs.last[rows, axis] - at
    rise = np.sign(off_high - off_low) * np.array([part.measure for part in parts])[arcs.part]
    # what rounding leaves of a point's place; in very small boxes a little of the way
    enough = np.minimum(slack / 16, _LITTLE * np.abs(off_high - off_low))
    unit = np.clip(low - off_low * ((high - low) / (off_high - off_low)), low, high)
    open_ones = rows
    for step in range(_MOST_STEPS):
        tried, across = unit[open_ones], axis[open_ones]
        sites = place(parts, arcs.part[open_ones], tried)
        assert sites.normals is not None  # every boundary part has them
        each = np.arange(len(open_ones))
        off = sites.points[each, across] - at[open_ones]
        before = (off > 0) == (off_low[open_ones] > 0)
        low[open_ones], high[open_ones] = (
            np.where(before, tried, low[open_ones]),
            np.where(before, high[open_ones], tried),
        )
        wide = high[open_ones] - low[open_ones] > 2 * _EPS * high[open_ones]
        unmet = wide & (np.abs(off) > enough[open_ones])
        if not unmet.any():
            break
        # a part is walked along at constant speed, and its normal says in what direction
        slope = rise[open_ones] * np.abs(sites.normals[each, 1 - across])
        with np.errstate(divide="ignore", over="ignore"):
            following = tried - off / slope
        inside = (following > low[open_ones]) & (following < high[open_ones])
        middle = 0.5 * (low[open_ones] + high[open_ones])
        following = np.where(inside & (step < _NEWTON or step % 2 == 0), following, middle)
        open_ones = open_ones[unmet]
        unit[open_ones] = following[unmet]
    return unit


# ---- The outline of a domain

# Relative difference between the measures of a domain and of its bounding box that counts as none.
_SAME = 1e-12


@final
@dataclass(frozen=True, eq=False)
class Outline:
    """The boundary of a domain of one or two dimensions.

    Attributes
    ----------
    domain : Domain
    lower, upper : (d,) arrays
        Its bounding box.
    parts : tuple of BoundaryPart
        The parts of its boundary; empty if the domain is a box, whose boundary cuts no cells.
    is_box : bool
        Whether it equals its bounding box.
    slack : float
        Distance by which rounding may displace a point.
    """

    domain: Domain
    lower: FloatArray
    upper: FloatArray
    parts: tuple[BoundaryPart, ...]
    is_box: bool
    slack: float

    def arcs(self, tree: Tree) -> Arcs:
        """The boundary in the leaves of a tree."""
        return sorted_parts(self.parts, tree, self.slack)

    def at_root(self, part: BoundaryPart) -> Arcs:
        """The arcs of a part before they are sorted into a tree on its bounding box."""
        return onto_faces(arcs_of(part, 0, self.slack), self.lower, self.upper, self.slack)


def outline_of(domain: Domain, slack: float | None = None) -> Outline:
    """The outline of a domain of at most two dimensions, with this slack if given."""
    if domain.dimension > 2:
        raise ProblemError(
            f"tile: domain must have one or two dimensions, time included; got {domain!r} of {domain.dimension}"
        )
    lower, upper = domain.bounding_box
    slack = rounding_slack(True, *lower, *upper) if slack is None else slack
    # only a box fills its bounding box
    is_box = bool(abs(domain.measure / np.prod(upper - lower) - 1) <= _SAME)
    return Outline(domain, lower, upper, () if is_box else domain.boundary(), is_box, slack)


def sorted_parts(parts: tuple[BoundaryPart, ...], tree: Tree, slack: float) -> Arcs:
    """Boundary parts as arcs in the leaves of a tree, ignoring their `keep`."""
    arcs = join_arcs([arcs_of(part, number, slack) for number, part in enumerate(parts)], tree.dimension)
    return sort_arcs(onto_faces(arcs, tree.lower[0], tree.upper[0], slack), tree, parts, slack)


# ---- The pieces of a domain in the leaves of a tree, and of its seams

# A box that the boundary cuts must be larger than rounding by this factor to determine its piece.
_LEAST_SIDE = 32
# Nodes along an arc for the integral of its area.
_NODES = 24

# A seam, and where along it the domain is.
Crossing = tuple[Seam, tuple[tuple[float, float], ...]]


@final
@dataclass(frozen=True, eq=False)
class Pieces:
    """The pieces of a domain in the leaves ``k = 0, ..., n - 1`` of a tree, in their order.

    Attributes
    ----------
    whole, empty : (n,) arrays of bool
        Whether a box is inside or outside of the domain; otherwise the boundary cuts it.
    lower, upper : (n, d) arrays
        Bounding boxes of the pieces.
    measure : (n,) array
        Length or area.
    crossings : list of (Seam, tuple of (float, float))
        The seams in the domain, and the spans along them that are in it.
    """

    whole: BoolArray
    empty: BoolArray
    lower: FloatArray
    upper: FloatArray
    measure: FloatArray
    crossings: list[Crossing]


def cut_pieces(outline: Outline, tree: Tree, arcs: Arcs, seams: Sequence[Seam], known: BoolArray) -> Pieces:
    """Find the pieces of a domain in the leaves of a tree.

    Parameters
    ----------
    outline : Outline
    tree : Tree
    arcs : Arcs
        The boundary, sorted into the leaves.
    seams : sequence of Seam
        All seams of the tree.
    known : (n,) array of bool
        Which leaves are known to lie in the domain.
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
    # pieces below rounding are dropped
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
    """Bounding boxes of the pieces: around the ends of their arcs, which are monotone, and of seams in the domain."""
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
    """Lengths or areas of the pieces, with Green's theorem for cut ones: along arcs and along the right edge."""
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
    """Masks of the leaves that are whole, and of those that are empty."""
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
    """The seams in the domain, and the spans along them that are in it."""
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
    """Ascending spans, with adjacent ones merged."""
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
    """The area between each arc and the line ``x = left``, by Green's theorem; negative on the outside."""
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
