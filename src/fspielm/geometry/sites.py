"""Where rows are collocated: points and, on a boundary, their outward normals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from fspielm.arrays import FloatArray


@dataclass(frozen=True, eq=False)
class Sites:
    """Points of a domain, with unit outward normals where they lie on its boundary.

    Attributes
    ----------
    points : (n, d) array
    normals : (n, d) array or None
        None for interior points.
    """

    points: FloatArray
    normals: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.points)

    @property
    def dimension(self) -> int:
        """Number of coordinates, time included."""
        return int(self.points.shape[1])

    def select(self, index: slice | NDArray[Any]) -> Sites:
        """The sites at `index` (a slice, a mask or an index array)."""
        return Sites(self.points[index], None if self.normals is None else self.normals[index])
