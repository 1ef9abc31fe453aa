"""Fields of degree one: constants, rigid motions and the like, as functions that relations may not see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.equations.operator import Operator
from fspielm.geometry import Sites


@final
@dataclass(frozen=True, eq=False)
class LinearFields:
    """One and, in degree one, every coordinate: counted from the middle of a domain, in units of its extent.

    Attributes
    ----------
    center, lengths : (d,) array
    degree : int
        0 or 1.
    at_all_times : bool
        Whether they are multiplied with a function of time, the last coordinate, that may be any.
    """

    center: FloatArray
    lengths: FloatArray
    degree: int
    at_all_times: bool

    @property
    def axes(self) -> int:
        """The number of coordinates that they depend on by themselves."""
        return len(self.center) - self.at_all_times

    @property
    def size(self) -> int:
        """How many they are."""
        return 1 + self.degree * self.axes

    def derivative(self, points: FloatArray, orders: tuple[int, ...]) -> FloatArray:
        """A derivative of each of them along the coordinates they depend on, ``(n, size)``."""
        along = orders[: self.axes]
        values = np.zeros((len(points), self.size))
        if sum(along) == 0:
            values[:, 0] = 1.0
            if self.degree:
                values[:, 1:] = ((points - self.center) / self.lengths)[:, : self.axes]
        elif sum(along) == 1 and self.degree:
            axis = along.index(1)
            values[:, 1 + axis] = 1.0 / self.lengths[axis]
        return values

    def rows(self, operator: Operator, sites: Sites, unknowns: int) -> NumberArray:
        """The operator on each of them, in each unknown: ``(T, n, unknowns * size)``.

        One of the T blocks for each order in time: the derivatives of a function that may be any are independent.
        """
        number = 1 + max((self._later(term.orders) for term in operator.terms), default=0)
        total: NumberArray = np.zeros((number, len(sites), unknowns, self.size))
        for term in operator.terms:
            share = np.zeros_like(total)
            share[self._later(term.orders), :, term.unknown] = self.derivative(sites.points, term.orders)
            total = total + term.at(sites)[:, None, None] * share
        return total.reshape(number, len(sites), -1)

    def _later(self, orders: tuple[int, ...]) -> int:
        return orders[-1] if self.at_all_times else 0


@final
@dataclass(frozen=True, eq=False)
class Motion:
    """One unknown of such a field, as a coefficient."""

    fields: LinearFields
    coefficients: NumberArray

    def __call__(self, sites: Sites) -> NumberArray:
        """Its values at `sites`."""
        values = self.fields.derivative(sites.points, (0,) * sites.dimension)
        return np.asarray(values @ self.coefficients)
