"""How large operators are on the functions of a cell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fspielm.collocation.cells.places import Degrees
from fspielm.equations import Operator
from fspielm.geometry import Sites
from fspielm.geometry.cells import Cover


def size_in(
    cell: int, operator: Operator, sites: Sites, tiling: Cover, degrees: Degrees, scales: Sequence[float]
) -> float:
    """The size of an operator on functions of the highest degree, away from the ends of the cell."""
    frame = tiling.cells[cell]
    steep = 2.0 * np.maximum(degrees[cell], 1) / (frame.upper - frame.lower)
    if not len(sites):
        return 1.0
    squares = [
        np.abs(scales[term.unknown] * np.prod(steep**term.orders) * term.at(sites)) ** 2 for term in operator.terms
    ]
    size = float(np.sqrt(np.mean(np.sum(squares, axis=0))))
    return size if size > 0 else 1.0
