"""VTK's XML files: grids, and points with cells. Numbers are stored as they are, in base 64."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray

# VTK's numbers for the kinds of cells.
LINE, TRIANGLE, PIXEL, VOXEL = 3, 5, 8, 11
# VTK's number for a point that is not to be shown.
_HIDDEN = 2
_TYPES = {"<f8": "Float64", "<i8": "Int64", "|u1": "UInt8"}


def write_grid(
    path: Path, axes: Sequence[FloatArray], name: str, values: FloatArray, facts: Mapping[str, Any], *, even: bool
) -> None:
    """Write values ``(n_1, ..., n_d)`` on a grid of one to three axes; those that are NaN are hidden.

    A grid that is `even` is told by its first point and its steps (.vti), another one by all its places (.vtr).
    """
    axes = [*axes, *([np.zeros(1)] * (3 - len(axes)))]
    extent = " ".join(f"0 {len(axis) - 1}" for axis in axes)
    hidden = np.where(np.isnan(values), _HIDDEN, 0).astype(np.uint8)
    data: dict[str, NDArray[Any]] = {name: values.ravel(order="F"), "vtkGhostType": hidden.ravel(order="F")}
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
        *_point_data(name, data),
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
    name: str,
    values: FloatArray,
    facts: Mapping[str, Any],
) -> None:
    """Write values at points ``(n, d)``, d up to 3, and the cells of one kind that they are the corners of (.vtu)."""
    space = np.zeros((len(points), 3))
    space[:, : points.shape[1]] = points
    offsets = cells.shape[1] * np.arange(1, len(cells) + 1, dtype=np.int64)
    lines = [
        "<UnstructuredGrid>",
        *_field_data(facts),
        f'<Piece NumberOfPoints="{len(points)}" NumberOfCells="{len(cells)}">',
        *_point_data(name, {name: values}),
        "<Points>",
        _array(space, components=3),
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
    """Write the list of the files that belong to times (.pvd)."""
    sets = [f'<DataSet timestep="{time!r}" file={_quoted(file)}/>' for time, file in files.items()]
    _write(path, "Collection", ["<Collection>", *sets, "</Collection>"])


def _write(path: Path, kind: str, lines: Sequence[str]) -> None:
    head = f'<VTKFile type="{kind}" version="1.0" byte_order="LittleEndian" header_type="UInt64">'
    path.write_text("\n".join(['<?xml version="1.0"?>', head, *lines, "</VTKFile>", ""]), encoding="utf-8")


def _point_data(name: str, arrays: Mapping[str, NDArray[Any]]) -> list[str]:
    data = [_array(array, key) for key, array in arrays.items()]
    return [f"<PointData Scalars={_quoted(name)}>", *data, "</PointData>"]


def _field_data(facts: Mapping[str, Any]) -> list[str]:
    """Text as the numbers of its bytes, which is how these files have it."""
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
    from xml.sax.saxutils import quoteattr  # slow to import: it takes along what speaks HTTP

    return quoteattr(text)
