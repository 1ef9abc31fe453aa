"""Fields around and in layered disks by their own series, which nothing of the package takes part in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.special as special
from numpy.typing import NDArray
from open_space_series import Complexes, Floats


@dataclass(frozen=True)
class Layered:
    """A disk of layers, from outside in: their outer radii, wavenumbers, and factors of the flux.

    A core that lets nothing through, of some radius, is soft or hard.
    """

    center: tuple[float, float]
    radii: tuple[float, ...]
    waves: tuple[complex, ...]
    fluxes: tuple[float, ...]
    core: tuple[float, str] | None = None

    def waves_of(self, n: int, k: float) -> Complexes:
        """What ``H(n, k r)`` outside, and both waves of each layer, are multiplied with, for ``J(n, k r)`` coming in.

        Shape ``(1 + 2 L,)``: first the outside, then J and H of each layer.
        """
        waves, fluxes, layers = (k, *self.waves), (1.0, *self.fluxes), len(self.radii)
        rows, values = (
            np.zeros((2 * layers + 1, 2 * layers + 1), dtype=complex),
            np.zeros(2 * layers + 1, dtype=complex),
        )
        for i, radius in enumerate(self.radii):
            outer, inner = (_both(n, waves[j], radius, fluxes[j]) for j in (i, i + 1))
            here = slice(2 * i, 2 * i + 2)
            if i == 0:
                rows[here, 0], values[here] = outer[:, 1], -outer[:, 0]
            else:
                rows[here, 2 * i - 1 : 2 * i + 1] = outer
            rows[here, 2 * i + 1 : 2 * i + 3] = -inner
        if self.core is None:
            rows[-1, -1] = 1.0  # nothing is singular in the middle
        else:
            radius, kind = self.core
            rows[-1, -2:] = _both(n, waves[-1], radius, 1.0)[int(kind == "hard")]
        sizes = np.abs(rows).max(axis=0)
        heights = np.abs(rows / sizes).max(axis=1)
        return np.asarray(np.linalg.solve(rows / sizes / heights[:, None], values / heights) / sizes)


def _both(n: int, k: complex, radius: float, flux: float) -> Complexes:
    """Values and fluxes, as rows, of J and H of an order."""
    z = k * radius
    values = [special.jv(n, z), special.hankel1(n, z)]
    slopes = [flux * k * special.jvp(n, z), flux * k * special.h1vp(n, z)]
    return np.array([values, slopes])


@dataclass(frozen=True, eq=False)
class LayeredDisks:
    """Layered disks in a plane wave, by multipoles around their centers, and what each makes of what comes to it."""

    disks: tuple[Layered, ...]
    k: float
    direction: float
    orders: int = 80

    @property
    def n(self) -> NDArray[np.int_]:
        """Of the multipoles of each disk."""
        return np.arange(-self.orders, self.orders + 1)

    @cached_property
    def _answers(self) -> list[Complexes]:
        """Of each disk, for each order: see `Layered.waves_of`."""
        return [np.array([disk.waves_of(int(n), self.k) for n in self.n]) for disk in self.disks]

    @cached_property
    def _arriving(self) -> Complexes:
        """Amplitudes of ``J(n, k r) exp(i n theta)`` that come to each disk, from far away and from others."""
        n, centers = self.n, np.array([disk.center for disk in self.disks])
        ahead = centers @ np.array([np.cos(self.direction), np.sin(self.direction)])
        comes_in = np.exp(1j * self.k * ahead)[:, None] * 1j**n * np.exp(-1j * n * self.direction)
        number, count = len(centers), len(n)
        system = np.eye(number * count, dtype=complex).reshape(number, count, number, count)
        sizes = [np.abs(special.jv(n, self.k * disk.radii[0])) + 1e-250 for disk in self.disks]
        for one, other in np.argwhere(~np.eye(number, dtype=bool)):
            x, y = centers[one] - centers[other]
            order = n[None, :] - n[:, None]
            shifted = special.hankel1(order, self.k * np.hypot(x, y)) * np.exp(1j * order * np.arctan2(y, x))
            system[one, :, other, :] = -sizes[one][:, None] * shifted * (self._answers[other][:, 0] / sizes[other])
        values = comes_in * np.array(sizes)
        solved = np.linalg.solve(system.reshape(number * count, -1), values.ravel())
        return np.asarray(solved.reshape(number, count) / np.array(sizes))

    def scattered(self, points: Floats) -> Complexes:
        """The field less what comes in, at points ``(m, 2)``; zero in cores that let nothing through."""
        total, outside = np.zeros(len(points), dtype=complex), np.ones(len(points), dtype=bool)
        for disk in self.disks:
            outside &= np.hypot(*(points - disk.center).T) >= disk.radii[0]
        for disk, arriving, answers in zip(self.disks, self._arriving, self._answers, strict=True):
            x, y = (points - disk.center).T
            r, theta = np.hypot(x, y), np.arctan2(y, x)
            for here, regular, leaving, k in self._layers(disk, r, outside, answers):
                for n, amplitude, own, away in zip(self.n, arriving, regular, leaving, strict=True):
                    wave = own * special.jv(n, k * r[here]) if own else 0.0
                    wave = wave + (away * special.hankel1(n, k * r[here]) if away else 0.0)
                    total[here] += amplitude * wave * np.exp(1j * n * theta[here])
        ahead = points @ np.array([np.cos(self.direction), np.sin(self.direction)])
        return np.asarray(total - ~outside * np.exp(1j * self.k * ahead))

    def _layers(
        self, disk: Layered, r: Floats, outside: NDArray[np.bool_], answers: Complexes
    ) -> Iterator[tuple[NDArray[np.bool_], Complexes, Complexes, complex]]:
        """Where each layer is, what its waves are multiplied with, and its wavenumber; the outside first."""
        yield outside, np.zeros(len(self.n), dtype=complex), answers[:, 0], self.k
        inner = (*disk.radii[1:], 0.0 if disk.core is None else disk.core[0])
        for i, (high, low, k) in enumerate(zip(disk.radii, inner, disk.waves, strict=True)):
            yield (r < high) & (r >= low), answers[:, 2 * i + 1], answers[:, 2 * i + 2], k

    def far_field(self, angles: Floats) -> Complexes:
        """What ``exp(i k r) / sqrt(r)`` is multiplied with far away."""
        total = np.zeros(len(angles), dtype=complex)
        for disk, arriving, answers in zip(self.disks, self._arriving, self._answers, strict=True):
            ahead = np.exp(-1j * self.k * (np.cos(angles) * disk.center[0] + np.sin(angles) * disk.center[1]))
            total += ahead * (np.exp(1j * np.outer(angles - 0.5 * np.pi, self.n)) @ (arriving * answers[:, 0]))
        return np.asarray(np.sqrt(2 / (np.pi * self.k)) * np.exp(-0.25j * np.pi) * total)
