"""Powers times the logarithm of the distance: point forces and their like."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import final

import numpy as np

from fspielm.arrays import ComplexArray
from fspielm.features.singular import CornerFunction


@final
@dataclass(frozen=True)
class LogPower(CornerFunction):
    """``zeta**exponent * conjugate(zeta)**conjugate_exponent * log(abs(zeta))``, for whole exponents, none negative.

    A power of the Laplacian one higher than the larger exponent annihilates it; unlike `Power` with a logarithm, it has
    one value at every point around the center.
    """

    exponent: int = 0
    conjugate_exponent: int = 0

    @property
    def is_real(self) -> bool:
        """True where the exponents are the same."""
        return self.exponent == self.conjugate_exponent

    def derivative(self, zeta: ComplexArray, order: int, conjugate_order: int) -> ComplexArray:
        """See `CornerFunction.derivative`."""
        a, b = _falling(self.exponent, order), _falling(self.conjugate_exponent, conjugate_order)
        value = 0.5 * (a[1] * b[0] + a[0] * b[1]) + a[0] * b[0] * np.log(np.abs(zeta))
        powers = zeta ** (self.exponent - order) * np.conj(zeta) ** (self.conjugate_exponent - conjugate_order)
        return np.asarray(value * powers)


def _falling(exponent: int, order: int) -> tuple[float, float]:
    """Factors a and b of ``d^order z^s log z = z^(s - order) (a log z + b)``."""
    factors = [exponent - i for i in range(order)]
    others = (prod(factors[:i] + factors[i + 1 :]) for i in range(order))
    return float(prod(factors)), float(sum(others))
