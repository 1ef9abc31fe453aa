"""Multipoles in space: spherical harmonics times spherical Bessel functions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeAlias, final

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from fspielm.arrays import ComplexArray, FloatArray, NumberArray
from fspielm.basis.basis import LocalOperator
from fspielm.basis.outgoing.radiating import AroundCenters
from fspielm.errors import ProblemError
from fspielm.numerics.tolerances import TINY

# ---- Real spherical harmonics
# Degree n and order m from -n to n have the index ``n^2 + n + m``: cosines of the azimuth for positive orders, sines
# for negative ones. The mean of their squares over all directions is one.

Sparse: TypeAlias = Any  # scipy.sparse.csr_array


def degrees(highest: int) -> NDArray[np.int_]:
    """The degree of each harmonic up to the highest, ``((highest + 1)^2,)``."""
    return np.repeat(np.arange(highest + 1), 2 * np.arange(highest + 1) + 1)


def harmonics(highest: int, directions: FloatArray) -> FloatArray:
    """All harmonics up to a degree, ``((highest + 1)^2, n)``, in directions ``(n, 3)`` of length one."""
    x, y, z = directions.T
    across = np.hypot(x, y)
    # on the axis, the azimuth is undefined
    turn = np.where(across > TINY, (x + 1j * y) / np.maximum(across, TINY), 1.0)
    table = np.empty(((highest + 1) ** 2, len(directions)))
    diagonal, turned = np.ones(len(directions)), np.ones(len(directions), dtype=np.complex128)
    for m in range(highest + 1):
        if m:
            diagonal = diagonal * across * np.sqrt((2 * m + 1) / (2 * m) * (2 if m == 1 else 1))
            turned = turned * turn
        before, here = np.zeros(len(directions)), diagonal
        for n in range(m, highest + 1):
            middle = n * n + n
            table[middle + m] = here * turned.real
            if m:
                table[middle - m] = here * turned.imag
            # upward recurrence in the degree, which is stable
            ahead = np.sqrt((4 * (n + 1) ** 2 - 1) / ((n + 1) ** 2 - m * m))
            behind = np.sqrt((n * n - m * m) / (4 * n * n - 1)) if n else 0.0
            before, here = here, ahead * (z * here - behind * before)
    return table


@lru_cache(maxsize=64)
def times_coordinate(highest: int, axis: int) -> tuple[Sparse, Sparse]:
    """A coordinate of the direction times each harmonic up to a degree, as sums of harmonics up to the next degree.

    Two matrices ``((highest + 1)^2, (highest + 2)^2)``: the parts of the next degree, and of the previous one.
    """
    n = degrees(highest)
    m = np.arange(len(n)) - n * n - n

    def matrix(step: int, turn: int, values: FloatArray) -> Sparse:
        kept = (np.abs(m + turn) <= n + step) & (n + step >= 0)
        to = (n + step) ** 2 + n + step + m + turn
        entries = (values[kept], (np.flatnonzero(kept), to[kept]))
        return scipy.sparse.coo_array(entries, shape=(len(n), (highest + 2) ** 2)).tocsr()

    # for complex harmonics with the Condon-Shortley phase
    up, down = np.sqrt(1 / ((2 * n + 1) * (2 * n + 3))), np.sqrt(1 / np.maximum((2 * n - 1) * (2 * n + 1), 1))
    if axis == 2:
        parts = (matrix(1, 0, up * np.sqrt((n + 1) ** 2 - m**2)), matrix(-1, 0, down * np.sqrt(n**2 - m**2)))
    else:
        right = np.sqrt((n + m + 1) * (n + m + 2)), np.sqrt(np.maximum((n - m) * (n - m - 1), 0))
        left = np.sqrt((n - m + 1) * (n - m + 2)), np.sqrt(np.maximum((n + m) * (n + m - 1), 0))
        # x + i y raises the order, x - i y lowers it
        first, last = (0.5, 0.5) if axis == 0 else (-0.5j, 0.5j)
        parts = (
            first * matrix(1, 1, -up * right[0]) + last * matrix(1, -1, up * left[0]),
            first * matrix(-1, 1, down * right[1]) + last * matrix(-1, -1, -down * left[1]),
        )
    here, there = _real_to_complex(highest), _real_to_complex(highest + 1)
    found = [(here @ part @ there.conj().T).real.tocsr() for part in parts]
    return found[0], found[1]


def _real_to_complex(highest: int) -> Sparse:
    """The real harmonics as sums of complex ones."""
    n = degrees(highest)
    m = np.arange(len(n)) - n * n - n
    zero, right, left = (np.flatnonzero(kept) for kept in (m == 0, m > 0, m < 0))
    sign, half = (-1.0) ** m, np.sqrt(0.5)
    rows = np.concatenate([zero, right, right, left, left])
    columns = np.concatenate([zero, right, right - 2 * m[right], left - 2 * m[left], left])
    values = np.concatenate(
        [
            np.ones(len(zero)),
            half * sign[right],
            np.full(len(right), half),
            -1j * half * sign[left],
            [1j * half] * len(left),
        ]
    )
    return scipy.sparse.coo_array((values, (rows, columns)), shape=(len(n), len(n))).tocsr()


# ---- Multipoles
# Radial functions are spherical Bessel functions, normalised so that their limit for k = 0 is a power of r. Derivatives
# of the function of degree n consist of those of degrees n + 1 and n - 1.

# Values of sources that the processor's cache holds.
_AT_ONCE = 2**14


@dataclass(frozen=True, eq=False)
class _Radial(ABC):
    """Radial functions of degrees up to the highest, with distances and wavenumber in units of a scale."""

    wavenumber: complex
    highest: int

    @abstractmethod
    def values(self, highest: int, radius: FloatArray) -> ComplexArray:
        """The functions of degrees up to `highest` at distances ``(n,)``; shape ``(highest + 1, n)``."""

    @abstractmethod
    def up(self, n: NDArray[np.int_]) -> ComplexArray | FloatArray:
        """``f' - n f / r`` of the function of degree n, as a multiple of that of degree n + 1."""

    @abstractmethod
    def down(self, n: NDArray[np.int_]) -> ComplexArray | FloatArray:
        """``f' + (n + 1) f / r`` of the function of degree n, as a multiple of that of degree n - 1."""

    @property
    @abstractmethod
    def sizes(self) -> FloatArray:
        """Approximate size of each function at a distance of one, ``(highest,)``."""

    def far(self, highest: int) -> ComplexArray:
        """The factors of ``exp(i k r) / r`` far away, for degrees up to `highest`."""
        n = np.arange(highest + 1)
        return np.asarray(np.cumprod(np.where(n, -1j * self.wavenumber / np.maximum(2 * n - 1, 1), 1.0)))


@final
class _Outgoing(_Radial):
    """``i k^(n + 1) / (2 n - 1)!! h(n, k r)``, which is ``r^-(n + 1)`` for k = 0."""

    def values(self, highest: int, radius: FloatArray) -> ComplexArray:
        k = self.wavenumber
        found = np.empty((highest + 1, len(radius)), dtype=np.complex128)
        # damped waves relative to their size at a distance of one
        found[0] = np.exp(1j * k * radius + k.imag) / radius
        if highest:
            found[1] = found[0] * (1 / radius - 1j * k)
        for n in range(1, highest):
            # upward recurrence, which is stable for functions that grow with the degree
            found[n + 1] = found[n] / radius - k**2 / (4 * n * n - 1) * found[n - 1]
        return found

    def up(self, n: NDArray[np.int_]) -> FloatArray:
        return np.asarray(-(2.0 * n + 1.0), dtype=np.float64)

    def down(self, n: NDArray[np.int_]) -> ComplexArray | FloatArray:
        return np.asarray(_simplify(self.wavenumber**2) / (2 * n - 1))

    @cached_property
    def sizes(self) -> FloatArray:
        sizes: FloatArray = np.abs(self.values(self.highest, np.ones(1))[:, 0])
        if self.wavenumber.imag < 0:  # combined with the previous one, as a single one may vanish there: at a resonance
            return np.asarray(np.hypot(sizes, np.append(sizes[:1], sizes[:-1])), dtype=np.float64)
        return sizes


@final
class _Regular(_Radial):
    """``(2 n + 1)!! / k^n j(n, k r)``, which is ``r^n`` for k = 0."""

    def values(self, highest: int, radius: FloatArray) -> ComplexArray:
        k, radius = self.wavenumber, np.maximum(radius, TINY)
        found = np.empty((highest + 1, len(radius)), dtype=np.complex128)
        found[-2:] = self._directly(np.arange(highest + 1)[-2:], radius)
        for n in range(highest - 1, 0, -1):
            # downward recurrence, which is stable for functions that fall with the degree
            found[n - 1] = found[n] / radius - k**2 / ((2 * n + 1) * (2 * n + 3)) * found[n + 1]
        # next to the center the highest ones underflow, and are too small to start a recurrence
        small = np.flatnonzero(np.abs(found[-1]) < TINY)
        found[:, small] = self._directly(np.arange(highest + 1), radius[small])
        return found

    def _directly(self, n: NDArray[np.int_], radius: FloatArray) -> ComplexArray:
        """The functions of degrees n."""
        k = self.wavenumber
        z = k * radius
        # damped waves relative to their size at a distance of one
        front = np.sqrt(0.5 * np.pi / z) * np.exp(np.abs(z.imag) - abs(k.imag))
        ratios = [np.prod((2 * np.arange(1, each + 1) + 1) / k) for each in n.tolist()]
        return np.asarray(np.array(ratios)[:, None] * scipy.special.jve(n[:, None] + 0.5, z) * front)

    def up(self, n: NDArray[np.int_]) -> ComplexArray | FloatArray:
        return np.asarray(-_simplify(self.wavenumber**2) / (2 * n + 3))

    def down(self, n: NDArray[np.int_]) -> FloatArray:
        return np.asarray(2.0 * n + 1.0, dtype=np.float64)

    @cached_property
    def sizes(self) -> FloatArray:
        # combined with the next one, as a single one may vanish there
        sizes = np.abs(self.values(self.highest, np.ones(1))[:, 0])
        following = abs(self.wavenumber) / (2 * np.arange(self.highest) + 3)
        return np.asarray(np.hypot(sizes[:-1], following * sizes[1:]), dtype=np.float64)


def _simplify(number: complex) -> complex | float:
    return number if number.imag else number.real


@final
class MultipoleBasis(AroundCenters):
    """Solutions of ``laplacian u + k^2 u = 0`` in space around centers: spherical harmonics times functions of r.

    The latter are spherical Hankel functions of the first kind, which are outgoing for a time factor
    ``exp(-i omega t)``, decay if Im k > 0 and grow if Im k < 0, or powers ``r^-(n + 1)`` for k = 0. Regular multipoles
    have spherical Bessel functions instead. A center of highest degree n has all harmonics up to it; n = 0 makes it a
    source.

    Parameters
    ----------
    centers : (C, 3) array
        Outside of the domain, unless functions are regular.
    orders : (C,) array of int
        The highest degree at each.
    wavenumber : complex
        k.
    scales : (C,) array
        Distances from the centers at which functions have size one.
    regular : bool
    """

    dimension = 3

    def __init__(
        self, centers: ArrayLike, orders: ArrayLike, wavenumber: complex, scales: ArrayLike, *, regular: bool = False
    ) -> None:
        super().__init__(centers, orders, scales)
        self.wavenumber, self.regular = complex(wavenumber), bool(regular)
        if self.regular and self.wavenumber == 0:
            raise ProblemError("wavenumber must not be zero where functions are regular")
        if self.regular:
            self.sources = np.empty((0, 3))
        self._starts = np.concatenate([[0], np.cumsum((self.orders + 1) ** 2)])
        # each degree follows from the previous ones
        self.size, self.together = int(self._starts[-1]), int((self.orders.max() + 1) ** 2)
        self.reach = np.full(3, abs(self.wavenumber))
        # real if fields decay without oscillation
        self.dtype = np.dtype(np.float64 if self.wavenumber.real == 0 and not self.regular else np.complex128)

    def fill(self, operator: LocalOperator, columns: slice, out: NumberArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        reach = int(operator.orders.sum(axis=1).max(initial=0))
        row = 0
        for run in self._runs(columns):
            scale, number = float(self.scales[run.centers[0]]), len(run.centers)
            highest = int(np.sqrt(run.stop - 1))  # the degree of the last function
            target = out[row : row + number * (run.stop - run.start)]
            row += len(target)
            if highest == 0 and reach <= 1 and not self.regular:
                step = max(1, _AT_ONCE // max(len(operator.points), 1))
                for first in range(0, number, step):
                    self._fill_sources(operator, run.centers[first : first + step], target[first : first + step])
                continue
            radial = self._radial(scale, highest + reach + 1)
            apart = (operator.points - self.centers[run.centers, None]) / scale
            points = apart.reshape(-1, 3)
            radius = np.maximum(np.linalg.norm(points, axis=1), TINY)
            # functions of all degrees that derivatives consist of
            table = radial.values(highest + reach, radius)[degrees(highest + reach)]
            table = table * harmonics(highest + reach, points / radius[:, None])
            target[...] = 0.0
            for coefficient, orders in zip(operator.coefficients, operator.orders, strict=True):
                sloped = _derivative(radial, highest, tuple(orders.tolist()))[run.start : run.stop]
                values = (sloped @ table[: sloped.shape[1]]).reshape(-1, number, len(operator.points)).swapaxes(0, 1)
                values = values.reshape(len(target), -1)
                target += (coefficient / scale ** orders.sum()) * (values if np.iscomplexobj(target) else values.real)
            target /= np.tile(radial.sizes[degrees(highest)[run.start : run.stop]], number)[:, None]

    def _fill_sources(self, operator: LocalOperator, centers: NDArray[np.int_], out: NumberArray) -> None:
        """Values and slopes of sources of one scale, of which there are many."""
        scale = float(self.scales[centers[0]])
        k = self.wavenumber * scale
        apart = [(operator.points[:, axis] - self.centers[centers, axis, None]) / scale for axis in range(3)]
        radius = np.sqrt(apart[0] ** 2 + apart[1] ** 2 + apart[2] ** 2)
        inverse = 1 / radius
        # damped waves relative to their size at a distance of one
        size = np.exp(k.imag * (1 - radius)) * inverse if k.imag else inverse
        value: NumberArray = size
        if self.dtype.kind == "c":  # cosine and sine are faster than a complex exponential
            value = np.empty(radius.shape, dtype=np.complex128)
            np.multiply(size, np.cos(k.real * radius), out=value.real)
            np.multiply(size, np.sin(k.real * radius), out=value.imag)
        plain: Any = 0.0
        ahead: Any = 0.0
        for coefficient, orders in zip(operator.coefficients, operator.orders.tolist(), strict=True):
            if any(orders):
                ahead = ahead + coefficient / scale * apart[orders.index(1)]
            else:
                plain = plain + coefficient
        if operator.orders.any():
            ahead *= inverse
            plain = (plain - ahead * inverse) + (1j * k if self.dtype.kind == "c" else -k.imag) * ahead
        np.multiply(value, plain, out=out)

    def far_field(self, angles: FloatArray) -> ComplexArray:
        """The factors of ``exp(i k r) / r`` far away, ``(n, M)``, in directions ``(n, 3)`` of length one."""
        far = np.empty((len(angles), self.size), dtype=np.complex128)
        table = harmonics(int(self.orders.max()), angles)
        for run in self._runs(slice(0, self.size)):
            scale, highest = float(self.scales[run.centers[0]]), int(np.sqrt(run.stop - 1))
            radial, n = self._radial(scale, highest + 1), degrees(highest)
            around_zero = table[: len(n)].T * (scale * (radial.far(highest) / radial.sizes[: highest + 1])[n])
            for center in run.centers:
                phase = np.exp(-1j * self.wavenumber * (angles @ self.centers[center]))
                far[:, self._starts[center] : self._starts[center + 1]] = phase[:, None] * around_zero
        return far

    def _radial(self, scale: float, highest: int) -> _Radial:
        kind = _Regular if self.regular else _Outgoing
        return kind(self.wavenumber * scale, highest)

    def _runs(self, columns: slice) -> Iterator[_Run]:
        """The functions `columns`, grouped by consecutive centers of equal scale and equal functions."""
        first, last, _ = columns.indices(self.size)
        begin, end = np.searchsorted(self._starts, [first, last - 1], side="right") - 1
        centers = np.arange(begin, end + 1 if last > first else begin)
        start = np.maximum(first - self._starts[centers], 0)
        stop = np.minimum(last, self._starts[centers + 1]) - self._starts[centers]
        keys = np.stack([self.scales[centers], start, stop])
        breaks = 1 + np.flatnonzero(np.any(np.diff(keys, axis=1), axis=0))
        for group in np.split(np.arange(len(centers)), breaks) if len(centers) else ():
            yield _Run(centers[group], int(start[group[0]]), int(stop[group[0]]))


@final
@dataclass(frozen=True, eq=False)
class _Run:
    """The functions from `start` to `stop` of each of several `centers` of one scale."""

    centers: NDArray[np.int_]
    start: int
    stop: int


def _derivative(radial: _Radial, highest: int, orders: tuple[int, ...]) -> Sparse:
    """A derivative of the functions up to a degree, as sums of functions up to a higher degree."""
    found = scipy.sparse.eye_array((highest + 1) ** 2, (highest + 1) ** 2, format="csr")
    below = highest
    for axis in (axis for axis, order in enumerate(orders) for _ in range(order)):
        up, down = times_coordinate(below, axis)
        n = degrees(below)
        raised = up.multiply(radial.up(n)[:, None]) + down.multiply(radial.down(n)[:, None])
        found, below = (found @ raised).tocsr(), below + 1
    return found
