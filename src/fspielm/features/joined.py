"""Several families of features side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.errors import ProblemError
from fspielm.features.basis import Basis, JoinedBasis
from fspielm.features.families import Family, Place


@final
@dataclass(frozen=True, repr=False)
class Joined(Family):
    """The features of several families together.

    Such as those that satisfy the equation, for the conditions, beside a band around each frequency of the right-hand
    side: ``Joined([Characteristic(300), Band(40, widths=(3, 3), center=(75, 75))])``.

    Parameters
    ----------
    families : sequence of Family
        At least one.
    """

    families: Sequence[Family]

    def __post_init__(self) -> None:
        try:
            families = tuple(self.families)
        except TypeError:
            families = ()
        if not families or not all(isinstance(family, Family) for family in families):
            raise ProblemError(
                "families must be a sequence such as [fs.Characteristic(200), fs.Band(50, (3, 3))]; got "
                f"{self.families!r}"
            )
        object.__setattr__(self, "families", families)

    def __repr__(self) -> str:
        """As it is written, for reports."""
        return f"Joined([{', '.join(map(repr, self.families))}])"

    @property
    def neurons(self) -> int:  # type: ignore[override]
        """How many are drawn by all of them."""
        return sum(family.neurons for family in self.families)

    @property
    def satisfies_equation(self) -> bool:
        """Whether those of every family do."""
        return all(family.satisfies_equation for family in self.families)

    @property
    def parts(self) -> tuple[Family, ...]:
        """The families, and those that they join."""
        return tuple(part for family in self.families for part in family.parts)

    def _draw(self, place: Place, rng: np.random.Generator) -> Basis:
        """Draw from each family in turn."""
        return JoinedBasis([part._draw(place, rng) for part in self.parts])
