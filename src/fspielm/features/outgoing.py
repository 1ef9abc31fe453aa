"""Waves around a hole, or around a source, singular at its center."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import final

import numpy as np
import scipy

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.features.singular import CornerFunction, Orders
from fspielm.features.zeta import Polar


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
        return self.derivatives(Polar(zeta), [(order, conjugate_order)])[0]

    def derivatives(self, polar: Polar, orders: Sequence[Orders]) -> list[ComplexArray]:
        """See `CornerFunction.derivatives`."""
        return outgoing_derivatives(self.order, self.wavenumber, self.modified, polar, orders)


def outgoing_derivatives(
    start: int, wavenumber: float | FloatArray, modified: bool, polar: Polar, orders: Sequence[Orders]
) -> list[ComplexArray]:
    """Derivatives of an `Outgoing` function of order `start`, about one in size where ``|zeta| = 1``.

    `wavenumber` may be an array that goes with zeta: one for each of many sources.
    """

    @cache  # the Laplacian has the Bessel function of the function itself
    def values(now: int) -> tuple[FloatArray, ComplexArray | float]:
        return _ratio(now, start, wavenumber, polar, modified), polar.turn**now if now else 1.0

    found = []
    for order, conjugate_order in orders:
        radial, turned = values(start - order + conjugate_order)
        # both kinds fall under a derivative along zeta and rise along its conjugate, with other signs
        sign = (-1.0) ** (order + conjugate_order if modified else conjugate_order)
        factor = sign * (0.5 * wavenumber) ** (order + conjugate_order)
        found.append(np.asarray(factor * radial * turned))
    return found


def _ratio(now: int, start: int, k: float | FloatArray, polar: Polar, modified: bool) -> FloatArray:
    """A Bessel function of order `now` at k r, over the size of the one of order `start` at k, free of zeros."""
    function = _decaying if modified else _oscillating

    def find() -> FloatArray:
        return function(now, k * polar.radius)

    # functions of neighbouring orders have derivatives of the same ones
    above = find() if isinstance(k, np.ndarray) else polar.once((function, now, k), find)
    if modified:  # without the exponential factors, either of which may underflow
        return np.asarray(above / _decaying(start, k) * np.exp(k * (1.0 - polar.radius)))
    return np.asarray(above / np.hypot(_oscillating(start, k), scipy.special.jv(start, k)))


def _decaying(order: int, z: float | FloatArray) -> FloatArray:
    """``K(order, z) exp(z)``; the lowest orders have faster functions of their own."""
    return np.asarray(
        {0: scipy.special.k0e, 1: scipy.special.k1e}.get(abs(order), lambda z: scipy.special.kve(order, z))(z)
    )


def _oscillating(order: int, z: float | FloatArray) -> FloatArray:
    """``Y(order, z)``."""
    sign = -1.0 if order < 0 and order % 2 else 1.0
    return np.asarray(
        sign * {0: scipy.special.y0, 1: scipy.special.y1}.get(abs(order), lambda z: scipy.special.yv(abs(order), z))(z)
    )
