"""Harmonic functions that vanish at infinity, and the constant."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.errors import ProblemError
from fspielm.features.basis import Basis
from fspielm.features.local import LocalOperator
from fspielm.features.singular import Orders, Power
from fspielm.features.zeta import off_zero, zeta_weights

_LOGARITHM = Power(0, 0, True)

# The constant; two centers with logarithms; a center, an order, and whether the imaginary part is meant.
_Column: TypeAlias = tuple[int, int] | tuple[int, int, int] | None


@final
class HarmonicBasis(Basis):
    """Solutions of Laplace's equation in the plane around centers, bounded at infinity.

    Real and imaginary parts of ``((z - c) / s)^-n`` for n from 1 to the highest order of a center c of scale s; between
    one charged center and the next ``log |z - c| - log |z - c'|``, sources that together let nothing flow out; and the
    constant, unless it is left out.

    Parameters
    ----------
    centers : (C, 2) array
        Outside of the domain.
    orders : (C,) array of int
        The highest order at each.
    scales : (C,) array
        Distances from the centers at which their functions have size one.
    charged : (C,) array of bool
        Which of them have logarithms.
    constant : bool
    """

    def __init__(
        self, centers: ArrayLike, orders: ArrayLike, scales: ArrayLike, charged: ArrayLike, *, constant: bool = True
    ) -> None:
        self.centers = np.array(centers, dtype=np.float64).reshape(-1, 2)
        self.orders = np.array(orders, dtype=np.int_)
        self.scales = np.array(scales, dtype=np.float64)
        self.charged = np.array(charged, dtype=np.bool_)
        self.constant = bool(constant)
        if not len(self.centers) == len(self.orders) == len(self.scales) == len(self.charged) > 0:
            raise ProblemError("centers, orders, scales and charged must be as many, at least one")
        for array in (self.centers, self.orders, self.scales, self.charged):
            array.flags.writeable = False
        sources = np.flatnonzero(self.charged).tolist()
        powers = [(c, n, part) for c, m in enumerate(self.orders) for n in range(1, m + 1) for part in (0, 1)]
        self._columns: list[_Column] = [
            *((None,) if self.constant else ()),
            *((one, other) for one, other in pairwise(sources)),
            *powers,
        ]

    @property
    def size(self) -> int:
        """Number of functions."""
        return len(self._columns)

    @property
    def dimension(self) -> int:
        """Two."""
        return 2

    @property
    def sources(self) -> FloatArray:
        """The centers."""
        return self.centers

    def fill(self, operator: LocalOperator, columns: slice, out: FloatArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        weights = zeta_weights(operator, 1.0)
        value = np.real(weights.get((0, 0), np.zeros(())))

        @cache
        def zeta(center: int) -> ComplexArray:
            x, y = (operator.points - self.centers[center]).T
            return off_zero((x + 1j * y) / self.scales[center])

        for row, column in enumerate(self._columns[columns]):
            if column is None:
                out[row] = value
            elif len(column) == 2:
                one, other = (self._applied(zeta(c), c, _LOGARITHM, weights).real for c in column)
                out[row] = one - other + np.log(self.scales[column[0]] / self.scales[column[1]]) * value
            else:
                center, order, part = column
                values = self._applied(zeta(center), center, Power(-order), weights)
                out[row] = values.imag if part else values.real

    def _applied(
        self, zeta: ComplexArray, center: int, function: Power, weights: dict[Orders, ComplexArray]
    ) -> ComplexArray:
        total = np.zeros(len(zeta), dtype=np.complex128)
        for orders, weight in weights.items():
            total += weight * function.derivative(zeta, *orders) / self.scales[center] ** sum(orders)
        return total
