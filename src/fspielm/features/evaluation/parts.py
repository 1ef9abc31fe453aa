"""A sum of features in parts, each of them a basis with its coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.features.basis import Basis, JoinedBasis

Part: TypeAlias = tuple[Basis, FloatArray]


def split_leaves(basis: Basis, fields: FloatArray) -> list[Part]:
    """The bases that `basis` is joined of, each with its coefficients out of `fields` ``(F, M)``."""
    ends = np.cumsum([leaf.size for leaf in basis.leaves])
    return [(leaf, fields[:, end - leaf.size : end]) for leaf, end in zip(basis.leaves, ends, strict=True)]


def join_smooth(parts: Sequence[Part]) -> list[Part]:
    """All smooth functions as one part, and each basis that is singular somewhere as another.

    So the tiles of each part crowd at its own singularities alone.
    """
    smooth = [part for part in parts if part[0].is_smooth]
    others = [part for part in parts if not part[0].is_smooth]
    if not smooth:
        return others
    joined = JoinedBasis([basis for basis, _ in smooth]), np.concatenate([fields for _, fields in smooth], axis=1)
    return [joined, *others]
