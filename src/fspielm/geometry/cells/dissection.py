"""An order in which cells are merged, from where they are."""

from __future__ import annotations

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.geometry.cells.cell import Merge


def bisected(centers: FloatArray) -> Merge:
    """All of some points ``(n, d)``, halved by number again and again along the axis on which they lie farthest."""

    def merge(which: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Merge:
        if len(which) == 1:
            return int(which[0])
        own = centers[which]
        axis = int(np.argmax(own.max(axis=0) - own.min(axis=0)))
        order = which[np.argsort(own[:, axis], kind="stable")]
        return merge(order[: len(order) // 2]), merge(order[len(order) // 2 :])

    return merge(np.arange(len(centers)))
