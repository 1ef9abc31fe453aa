"""Solutions for ParaView."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray, NumberArray, spread_out
from fspielm.disk import check_place, staged_file
from fspielm.errors import ProblemError
from fspielm.geometry.domain import Domain
from fspielm.geometry.plane import triangulate
from fspielm.geometry.regions import Regions
from fspielm.geometry.time import SpaceTime
from fspielm.solution.evaluation import meshed, vectors_of
from fspielm.solution.export.arrays import by_name, chosen_count, in_parts, provenance
from fspielm.solution.fields import as_shape
from fspielm.solution.integrals import RegionMesh, region_column, region_mesh

if TYPE_CHECKING:
    from fspielm.solution.solution import Solution


VTK_SUFFIXES = (".vtu", ".vtr", ".vti", ".vtk", ".pvd")
_CELL_SUFFIXES = (".vtu", ".vtk")


@final
class CellKind(IntEnum):
    """VTK's numbers for the kinds of cells."""

    LINE = 3
    TRIANGLE = 5
    PIXEL = 8
    VOXEL = 11


_BOX_CELLS = {1: CellKind.LINE, 2: CellKind.PIXEL, 3: CellKind.VOXEL}
# VTK's number for a hidden point.
_HIDDEN = 2
_TYPES = {"<f8": "Float64", "<i8": "Int64", "|u1": "UInt8"}
# The longest title of the old format.
_TITLE = 255


# ---- VTK's XML files, with numbers in base 64


def write_grid(
    path: Path, axes: Sequence[FloatArray], fields: Mapping[str, FloatArray], facts: Mapping[str, Any], *, even: bool
) -> None:
    """Write fields ``(n,)`` and vectors ``(n, 3)`` on a grid of one to three axes, the last fastest.

    Points where they are NaN are hidden. An `even` grid is given by its first point and steps (.vti), any other by
    all its coordinates (.vtr).
    """
    shape = [len(axis) for axis in axes]
    axes = [*axes, *([np.zeros(1)] * (3 - len(axes)))]
    extent = " ".join(f"0 {len(axis) - 1}" for axis in axes)
    # in these files, the first axis is the fastest
    order = np.arange(np.prod(shape)).reshape(shape).ravel(order="F")
    data: dict[str, NDArray[Any]] = {name: values[order] for name, values in fields.items()}
    hidden = np.where(np.isnan(next(iter(data.values()))), _HIDDEN, 0).astype(np.uint8)
    kind, place = "RectilinearGrid", ""
    if even:
        steps = [(axis[-1] - axis[0]) / max(len(axis) - 1, 1) if len(axis) > 1 else 1.0 for axis in axes]
        kind = "ImageData"
        place = f' Origin="{_numbers([axis[0] for axis in axes])}" Spacing="{_numbers(steps)}"'
    coordinates = [] if even else ["<Coordinates>", *(_array(axis) for axis in axes), "</Coordinates>"]
    lines = [
        f'<{kind} WholeExtent="{extent}"{place}>',
        *_field_data(facts),
        f'<Piece Extent="{extent}">',
        *_point_data(data | {"vtkGhostType": hidden}),
        *coordinates,
        "</Piece>",
        f"</{kind}>",
    ]
    _write(path, kind, lines)


def write_cells(
    path: Path,
    points: FloatArray,
    cells: NDArray[np.int64],
    kind: int,
    fields: Mapping[str, FloatArray],
    facts: Mapping[str, Any],
) -> None:
    """Write fields at points ``(n, d)``, d up to 3, and cells of one kind with corners at the points (.vtu)."""
    offsets = cells.shape[1] * np.arange(1, len(cells) + 1, dtype=np.int64)
    lines = [
        "<UnstructuredGrid>",
        *_field_data(facts),
        f'<Piece NumberOfPoints="{len(points)}" NumberOfCells="{len(cells)}">',
        *_point_data(fields),
        "<Points>",
        _array(_in_space(points), components=3),
        "</Points>",
        "<Cells>",
        _array(cells, "connectivity"),
        _array(offsets, "offsets"),
        _array(np.full(len(cells), kind, dtype=np.uint8), "types"),
        "</Cells>",
        "</Piece>",
        "</UnstructuredGrid>",
    ]
    _write(path, "UnstructuredGrid", lines)


def write_series(path: Path, files: Mapping[float, str]) -> None:
    """Write the list of the files of a time series (.pvd)."""
    sets = [f'<DataSet timestep="{time!r}" file={_quoted(file)}/>' for time, file in files.items()]
    _write(path, "Collection", ["<Collection>", *sets, "</Collection>"])


def _write(path: Path, kind: str, lines: Sequence[str]) -> None:
    head = f'<VTKFile type="{kind}" version="1.0" byte_order="LittleEndian" header_type="UInt64">'
    path.write_text("\n".join(['<?xml version="1.0"?>', head, *lines, "</VTKFile>", ""]), encoding="utf-8")


def _point_data(arrays: Mapping[str, NDArray[Any]]) -> list[str]:
    """All arrays; ParaView shows the first one, and the first of vectors."""
    data = [_array(array, key, components=3 if array.ndim == 2 else 1) for key, array in arrays.items()]
    vectors = [f" Vectors={_quoted(key)}" for key, array in arrays.items() if array.ndim == 2][:1]
    return [f"<PointData Scalars={_quoted(next(iter(arrays)))}{''.join(vectors)}>", *data, "</PointData>"]


def _field_data(facts: Mapping[str, Any]) -> list[str]:
    """Text as the numbers of its bytes, as the format wants it."""
    texts = [
        f'<Array type="String" Name={_quoted(key)} NumberOfTuples="1" format="ascii">'
        f"{' '.join(map(str, [*str(fact).encode(), 0]))}</Array>"
        for key, fact in facts.items()
    ]
    return ["<FieldData>", *texts, "</FieldData>"]


def _array(array: NDArray[Any], name: str = "", *, components: int = 1) -> str:
    little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    data = base64.b64encode(little.nbytes.to_bytes(8, "little") + little.tobytes()).decode()
    named = f" Name={_quoted(name)}" if name else ""
    kind = _TYPES[little.dtype.str]
    return f'<DataArray type="{kind}"{named} NumberOfComponents="{components}" format="binary">{data}</DataArray>'


def _numbers(values: Sequence[Any]) -> str:
    return " ".join(repr(float(value)) for value in values)


def _quoted(text: str) -> str:
    """A text as the value of an attribute."""
    from xml.sax.saxutils import quoteattr  # slow to import: it loads modules for HTTP

    return quoteattr(text)


# ---- Solutions as files of VTK


def to_vtk(
    solution: Solution,
    path: str | os.PathLike[str],
    n: int | Iterable[int] | None = None,
    *,
    times: Iterable[float] | None = None,
) -> None:
    """Write the solution to a file of VTK, which ParaView opens; the suffix says which kind.

    ========  ==========================================================================================
    ``.vtu``  cells: triangles up to the exact boundary in the plane, small boxes inside of a solid
    ``.vtr``  a regular grid over the bounding box; points outside of the domain are NaN, and hidden
    ``.vti``  the same, as an image: coordinates follow from a step, and so are exact to rounding only
    ``.vtk``  as ``.vtu``, in the old format and without the provenance
    ``.pvd``  a series in time: one file for each time, in a folder of the same name beside it
    ========  ==========================================================================================

    Every unknown is a scalar field with its name. Unknowns whose names are those of components are also one vector
    field: u, v and w as ``uvw``, Ex and Ey (or E_x and E_y, E1 and E2) as ``E``. The format has no complex numbers:
    complex values are two fields, ``u_real`` and ``u_imag``.

    Parameters
    ----------
    path : path
    n : int or sequence of int, optional
        As for `to_numpy`: points along every axis, or along each of them, that of time included.
    times : sequence of float, optional
        With a domain in time, the times of a ``.pvd`` series (as many as `n` says by default), or a single time.
        Without it, a grid has time as its last axis, in at most two dimensions of space.

    Examples
    --------
    >>> solution.to_vtk("solution.vtu", 50)

    A series in time is ``solution.to_vtk("wave.pvd", 50, times=np.linspace(0, 1, 20))``.
    """
    check_place(path, VTK_SUFFIXES)
    path = Path(path)
    suffix = path.suffix.lower()
    domain = solution.problem.domain
    shape = as_shape(chosen_count(solution, n), domain.dimension)
    instants = _instants(domain, times, shape[-1], suffix)
    if suffix == ".pvd":
        _write_time_series(solution, path, shape, instants)
        return
    region = domain.space if isinstance(domain, SpaceTime) and instants else domain
    target = _target(region, shape[: region.dimension], suffix)
    with staged_file(path) as draft:
        target.write(solution, draft, *instants)


def check_vtk(domain: Domain, path: str | os.PathLike[str]) -> None:
    """Raise an error, before any long computation, if a solution on `domain` could not be written to `path`."""
    check_place(path, VTK_SUFFIXES)
    _instants(domain, None, 2, Path(path).suffix.lower())


@final
@dataclass(frozen=True, eq=False)
class _Target:
    """The points, cells or grid on which a solution is written, at one time or in all of its coordinates."""

    points: FloatArray  # (n, d)
    inside: NDArray[np.bool_]  # (n,): which of them lie in the domain
    # (n, d): the points moved slightly into their regions, to evaluate one of two materials; None for a single one
    inner: FloatArray | None = None
    cells: NDArray[np.int64] | None = None  # (m, k)
    kind: int = 0  # VTK's number for the cells
    axes: tuple[FloatArray, ...] = ()  # the axes of a grid
    even: bool = False  # whether a grid is given by its steps
    legacy: bool = False  # whether cells are written in the old format

    def write(self, solution: Solution, path: Path, *instant: float) -> None:
        """Evaluate and write."""
        facts = provenance(solution)
        points = self.points if self.inner is None else self.inner
        places = points[self.inside]
        there = np.column_stack([places, *(np.full(len(places), t) for t in instant)])
        fields = _fields(solution, spread_out(solution(there, outside="extend"), self.inside))
        fields |= region_column(solution.problem, points)
        if self.cells is not None and self.legacy:
            title = f"{facts['unknown']}, {facts['source']}"
            _write_legacy(path, self.points, self.cells, self.kind, fields, title)
        elif self.cells is not None:
            write_cells(path, self.points, self.cells, self.kind, fields, facts)
        else:
            write_grid(path, self.axes, fields, facts, even=self.even)


def _fields(solution: Solution, values: NumberArray) -> dict[str, FloatArray]:
    """Real fields ``(n,)`` and vectors ``(n, 3)`` by name, from values ``(n,)`` or ``(n, U)``."""
    fields = by_name(solution, values)
    for name, places in vectors_of(solution.problem).items():
        fields[name] = _in_space(values[:, places])
    return in_parts(fields)


def _in_space(vectors: NumberArray) -> NumberArray:
    """Vectors ``(n, d)`` with zeros in what is left of three components."""
    return np.pad(vectors, ((0, 0), (0, 3 - vectors.shape[1])))


def _target(region: Domain, shape: tuple[int, ...], suffix: str) -> _Target:
    legacy = suffix == ".vtk"
    lower, upper = region.bounding_box
    axes = tuple(np.linspace(a, b, count) for a, b, count in zip(lower, upper, shape, strict=True))
    if suffix in _CELL_SUFFIXES and region.dimension == 2:
        spacing = float(np.sqrt(np.prod((upper - lower) / (np.array(shape) - 1))))
        mesh = region_mesh(region, spacing, triangulate) if isinstance(region, Regions) else None
        if mesh is None and (found := triangulate(region, spacing)) is not None:
            points, triangles = found
            mesh = RegionMesh(points, points, triangles)
        if mesh is not None:
            inside = np.ones(len(mesh.points), dtype=np.bool_)
            return _Target(mesh.points, inside, mesh.inner, mesh.triangles, CellKind.TRIANGLE, legacy=legacy)
    points = meshed(axes)
    inside = region.contains(points)
    if suffix not in _CELL_SUFFIXES:
        return _Target(points, inside, axes=axes, even=suffix == ".vti")
    cells = _boxes(shape, inside)
    used, numbered = np.unique(cells, return_inverse=True)
    kept = np.ones(len(used), dtype=np.bool_)
    return _Target(
        points[used], kept, None, numbered.reshape(cells.shape).astype(np.int64), _BOX_CELLS[len(shape)], legacy=legacy
    )


def _boxes(shape: tuple[int, ...], inside: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The cells of a grid whose corners are all inside; corners in VTK's order, the first axis fastest."""
    index = np.arange(prod(shape), dtype=np.int64).reshape(shape)
    corners = []
    for corner in np.ndindex((2,) * len(shape)):
        slices = tuple(slice(side, side - 1 or None) for side in reversed(corner))
        corners.append(index[slices].ravel())
    cells = np.stack(corners, axis=1)
    return np.asarray(cells[inside[cells].all(axis=1)])


def _instants(domain: Domain, times: Any, count: int, suffix: str) -> list[float]:
    """The times to write, none for all coordinates together; an error if a file of this kind cannot hold them."""
    series = suffix == ".pvd"
    if domain.dimension - (domain.time is not None) > 3:
        raise ProblemError(f"files of VTK have at most three dimensions of space; {domain!r} has more")
    if domain.time is None or domain.dimension == 1:
        if times is not None or series:
            what = "times= goes" if times is not None else "a .pvd series goes"
            other = f"time, and {domain!r} has none" if domain.time is None else f"space and time; got {domain!r}"
            raise ProblemError(f"{what} with a domain in {other}")
        return []
    start, end = domain.time.start, domain.time.end
    if times is None:
        if suffix in _CELL_SUFFIXES or (domain.dimension > 3 and not series):
            raise ProblemError(
                f"a {suffix} file cannot hold {domain!r} at all times; name a series in time with .pvd, or give "
                "times=[...]"
            )
        return np.linspace(start, end, count).tolist() if series else []
    try:
        chosen = np.atleast_1d(np.asarray(times, dtype=np.float64))
    except (TypeError, ValueError):
        chosen = np.empty(0)
    if chosen.ndim != 1 or not len(chosen) or not np.all((chosen >= start) & (chosen <= end)):
        raise ProblemError(f"times must be numbers from {start:g} to {end:g}; got {times!r}")
    if len(chosen) > 1 and not series:
        raise ProblemError(f"one {suffix} file holds one time; name a series in time with .pvd, or give one time")
    return [float(t) for t in chosen]


def _write_time_series(solution: Solution, path: Path, shape: tuple[int, ...], instants: list[float]) -> None:
    """Write one file for each time in a folder beside `path`, and then the list of them."""
    domain = solution.problem.domain
    assert isinstance(domain, SpaceTime)  # what else has a time
    folder = path.with_suffix("")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise ProblemError(f"cannot write the folder {str(folder)!r}: {error.strerror}") from error
    suffix = ".vtu" if domain.space.dimension == 2 else ".vtr"
    target = _target(domain.space, shape[:-1], suffix)
    files = {t: f"{folder.name}_{number:04d}{suffix}" for number, t in enumerate(instants)}
    for instant, name in files.items():
        with staged_file(folder / name) as draft:
            target.write(solution, draft, instant)
    with staged_file(path) as draft:
        write_series(draft, {t: f"{folder.name}/{name}" for t, name in files.items()})


def _write_legacy(
    path: Path, points: FloatArray, cells: NDArray[np.int64], kind: int, fields: Mapping[str, FloatArray], title: str
) -> None:
    """Write fields at points ``(n, d)``, d up to 3, and cells of one kind with corners at the points (.vtk)."""
    corners = cells.shape[1]
    counted = np.column_stack([np.full(len(cells), corners), cells])
    one_line = " ".join(title.encode("ascii", "replace").decode().split())[:_TITLE]
    blocks: list[tuple[str, bytes]] = [
        (f"# vtk DataFile Version 3.0\n{one_line}\nBINARY\nDATASET UNSTRUCTURED_GRID", b""),
        (f"POINTS {len(points)} double", _in_space(points).astype(">f8").tobytes()),
        (f"CELLS {len(cells)} {counted.size}", counted.astype(">i4").tobytes()),
        (f"CELL_TYPES {len(cells)}", np.full(len(cells), kind, dtype=">i4").tobytes()),
        (f"POINT_DATA {len(points)}", b""),
        *((_head(name, values), values.astype(">f8").tobytes()) for name, values in fields.items()),
    ]
    path.write_bytes(b"".join(f"{head}\n".encode() + (data + b"\n" if data else b"") for head, data in blocks))


def _head(name: str, values: FloatArray) -> str:
    return f"VECTORS {name} double" if values.ndim == 2 else f"SCALARS {name} double 1\nLOOKUP_TABLE default"
