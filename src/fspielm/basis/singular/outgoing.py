"""Waves around holes, and the fields of point sources."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
import scipy
from numpy.typing import ArrayLike

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.basis.basis import Basis, LocalOperator, frozen
from fspielm.basis.singular.singular import LOGARITHM, CornerFunction, Polar, off_zero, zeta_weights
from fspielm.errors import ProblemError


@final
@dataclass(frozen=True)
class Outgoing(CornerFunction):
    """``Y(order, k r) exp(i order theta)`` for Helmholtz' equation, or K instead of Y for the modified one.

    Parameters
    ----------
    order : int
    wavenumber : float
        k, in units of one over the scale of zeta, the radius of the hole.
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

    def derivative(self, polar: Polar, order: int, conjugate_order: int) -> ComplexArray:
        """See `CornerFunction.derivative`."""
        return outgoing_derivative(self.order, self.wavenumber, self.modified, polar, order, conjugate_order)


def outgoing_derivative(
    start: int, wavenumber: float | FloatArray, modified: bool, polar: Polar, order: int, conjugate_order: int
) -> ComplexArray:
    """A derivative of an `Outgoing` function of order `start`, of size about one where ``|zeta| = 1``.

    `wavenumber` may be an array that broadcasts with zeta: one entry for each of many sources, the same at each call.
    """
    shifted = start - order + conjugate_order
    k = None if isinstance(wavenumber, np.ndarray) else wavenumber
    function = _decaying if modified else _oscillating

    def find() -> tuple[FloatArray, ComplexArray | float]:
        # derivatives of functions of neighbouring orders share Bessel functions
        radial = polar.once((function, shifted, k), lambda: function(shifted, wavenumber * polar.radius))
        if modified:  # without exponential factors, which may underflow
            radial = radial / _decaying(start, wavenumber) * np.exp(wavenumber * (1.0 - polar.radius))
        else:  # the size at one, which is never zero
            radial = radial / np.hypot(_oscillating(start, wavenumber), scipy.special.jv(start, wavenumber))
        return np.asarray(radial), polar.turn**shifted if shifted else 1.0

    radial, turned = polar.once(("outgoing", start, k, modified, shifted), find)
    # a derivative along zeta lowers the order and one along its conjugate raises it, with different signs
    sign = (-1.0) ** (order + conjugate_order if modified else conjugate_order)
    factor = sign * (0.5 * wavenumber) ** (order + conjugate_order)
    return np.asarray(factor * radial * turned)


def _decaying(order: int, z: float | FloatArray) -> FloatArray:
    """``K(order, z) exp(z)``, with the faster functions of the lowest orders."""
    return np.asarray(
        {0: scipy.special.k0e, 1: scipy.special.k1e}.get(abs(order), lambda z: scipy.special.kve(order, z))(z)
    )


def _oscillating(order: int, z: float | FloatArray) -> FloatArray:
    """``Y(order, z)``."""
    sign = -1.0 if order < 0 and order % 2 else 1.0
    return np.asarray(
        sign * {0: scipy.special.y0, 1: scipy.special.y1}.get(abs(order), lambda z: scipy.special.yv(abs(order), z))(z)
    )


@final
@dataclass(frozen=True)
class OutgoingDamped(CornerFunction):
    """``H(order, k r) exp(i order theta)`` with Hankel's function of the first kind, which decays if Im k > 0.

    Unlike `Outgoing`, it satisfies an equation with complex k^2: its real and imaginary parts do not.

    Parameters
    ----------
    order : int
    wavenumber : complex
        k, in units of one over the scale of zeta, the radius of the hole.
    """

    order: int
    wavenumber: complex

    def derivative(self, polar: Polar, order: int, conjugate_order: int) -> ComplexArray:
        """See `CornerFunction.derivative`."""
        k, shifted = self.wavenumber, self.order - order + conjugate_order

        def find() -> ComplexArray:
            # of size about one on the rim, without exponential factors that may underflow
            size = abs(scipy.special.hankel1e(self.order, k))
            scaled = polar.once((shifted, k), lambda: scipy.special.hankel1e(shifted, k * polar.radius)) / size
            return np.asarray(scaled * np.exp(1j * k * (polar.radius - 1.0)) * polar.turn**shifted)

        # a derivative along zeta lowers the order, one along its conjugate raises it
        factor = (0.5 * k) ** (order + conjugate_order) * (-1.0) ** conjugate_order
        return np.asarray(factor * polar.once(("damped", self.order, k, shifted), find))


@final
class SourceBasis(Basis):
    """Fundamental solutions of ``laplacian u + ratio u = 0`` in the plane, with sources outside of the domain.

    With r the distance from the source and c its clearance: ``log(r / c)`` if the ratio is zero, ``Y0(k r)`` if
    ``ratio = k^2`` and ``K0(k r)`` if ``ratio = -k^2``, the latter two divided by their size at r = c.

    Parameters
    ----------
    points : (M, 2) array
        The sources.
    ratio : float
        See `helmholtz_ratio`.
    clearances : (M,) array
        Approximate distances of the sources from the domain.
    """

    dimension = 2

    def __init__(self, points: ArrayLike, ratio: float, clearances: ArrayLike) -> None:
        self.points = self.sources = frozen(points, np.float64)
        self.ratio = float(ratio)
        self.clearances = frozen(clearances, np.float64)
        if self.points.ndim != 2 or self.points.shape[1] != 2 or not len(self.points):
            raise ProblemError(f"points must have shape (M, 2), with at least one source; got {self.points.shape}")
        if self.clearances.shape != self.points.shape[:1] or not np.all(self.clearances > 0):
            raise ProblemError(
                f"clearances must be {len(self.points)} positive lengths, one for each source; got {clearances!r}"
            )
        if not math.isfinite(self.ratio):
            raise ProblemError(f"ratio must be a finite number; got {ratio!r}")
        self.size = len(self.points)

    def fill(self, operator: LocalOperator, columns: slice, out: FloatArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        clearance = self.clearances[columns, None]
        x, y = (operator.points[:, axis] - self.points[columns, axis, None] for axis in (0, 1))
        # in units of the clearance, where every function has size about one
        zeta = off_zero(np.asarray((x + 1j * y) / clearance, dtype=np.complex128))
        polar, ratio = Polar(zeta), self.ratio
        k = math.sqrt(abs(ratio)) * clearance
        out[...] = 0.0
        for orders, weight in zeta_weights(operator, 1.0).items():
            if ratio:
                found = outgoing_derivative(0, k, ratio < 0, polar, *orders)
            else:
                found = LOGARITHM.derivative(polar, *orders)
            out += (weight * found).real / clearance ** sum(orders)
