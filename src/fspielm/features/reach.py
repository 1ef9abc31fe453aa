"""Which waves a basis holds, place by place."""

from __future__ import annotations

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.features.basis import Basis

# Polynomials of degree d on a side of length L show waves up to this times d / L, with a digit: ten degrees a
# wavelength would give ten, but that a wave grows shows with one.
_SHOWN = 1.4


def shown_at(basis: Basis, points: FloatArray, frequencies: FloatArray) -> BoolArray:
    """Whether waves ``(n, d)`` show in a basis at points ``(n, d)``: of functions on cells, in those of its cell."""
    if not basis.on_cells:
        return np.asarray(np.all(frequencies <= basis.reach, axis=1))
    found = np.ones(len(points), dtype=np.bool_)
    for cells in basis.on_cells:
        highest = (_SHOWN * cells.degrees / cells.frames.lengths)[cells.frames.locate(points)]
        # degrees are those within an ellipse, and so are frequencies
        found &= np.linalg.norm(frequencies / highest, axis=1) <= 1.0
    return found
