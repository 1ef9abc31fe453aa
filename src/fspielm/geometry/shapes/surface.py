"""Solids within a closed surface of triangles."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import BoolArray, FloatArray, IntArray, SideArray
from fspielm.disk import open_file
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import BoundaryPart, Quadrature, Sites, as_name, gauss, nodes_per_axis
from fspielm.geometry.domain import SURFACE_POINTS, Domain, is_within, rounding_slack
from fspielm.geometry.shapes.mesh import (
    FacetBins,
    Facets,
    consistently_oriented,
    extent_of,
    facet_bins,
    facet_rule,
    merge_vertices,
    morton_order,
    points_on_facets,
    read_arrays,
    unit_square_points,
)
from fspielm.numerics.tolerances import ROUNDED, SAME

_UP = 2  # lines along any axis would do
_FORMATS = (".stl", ".ply", ".obj", ".off")
_MOST_MEGABYTES = 100


def oriented_outward(vertices: FloatArray, faces: IntArray, body: IntArray) -> IntArray:
    """Facets oriented so that each body by itself has a positive volume."""
    corners = vertices[faces] - vertices.mean(axis=0)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    volumes = np.bincount(body, np.sum(corners[:, 0] * normals, axis=1) / 6)
    areas = np.bincount(body, np.linalg.norm(normals, axis=1) / 2)
    if (np.abs(volumes) <= ROUNDED * areas * extent_of(vertices)).any():
        raise ProblemError("Surface: faces must enclose a volume; got a closed surface without any: it is flat")
    outward = faces.copy()
    inward = volumes[body] < 0
    outward[inward] = outward[inward][:, ::-1]
    return outward


def with_cavities(vertices: FloatArray, faces: IntArray, body: IntArray) -> IntArray:
    """Facets of outward bodies; those of cavities, which lie in an odd number of bodies, are turned inward."""
    _, first = np.unique(body, return_index=True)
    probes = vertices[faces[first]].mean(axis=1)
    depth = np.zeros(len(first), dtype=np.int64)
    for other in range(len(first) if len(first) > 1 else 0):
        line, height, _ = facet_bins(vertices, faces[body == other], _UP, 0.0).crossings(probes)
        above = np.bincount(line[height > probes[line, _UP]], minlength=len(first))
        inside: BoolArray = above % 2 == 1
        inside[other] = False
        depth += inside
    turned = faces.copy()
    cavity = depth[body] % 2 == 1
    turned[cavity] = turned[cavity][:, ::-1]
    return turned


def refuse_overlaps(bins: FacetBins, probes: FloatArray, size: float) -> None:
    """Refuse a surface that crosses itself: along lines through `probes`, it does not face down and up alternately."""
    line, height, facing = bins.crossings(probes)
    depth = -np.cumsum(facing)  # every line ends where it began: outside
    same_line = np.diff(line, append=-1) == 0
    # crossings closer than this may be in either order
    apart = np.diff(height, append=np.inf) > SAME * size
    wrong = np.flatnonzero(same_line & apart & ((depth < 0) | (depth > 1)))
    if wrong.size:
        place = probes[line[wrong[0]]].copy()
        place[bins.axis] = height[wrong[0]]
        raise ProblemError(
            "Surface: faces must not cross each other; they do near "
            f"{np.array2string(place, precision=5, separator=', ')}: unite overlapping bodies into one surface"
        )


@final
@dataclass(frozen=True, init=False, eq=False, repr=False)
class Surface(Domain):
    """The solid within a closed surface of triangles; its boundary is one part, ``"surface"``.

    Vertices at the same place are merged, and facets oriented outward. The solid may have several bodies and cavities
    whose surfaces do not meet. Its quadrature has Gauss rules along vertical chords, which start at the nodes of a rule
    on every facet that faces up. It is spectrally accurate if edges at the bottom lie below edges at the top, as in a
    prism. On a curved solid of a thousand facets expect a relative error of 1e-2 with a thousand nodes and of 1e-4 with
    a hundred thousand.

    Parameters
    ----------
    vertices : (n, 3) array
    faces : (m, 3) array of whole numbers
        The three vertices of each facet, counted from 0, in any direction around it.
    name : str, optional
        Put before the name of the part: ``"housing.surface"``.

    Examples
    --------
    >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    >>> tetrahedron = Surface(corners, [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)])
    >>> round(tetrahedron.measure, 12)
    0.166666666667
    """

    vertices: FloatArray
    faces: IntArray
    name: str = ""

    dimension = 3
    may_be_in_pieces = True

    def __init__(self, vertices: ArrayLike, faces: ArrayLike, *, name: str = "") -> None:
        points, index = merge_vertices(*read_arrays(vertices, faces))
        index, body = consistently_oriented(points, index)
        index = with_cavities(points, oriented_outward(points, index, body), body)
        order = morton_order(points[index].mean(axis=1))
        self._fill(points, index[order], as_name(name, "Surface: name"))
        probes = self._facets.centers[:: -(-len(index) // SURFACE_POINTS)]
        refuse_overlaps(self._bins[_UP], probes, float(np.ptp(points, axis=0).max()))

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, name: str = "") -> Surface:
        """Read the surface from a file: STL (text or binary), PLY, OBJ or OFF.

        Parameters
        ----------
        path : str or path
        name : str, optional
            As for `Surface`.
        """
        return cls(*read_mesh(path), name=name)

    def _fill(self, vertices: FloatArray, faces: IntArray, name: str) -> None:
        for key, array in (("vertices", vertices), ("faces", faces)):
            kept = array.copy()
            kept.setflags(write=False)
            object.__setattr__(self, key, kept)
        object.__setattr__(self, "name", name)

    def __repr__(self) -> str:
        return f"Surface({len(self.vertices)} vertices, {len(self.faces)} faces{self._name_argument})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Surface):
            return NotImplemented
        same = np.array_equal(self.vertices, other.vertices) and np.array_equal(self.faces, other.faces)
        return same and self.name == other.name

    def __hash__(self) -> int:
        return hash((self.vertices.tobytes(), self.faces.tobytes(), self.name))

    def __reduce__(self) -> tuple[Any, ...]:
        # without cached properties, and without checking the facets again
        return _restore, (self.vertices, self.faces, self.name)

    @property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """The smallest box around the surface, ``(lower, upper)``."""
        return self.vertices.min(axis=0), self.vertices.max(axis=0)

    @property
    def measure(self) -> float:
        """Volume, by the divergence theorem."""
        away = self._facets.corners[:, 0] - self.vertices.mean(axis=0)
        return float(np.sum(away * self._facets.crosses)) / 6

    def _contains(self, points: FloatArray, closed: bool) -> BoolArray:
        return is_within(self._side(points), closed)

    def _side(self, points: FloatArray) -> SideArray:
        bins = self._bins[_UP]
        line, low, high = bins.intervals(points)
        within = (points[line, _UP] >= low) & (points[line, _UP] <= high)
        inside = np.zeros(len(points), dtype=np.bool_)
        inside[line[within]] = True
        touching = np.zeros(len(points), dtype=np.bool_)
        for point, facet in bins.pairs(points):
            touching[point[self._facets.touch(points[point], facet, self._slack)]] = True
        return np.where(touching, 0, np.where(inside, 1, -1)).astype(np.int8)

    def _boundary(self, axes: Sequence[str]) -> tuple[BoundaryPart, ...]:
        def place(unit: FloatArray) -> Sites:
            return self._facets.sites(*points_on_facets(areas, unit))

        def nodes(n: int) -> tuple[FloatArray, FloatArray]:
            facet, places, weights = facet_rule(areas, n)
            return unit_square_points(areas, facet, places), weights

        areas = self._facets.areas
        return (BoundaryPart("surface", float(areas.sum()), 2, place, endless=2, nodes=nodes),)

    def _chord_ends(self, points: FloatArray, axis: int) -> tuple[FloatArray, FloatArray]:
        line, low, high = self._bins[axis].intervals(points)
        at = points[line, axis]
        here = (at >= low - self._slack) & (at <= high + self._slack)
        ends = points[:, axis].copy(), points[:, axis].copy()  # for lines that only touch the solid
        ends[0][line[here]] = np.minimum(low[here], at[here])
        ends[1][line[here]] = np.maximum(high[here], at[here])
        return ends

    def _quadrature(self, n: int) -> Quadrature:
        along = nodes_per_axis(n, 3)
        shadows = np.maximum(self._facets.crosses[:, _UP], 0.0)
        upper = np.flatnonzero(shadows)
        facet, places, weights = facet_rule(shadows[upper], max(1, n // along))
        tops = self._facets.sites(upper[facet], places).points
        low, high = self._chord_ends(tops, _UP)
        unit, shares = gauss(along)
        points = np.repeat(tops[:, None, :], len(unit), axis=1)
        points[..., _UP] = low[:, None] + (high - low)[:, None] * unit
        weighted = (weights * (high - low))[:, None] * shares
        return Quadrature(points[weighted > 0], weighted[weighted > 0])

    @cached_property
    def _facets(self) -> Facets:
        return Facets(self.vertices[self.faces])

    @cached_property
    def _slack(self) -> float:
        return rounding_slack(True, float(np.abs(self.vertices).max()))

    @cached_property
    def _bins(self) -> tuple[FacetBins, ...]:
        return tuple(facet_bins(self.vertices, self.faces, axis, self._slack) for axis in range(3))


def _restore(vertices: FloatArray, faces: IntArray, name: str) -> Surface:
    surface = object.__new__(Surface)
    surface._fill(vertices, faces, name)
    return surface


def read_mesh(path: str | os.PathLike[str]) -> tuple[FloatArray, IntArray]:
    """Vertices ``(n, 3)`` and faces ``(m, 3)`` of a file: STL (text or binary), PLY, OBJ or OFF."""
    path = Path(path)
    if find_spec("trimesh") is None:
        raise ProblemError("Surface.load needs trimesh: pip install 'fspielm[geometry]'")
    if path.suffix.lower() not in _FORMATS:
        raise ProblemError(f"Surface.load: path must end in {', '.join(_FORMATS)}; got {path.name!r}")
    try:
        megabytes = path.stat().st_size / 1e6
        if megabytes > _MOST_MEGABYTES:
            raise ProblemError(
                f"Surface.load: {path.name!r} has {megabytes:.0f} MB, more than the {_MOST_MEGABYTES} MB that are "
                "read: make the mesh coarser"
            )
        # An open file instead of its path, so that trimesh does not look for materials and textures.
        with open_file(path) as file:
            return _parse(file, path)
    except OSError as error:
        raise ProblemError(f"Surface.load: cannot read {str(path)!r}: {error.strerror}") from error


def _parse(file: object, path: Path) -> tuple[FloatArray, IntArray]:
    import trimesh

    try:
        mesh = trimesh.load_mesh(file, file_type=path.suffix.lower()[1:], process=False)
        vertices = np.array(mesh.vertices, dtype=np.float64).reshape(-1, 3)
        faces = np.array(mesh.faces, dtype=np.int64).reshape(-1, 3)
    except Exception as error:  # parsers fail in many ways on broken files
        raise ProblemError(
            f"Surface.load: {path.name!r} is not a mesh in {path.suffix[1:].upper()} format ({error})"
        ) from error
    if not len(faces):
        raise ProblemError(f"Surface.load: {path.name!r} holds no triangles")
    return vertices, faces
