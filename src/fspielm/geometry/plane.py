"""Plane shapes: regions whose boundary is made of named pieces of curves."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import BoolArray, FloatArray, IndexArray, IntArray, SideArray, as_points
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import BoundaryPart, Quadrature, gauss, join_parts
from fspielm.geometry.contour import Contour, Raster, contour_of, raster_of
from fspielm.geometry.curves import (
    MOST_PIECES,
    Crossings,
    Edge,
    MonotonePiece,
    PlaneCurve,
    cross,
    monotone_pieces,
    polyline_part,
)
from fspielm.geometry.domain import Corner, Domain, Hole, Spans, corners_of, default_axes, holes_of, is_within
from fspielm.geometry.shapes.box import Box
from fspielm.numerics.roots import bisect
from fspielm.numerics.tolerances import CLOSE, SAME, STEP
from fspielm.resources import check_deadline

# ---- Quadrature over plane regions

_ROUNDING = 64 * float(np.finfo(np.float64).eps)
# Least number of nodes of a panel or a chord; a panel with a rounded end needs more, for its square root.
_FEWEST, _FEWEST_ROUND = 2, 6
_PROBES = 5


def section_rule(curves: Sequence[PlaneCurve], n: int) -> Quadrature:
    """About `n` nodes inside the region that these curves enclose, spectrally accurate.

    Between neighbouring corners and vertical tangents (a panel), the vertical chords of the region begin and end on
    the same smooth curves: Gauss-Legendre along each chord and, over x, in a variable that makes the square roots
    at vertical tangents smooth.

    The curves are closed loops that do not cross, in any order; each panel and chord has at least a few nodes.
    """
    panels = _panels(curves)
    spacing = _spacing(panels, n)
    rules = [panel.rule(spacing) for panel in panels]
    return Quadrature(np.concatenate([rule.points for rule in rules]), np.concatenate([rule.weights for rule in rules]))


@final
@dataclass(frozen=True, eq=False)
class _Panel:
    """A range of x over which the same pieces bound the region."""

    left: float
    right: float
    pieces: tuple[MonotonePiece, ...]
    rounded: tuple[bool, bool]
    reach: float  # its width, or the largest change of height of a bounding piece if that is more
    lengths: FloatArray  # the greatest lengths of its chords

    def nodes(self, spacing: float) -> int:
        """Number of nodes over x; more with a rounded end, whose variable stretches the rest of the panel."""
        fewest, stretch = {0: (_FEWEST, 1.0), 1: (_FEWEST_ROUND, 2.0), 2: (_FEWEST_ROUND, 0.5 * math.pi)}[
            sum(self.rounded)
        ]
        return fewest + math.ceil(stretch * self.reach / spacing)

    def chord_nodes(self, spacing: float) -> list[int]:
        """Number of nodes along each chord."""
        return [_FEWEST + math.ceil(length / spacing) for length in self.lengths]

    def rule(self, spacing: float) -> Quadrature:
        """The rule of this panel with about this spacing of nodes."""
        x, across = _abscissae(self.left, self.right, self.rounded, self.nodes(spacing))
        heights = _sorted_heights(self.pieces, x)
        points, weights = [], []
        for chord, count in enumerate(self.chord_nodes(spacing)):
            low, high = heights[2 * chord], heights[2 * chord + 1]
            unit, shares = gauss(count)
            y = low[:, None] + (high - low)[:, None] * unit
            weight = (across * (high - low))[:, None] * shares
            points.append(np.stack([np.broadcast_to(x[:, None], y.shape), y], axis=-1).reshape(-1, 2))
            weights.append(weight.ravel())
        joined, positive = np.concatenate(points), np.concatenate(weights)
        kept = positive > 0  # at a tip a chord may be as short as rounding
        return Quadrature(joined[kept], positive[kept])


def _panels(curves: Sequence[PlaneCurve]) -> list[_Panel]:
    ends = np.concatenate([curve.point(np.array([curve.t0, curve.t1])) for curve in curves])
    tolerance = _ROUNDING * float(np.abs(ends).max())
    pieces = [piece for curve in curves for piece in monotone_pieces(curve, tolerance)]
    abscissae = np.sort(np.concatenate([piece.x for piece in pieces]))
    abscissae = abscissae[np.append(True, np.diff(abscissae) > tolerance)]
    panels = []
    for left, right in pairwise(float(x) for x in abscissae):
        over = tuple(p for p in pieces if p.x[0] <= left + tolerance and p.x[1] >= right - tolerance)
        if len(over) % 2:
            raise ProblemError(
                f"the curves around a region must close; a vertical line between x = {left:.6g} and {right:.6g} "
                f"crosses them {len(over)} times"
            )
        if over:
            upright = np.any([piece.bends_upright(np.array([left, right])) for piece in over], axis=0)
            rounded = (bool(upright[0]), bool(upright[1]))
            heights = _sorted_heights(over, _abscissae(left, right, rounded, _PROBES)[0])
            lengths = (heights[1::2] - heights[::2]).max(axis=1)
            reach = max(right - left, float(np.ptp(heights, axis=1).max()))
            panels.append(_Panel(left, right, over, rounded, reach, lengths))
    return panels


def _sorted_heights(pieces: Sequence[MonotonePiece], x: FloatArray) -> FloatArray:
    """Heights ``(pieces, n)``, ascending, where vertical lines cross the pieces: the region begins, ends, begins ..."""
    return np.sort([piece.heights(x) for piece in pieces], axis=0)


def _abscissae(left: float, right: float, rounded: tuple[bool, bool], n: int) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights over x, in a variable s that makes square roots at rounded ends smooth."""
    s, weights = gauss(n)
    maps: dict[tuple[bool, bool], tuple[Callable[[FloatArray], FloatArray], Callable[[FloatArray], FloatArray]]] = {
        (False, False): (lambda s: s, np.ones_like),
        (True, False): (lambda s: s**2, lambda s: 2 * s),
        (False, True): (lambda s: s * (2 - s), lambda s: 2 * (1 - s)),
        (True, True): (lambda s: np.sin(0.5 * np.pi * s) ** 2, lambda s: 0.5 * np.pi * np.sin(np.pi * s)),
    }
    share, speed = maps[rounded]
    return left + (right - left) * share(s), (right - left) * speed(s) * weights


def _spacing(panels: Sequence[_Panel], n: int) -> float:
    """The spacing that makes about `n` nodes in all, or the largest reasonable spacing."""

    def total(spacing: float) -> int:
        return sum(panel.nodes(spacing) * sum(panel.chord_nodes(spacing)) for panel in panels)

    largest = max(max(panel.reach, *panel.lengths) for panel in panels)
    low, high = np.log([largest / (n + 1)]), np.log([largest])
    _, high = bisect(low, high, lambda middle: np.array([total(math.exp(middle[0])) > n]))
    return math.exp(high[0])


# ---- Joints: smooth joins of edges where the curvature jumps

# Least jump of curvature times length.
_LEAST_JUMP = 1e-3


@final
@dataclass(frozen=True)
class Joint:
    """A point where a boundary is smooth but its curvature jumps."""

    point: tuple[float, float]
    away: float  # direction of the outward normal there, in radians from the x axis
    length: float  # of the shorter of both curves


def joints_of(curves: Sequence[PlaneCurve]) -> tuple[Joint, ...]:
    """The joints of curves that make closed loops, with the interior on their left."""
    found = []
    starts = np.array([curve.ends[0] for curve in curves])
    for before in curves:
        after = curves[int(np.argmin(np.hypot(*(starts - before.ends[1]).T)))]
        if after is before or math.dist(after.ends[0], before.ends[1]) > SAME * before.length:
            continue
        length = min(before.length, after.length)
        old, new = _direction(before, 1.0), _direction(after, 0.0)
        smooth = abs(math.remainder(new - old, 2 * math.pi)) < CLOSE
        if smooth and abs(_curvature(before, 1.0) - _curvature(after, 0.0)) * length > _LEAST_JUMP:
            x, y = after.ends[0]
            found.append(Joint((float(x), float(y)), new - 0.5 * math.pi, length))
    return tuple(found)


def _direction(curve: PlaneCurve, share: float) -> float:
    x, y = curve.tangent(curve.parameter(np.array([share])))[0]
    return math.atan2(y, x)


def _curvature(curve: PlaneCurve, share: float) -> float:
    """Curvature at an end (`share` 0 or 1)."""
    near = abs(share - STEP)
    turned = math.remainder(_direction(curve, near) - _direction(curve, share), 2 * math.pi)
    return turned / ((near - share) * curve.length)


# ---- Plane shapes

# Number of points from which a raster pays off.
_MANY = 20_000


class PlaneShape(Domain):
    """A plane region, given by the edges of its boundary.

    A new shape implements `_edges`. Area and bounding box follow from the exact curves, to rounding, and membership
    from winding numbers; a shape with simpler formulas may override these. Edges of one name form one boundary part.
    """

    @abstractmethod
    def _edges(self, axes: Sequence[str]) -> tuple[Edge, ...]:
        """The smooth pieces of the boundary, loop by loop, each beginning where the one before it ends."""

    @property
    def dimension(self) -> int:
        """Two."""
        return 2

    @property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """The smallest box around the shape, ``(lower, upper)``."""
        lower, upper = self._contour.box
        return lower.copy(), upper.copy()

    @property
    def measure(self) -> float:
        """Area."""
        return self._contour.area

    def corners(self, axes: Sequence[str] | None = None) -> tuple[Corner, ...]:
        """The corners of the boundary, in the order of its edges; `axes` names the coordinates.

        Examples
        --------
        >>> from fspielm.geometry import LShape
        >>> [(corner.point, round(corner.opening, 3)) for corner in LShape((0, 0), 1).corners()][0]
        ((0.0, 0.0), 4.712)
        """
        edges = self.edges(axes)
        return corners_of([edge.curve for edge in edges], [edge.name for edge in edges], self._contour.loops)

    def hole_places(self) -> tuple[Hole, ...]:
        """The holes, in the order of the edges around them."""
        return self._holes

    @cached_property
    def _holes(self) -> tuple[Hole, ...]:
        return holes_of([edge.curve for edge in self._edges(default_axes(2))], self._contour.loops)

    def contains(self, points: ArrayLike) -> BoolArray:
        """Mask of the points ``(n, 2)`` that lie in the shape, its boundary included."""
        array = as_points(points, 2)
        if len(array) < _MANY or self.is_unbounded or not np.isfinite(array).all():
            return super().contains(array)
        check_deadline()
        return self._raster.contains(array, lambda some: self._contains(some, True))

    def _contains(self, points: FloatArray, closed: bool) -> BoolArray:
        return is_within(self._side_by_winding(points), closed)

    def _side_by_winding(self, points: FloatArray) -> SideArray:
        """As `_side`, by winding numbers even if the shape has simpler formulas."""
        number, on = self._contour.winding.locate(points)
        return np.where(on, 0, np.where(number > 0, 1, -1)).astype(np.int8)

    def _chord_ends(self, points: FloatArray, axis: int) -> tuple[FloatArray, FloatArray]:
        return self._chord_ends_by_spans(points, axis)

    def _spans(self, points: FloatArray, axis: int) -> Spans | None:
        ends = None if self.is_unbounded else self._crossings[axis].at(points[:, 1 - axis])
        return None if ends is None else Spans(ends)

    @cached_property
    def _crossings(self) -> tuple[Crossings, Crossings]:
        """Where lines along each axis cross the boundary."""
        curves = [edge.curve for edge in self._edges(default_axes(2))]
        return Crossings.of([curve.swapped() for curve in curves]), Crossings.of(curves)

    def edges(self, axes: Sequence[str] | None = None) -> tuple[Edge, ...]:
        """The smooth pieces of the boundary, loop by loop, with the names of their boundary parts."""
        axes = default_axes(2) if axes is None else tuple(axes)
        if axes not in self._known_edges:
            prefix = f"{self.name}." if self.name else ""
            named = tuple(replace(edge, name=prefix + edge.name) for edge in self._edges(axes))
            self._known_edges[axes] = named
        return self._known_edges[axes]

    def _boundary(self, axes: Sequence[str]) -> tuple[BoundaryPart, ...]:
        axes = tuple(axes)
        if axes not in self._known_parts:
            self._known_parts[axes] = parts_of(self._edges(axes))
        return self._known_parts[axes]

    # by the names of coordinates: combinations ask again and again
    @cached_property
    def _known_edges(self) -> dict[tuple[str, ...], tuple[Edge, ...]]:
        return {}

    @cached_property
    def _known_parts(self) -> dict[tuple[str, ...], tuple[BoundaryPart, ...]]:
        return {}

    def _quadrature(self, n: int) -> Quadrature:
        return section_rule([edge.curve for edge in self._edges(default_axes(2))], n)

    @cached_property
    def _contour(self) -> Contour:
        return contour_of([edge.curve for edge in self._edges(default_axes(2))], repr(self))

    @cached_property
    def _raster(self) -> Raster:
        return raster_of(self._contour, lambda points: self._contains(points, True))


def parts_of(edges: Sequence[Edge]) -> tuple[BoundaryPart, ...]:
    """Boundary parts from edges; edges of one name form one part."""
    by_name: dict[str, list[Edge]] = {}
    for edge in edges:
        by_name.setdefault(edge.name, []).append(edge)
    return tuple(
        replace(_part(name, [edge.curve for edge in pieces]), sides=tuple(edge.side for edge in pieces))
        for name, pieces in by_name.items()
    )


def _part(name: str, curves: Sequence[PlaneCurve]) -> BoundaryPart:
    if len(curves) > 1 and all(curve.straight for curve in curves):
        return polyline_part(name, curves)
    return join_parts(name, [curve.as_part(name) for curve in curves])


def edges_of(domain: Domain, axes: Sequence[str] | None = None) -> tuple[Edge, ...] | None:
    """The edges of a plane shape or a box of the plane; None for every other domain."""
    axes = default_axes(domain.dimension) if axes is None else axes
    domain = domain._as_one(axes)
    if isinstance(domain, PlaneShape) or (isinstance(domain, Box) and domain.dimension == 2):
        return domain.edges(axes)
    return None


def plane_edges(domain: Domain, axes: Sequence[str] | None = None) -> tuple[Edge, ...]:
    """The edges of a domain that is known to have them."""
    edges = edges_of(domain, axes)
    assert edges is not None
    return edges


# ---- Triangulation, for pictures and files

# Least distance of interior points from boundary points, relative to the spacing: then no circle over a piece of the
# boundary contains an interior point, and the piece is an edge of the triangulation.
_CLEARANCE = 0.75
# Least number of pieces of a curved edge.
_LEAST_PIECES = 8


def triangulate(domain: Domain, spacing: float) -> tuple[FloatArray, IntArray] | None:
    """Triangles that fill a plane domain, with boundary vertices exactly on the boundary and at all its corners.

    Parameters
    ----------
    domain : Domain
        A plane shape, or a box of the plane.
    spacing : float
        Approximate length of the edges; they are shorter where the domain is thin.

    Returns
    -------
    (points, triangles) or None
        Arrays ``(n, 2)`` and ``(m, 3)``, the latter indices, counterclockwise; None for a domain without edges.
    """
    edges = edges_of(domain)
    if edges is None:
        return None
    curves = [edge.curve for edge in edges]
    following = np.concatenate([np.roll(loop, -1) for loop in contour_of(curves, repr(domain)).loops])
    cuts = [_cuts(curve, spacing) for curve in curves]
    inside = _inside(domain, _rim(curves, cuts, following)[0], spacing)
    while True:
        rim, pieces = _rim(curves, cuts, following)
        points = np.concatenate([rim, inside])
        triangles = _delaunay(points)
        missing = _missing(pieces, triangles)
        if not missing.any() or len(rim) > MOST_PIECES:
            break
        # halve all pieces that are no edges of triangles, in thin parts of the domain
        flags = np.split(missing, np.cumsum([len(t) - 1 for t in cuts[:-1]]))
        cuts = [np.sort(np.append(t, 0.5 * (t[:-1] + t[1:])[own])) for t, own in zip(cuts, flags, strict=True)]
    corners = points[triangles]
    area = 0.5 * cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    kept = (np.abs(area) > SAME * spacing**2) & domain.contains(corners.mean(axis=1))
    triangles, area = triangles[kept], area[kept]
    triangles[area < 0] = triangles[area < 0][:, ::-1]
    used, numbered = np.unique(triangles, return_inverse=True)
    return points[used], numbered.reshape(-1, 3).astype(np.int64)


def _cuts(curve: PlaneCurve, spacing: float) -> FloatArray:
    """Parameters, ends included, that cut a curve into pieces of about equal length."""
    pieces = max(int(np.ceil(curve.length / spacing)), 1 if curve.straight else _LEAST_PIECES)
    return curve.parameter(np.linspace(0.0, 1.0, pieces + 1))


def _rim(curves: list[PlaneCurve], cuts: list[FloatArray], following: IndexArray) -> tuple[FloatArray, IntArray]:
    """Boundary points ``(n, 2)``, and pairs ``(n, 2)`` of neighbours among them; `following` is the next curve."""
    # each curve without its last point, which is the first of the next
    points = np.concatenate([curve.point(t[:-1]) for curve, t in zip(curves, cuts, strict=True)])
    starts = np.cumsum([0, *(len(t) - 1 for t in cuts)])
    after = np.arange(1, len(points) + 1)
    after[starts[1:] - 1] = starts[following]
    return points, np.column_stack([np.arange(len(points)), after]).astype(np.int64)


def _inside(domain: Domain, rim: FloatArray, spacing: float) -> FloatArray:
    """Points of a regular grid inside, with some distance to the boundary."""
    from scipy.spatial import cKDTree

    lower, upper = domain.bounding_box
    counts = np.maximum(np.round((upper - lower) / spacing).astype(int), 1)
    axes = [np.linspace(a, b, n + 1)[1:-1] for a, b, n in zip(lower, upper, counts, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    points = points[domain.contains(points)]
    distance, _ = cKDTree(rim).query(points)
    return np.asarray(points[distance > _CLEARANCE * spacing])


def _delaunay(points: FloatArray) -> IntArray:
    from scipy.spatial import Delaunay

    # about the origin and of size one: the library merges points that are tiny or far from the origin
    middle, size = points.mean(axis=0), np.ptp(points, axis=0).max()
    return np.asarray(Delaunay((points - middle) / size).simplices, dtype=np.int64)


def _missing(pieces: IntArray, triangles: IntArray) -> BoolArray:
    """Mask of the boundary pieces that are no edges of triangles."""
    count = int(triangles.max()) + 1 + len(pieces)
    sides = np.sort(np.concatenate([triangles[:, pair] for pair in ([0, 1], [1, 2], [2, 0])]), axis=1)
    wanted = np.sort(pieces, axis=1)
    return ~np.isin(wanted[:, 0] * count + wanted[:, 1], sides[:, 0] * count + sides[:, 1])
