"""Waves of a complex wavenumber around a hole, singular at its center."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import final

import numpy as np
import scipy

from fspielm.arrays import ComplexArray
from fspielm.features.singular import CornerFunction, Orders
from fspielm.features.zeta import Polar


@final
@dataclass(frozen=True)
class OutgoingDamped(CornerFunction):
    """``H(order, k r) exp(i order theta)`` with Hankel's function of the first kind, which falls off where Im k > 0.

    Unlike an `Outgoing` one, it satisfies Helmholtz' equation itself, but its real and its imaginary part do not.

    Parameters
    ----------
    order : int
    wavenumber : complex
        k, in units of one over the scale that zeta is measured in: the radius of the hole.
    """

    order: int
    wavenumber: complex

    def derivative(self, zeta: ComplexArray, order: int, conjugate_order: int) -> ComplexArray:
        """See `CornerFunction.derivative`."""
        return self.derivatives(Polar(zeta), [(order, conjugate_order)])[0]

    def derivatives(self, polar: Polar, orders: Sequence[Orders]) -> list[ComplexArray]:
        """See `CornerFunction.derivatives`: one along zeta lowers the order, one along its conjugate raises it."""
        k = self.wavenumber
        size = abs(scipy.special.hankel1e(self.order, k))

        @cache  # the Laplacian has the Bessel function of the function itself
        def radial(now: int) -> ComplexArray:
            # about one in size on the rim, without exponential factors that may underflow
            scaled = polar.once((now, k), lambda: scipy.special.hankel1e(now, k * polar.radius)) / size
            return np.asarray(scaled * np.exp(1j * k * (polar.radius - 1.0)) * polar.turn**now)

        found = []
        for along, across in orders:
            factor = (0.5 * k) ** (along + across) * (-1.0) ** across
            found.append(np.asarray(factor * radial(self.order - along + across)))
        return found
