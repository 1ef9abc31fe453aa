"""Functions on cells one on top of the other, as functions on one tiling."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fspielm.arrays import NumberArray
from fspielm.features.cells import CellBasis
from fspielm.geometry.cells import Frames
from fspielm.geometry.cells.stacking import stack_frames


def stack_cells(parts: Sequence[tuple[CellBasis, NumberArray]]) -> tuple[CellBasis, NumberArray]:
    """Sums on tilings of which each begins where the one before ends along the last axis, as one sum."""
    frames = [basis.frames for basis, _ in parts]
    assert all(isinstance(each, Frames) for each in frames)  # of one material
    coefficients = np.concatenate([_plain(basis, each) for basis, each in parts])
    stacked = stack_frames([each for each in frames if isinstance(each, Frames)])
    degrees = np.concatenate([basis.degrees for basis, _ in parts])
    return CellBasis(stacked, degrees, (1.0,) * parts[0][0].components), coefficients


def _plain(basis: CellBasis, coefficients: NumberArray) -> NumberArray:
    """The coefficients of functions that are not scaled, without those that have no values."""
    each = np.diff(basis.starts) // basis.components
    scales = np.repeat(np.tile(basis.scales, len(each)), np.repeat(each, basis.components))
    return np.asarray(scales * coefficients[: basis.starts[-1]])
