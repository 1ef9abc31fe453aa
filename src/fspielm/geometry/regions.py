"""Domains made of named regions side by side: materials."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from itertools import combinations
from types import MappingProxyType
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fspielm.arrays import BoolArray, FloatArray, SideArray, as_points
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import BoundaryPart, Quadrature, without_number
from fspielm.geometry.combination import (
    Piece,
    combine,
    cut_pieces,
    cuts_between,
    in_loops,
    joined,
    mostly_inside,
    points_beside,
)
from fspielm.geometry.contour import contour_of
from fspielm.geometry.crossings import Resolution
from fspielm.geometry.curves import Edge, PlaneCurve
from fspielm.geometry.domain import Corner, Domain, Hole, Spans, default_axes
from fspielm.geometry.plane import PlaneShape, edges_of, parts_of, plane_edges
from fspielm.numerics.roots import bisect
from fspielm.numerics.tolerances import PROBES, ROUNDED, SAME


@final
@dataclass(frozen=True, eq=False)
class RegionBorder:
    """Where two regions of a domain meet.

    Attributes
    ----------
    name : str
        ``"core | shell"``; numbered where they meet at several points of a line.
    sides : (str, str)
        Names of both regions, in the order of the domain.
    part : BoundaryPart
        Its normals point from the first region into the second.
    curves : tuple of PlaneCurve
        Its pieces in the plane (without time), with the first region on their left.
    """

    name: str
    sides: tuple[str, str]
    part: BoundaryPart
    curves: tuple[PlaneCurve, ...] = ()


@final
@dataclass(frozen=True, eq=False)
class Outline(PlaneShape):
    """The plane shape with given edges."""

    outer: tuple[Edge, ...]

    def _edges(self, axes: Sequence[str]) -> tuple[Edge, ...]:
        return self.outer


def check_shapes(shapes: Mapping[str, Any]) -> None:
    """Refuse anything but two or more intervals or plane shapes."""
    example = "as in fs.Regions(core=fs.Disk((0, 0), 1), shell=fs.Disk((0, 0), 2) - fs.Disk((0, 0), 1))"
    if len(shapes) < 2:
        raise ProblemError(f"Regions: there must be two or more, by their names, {example}; got {len(shapes)}")
    for name, shape in shapes.items():
        if not isinstance(shape, Domain):
            raise ProblemError(f"Regions: {name} must be a shape, {example}; got {shape!r}")
        if shape.time is not None:
            raise ProblemError(
                f"Regions: {name}={shape!r} has its time already; multiply the whole, as in "
                "fs.Regions(...) * fs.Time(0, 1)"
            )
    dimensions = {name: shape.dimension for name, shape in shapes.items()}
    if len(set(dimensions.values())) > 1:
        told = ", ".join(f"{name} has {dimension}" for name, dimension in dimensions.items())
        raise ProblemError(f"Regions: all must have the same dimension; {told}")
    for name, shape in shapes.items():
        if shape.dimension > 1 and edges_of(shape) is None:
            raise ProblemError(f"Regions: they are intervals or plane shapes; {name}={shape!r} is neither")


# ---- Common borders of neighbouring shapes


class Side(NamedTuple):
    """A piece of a shape's boundary, and the shape beyond it."""

    shape: int
    edge: int  # of the shape that it belongs to; on the line, the boundary part
    beyond: int  # the shape on the other side; -1 for the outside
    curve: PlaneCurve | None  # with its shape on the left; None on the line, where it is a point


def sides_of(shapes: Mapping[str, Domain]) -> list[Side]:
    """The pieces of the boundaries of neighbouring shapes; refuses shapes that overlap."""
    line = next(iter(shapes.values())).dimension == 1
    return _sides_on_the_line(shapes) if line else _sides_in_the_plane(shapes)


def _box_around(shapes: Mapping[str, Domain]) -> tuple[FloatArray, FloatArray]:
    """The smallest box around all shapes."""
    boxes = np.array([shape.bounding_box for shape in shapes.values()])
    return boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)


def _extent(shapes: Mapping[str, Domain]) -> float:
    lower, upper = _box_around(shapes)
    return float(np.max(upper - lower))


def _sides_on_the_line(shapes: Mapping[str, Domain]) -> list[Side]:
    ends = []
    for index, shape in enumerate(shapes.values()):
        for number, part in enumerate(shape.boundary()):
            site = part.place(np.empty((1, 0)))
            ends.append((index, number, float(site.points[0, 0]), float(site.outward[0, 0])))
    places = [place for _, _, place, _ in ends]
    tolerance = ROUNDED * (max(places) - min(places))
    names, domains = list(shapes), list(shapes.values())
    found = []
    for index, number, place, normal in ends:
        here = [other for other, _, p, n in ends if other != index and abs(p - place) <= tolerance and n == -normal]
        inner = np.array([[place - 2 * tolerance * normal]])
        for other, domain in enumerate(domains):
            if other != index and domain._contains(inner, True)[0]:
                raise _overlap(names[index], names[other], shapes)
        found.append(Side(index, number, here[0] if here else -1, None))
    return found


def _sides_in_the_plane(shapes: Mapping[str, Domain]) -> list[Side]:
    domains, names = list(shapes.values()), list(shapes)
    boxes = np.array([domain.bounding_box for domain in domains])
    resolution = Resolution.of(*_box_around(shapes))
    curves = [[edge.curve for edge in plane_edges(domain)] for domain in domains]
    cuts: list[list[list[float]]] = [[[] for _ in own] for own in curves]
    for i, j in combinations(range(len(domains)), 2):
        if _apart(boxes[i], boxes[j], resolution.same_place):
            continue
        for index, met in zip((i, j), cuts_between((curves[i], curves[j]), resolution), strict=True):
            for known, new in zip(cuts[index], met, strict=True):
                known += new
    found = []
    for index, own in enumerate(curves):
        pieces = cut_pieces(index, own, cuts[index], resolution)
        left, right = points_beside([piece.curve for piece in pieces], resolution.step)
        beyond = np.full(len(pieces), -1)
        for other, domain in enumerate(domains):
            if other == index or _apart(boxes[index], boxes[other], resolution.step):
                continue
            if mostly_inside(partial(domain._contains, closed=False), left).any():
                raise _overlap(names[index], names[other], shapes)
            beyond[mostly_inside(partial(domain._contains, closed=False), right)] = other
        found += [Side(index, p.edge, other, p.curve) for p, other in joined(pieces, own, beyond.tolist())]
    return found


def _apart(one: FloatArray, other: FloatArray, reach: float) -> bool:
    """Whether two boxes ``(2, d)`` are farther apart than `reach` along an axis."""
    far: BoolArray = (one[0] > other[1] + reach) | (other[0] > one[1] + reach)
    return bool(far.any())


def _overlap(one: str, other: str, shapes: Mapping[str, Domain]) -> ProblemError:
    common = combine("intersection", shapes[one], shapes[other])
    extent = "length" if common.dimension == 1 else "area"
    first, second = (name for name in shapes if name in (one, other))
    place = ", ".join(f"{v:.3g}" for v in common.sample(1, np.random.default_rng(0))[0])
    return ProblemError(
        f"Regions: {first!r} and {second!r} overlap, by the {extent} {common.measure:.3g} (at ({place}), for one); "
        f"take one from the other, as in {second}={second} - {first}"
    )


# ---- Domains made of regions

# A hole between regions is a gap if 4 pi area / perimeter^2, which is 1 for a disk, is smaller than this. So is a slit
# that is open at an end; the number is pi times its width relative to its length.
_THIN = 0.05
_SLIT = _THIN / math.pi
# Least thickness of a region by dimension, relative to the extent of all regions.
_THINNEST = {1: 4e-11, 2: 2e-9}


@final
@dataclass(frozen=True, init=False, repr=False, eq=False)
class Regions(Domain):
    """A domain made of named shapes that lie side by side and touch.

    Its boundary is that of all shapes together. Parts keep the names that the shapes give them; if parts of two regions
    have the same name, the name of the region precedes it: ``"left.y-"``.

    Parameters
    ----------
    **shapes : Domain
        Two or more, all of them intervals or all of them plane shapes, without time.

    Examples
    --------
    >>> from fspielm.geometry import Disk
    >>> domain = Regions(core=Disk((0, 0), 1), shell=Disk((0, 0), 2) - Disk((0, 0), 1))
    >>> [part.name for part in domain.boundary()], [border.name for border in domain.interfaces]
    (['circle'], ['core | shell'])
    >>> domain.region_of([[0.5, 0.0], [1.5, 0.0], [3.0, 0.0]])
    array([ 0,  1, -1])
    """

    shapes: Mapping[str, Domain]

    may_be_in_pieces = True

    def __init__(self, **shapes: Domain) -> None:
        check_shapes(shapes)
        object.__setattr__(self, "shapes", MappingProxyType(dict(shapes)))
        _refuse_thin(shapes)
        _refuse_apart(shapes, [(side.shape, side.beyond) for side in self._sides if side.beyond >= 0])
        if self.dimension > 1:
            _refuse_gaps(shapes, self._outer)

    def __repr__(self) -> str:
        return f"Regions({', '.join(f'{name}={shape!r}' for name, shape in self.shapes.items())})"

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Regions, **self.shapes), ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Regions) and tuple(self.shapes.items()) == tuple(other.shapes.items())

    def __hash__(self) -> int:
        return hash(tuple(self.shapes.items()))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the regions."""
        return tuple(self.shapes)

    def region_of(self, points: ArrayLike) -> NDArray[np.intp]:
        """Index of the region of each of the points ``(n, dimension)``; the first one on borders, -1 outside."""
        checked = as_points(points, self.dimension)
        found = np.full(len(checked), -1, dtype=np.intp)
        for index, shape in enumerate(self.shapes.values()):
            left = np.flatnonzero(found < 0)
            found[left[shape._contains(checked[left], True)]] = index
        return found

    @cached_property
    def interfaces(self) -> tuple[RegionBorder, ...]:
        """The borders of regions: on the line one for each point, in the plane one for each pair."""
        names = self.names
        meeting = [side for side in self._sides if 0 <= side.shape < side.beyond]
        if self.dimension == 1:
            titles = [f"{names[side.shape]} | {names[side.beyond]}" for side in meeting]
            borders = []
            for count, (title, side) in enumerate(zip(titles, meeting, strict=True), 1):
                name = f"{title} ({titles[:count].count(title)})" if titles.count(title) > 1 else title
                part = replace(self._part(side, default_axes(1)), name=name)
                borders.append(RegionBorder(name, (names[side.shape], names[side.beyond]), part))
            return tuple(borders)
        pairs: dict[tuple[str, str], list[PlaneCurve]] = {}
        for side in meeting:
            assert side.curve is not None
            pairs.setdefault((names[side.shape], names[side.beyond]), []).append(side.curve)
        return tuple(
            RegionBorder(
                f"{one} | {two}", (one, two), parts_of([Edge(f"{one} | {two}", c) for c in curves])[0], tuple(curves)
            )
            for (one, two), curves in pairs.items()
        )

    @property
    def dimension(self) -> int:
        """Dimension of the regions."""
        return next(iter(self.shapes.values())).dimension

    @property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """The smallest box around all regions."""
        return self._whole.bounding_box

    @property
    def measure(self) -> float:
        """Length or area of all regions together."""
        return math.fsum(shape.measure for shape in self.shapes.values())

    def corners(self, axes: Sequence[str] | None = None) -> tuple[Corner, ...]:
        """The corners of the boundary, without those of interfaces."""
        return () if self.dimension == 1 else self._as_one(axes).corners(axes)

    def hole_places(self) -> tuple[Hole, ...]:
        """The holes of all regions together."""
        return self._whole.hole_places()

    @property
    def _regions(self) -> Regions:
        return self

    def _as_one(self, axes: Sequence[str] | None) -> Domain:
        """The regions as one shape, its parts named with these axes."""
        return self._whole if self.dimension == 1 else Outline(self._outer_edges(axes or default_axes(2)))

    @cached_property
    def _sides(self) -> list[Side]:
        return sides_of(self.shapes)

    @cached_property
    def _whole(self) -> Domain:
        if self.dimension > 1:
            return self._as_one(None)
        return reduce(lambda one, other: combine("union", one, other), self.shapes.values())

    @cached_property
    def _outer(self) -> list[Piece]:
        """The pieces that bound the whole, loop by loop."""
        outer = [Piece(side.shape, side.edge, side.curve) for side in self._sides if side.beyond < 0 and side.curve]
        return in_loops(outer, Resolution.of(*_box_around(self.shapes)))

    def _outer_edges(self, axes: Sequence[str]) -> tuple[Edge, ...]:
        own = [plane_edges(shape, axes) for shape in self.shapes.values()]
        edges = [own[piece.operand][piece.edge] for piece in self._outer]
        names = self._unique_names([(piece.operand, edge.name) for piece, edge in zip(self._outer, edges, strict=True)])
        return tuple(Edge(n, piece.curve, e.side) for n, piece, e in zip(names, self._outer, edges, strict=True))

    def _unique_names(self, named: Sequence[tuple[int, str]]) -> list[str]:
        """Unique names of pieces, by region and name there; numbers that are no longer needed are dropped."""
        alike: dict[tuple[int, str], set[str]] = {}
        for region, name in named:
            alike.setdefault((region, without_number(name)), set()).add(name)
        plain = [without_number(n) if len(alike[r, without_number(n)]) == 1 else n for r, n in named]
        owners: dict[str, set[int]] = {}
        for (region, _), name in zip(named, plain, strict=True):
            owners.setdefault(name, set()).add(region)
        return [
            f"{self.names[region]}.{name}" if len(owners[name]) > 1 else name
            for (region, _), name in zip(named, plain, strict=True)
        ]

    def _part(self, side: Side, axes: Sequence[str]) -> BoundaryPart:
        """The boundary part of its region that is this end of an interval."""
        return tuple(self.shapes.values())[side.shape].boundary(axes)[side.edge]

    def _boundary(self, axes: Sequence[str]) -> tuple[BoundaryPart, ...]:
        if self.dimension > 1:
            return parts_of(self._outer_edges(axes))
        outer = [side for side in self._sides if side.beyond < 0]
        parts = [self._part(side, axes) for side in outer]
        names = self._unique_names([(side.shape, part.name) for side, part in zip(outer, parts, strict=True)])
        return tuple(replace(part, name=name) for part, name in zip(parts, names, strict=True))

    def contains(self, points: ArrayLike) -> BoolArray:
        """Mask of the points ``(n, dimension)`` that lie in a region, the boundary included."""
        return self._whole.contains(points)

    def _contains(self, points: FloatArray, closed: bool) -> BoolArray:
        return self._whole._contains(points, closed)

    def _side(self, points: FloatArray) -> SideArray:
        return self._whole._side(points)

    def _quadrature(self, n: int) -> Quadrature:
        # region by region: data jump between them
        shapes = self.shapes.values()
        rules = [shape.quadrature(max(1, round(n * shape.measure / self.measure))) for shape in shapes]
        return Quadrature(
            *(np.concatenate(those) for those in zip(*((r.points, r.weights) for r in rules), strict=True))
        )

    def _chord_ends(self, points: FloatArray, axis: int) -> tuple[FloatArray, FloatArray]:
        return self._whole._chord_ends(points, axis)

    def _spans(self, points: FloatArray, axis: int) -> Spans | None:
        return self._whole._spans(points, axis)


def _refuse_thin(shapes: Mapping[str, Domain]) -> None:
    """Refuse regions that are too thin to be resolved."""
    extent = _extent(shapes)
    for name, shape in shapes.items():
        line = shape.dimension == 1
        thickness = shape.measure if line else 2 * shape.measure / math.fsum(p.measure for p in shape.boundary())
        least = _THINNEST[shape.dimension] * extent
        if thickness < least:
            raise ProblemError(
                f"Regions: {name!r} is about {thickness:.2g} thin, beside the extent {extent:.3g} of all regions; what "
                f"is thinner than {least:.1g} cannot be told from a curve: leave it out, and say what happens across "
                "it with fs.Interface(jump=..., flux_jump=...)"
            )


def _refuse_apart(shapes: Mapping[str, Domain], pairs: Sequence[tuple[int, int]]) -> None:
    """Refuse regions that are not connected by the `pairs` of them that touch."""
    names = list(shapes)
    group = list(range(len(names)))
    for one, other in pairs:
        group = [group[one] if each == group[other] else each for each in group]
    together = [name for name, each in zip(names, group, strict=True) if each == group[0]]
    if len(together) == len(names):
        return
    alone = [name for index, name in enumerate(names) if group.count(group[index]) == 1]
    own = alone[:1] or together
    others = [name for name in names if name not in own]
    gap, place, near, nearest = min((*_distance(shapes[a], shapes[b]), a, b) for a in own for b in others)
    who = " and ".join(map(repr, own)) + (" touches no other region" if len(own) == 1 else " touch none of the others")
    if gap <= SAME * _extent(shapes):
        where = ", ".join(f"{value:.3g}" for value in place)
        raise ProblemError(
            f"Regions: {who} along more than a point: {near!r} meets {nearest!r} at ({where}), where nothing can "
            "pass; let them share a piece of their borders, or solve for them apart"
        )
    raise ProblemError(
        f"Regions: {who}; the nearest is {nearest!r}, about {gap:.3g} away from {near!r}: close the gap between them, "
        "or solve for them apart"
    )


def _refuse_gaps(shapes: Mapping[str, Domain], outer: Sequence[Piece]) -> None:
    """Refuse thin holes and slits between plane regions."""
    names, curves = list(shapes), [piece.curve for piece in outer]
    for loop in contour_of(curves, "Regions").loops:
        around = sorted({outer[index].operand for index in loop})
        rim = contour_of([curves[index] for index in loop], "Regions")
        perimeter = math.fsum(curves[index].length for index in loop)
        if len(around) > 1 and rim.area < 0 and -4 * math.pi * rim.area < _THIN * perimeter**2:
            raise _gap([names[i] for i in around], -rim.area, perimeter / 2, curves[loop[0]].ends[0])
    for piece in outer:
        _, points = points_beside([piece.curve], _SLIT * piece.curve.length)
        for index, (name, shape) in enumerate(shapes.items()):
            if index != piece.operand and mostly_inside(partial(shape._contains, closed=False), points)[0]:
                width = _width(piece, shape)
                pair = [names[piece.operand], name]
                raise _gap(pair, width * piece.curve.length, piece.curve.length, piece.curve.ends[0])


def _gap(names: Sequence[str], area: float, length: float, place: Sequence[float]) -> ProblemError:
    x, y = place
    return ProblemError(
        f"Regions: {' and '.join(map(repr, names))} leave a gap between them, of area {area:.3g} along {length:.3g}, "
        f"near ({x:.3g}, {y:.3g}); let their borders coincide, as in shell=box - core"
    )


def _width(piece: Piece, beyond: Domain) -> float:
    """The approximate distance of a shape from a piece of a border that faces it."""

    def is_between(step: FloatArray) -> BoolArray:
        _, points = points_beside([piece.curve], float(step[0]))
        return ~mostly_inside(partial(beyond._contains, closed=False), points)

    return float(bisect(np.zeros(1), np.array([_SLIT * piece.curve.length]), is_between)[1][0])


def _distance(one: Domain, other: Domain) -> tuple[float, tuple[float, ...]]:
    """The approximate distance of two boundaries, and where it is attained."""
    from scipy.spatial import cKDTree  # rarely needed, slow to import

    points = [_boundary_points(domain) for domain in (one, other)]
    distances, _ = cKDTree(points[0]).query(points[1])
    nearest = int(distances.argmin())
    return float(distances[nearest]), tuple(points[1][nearest].tolist())


def _boundary_points(domain: Domain) -> FloatArray:
    """Points of a boundary, with all corners."""
    rng = np.random.default_rng(0)
    found = [part.sample(PROBES, rng, "low-discrepancy").points for part in domain.boundary()]
    if domain.dimension > 1:
        found += [np.array([edge.curve.ends[0]]) for edge in plane_edges(domain)]
    return np.concatenate(found)
