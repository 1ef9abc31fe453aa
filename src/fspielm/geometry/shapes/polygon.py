"""Polygons with holes, from vertices, shapely geometries and GeoJSON files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, SupportsFloat, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray, IndexArray
from fspielm.disk import open_file
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import OUTLINE, as_name, as_plane_point
from fspielm.geometry.crossings import crossing_point, in_ring, meeting_pairs, orientation, signed_area
from fspielm.geometry.curves import Edge, segment
from fspielm.geometry.plane import PlaneShape

Ring: TypeAlias = tuple[tuple[float, float], ...]


def rings_of(geometry: Any) -> tuple[Ring, tuple[Ring, ...]]:
    """Outline and holes of a shapely polygon, without repeated vertices and heights."""
    try:
        import shapely
    except ImportError:
        raise ProblemError(
            "Polygon.from_shapely needs shapely; install it with: pip install 'fspielm[geometry]'"
        ) from None
    if not isinstance(geometry, shapely.Geometry):
        raise ProblemError(f"Polygon.from_shapely: geometry must be a shapely.Polygon; got {type(geometry).__name__}")
    if geometry.geom_type == "MultiPolygon" and len(geometry.geoms) == 1:
        geometry = geometry.geoms[0]
    if geometry.geom_type != "Polygon":
        count = f" of {len(geometry.geoms)}: take one of its geoms" if hasattr(geometry, "geoms") else ""
        raise ProblemError(
            f"Polygon.from_shapely: geometry must be a shapely.Polygon; got a {geometry.geom_type}{count}"
        )
    if geometry.is_empty:
        raise ProblemError("Polygon.from_shapely: geometry must not be empty")
    plain = shapely.force_2d(shapely.remove_repeated_points(geometry))
    return tuple(plain.exterior.coords), tuple(tuple(hole.coords) for hole in plain.interiors)


# ---- Checks of rings


def check_rings(outline: Ring, holes: tuple[Ring, ...]) -> None:
    """Refuse an outline and holes that do not bound a polygon, naming the fault and its place.

    Rings must not cross or touch themselves. Holes lie inside the outline; they may touch it and each other in single
    points that do not cut the polygon in two. The decisions are exact.
    """
    rings = _Rings([np.array(ring) for ring in (outline, *holes)])
    for number, ring in enumerate(rings.rings):
        what = f"holes[{number - 1}]" if number else "vertices"
        far = ring[np.argmax(np.abs(ring - ring[0]).max(axis=1))]
        if not orientation(np.broadcast_to(ring[0], ring.shape), np.broadcast_to(far, ring.shape), ring).any():
            raise ProblemError(f"Polygon: {what} must enclose an area; its vertices lie on one line")
        place = rings.self_meeting(number)
        if place is not None:
            raise ProblemError(
                f"Polygon: {what} must form a ring that does not cross or touch itself; this one does "
                f"at {_point_text(place)} (Self-intersection): "
                "list the vertices in the order in which they follow one another"
            )
    for reason, place in rings.faults():
        raise ProblemError(
            "Polygon: holes must lie inside the outline and must not overlap or cut it in two; "
            f"they fail to at {_point_text(place)} ({reason})"
        )


@final
@dataclass(frozen=True, eq=False)
class _Rings:
    """Closed polygons, and where their edges meet."""

    rings: list[FloatArray]

    @cached_property
    def starts(self) -> FloatArray:
        return np.concatenate(self.rings)

    @cached_property
    def ends(self) -> FloatArray:
        return np.concatenate([np.roll(ring, -1, axis=0) for ring in self.rings])

    @cached_property
    def owner(self) -> IndexArray:
        """The ring of every edge."""
        return np.repeat(np.arange(len(self.rings)), [len(ring) for ring in self.rings])

    @cached_property
    def following(self) -> IndexArray:
        """The next edge of every edge."""
        first = np.cumsum([0, *(len(ring) for ring in self.rings[:-1])])
        return np.concatenate([at + np.roll(np.arange(len(r)), -1) for at, r in zip(first, self.rings, strict=True)])

    @cached_property
    def meetings(self) -> tuple[IndexArray, NDArray[np.int8]]:
        return meeting_pairs(self.starts, self.ends)

    def self_meeting(self, number: int) -> FloatArray | None:
        """A place where a ring meets itself, beyond the common ends of neighbouring edges."""
        (first, second), sides = self.meetings
        forward, backward = self.following[first] == second, self.following[second] == first
        way = self.ends - self.starts
        back = np.sum(way[first] * way[second], axis=1) < 0  # without cancellation for edges on one line
        folded = back & (np.where(forward, sides[1], sides[3]) == 0)
        own = (self.owner[first] == number) & (self.owner[second] == number)
        bad = np.flatnonzero(own & (folded | ~(forward | backward)))
        return self._place(int(first[bad[0]]), int(second[bad[0]]), sides[:, bad[0]]) if bad.size else None

    def _place(self, one: int, other: int, sides: NDArray[np.int8]) -> FloatArray:
        """A point that two edges have in common."""
        touches = self._touches(one, other, sides)
        if touches:
            return touches[0]
        return crossing_point(self.starts[one], self.ends[one], self.starts[other], self.ends[other])

    def _touches(self, one: int, other: int, sides: NDArray[np.int8]) -> list[FloatArray]:
        """The ends of one edge that lie on the other."""
        ends = [(one, self.starts[other]), (one, self.ends[other]), (other, self.starts[one]), (other, self.ends[one])]
        return [
            point
            for (edge, point), side in zip(ends, sides, strict=True)
            if side == 0 and np.all((point - self.starts[edge]) * (point - self.ends[edge]) <= 0)
        ]

    def faults(self) -> Iterator[tuple[str, FloatArray]]:
        """Faults between rings and their places, the first one first."""
        touching: dict[tuple[int, int], list[FloatArray]] = {}
        (first, second), sides = self.meetings
        for i in np.flatnonzero(self.owner[first] != self.owner[second]):
            one, other = int(first[i]), int(second[i])
            touches = self._touches(one, other, sides[:, i])
            along = not sides[:, i].any() and len({tuple(point) for point in touches}) > 1
            if along or np.all(sides[:, i]):
                yield "Self-intersection", self._place(one, other, sides[:, i])
                return
            touching.setdefault((int(self.owner[one]), int(self.owner[other])), []).extend(touches)
        yield from self._misplaced(touching)
        yield from self._cut(touching)

    def _misplaced(self, touching: dict[tuple[int, int], list[FloatArray]]) -> Iterator[tuple[str, FloatArray]]:
        """Holes outside of the outline or inside one another, given that rings cross at vertices only."""
        boxes = np.array([[ring.min(axis=0), ring.max(axis=0)] for ring in self.rings])
        for hole in range(1, len(self.rings)):
            pieces = self._pieces(hole, touching.get((0, hole), []))
            held = in_ring(pieces, self.rings[0])
            if not held.all():
                yield "Self-intersection" if held.any() else "Hole lies outside shell", pieces[np.argmin(held)]
            near = np.all((boxes[:, 0] <= boxes[hole, 1]) & (boxes[:, 1] >= boxes[hole, 0]), axis=1)
            for other in np.flatnonzero(near[1:]) + 1:
                if other != hole:
                    pair = (min(hole, int(other)), max(hole, int(other)))
                    pieces = self._pieces(hole, touching.get(pair, []))
                    held = in_ring(pieces, self.rings[other])
                    if held.any():
                        yield "Nested holes" if held.all() else "Self-intersection", pieces[np.argmax(held)]

    def _pieces(self, number: int, touches: list[FloatArray]) -> FloatArray:
        """A point of each piece of a ring between points where another ring touches it."""
        ring = self.rings[number]
        if not touches:
            return ring[:1]
        found = []
        for start, end in zip(ring, np.roll(ring, -1, axis=0), strict=True):
            axis = int(np.argmax(np.abs(end - start)))
            shares = (np.array(touches)[:, axis] - start[axis]) / (end - start)[axis]
            cuts = np.unique(np.clip([0.0, *shares, 1.0], 0.0, 1.0))
            found.append(start + (0.5 * (cuts[1:] + cuts[:-1]))[:, None] * (end - start))
        return np.concatenate(found)

    def _cut(self, touching: dict[tuple[int, int], list[FloatArray]]) -> Iterator[tuple[str, FloatArray]]:
        """A place where touching rings form a closed chain, which cuts off its interior."""
        links = {(ring, tuple(p.tolist())) for pair, points in touching.items() for p in points for ring in pair}
        chain: dict[object, object] = {}

        def root(node: object) -> object:
            while node in chain:
                node = chain[node]
            return node

        for ring, point in sorted(links):
            one, other = root(ring), root(point)
            if one == other:
                yield "Interior is disconnected", np.array(point)
                return
            chain[other] = one


def _point_text(place: FloatArray) -> str:
    return f"({place[0]:.6g}, {place[1]:.6g})"


# ---- GeoJSON files

_LARGEST = 20_000_000  # bytes; an outline should have thousands of vertices, not millions


def read_polygon(path: str | os.PathLike[str]) -> tuple[Ring, tuple[Ring, ...]]:
    """Outline and holes of the only polygon in a GeoJSON file, without heights and repeated vertices."""
    if not isinstance(path, str | os.PathLike):
        raise ProblemError(f"Polygon.from_geojson: path must be that of a file; got {path!r}")
    where = f"Polygon.from_geojson: {os.fspath(path)}"
    polygons = _geometries(_load(path, where), where, 0)
    if len(polygons) != 1:
        raise ProblemError(
            f"{where} must hold one polygon; got {len(polygons)}: take one, or unite the shapes of several with |"
        )
    rings = polygons[0].get("coordinates")
    if not isinstance(rings, list) or not rings:
        raise ProblemError(f"{where}: coordinates must be a list of rings, the outline first")
    outline, *holes = (_ring(ring, f"{where}: coordinates[{i}]") for i, ring in enumerate(rings))
    return outline, tuple(holes)


def _load(path: str | os.PathLike[str], where: str) -> Any:
    try:
        with open_file(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > _LARGEST:
                raise ProblemError(
                    f"{where} has {size / 1e6:.0f} MB; at most {_LARGEST / 1e6:.0f} MB are read: "
                    "simplify the outline first"
                )
            return json.loads(file.read().decode("utf-8-sig"))
    except OSError as error:
        raise ProblemError(f"{where} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ProblemError(f"{where} is not text in UTF-8") from None
    except ValueError as error:  # JSON's own, and that of a number with thousands of digits
        raise ProblemError(f"{where} is not JSON: {error}") from None
    except RecursionError:
        raise ProblemError(f"{where} is nested too deeply for GeoJSON") from None


def _geometries(value: Any, where: str, depth: int) -> list[dict[str, Any]]:
    """All polygons in a GeoJSON object; refuses anything else."""
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == "Polygon":
        return [value]
    if kind == "MultiPolygon" and isinstance(value.get("coordinates"), list):
        return [{"coordinates": rings} for rings in value["coordinates"]]
    if kind == "Feature" and depth < 2:
        return _geometries(value.get("geometry"), where, 2)
    if kind == "FeatureCollection" and depth < 1 and isinstance(value.get("features"), list):
        return [polygon for feature in value["features"] for polygon in _geometries(feature, where, 1)]
    got = f"the type {kind!r}" if isinstance(value, dict) else f"{value!r:.40}"
    raise ProblemError(f"{where} must hold a GeoJSON Polygon, a Feature or a FeatureCollection of one; got {got}")


def _ring(ring: Any, where: str) -> Ring:
    if not isinstance(ring, list):
        raise ProblemError(f"{where} must be a list of positions [x, y]; got {ring!r:.40}")
    points: list[tuple[float, float]] = []
    for i, position in enumerate(ring):
        if (
            not isinstance(position, list)
            or len(position) < 2
            or not all(type(c) in (int, float) for c in position[:2])
        ):
            raise ProblemError(f"{where}[{i}] must be a position [x, y]; got {position!r:.40}")
        point = as_plane_point(position[:2], f"{where}[{i}]")
        if not points or point != points[-1]:
            points.append(point)
    return tuple(points)


# ---- Polygons

Vertices = Iterable[Iterable[SupportsFloat]]


@final
@dataclass(frozen=True, init=False, repr=False)
class Polygon(PlaneShape):
    """A polygon, possibly with holes; its boundary parts are ``"outline"``, ``"hole 1"``, ``"hole 2"``, ...

    The sides of the outline are ``"side 1"`` (from the first vertex to the second), ``"side 2"``, ...; conditions and
    integrals accept these names (``on="side 1"``), and ``on="outline"`` means all sides. No ring may cross or touch
    itself; the holes lie inside the outline and apart from each other.

    Parameters
    ----------
    vertices : sequence of (number, number)
        The outline, in either direction; the last vertex need not repeat the first.
    holes : sequence of sequences of (number, number)
        The rims of the holes.
    names : sequence of str, optional
        A name for each edge of the outline, in place of ``"outline"``: the first for the edge from the first vertex
        to the second. Edges of one name form one boundary part.
    name : str
        Put before the names of its boundary parts.

    Examples
    --------
    >>> square = [(0, 0), (2, 0), (2, 2), (0, 2)]
    >>> frame = Polygon(square, holes=[[(0.5, 0.5), (1.5, 0.5), (1, 1.5)]])
    >>> frame.measure
    3.5
    >>> [part.name for part in frame.boundary()]
    ['outline', 'hole 1']
    >>> [part.name for part in Polygon(square, names=["floor", "wall", "roof", "wall"]).boundary()]
    ['floor', 'wall', 'roof']
    """

    vertices: Ring
    holes: tuple[Ring, ...] = ()
    names: tuple[str, ...] | None = None
    name: str = ""

    def __init__(
        self, vertices: Vertices, holes: Iterable[Vertices] = (), names: Iterable[str] | None = None, *, name: str = ""
    ) -> None:
        outline = _read_ring(vertices, "Polygon: vertices")
        if not isinstance(holes, Iterable) or isinstance(holes, str | Mapping):
            raise ProblemError(f"Polygon: holes must be a sequence of rings of (x, y) pairs; got {holes!r}")
        rims = tuple(_read_ring(rim, f"Polygon: holes[{i}]") for i, rim in enumerate(holes))
        check_rings(outline, rims)
        object.__setattr__(self, "vertices", outline)
        object.__setattr__(self, "holes", rims)
        object.__setattr__(self, "names", None if names is None else _read_names(names, len(outline)))
        object.__setattr__(self, "name", as_name(name, "Polygon: name"))

    @classmethod
    def from_shapely(cls, geometry: Any, *, name: str = "") -> Polygon:
        """Build the polygon of a `shapely.Polygon`, its holes included."""
        return cls(*rings_of(geometry), name=name)

    @classmethod
    def from_geojson(cls, path: str | os.PathLike[str], *, name: str = "") -> Polygon:
        """Build the polygon of a GeoJSON file, its holes included.

        Parameters
        ----------
        path : str or path
            A file with one polygon: a Polygon, a Feature, or a FeatureCollection. Coordinates are taken as they are,
            without any projection.
        name : str
            Put before the names of the boundary parts.
        """
        return cls(*read_polygon(path), name=name)

    def __repr__(self) -> str:
        holes = f", holes=[{', '.join(map(_short, self.holes))}]" if self.holes else ""
        names = f", names={list(self.names)}" if self.names else ""
        return f"Polygon({_short(self.vertices)}{holes}{names}{self._name_argument})"

    def _edges(self, axes: Sequence[str]) -> tuple[Edge, ...]:
        count = len(self.vertices)
        names = self.names or (OUTLINE,) * count
        sides = ("",) * count if self.names else tuple(f"side {number}" for number in range(1, count + 1))
        edges = _ring_edges(self.vertices, names, sides, counterclockwise=True)
        for number, rim in enumerate(self.holes, 1):
            edges += _ring_edges(rim, (f"hole {number}",) * len(rim), ("",) * len(rim), counterclockwise=False)
        return edges


def _read_ring(vertices: Vertices, argument: str) -> Ring:
    if not isinstance(vertices, Iterable) or isinstance(vertices, str | bytes | Mapping):
        raise ProblemError(f"{argument} must be a sequence of (x, y) pairs; got {vertices!r}")
    points = tuple(as_plane_point(vertex, f"{argument}[{i}]") for i, vertex in enumerate(vertices))
    ring = points[:-1] if len(points) > 1 and points[0] == points[-1] else points
    if len(ring) < 3:
        raise ProblemError(f"{argument} must have at least three vertices; got {len(ring)}")
    for i, vertex in enumerate(ring):
        if vertex == ring[i - 1]:
            raise ProblemError(f"{argument}[{i}] must differ from the vertex before it; got {vertex} twice")
    return ring


def _read_names(names: Iterable[str], count: int) -> tuple[str, ...]:
    told = (names,) if isinstance(names, str) else tuple(names)
    if len(told) != count:
        raise ProblemError(
            f"Polygon: names must hold one name for each of the {count} edges of the outline; got {len(told)}"
        )
    for i, entry in enumerate(told):
        if not as_name(entry, f"Polygon: names[{i}]") or entry.startswith("hole "):
            raise ProblemError(
                f"Polygon: names[{i}] must be neither empty nor that of a hole, such as 'hole 1'; got {entry!r}"
            )
    return told


def _ring_edges(ring: Ring, names: Sequence[str], sides: Sequence[str], *, counterclockwise: bool) -> tuple[Edge, ...]:
    """The edges of a ring in the wanted direction, each with its names."""
    edges = list(zip(names, sides, ring, [*ring[1:], ring[0]], strict=True))
    if (signed_area(np.array(ring)) > 0) != counterclockwise:
        edges = [(name, side, end, start) for name, side, start, end in reversed(edges)]
    return tuple(Edge(name, segment(start, end), side) for name, side, start, end in edges)


def _short(ring: Ring) -> str:
    """A ring as a list of its vertices; only their number for a long ring."""
    return f"[{', '.join(map(str, ring))}]" if len(ring) <= 12 else f"<{len(ring)} vertices>"
