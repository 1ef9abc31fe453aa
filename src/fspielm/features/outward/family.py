"""Features for open domains, as a family: placed rather than drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import NumberArray
from fspielm.features.basis import Basis
from fspielm.features.families import Family, Place


@final
@dataclass(frozen=True, eq=False)
class Outward(Family):
    """Functions around places in objects, which satisfy the equation outside and behave at infinity.

    Nothing of them is random: where they are follows from the objects.

    Attributes
    ----------
    basis : Basis
    words : str
        What they are, for reports.
    caution : float
        As in `Family`.
    doubted : callable or None
        What is said by `doubts`, where functions are known to some digits only.
    """

    basis: Basis
    words: str
    caution: float = 1.0
    doubted: Callable[[NumberArray], Mapping[str, float]] | None = None

    @property
    def neurons(self) -> int:  # type: ignore[override]
        """How many there are."""
        return self.basis.size

    @property
    def satisfies_equation(self) -> bool:
        """True: it is what they are."""
        return True

    def doubts(self, coefficients: NumberArray) -> Mapping[str, float]:
        """See `Family.doubts`."""
        return {} if self.doubted is None else self.doubted(coefficients)

    def _draw(self, place: Place, rng: np.random.Generator) -> Basis:
        return self.basis

    def __repr__(self) -> str:
        return f"Outward({self.basis.size}: {self.words})"
