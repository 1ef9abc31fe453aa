"""How high the frequencies of features go."""

from __future__ import annotations

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.features import Band, Basis, ExponentialBasis, Family, JoinedBasis, RidgeBasis


def widths_of(family: Family, basis: Basis) -> tuple[float, ...]:
    """The highest frequency along each axis: what a band was asked for, or what was drawn."""
    if isinstance(family, Band):
        return family.widths
    return tuple(np.max(_drawn(basis), axis=0).tolist())


def _drawn(basis: Basis) -> list[FloatArray]:
    if isinstance(basis, JoinedBasis):
        return [width for part in basis.parts for width in _drawn(part)]
    return [np.abs(basis.W.real).max(axis=0)] if isinstance(basis, RidgeBasis | ExponentialBasis) else []
