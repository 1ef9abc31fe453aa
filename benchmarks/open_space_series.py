"""Fields around disks by their own series, which nothing of the package takes part in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.special as special
from numpy.typing import NDArray

Complexes = NDArray[np.complex128]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Disks:
    """Disks in a plane wave ``exp(i k (cos(direction) x + sin(direction) y))``, by multipoles around their centers.

    On their boundaries ``alpha u + beta du/dn = 0`` with the normal into the disks. The multipoles of one are regular
    waves around another, by Graf's addition theorem; so conditions become a system for all amplitudes.
    """

    centers: Floats
    radius: float
    k: float
    direction: float
    alpha: complex = 1.0
    beta: complex = 0.0
    orders: int = 40

    @property
    def n(self) -> NDArray[np.int_]:
        """Of the multipoles of each disk."""
        return np.arange(-self.orders, self.orders + 1)

    def amplitudes(self) -> Complexes:
        """Of ``H(n, k r) exp(i n theta) / |H(n, k a)|`` around each disk, ``(D, 2 N + 1)``."""
        ka, n = self.k * self.radius, self.n
        regular = self.alpha * special.jv(n, ka) - self.beta * self.k * special.jvp(n, ka)
        leaving = self.alpha * special.hankel1(n, ka) - self.beta * self.k * special.h1vp(n, ka)
        size = np.abs(special.hankel1(n, ka))
        ahead = self.centers @ np.array([np.cos(self.direction), np.sin(self.direction)])
        comes_in = np.exp(1j * self.k * ahead)[:, None] * 1j**n * np.exp(-1j * n * self.direction)
        number, count = len(self.centers), len(n)
        system = np.eye(number * count, dtype=complex).reshape(number, count, number, count)
        for one in range(number):
            for other in range(number):
                if one == other:
                    continue
                x, y = self.centers[one] - self.centers[other]
                order = n[None, :] - n[:, None]
                shifted = special.hankel1(order, self.k * np.hypot(x, y)) * np.exp(1j * order * np.arctan2(y, x))
                system[one, :, other, :] = (regular / leaving * size)[:, None] * shifted / size[None, :]
        values = -(regular / leaving * size) * comes_in
        solved = np.linalg.solve(system.reshape(number * count, -1), values.ravel())
        return np.asarray(solved.reshape(number, count))

    def scattered(self, points: Floats) -> Complexes:
        """The field that disks add, at points ``(m, 2)``."""
        size = np.abs(special.hankel1(self.n, self.k * self.radius))
        total = np.zeros(len(points), dtype=complex)
        for center, own in zip(self.centers, self.amplitudes(), strict=True):
            x, y = (points - center).T
            r, theta = np.hypot(x, y), np.arctan2(y, x)
            for n, amplitude in zip(self.n, own / size, strict=True):
                total += amplitude * special.hankel1(n, self.k * r) * np.exp(1j * n * theta)
        return total

    def far_field(self, angles: Floats) -> Complexes:
        """What ``exp(i k r) / sqrt(r)`` is multiplied with far away."""
        size = np.abs(special.hankel1(self.n, self.k * self.radius))
        total = np.zeros(len(angles), dtype=complex)
        for center, own in zip(self.centers, self.amplitudes(), strict=True):
            ahead = np.exp(-1j * self.k * (np.cos(angles) * center[0] + np.sin(angles) * center[1]))
            total += ahead * (np.exp(1j * np.outer(angles - 0.5 * np.pi, self.n)) @ (own / size))
        return np.asarray(np.sqrt(2 / (np.pi * self.k)) * np.exp(-0.25j * np.pi) * total)


@dataclass(frozen=True, eq=False)
class TransparentDisk:
    """A disk that lets waves through: its own wavenumber, and a factor of the flux inside."""

    center: tuple[float, float]
    radius: float
    k: float
    inside: complex
    flux: float
    direction: float
    orders: int = 60

    def _amplitudes(self) -> list[tuple[int, complex, complex]]:
        """Orders, and what ``H(n, k r)`` outside and ``J(n, k r)`` inside are multiplied with."""
        found = []
        ka, inner = self.k * self.radius, self.inside * self.radius
        ahead = self.center[0] * np.cos(self.direction) + self.center[1] * np.sin(self.direction)
        for n in range(-self.orders, self.orders + 1):
            rows = np.array(
                [
                    [special.hankel1(n, ka), -special.jv(n, inner)],
                    [self.k * special.h1vp(n, ka), -self.flux * self.inside * special.jvp(n, inner)],
                ]
            )
            values = -np.array([special.jv(n, ka), self.k * special.jvp(n, ka)])
            sizes = np.abs(rows).max(axis=0)
            outer, own = np.linalg.solve(rows / sizes, values) / sizes
            comes_in = np.exp(1j * self.k * ahead - 1j * n * self.direction) * 1j**n
            found.append((n, outer * comes_in, own * comes_in))
        return found

    def scattered(self, points: Floats) -> Complexes:
        """The field less what comes in, at points ``(m, 2)``."""
        x, y = (points - np.array(self.center)).T
        r, theta = np.hypot(x, y), np.arctan2(y, x)
        within, total = r < self.radius, np.zeros(len(points), dtype=complex)
        for n, outer, own in self._amplitudes():
            turn = np.exp(1j * n * theta)
            total[~within] += outer * special.hankel1(n, self.k * r[~within]) * turn[~within]
            total[within] += own * special.jv(n, self.inside * r[within]) * turn[within]
        ahead = points @ np.array([np.cos(self.direction), np.sin(self.direction)])
        return total - within * np.exp(1j * self.k * ahead)

    def far_field(self, angles: Floats) -> Complexes:
        """What ``exp(i k r) / sqrt(r)`` is multiplied with far away."""
        ahead = np.exp(-1j * self.k * (np.cos(angles) * self.center[0] + np.sin(angles) * self.center[1]))
        total = sum(outer * np.exp(1j * n * (angles - 0.5 * np.pi)) for n, outer, _ in self._amplitudes())
        return np.asarray(np.sqrt(2 / (np.pi * self.k)) * np.exp(-0.25j * np.pi) * ahead * total)
