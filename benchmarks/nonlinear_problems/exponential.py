"""Evolutions on a ring by Fourier series in space, in time by exponentials of what is linear (ETDRK4).

Cox and Matthews, Exponential time differencing for stiff systems (2002), with the contour integrals of Kassam and
Trefethen, Fourth-order time-stepping for stiff PDEs (2005).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Points on the contour around each number.
_CONTOUR = 64


@dataclass(frozen=True, eq=False)
class Ring:
    """``u_t = L u + N(u)`` for U functions of period `length`, from `start` on.

    Attributes
    ----------
    start, length : float
    modes : int
    linear : callable
        The symbol of L for each function, ``(U, m)``, of frequencies ``(m,)``.
    rest : callable
        N on values ``(U, m)``: its values ``(U, m)``, or those of the antiderivative, if `of_flux`.
    of_flux : bool
    """

    start: float
    length: float
    modes: int
    linear: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    rest: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    of_flux: bool = False

    @property
    def places(self) -> NDArray[np.float64]:
        """Where values are."""
        return self.start + self.length * np.arange(self.modes) / self.modes

    def run(self, first: NDArray[np.float64], times: NDArray[np.float64], step: float) -> list[NDArray[np.complex128]]:
        """Fourier coefficients ``(U, m)`` at rising times, from values at time zero."""
        at, kept, now = np.fft.fft(first), [], 0.0
        for end in times:
            number = int(np.ceil((end - now) / step))
            advance = self._step((end - now) / number)
            for _ in range(number):
                at = advance(at)
            kept.append(at)
            now = end
        return kept

    def values(self, coefficients: NDArray[np.complex128], x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Those of each function ``(U, n)`` at places."""
        k = np.fft.fftfreq(self.modes, 1 / self.modes)
        waves = np.exp(2j * np.pi * k[:, None] * (x - self.start) / self.length)
        return np.asarray((coefficients @ waves).real / self.modes)

    def _step(self, h: float) -> Callable[[NDArray[np.complex128]], NDArray[np.complex128]]:
        number = np.fft.fftfreq(self.modes, 1 / self.modes)
        k = 2 * np.pi / self.length * number
        kept = np.abs(number) < self.modes / 3  # of products, what is not folded back
        factor = np.where(kept, 1j * k if self.of_flux else 1.0, 0.0)
        L = h * self.linear(k)
        around = L[..., None] + np.exp(1j * np.pi * (np.arange(1, _CONTOUR + 1) - 0.5) / _CONTOUR)

        def mean(values: NDArray[np.complex128]) -> NDArray[np.float64]:
            return np.asarray(h * values.mean(axis=-1).real)

        e, half = np.exp(L), np.exp(L / 2)
        q = mean((np.exp(around / 2) - 1) / around)
        f1 = mean((-4 - around + np.exp(around) * (4 - 3 * around + around**2)) / around**3)
        f2 = mean((2 + around + np.exp(around) * (around - 2)) / around**3)
        f3 = mean((-4 - 3 * around - around**2 + np.exp(around) * (4 - around)) / around**3)

        def rest(v: NDArray[np.complex128]) -> NDArray[np.complex128]:
            return factor * np.fft.fft(self.rest(np.fft.ifft(v).real))

        def advance(v: NDArray[np.complex128]) -> NDArray[np.complex128]:
            n = rest(v)
            a = half * v + q * n
            n_a = rest(a)
            b = half * v + q * n_a
            n_b = rest(b)
            c = half * a + q * (2 * n_b - n)
            return np.asarray(e * v + f1 * n + 2 * f2 * (n_a + n_b) + f3 * rest(c))

        return advance
