"""The field that comes in, as a function beside those that leave."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from fspielm.arrays import ComplexArray, NumberArray
from fspielm.equations.incident import Incident
from fspielm.features.basis import Basis
from fspielm.features.local import LocalOperator
from fspielm.features.real_parts import parts_of_sum


@final
class IncidentBasis(Basis):
    """One function: an incident field.

    Parameters
    ----------
    incident : Incident
    dimension : int
    """

    def __init__(self, incident: Incident, dimension: int) -> None:
        self.incident = incident
        self._dimension = dimension

    @property
    def size(self) -> int:
        """One."""
        return 1

    @property
    def dimension(self) -> int:
        """Number of coordinates it depends on."""
        return self._dimension

    @property
    def dtype(self) -> np.dtype[Any]:
        """Complex."""
        return np.dtype(np.complex128)

    @property
    def sources(self) -> NumberArray:
        """Where it is singular."""
        place = self.incident.place
        return np.empty((0, self.dimension)) if place is None else np.array([place])

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """The sums on real and imaginary parts; see `Basis.field`."""
        return parts_of_sum(self, coefficients)

    def fill(self, operator: LocalOperator, columns: slice, out: ComplexArray) -> None:
        """Write the operator on the function; see `Basis.fill`."""
        out[...] = 0.0
        if len(out):
            for coefficient, orders in zip(operator.coefficients, operator.orders, strict=True):
                out[0] += coefficient * self.incident.derivative(operator.points, orders.tolist())
