"""Where rows are collocated: points and, on a boundary, their outward normals."""

from __future__ import annotations

from collections.abc import Sequence
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
        return join_sites([self, other])


def join_sites(several: Sequence[Sites]) -> Sites:
    """All sites of several, one after the other; with normals where all have them."""
    normals = [sites.normals for sites in several if sites.normals is not None]
    points = np.concatenate([sites.points for sites in several])
    return Sites(points, np.concatenate(normals) if len(normals) == len(several) else None)
