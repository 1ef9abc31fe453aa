"""A named piece of a boundary, reached from the unit cube by a measure-preserving map."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.geometry.sampling import Sampling, check_count, unit_stream
from fspielm.geometry.sites import Sites


@dataclass(frozen=True, eq=False)
class BoundaryPart:
    """One named part of a domain's boundary.

    Attributes
    ----------
    name : str
        Unique within the domain: ``"x-"``, ``"arc"``, ...
    measure : float
        Length or area; 1 for a single point.
    parameters : int
        Dimension of the unit cube that `place` maps onto this part; 0 for a single point.
    place : callable
        Maps ``(n, parameters)`` unit-cube coordinates to `Sites` (points on the true boundary, unit outward
        normals) so that equal volumes of the cube cover equal measures of the part.
    """

    name: str
    measure: float
    parameters: int
    place: Callable[[FloatArray], Sites]

    def sample(self, n: int, rng: np.random.Generator, sampling: Sampling = "uniform") -> Sites:
        """`n` sites on this part (a part that is a single point has only one)."""
        check_count(n)
        count = min(n, 1) if self.parameters == 0 else n
        return self.place(unit_stream(self.parameters, rng, sampling)(count))
