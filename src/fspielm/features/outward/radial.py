"""Functions of the distance from a center, by which spherical harmonics are solutions of ``laplacian u + k^2 u = 0``.

They are spherical Bessel functions, each times a number by which its limit for k = 0 is a power. A derivative makes of
the function of degree n that of the next one, and that of the one before.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
import scipy
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray

# Stands for the center itself, and what is too small for others to follow from it.
_CENTER = 1e-60
_NOTHING = 1e-200


@dataclass(frozen=True, eq=False)
class Radial(ABC):
    """Of degrees up to the highest, with distances and wavenumber in units of a scale.

    Attributes
    ----------
    wavenumber : complex
    highest : int
    """

    wavenumber: complex
    highest: int

    @abstractmethod
    def values(self, highest: int, radius: FloatArray) -> ComplexArray:
        """Those of degrees up to `highest` at distances ``(n,)``; shape ``(highest + 1, n)``."""

    @abstractmethod
    def up(self, n: NDArray[np.int_]) -> ComplexArray | FloatArray:
        """``f' - n f / r`` of the function of degree n, in units of that of degree n + 1."""

    @abstractmethod
    def down(self, n: NDArray[np.int_]) -> ComplexArray | FloatArray:
        """``f' + (n + 1) f / r`` of the function of degree n, in units of that of degree n - 1."""

    @property
    @abstractmethod
    def sizes(self) -> FloatArray:
        """About how large each is at a distance of one, ``(highest,)``."""

    def far(self, highest: int) -> ComplexArray:
        """What ``exp(i k r) / r`` is multiplied with far away, of degrees up to `highest`."""
        n = np.arange(highest + 1)
        return np.asarray(np.cumprod(np.where(n, -1j * self.wavenumber / np.maximum(2 * n - 1, 1), 1.0)))


@final
class Leaving(Radial):
    """``i k^(n + 1) / (2 n - 1)!! h(n, k r)``, which is ``r^-(n + 1)`` for k = 0."""

    def values(self, highest: int, radius: FloatArray) -> ComplexArray:
        """See `Radial.values`."""
        k = self.wavenumber
        found = np.empty((highest + 1, len(radius)), dtype=np.complex128)
        # damped waves about as large as they are at a distance of one
        found[0] = np.exp(1j * k * radius + k.imag) / radius
        if highest:
            found[1] = found[0] * (1 / radius - 1j * k)
        for n in range(1, highest):
            # upward, which is stable for what grows with the degree
            found[n + 1] = found[n] / radius - k**2 / (4 * n * n - 1) * found[n - 1]
        return found

    def up(self, n: NDArray[np.int_]) -> FloatArray:
        """See `Radial.up`."""
        return np.asarray(-(2.0 * n + 1.0), dtype=np.float64)

    def down(self, n: NDArray[np.int_]) -> ComplexArray | FloatArray:
        """See `Radial.down`."""
        return np.asarray(_if_real(self.wavenumber**2) / (2 * n - 1))

    @cached_property
    def sizes(self) -> FloatArray:
        """See `Radial.sizes`."""
        sizes: FloatArray = np.abs(self.values(self.highest, np.ones(1))[:, 0])
        if self.wavenumber.imag < 0:  # with the one before, for a single one may vanish there: at a resonance
            return np.asarray(np.hypot(sizes, np.append(sizes[:1], sizes[:-1])), dtype=np.float64)
        return sizes


@final
class Passing(Radial):
    """``(2 n + 1)!! / k^n j(n, k r)``, which is ``r^n`` for k = 0."""

    def values(self, highest: int, radius: FloatArray) -> ComplexArray:
        """See `Radial.values`."""
        k, radius = self.wavenumber, np.maximum(radius, _CENTER)
        found = np.empty((highest + 1, len(radius)), dtype=np.complex128)
        found[-2:] = self._directly(np.arange(highest + 1)[-2:], radius)
        for n in range(highest - 1, 0, -1):
            # downward, which is stable for what falls with the degree
            found[n - 1] = found[n] / radius - k**2 / ((2 * n + 1) * (2 * n + 3)) * found[n + 1]
        # next to the center the highest ones are none, and tell nothing
        small = np.flatnonzero(np.abs(found[-1]) < _NOTHING)
        found[:, small] = self._directly(np.arange(highest + 1), radius[small])
        return found

    def _directly(self, n: NDArray[np.int_], radius: FloatArray) -> ComplexArray:
        """Those of degrees n."""
        k = self.wavenumber
        z = k * radius
        # damped waves about as large as they are at a distance of one
        front = np.sqrt(0.5 * np.pi / z) * np.exp(np.abs(z.imag) - abs(k.imag))
        ratios = [np.prod((2 * np.arange(1, each + 1) + 1) / k) for each in n.tolist()]
        return np.asarray(np.array(ratios)[:, None] * scipy.special.jve(n[:, None] + 0.5, z) * front)

    def up(self, n: NDArray[np.int_]) -> ComplexArray | FloatArray:
        """See `Radial.up`."""
        return np.asarray(-_if_real(self.wavenumber**2) / (2 * n + 3))

    def down(self, n: NDArray[np.int_]) -> FloatArray:
        """See `Radial.down`."""
        return np.asarray(2.0 * n + 1.0, dtype=np.float64)

    @cached_property
    def sizes(self) -> FloatArray:
        """See `Radial.sizes`."""
        # with the next one, for a single one may vanish there
        each = np.abs(self.values(self.highest, np.ones(1))[:, 0])
        following = abs(self.wavenumber) / (2 * np.arange(self.highest) + 3)
        return np.asarray(np.hypot(each[:-1], following * each[1:]), dtype=np.float64)


def _if_real(number: complex) -> complex | float:
    return number if number.imag else number.real
