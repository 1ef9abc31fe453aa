"""How large operators are on the functions of a cell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fspielm.arrays import safe_norm
from fspielm.collocation.cells.places import Degrees
from fspielm.features import LocalOperator
from fspielm.geometry.cells import Cover


def size_in(cell: int, operator: LocalOperator, tiling: Cover, degrees: Degrees, scales: Sequence[float]) -> float:
    """The size of an operator on functions of the highest degree, away from the ends of the cell."""
    if not len(operator.points):
        return 1.0
    frame = tiling.cells[cell]
    steep = 2.0 * np.maximum(degrees[cell], 1) / (frame.upper - frame.lower)
    unknowns = list(operator.unknowns or (0,) * len(operator.orders))
    each = np.asarray(scales)[unknowns] * np.prod(steep**operator.orders, axis=1)
    # one column where coefficients are the same at all points
    sizes = np.abs(each[:, None] * operator.coefficients.reshape(len(each), -1))
    size = float(np.sqrt(np.mean(np.sum(sizes**2, axis=0))))
    return size or safe_norm(sizes) / float(np.sqrt(sizes.shape[1])) or 1.0  # squares of tiny ones are zero
