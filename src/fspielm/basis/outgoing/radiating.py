"""Outgoing waves around centers in the plane, and harmonic fields that are bounded at infinity."""

from __future__ import annotations

import cmath
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import TypeAlias, final

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from fspielm.arrays import ComplexArray, FloatArray, NumberArray
from fspielm.basis.basis import Basis, LocalOperator, frozen
from fspielm.basis.singular.singular import LOGARITHM, Orders, Polar, Power, off_zero, zeta_weights
from fspielm.errors import ProblemError
from fspielm.numerics.special import hankel_on_ray
from fspielm.numerics.tolerances import TINY


class AroundCenters(Basis):
    """Functions up to the orders of each of several `centers`, where they are singular, of size one at `scales`."""

    def __init__(self, centers: ArrayLike, orders: ArrayLike, scales: ArrayLike) -> None:
        self.centers = self.sources = frozen(centers, np.float64).reshape(-1, self.dimension)
        self.orders, self.scales = frozen(orders, np.int_), frozen(scales, np.float64)
        if not len(self.centers) == len(self.orders) == len(self.scales) > 0:
            raise ProblemError("centers, orders and scales must be as many, at least one")


@final
class RadiatingBasis(AroundCenters):
    """Solutions ``H(n, k r) exp(i n theta)`` of ``laplacian u + k^2 u = 0`` around centers in the plane.

    Hankel's functions of the first kind are outgoing for a time factor ``exp(-i omega t)``. They decay if Im k > 0 and
    grow, as resonances do, if Im k < 0. A center of highest order m has the orders 0, 1, -1, ..., m, -m; m = 0 makes it
    a source.

    Parameters
    ----------
    centers : (C, 2) array
        Outside of the domain.
    orders : (C,) array of int
        The highest order at each.
    wavenumber : complex
        k, not zero.
    scales : (C,) array
        Distances from the centers at which functions have size one.
    """

    dimension = 2
    dtype = np.dtype(np.complex128)

    def __init__(self, centers: ArrayLike, orders: ArrayLike, wavenumber: complex, scales: ArrayLike) -> None:
        super().__init__(centers, orders, scales)
        self.wavenumber = complex(wavenumber)
        if self.wavenumber == 0:
            raise ProblemError(f"wavenumber must not be zero; got {wavenumber!r}")
        self._starts = np.concatenate([[0], np.cumsum(2 * self.orders + 1)])
        # each order follows from the previous ones
        self.size, self.together = int(self._starts[-1]), int(2 * self.orders.max() + 1)

    @cached_property
    def reach(self) -> FloatArray:
        """The wavenumber, or the frequency that they resolve along a boundary close to all centers, if higher."""
        multipoles = self.orders > 1
        resolved = [*(self.orders[multipoles] / self.scales[multipoles])]
        sources = self.centers[self.orders == 0]
        if len(sources) > 1:
            resolved.append(np.pi / np.median(scipy.spatial.cKDTree(sources).query(sources, 2)[0][:, 1]))
        return np.full(2, max(abs(self.wavenumber), min(resolved, default=0.0)))

    def fill(self, operator: LocalOperator, columns: slice, out: ComplexArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        center, order = self.places(columns)
        weights = zeta_weights(operator, 1.0)
        reach = max((abs(along - across) for along, across in weights), default=0)
        out[...] = 0.0
        # centers of equal highest order together
        ends = np.flatnonzero(np.diff(self.orders[center])) + 1
        for group in np.split(np.arange(len(center)), ends):
            which, own = np.unique(center[group], return_inverse=True)
            table = self._table(which, int(np.abs(order[group]).max()) + reach, operator.points)
            for (along, across), weight in weights.items():
                # a derivative along zeta lowers the order, one along its conjugate raises it
                factor = (0.5 * self.wavenumber) ** (along + across) * (-1.0) ** across
                shifted = order[group] - along + across
                out[group] += (factor * weight) * table.values(own, shifted, np.abs(order[group]))

    def far_field(self, angles: FloatArray) -> ComplexArray:
        """The factors of ``exp(i k r) / sqrt(r)`` far away, ``(n, M)``, in the directions of `angles`."""
        center, order = self.places(slice(0, self.size))
        k = self.wavenumber
        path = np.column_stack([np.cos(angles), np.sin(angles)]) @ self.centers[center].T
        phase = order * (angles[:, None] - 0.5 * np.pi) - k * path
        front = cmath.sqrt(2 / (np.pi * k)) * cmath.exp(-0.25j * np.pi)
        return np.asarray(front * np.exp(1j * phase) / self.sizes)

    @cached_property
    def sizes(self) -> FloatArray:
        """The numbers by which functions are divided."""
        center, order = self.places(slice(0, self.size))
        k = self.wavenumber
        with np.errstate(over="ignore"):  # high orders, which are negligible far away
            by_center = [
                np.cumprod(_growth(k * scale, m)) * abs(_hankel(0, np.array(k * scale)))
                for scale, m in zip(self.scales.tolist(), self.orders.tolist(), strict=True)
            ]
        return np.array([by_center[place][abs(n)] for place, n in zip(center, order, strict=True)])

    def places(self, columns: slice) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
        """The center and the order of each of the functions `columns`."""
        index = np.arange(self.size)[columns]
        center = np.searchsorted(self._starts, index, side="right") - 1
        place = index - self._starts[center]
        return center, np.where(place % 2 == 1, 1, -1) * ((place + 1) // 2)

    def _table(self, which: NDArray[np.int_], highest: int, points: FloatArray) -> _Table:
        """The functions of orders 0 to `highest` around the centers `which`, at points."""
        k = self.wavenumber
        x, y = (points[:, axis] - self.centers[which, axis, None] for axis in (0, 1))
        radius = np.maximum(np.hypot(x, y), TINY)
        scales = self.scales[which, None]
        # ratios of the sizes of neighbouring orders, as sizes themselves may overflow
        growth = np.stack([_growth(k * scale, highest) for scale in scales[:, 0].tolist()])
        # damped waves relative to their size at the scale
        sizes = np.abs(_hankel(0, k * scales, k.imag * scales))
        radial = np.empty((highest + 1, *radius.shape), dtype=np.complex128)
        for p in range(min(highest, 1) + 1):
            radial[p] = _hankel(p, k * radius, k.imag * scales) / (sizes * growth[:, p, None])
        for p in range(1, highest):
            ahead, behind = growth[:, p + 1, None], growth[:, p, None]
            # upward recurrence, which is stable for functions that grow with the order
            radial[p + 1] = (2 * p / (k * radius) * radial[p] - radial[p - 1] / behind) / ahead
        turn: ComplexArray = np.asarray((x + 1j * y) / radius, dtype=np.complex128)
        turns: ComplexArray = np.cumprod(np.broadcast_to(turn, (highest, *radius.shape)), axis=0, dtype=np.complex128)
        return _Table(radial, turns, growth)


@final
@dataclass(frozen=True, eq=False)
class _Table:
    """``H(p, k r)`` of orders p from 0 around C centers, divided by its size at the scale of the center."""

    radial: ComplexArray  # (P + 1, C, n)
    turns: ComplexArray  # (P, C, n): ``exp(i p theta)`` of orders p from 1
    growth: FloatArray  # (C, P + 1): the size of each order over that of the previous one

    def values(self, center: NDArray[np.int_], order: NDArray[np.int_], scaled_as: NDArray[np.int_]) -> ComplexArray:
        """Functions ``(m, n)`` of these centers and orders, divided by the sizes of the orders `scaled_as`."""
        p = np.abs(order)
        logarithm = np.cumsum(np.log(self.growth), axis=1)
        factor = np.exp(logarithm[center, p] - logarithm[center, scaled_as])
        factor *= np.where((order < 0) & (p % 2 == 1), -1.0, 1.0)
        found = factor[:, None] * self.radial[p, center]
        turned = np.flatnonzero(p)
        if len(turned):
            turns = self.turns[p[turned] - 1, center[turned]]
            found[turned] *= np.where(order[turned, None] > 0, turns, turns.conj())
        return np.asarray(found)


def _hankel(order: int, z: NumberArray, shift: FloatArray | float = 0.0) -> ComplexArray:
    """Hankel's function of order 0 or 1, times ``exp(shift)``; real arguments use faster functions."""
    with np.errstate(all="ignore"):
        if np.any(np.imag(z)):
            return np.asarray(hankel_on_ray(order, z) * np.exp(1j * z + shift))
        bessel, neumann = ((scipy.special.j0, scipy.special.y0), (scipy.special.j1, scipy.special.y1))[order]
        values = np.empty(np.shape(z), dtype=np.complex128)
        values.real, values.imag = bessel(np.real(z)), neumann(np.real(z))
        return values


def _growth(z: complex, highest: int) -> FloatArray:
    """A one, followed by ``|H(p, z) / H(p - 1, z)|`` for p from 1 to `highest`."""
    sizes = [1.0]
    ratio = complex(scipy.special.hankel1e(1, z) / scipy.special.hankel1e(0, z))
    for p in range(1, highest + 1):
        sizes.append(abs(ratio))
        ratio = 2 * p / z - 1 / ratio
    return np.array(sizes)


# The constant (None); two centers with logarithms; or a center, an order, and 1 for the imaginary part.
_Column: TypeAlias = tuple[int, int] | tuple[int, int, int] | None


@final
class HarmonicBasis(AroundCenters):
    """Solutions of Laplace's equation in the plane around centers, bounded at infinity.

    Real and imaginary parts of ``((z - c) / s)^-n`` for n from 1 to the highest order of a center c of scale s;
    ``log |z - c| - log |z - c'|`` for consecutive charged centers, pairs of sources without net flux; and the constant,
    if wanted.

    Parameters
    ----------
    centers : (C, 2) array
        Outside of the domain.
    orders : (C,) array of int
        The highest order at each.
    scales : (C,) array
        Distances from the centers at which functions have size one.
    charged : (C,) array of bool
        Which centers have logarithms.
    constant : bool
    """

    dimension = 2

    def __init__(
        self, centers: ArrayLike, orders: ArrayLike, scales: ArrayLike, charged: ArrayLike, *, constant: bool = True
    ) -> None:
        super().__init__(centers, orders, scales)
        self.charged, self.constant = frozen(charged, np.bool_), bool(constant)
        if len(self.charged) != len(self.centers):
            raise ProblemError("centers, orders, scales and charged must be as many, at least one")
        sources = np.flatnonzero(self.charged).tolist()
        powers = [(c, n, part) for c, m in enumerate(self.orders) for n in range(1, m + 1) for part in (0, 1)]
        self._columns: list[_Column] = [
            *((None,) if self.constant else ()),
            *((one, other) for one, other in pairwise(sources)),
            *powers,
        ]
        self.size = len(self._columns)

    def fill(self, operator: LocalOperator, columns: slice, out: FloatArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        weights = zeta_weights(operator, 1.0)
        value = np.real(weights.get((0, 0), np.zeros(())))

        @cache
        def polar(center: int) -> Polar:
            x, y = (operator.points - self.centers[center]).T
            return Polar(off_zero((x + 1j * y) / self.scales[center]))

        for row, column in enumerate(self._columns[columns]):
            if column is None:
                out[row] = value
            elif len(column) == 2:
                one, other = (self._applied(polar(c), c, LOGARITHM, weights).real for c in column)
                out[row] = one - other + np.log(self.scales[column[0]] / self.scales[column[1]]) * value
            else:
                center, order, part = column
                values = self._applied(polar(center), center, Power(-order), weights)
                out[row] = values.imag if part else values.real

    def _applied(self, polar: Polar, center: int, function: Power, weights: dict[Orders, ComplexArray]) -> ComplexArray:
        total = np.zeros(len(polar.zeta), dtype=np.complex128)
        for orders, weight in weights.items():
            total += weight * function.derivative(polar, *orders) / self.scales[center] ** sum(orders)
        return total
