"""Waves of a symbol by their kind: along every direction, the shortest frequency, the next one, and so on.

Elastic waves are of two kinds, of pressure and of shear, each with a wavenumber of its own, and so many functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.features.characteristic.frequencies import Frequencies

# Wavenumbers that differ by less than this share are one; directions, by less than so many digits.
_SAME = 1e-6
_DIGITS = 9


@final
@dataclass(frozen=True, eq=False)
class Sheet:
    """The waves of one kind, among some that were looked at.

    Attributes
    ----------
    waves : Frequencies
    wavenumber : float
        The largest.
    """

    waves: Frequencies
    wavenumber: float

    @property
    def multiplicity(self) -> int:
        """How many functions there are to each of the frequencies."""
        return int(self.waves.powers.max(initial=0)) + 1


def sheets_of(waves: Frequencies, axes: tuple[int, ...]) -> list[Sheet]:
    """The kinds of waves along some directions, those of the smallest wavenumbers first."""
    ranks, lengths = ranks_of(waves, axes), lengths_of(waves, axes)
    return [
        Sheet(waves.select(ranks == rank), float(lengths[ranks == rank].max()))
        for rank in range(int(ranks.max(initial=-1)) + 1)
    ]


def ranks_of(waves: Frequencies, axes: tuple[int, ...]) -> NDArray[np.int_]:
    """Of which kind each is: the number of smaller wavenumbers along its direction."""
    lengths = lengths_of(waves, axes)
    _, direction = np.unique(np.round(waves.along, _DIGITS) + 0.0, axis=0, return_inverse=True)
    direction = direction.reshape(-1)
    order = np.lexsort([lengths, direction])
    ranks, rank = np.zeros(len(waves), dtype=np.int_), 0
    for before, now in pairwise(order):
        if direction[before] != direction[now]:
            rank = 0
        elif lengths[now] > (1 + _SAME) * lengths[before]:
            rank += 1
        ranks[now] = rank
    return ranks


def lengths_of(waves: Frequencies, axes: tuple[int, ...]) -> FloatArray:
    """The wavenumber of each; of those that decay, the modulus."""
    W = waves.W.real if waves.are_paired else np.abs(waves.W)
    return np.asarray(np.linalg.norm(W[:, axes], axis=1))


def longest(sheets: Sequence[Sheet]) -> float:
    """The largest wavenumber of all; zero if there is none."""
    return max((sheet.wavenumber for sheet in sheets), default=0.0)
