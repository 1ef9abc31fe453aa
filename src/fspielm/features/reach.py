"""The highest frequencies that a basis holds, place by place."""

from __future__ import annotations

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.features.basis import Basis
from fspielm.features.cells import WAVES


def reach_at(basis: Basis, points: FloatArray) -> FloatArray:
    """As `Basis.reach` at points ``(n, d)``: of functions on cells, that of those in the cell of each; ``(n, d)``."""
    if not basis.on_cells:
        return np.broadcast_to(basis.reach, points.shape)
    each = [(WAVES * cells.degrees / cells.frames.lengths)[cells.frames.locate(points)] for cells in basis.on_cells]
    return np.asarray(np.min(each, axis=0))
