"""The field that comes in, as a function beside those that leave."""

from __future__ import annotations

from collections.abc import Sequence
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
    fields : sequence of Incident
        Of each unknown.
    dimension : int
    """

    def __init__(self, fields: Sequence[Incident], dimension: int) -> None:
        self.fields = tuple(fields)
        self._dimension = dimension

    @property
    def components(self) -> int:
        """Number of unknowns."""
        return len(self.fields)

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
        return np.array([field.place for field in self.fields if field.place is not None]).reshape(-1, self.dimension)

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """The sums on real and imaginary parts; see `Basis.field`."""
        return parts_of_sum(IncidentBasis(self.fields[unknown : unknown + 1], self.dimension), coefficients)

    def fill(self, operator: LocalOperator, columns: slice, out: ComplexArray) -> None:
        """Write the operator on the function; see `Basis.fill`."""
        out[...] = 0.0
        if len(out):
            unknowns = operator.unknowns or (0,) * len(operator.orders)
            for coefficient, orders, unknown in zip(operator.coefficients, operator.orders, unknowns, strict=True):
                out[0] += coefficient * self.fields[unknown].derivative(operator.points, orders.tolist())
