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
    path: Path,
    axes: Sequence[FloatArray],
    fields: Mapping[str, FloatArray],
    facts: Mapping[str, Any],
    *,
    even: bool,
) -> None:
    """Write fields ``(n,)`` and vectors ``(n, 3)`` on a grid of one to three axes, the last fastest.

    Points where they are NaN are hidden.

    A grid that is `even` is told by its first point and its steps (.vti), another one by all its places (.vtr).
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
    """Write fields at points ``(n, d)``, d up to 3, and the cells of one kind that they are the corners of (.vtu)."""
    space = np.zeros((len(points), 3))
    space[:, : points.shape[1]] = points
    offsets = cells.shape[1] * np.arange(1, len(cells) + 1, dtype=np.int64)
    lines = [
        "<UnstructuredGrid>",
        *_field_data(facts),
        f'<Piece NumberOfPoints="{len(points)}" NumberOfCells="{len(cells)}">',
        *_point_data(fields),
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


def _point_data(arrays: Mapping[str, NDArray[Any]]) -> list[str]:
    """All arrays; the first one, and the first of vectors, are what is shown at once."""
    data = [_array(array, key, components=3 if array.ndim == 2 else 1) for key, array in arrays.items()]
    vectors = [f" Vectors={_quoted(key)}" for key, array in arrays.items() if array.ndim == 2][:1]
    return [f"<PointData Scalars={_quoted(next(iter(arrays)))}{''.join(vectors)}>", *data, "</PointData>"]


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
