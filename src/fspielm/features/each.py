"""The features of one family for each of several unknowns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.errors import ProblemError
from fspielm.features.basis import Basis, JoinedBasis
from fspielm.features.component import Component
from fspielm.features.families import Family, Place


@final
@dataclass(frozen=True)
class Each(Family):
    """Features of a family for every unknown of a system, drawn anew for each.

    Parameters
    ----------
    family : Family
        Whose features are for one unknown.
    scales : tuple of float
        What those of each unknown are multiplied with: the sizes that they have beside one another.
    """

    family: Family
    scales: tuple[float, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.family, Family) or self.family.satisfies_equation:
            raise ProblemError(f"family must be one for a single unknown, such as fs.Band; got {self.family!r}")

    @property
    def neurons(self) -> int:  # type: ignore[override]
        """How many are drawn for all unknowns."""
        return len(self.scales) * self.family.neurons

    def _draw(self, place: Place, rng: np.random.Generator) -> Basis:
        """Draw from the family once for each unknown."""
        number = len(self.scales)
        if number == 1:
            return self.family._draw(place, rng)
        return JoinedBasis(
            [Component(self.family._draw(place, rng), i, number, scale) for i, scale in enumerate(self.scales)]
        )


def for_unknowns(family: Family, scales: np.ndarray) -> Family:
    """A family for so many unknowns: itself, where there is one."""
    return family if len(scales) == 1 else Each(family, tuple(float(scale) for scale in scales))
