"""Waves around a hole, singular at its center."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from scipy import special

from fspielm.features.singular import ComplexArray, CornerFunction


@final
@dataclass(frozen=True)
class Outgoing(CornerFunction):
    """``Y(order, k r) exp(i order theta)``, which satisfies Helmholtz' equation, or K for the modified one.

    Parameters
    ----------
    order : int
    wavenumber : float
        k, in units of one over the scale that zeta is measured in: the radius of the hole.
    modified : bool
        Whether the equation is ``laplacian u = k^2 u`` (K) rather than ``laplacian u = -k^2 u`` (Y).
    """

    order: int
    wavenumber: float
    modified: bool = False

    @property
    def is_real(self) -> bool:
        """Whether it has no imaginary part."""
        return self.order == 0

    def derivative(self, zeta: ComplexArray, order: int, conjugate_order: int) -> ComplexArray:
        """See `CornerFunction.derivative`."""
        k = self.wavenumber
        now = self.order - order + conjugate_order
        # both kinds fall under a derivative along zeta and rise along its conjugate, with other signs
        falls, rises = (-1.0, -1.0) if self.modified else (1.0, -1.0)
        factor = (0.5 * k) ** (order + conjugate_order) * falls**order * rises**conjugate_order / self._size
        radius = np.abs(zeta)
        bessel = special.kv if self.modified else special.yv
        return np.asarray(factor * bessel(now, k * radius) * (zeta / radius) ** now)

    @cached_property
    def _size(self) -> float:
        """About the value at the rim of the hole, free of zeros."""
        if self.modified:
            return float(special.kv(self.order, self.wavenumber))
        return float(np.hypot(special.yv(self.order, self.wavenumber), special.jv(self.order, self.wavenumber)))
