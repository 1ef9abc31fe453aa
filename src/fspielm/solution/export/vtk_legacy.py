"""VTK's old files, which programs read that do not know its XML: points with cells, in big-endian binary."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray

# What the format has room for.
_TITLE = 255


def write_legacy(
    path: Path, points: FloatArray, cells: NDArray[np.int64], kind: int, fields: Mapping[str, FloatArray], title: str
) -> None:
    """Write fields at points ``(n, d)``, d up to 3, and the cells of one kind that they are the corners of (.vtk)."""
    space = np.zeros((len(points), 3))
    space[:, : points.shape[1]] = points
    corners = cells.shape[1]
    counted = np.column_stack([np.full(len(cells), corners), cells])
    one_line = " ".join(title.encode("ascii", "replace").decode().split())[:_TITLE]
    blocks: list[tuple[str, bytes]] = [
        (f"# vtk DataFile Version 3.0\n{one_line}\nBINARY\nDATASET UNSTRUCTURED_GRID", b""),
        (f"POINTS {len(points)} double", space.astype(">f8").tobytes()),
        (f"CELLS {len(cells)} {counted.size}", counted.astype(">i4").tobytes()),
        (f"CELL_TYPES {len(cells)}", np.full(len(cells), kind, dtype=">i4").tobytes()),
        (f"POINT_DATA {len(points)}", b""),
        *((_head(name, values), values.astype(">f8").tobytes()) for name, values in fields.items()),
    ]
    path.write_bytes(b"".join(f"{head}\n".encode() + (data + b"\n" if data else b"") for head, data in blocks))


def _head(name: str, values: FloatArray) -> str:
    return f"VECTORS {name} double" if values.ndim == 2 else f"SCALARS {name} double 1\nLOOKUP_TABLE default"
