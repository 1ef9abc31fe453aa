"""Waves around holes and fundamental solutions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import final

import numpy as np
import scipy
from numpy.typing import ArrayLike

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.basis.basis import Basis, LocalOperator
from fspielm.basis.singular.singular import CornerFunction, Orders, Polar, Power, off_zero, zeta_weights
from fspielm.errors import ProblemError

# ---- Waves around a hole, or around a source, singular at its center


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


# ---- Waves of a complex wavenumber around a hole, singular at its center


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


# ---- Fundamental solutions: the fields of point sources outside of a domain

_LOGARITHM = Power(0, 0, True)


@final
class SourceBasis(Basis):
    """Solutions of ``laplacian u + ratio u = 0`` in the plane that are singular at one point each.

    With r the distance from the source and c its clearance: ``log(r / c)`` for a ratio of zero, ``Y0(k r)`` for
    ``ratio = k^2`` and ``K0(k r)`` for ``ratio = -k^2``, these two divided by their size at r = c.

    Parameters
    ----------
    points : (M, 2) array
        The sources, outside of the domain.
    ratio : float
        As `helmholtz_ratio` finds it in an equation.
    clearances : (M,) array
        Distances of the sources from the domain, or about that.
    """

    dimension = 2

    def __init__(self, points: ArrayLike, ratio: float, clearances: ArrayLike) -> None:
        self.points = np.array(points, dtype=np.float64)
        self.ratio = float(ratio)
        self.clearances = np.array(clearances, dtype=np.float64)
        if self.points.ndim != 2 or self.points.shape[1] != 2 or not len(self.points):
            raise ProblemError(f"points must have shape (M, 2), with at least one source; got {self.points.shape}")
        if self.clearances.shape != self.points.shape[:1] or not np.all(self.clearances > 0):
            raise ProblemError(
                f"clearances must be {len(self.points)} positive lengths, one for each source; got {clearances!r}"
            )
        if not math.isfinite(self.ratio):
            raise ProblemError(f"ratio must be a finite number; got {ratio!r}")
        self.points.flags.writeable = self.clearances.flags.writeable = False

    @property
    def size(self) -> int:
        """Number of functions, one for each source."""
        return len(self.points)

    @property
    def sources(self) -> FloatArray:
        """The points."""
        return self.points

    def fill(self, operator: LocalOperator, columns: slice, out: FloatArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        clearance = self.clearances[columns, None]
        x, y = (operator.points[:, axis] - self.points[columns, axis, None] for axis in (0, 1))
        # in units of the clearance, where every function is of order one
        zeta = off_zero(np.asarray((x + 1j * y) / clearance, dtype=np.complex128))
        out[...] = 0.0
        weights = zeta_weights(operator, 1.0)
        found = self._derivatives(Polar(zeta), clearance, list(weights))
        for (orders, weight), derivative in zip(weights.items(), found, strict=True):
            out += (weight * derivative).real / clearance ** sum(orders)

    def _derivatives(self, polar: Polar, clearance: FloatArray, orders: Sequence[Orders]) -> list[ComplexArray]:
        if self.ratio == 0.0:
            return _LOGARITHM.derivatives(polar, orders)
        wavenumber = math.sqrt(abs(self.ratio)) * clearance
        return outgoing_derivatives(0, wavenumber, self.ratio < 0, polar, orders)
