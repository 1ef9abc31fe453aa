"""Where rows are collocated: points and, on a boundary, their outward normals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
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

    def followed_by(self, other: Sites) -> Sites:
        """These sites and then the others; with normals where both have them."""
        points = np.concatenate([self.points, other.points])
        if self.normals is None or other.normals is None:
            return Sites(points)
        return Sites(points, np.concatenate([self.normals, other.normals]))
