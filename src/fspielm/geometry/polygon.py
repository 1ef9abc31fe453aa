"""Polygons with holes, from vertices, shapely geometries and GeoJSON files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, SupportsFloat, final

import numpy as np

from fspielm.errors import ProblemError
from fspielm.geometry.boundary import OUTLINE
from fspielm.geometry.curves import segment
from fspielm.geometry.geojson import read_polygon
from fspielm.geometry.inputs import as_name, as_plane_point
from fspielm.geometry.plane import Edge, PlaneShape
from fspielm.geometry.rings import Ring, open_ring, rings_of
from fspielm.geometry.valid_rings import check_rings

Vertices = Iterable[Iterable[SupportsFloat]]


@final
@dataclass(frozen=True, init=False, repr=False)
class Polygon(PlaneShape):
    """A polygon, possibly with holes; its boundary parts are ``"outline"``, ``"hole 1"``, ``"hole 2"``, ...

    The sides of the outline are ``"side 1"``, ``"side 2"``, ..., the first from the first vertex to the second:
    conditions and integrals take them by these names (``on="side 1"``), and ``on="outline"`` is all of them.
    No ring may cross or touch itself; the holes lie inside the outline and apart from each other.

    Parameters
    ----------
    vertices : sequence of (number, number)
        The outline, in either direction; the last vertex is joined to the first and need not repeat it.
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
        outline, holes = rings_of(geometry)
        return cls(outline, holes, name=name)

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

        Returns
        -------
        Polygon
        """
        outline, holes = read_polygon(path)
        return cls(outline, holes, name=name)

    def __repr__(self) -> str:
        told = f"Polygon({_short(self.vertices)}"
        told += f", holes=[{', '.join(map(_short, self.holes))}]" if self.holes else ""
        told += f", names={list(self.names)}" if self.names else ""
        return told + (f", name={self.name!r})" if self.name else ")")

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
    ring = open_ring(points)
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
    x, y = (np.array(ring) - ring[0]).T
    area = np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)
    if (area > 0) != counterclockwise:
        edges = [(name, side, end, start) for name, side, start, end in reversed(edges)]
    return tuple(Edge(name, segment(start, end), side) for name, side, start, end in edges)


def _short(ring: Ring) -> str:
    """A ring as a list of its vertices, those of a long one counted instead."""
    return f"[{', '.join(map(str, ring))}]" if len(ring) <= 12 else f"<{len(ring)} vertices>"
