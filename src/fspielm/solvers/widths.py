"""How high the frequencies of features go."""

from __future__ import annotations

import numpy as np

from fspielm.features import Band, Basis, ExponentialBasis, Family, RidgeBasis


def widths_of(family: Family, basis: Basis) -> tuple[float, ...]:
    """The highest frequency along each axis: what a band was asked for, or what was drawn."""
    if isinstance(family, Band):
        return family.widths
    drawn = [leaf.W.real for leaf in basis.leaves if isinstance(leaf, RidgeBasis | ExponentialBasis)]
    return tuple(np.abs(np.concatenate(drawn)).max(axis=0).tolist())
